"""Placeholder until generated."""

KNOWN_METHODS: dict[str, str] = {}
