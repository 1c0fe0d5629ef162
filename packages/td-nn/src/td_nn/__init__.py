"""Modules that read and write the entries of a tensordict by key."""
