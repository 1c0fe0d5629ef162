"""CUDA graphs for functions of tensordicts."""
