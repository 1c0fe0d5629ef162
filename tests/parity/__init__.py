"""Differential tests: the same random sequences of operations on td_core and on the peer, `tensordict` 0.15.3."""
