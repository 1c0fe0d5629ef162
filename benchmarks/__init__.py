"""Timings of td_core beside hand-written code and beside the peer: ``python -m benchmarks --help``."""
