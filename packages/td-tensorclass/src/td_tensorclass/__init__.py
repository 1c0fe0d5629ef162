"""Dataclasses of tensors."""
