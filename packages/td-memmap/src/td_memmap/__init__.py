"""Memory-mapped tensors and tensordict directories."""
