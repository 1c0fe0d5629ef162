"""Nested keys: a string, or a possibly nested tuple of strings. Pure functions, no torch."""

from __future__ import annotations

from collections.abc import Iterable

from .errors import TDKeyError
from .typing import NestedKey

KEY_SEPARATOR = "."
"""Joins the parts of a nested key where one string is needed, and orders keys when sorting."""


def key_parts(key: object) -> tuple[str, ...]:
    """Flatten a nested key to a tuple of strings.

    Returns:
        The parts in order, or the empty tuple when `key` is not a nested key. This is how an item assignment tells
        a key from an index.
    """
    if type(key) is str:
        return (key,)
    if not isinstance(key, tuple):
        return (str(key),) if isinstance(key, str) else ()
    for item in key:
        if type(item) is not str:
            break
    else:
        return key
    parts: list[str] = []
    for item in key:
        if type(item) is str:
            parts.append(item)
            continue
        inner = key_parts(item)
        if not inner:
            return ()
        parts.extend(inner)
    return tuple(parts)


unravel_key_to_tuple = key_parts
"""The name of `key_parts` in the field."""


def unravel_key(key: NestedKey) -> NestedKey:
    """Return the canonical form of a key: a string for one part, else a flat tuple.

    Raises:
        TDKeyError: `key` is not a nested key.
    """
    parts = require_parts(key)
    return parts[0] if len(parts) == 1 else parts


def unravel_key_list(keys: Iterable[NestedKey]) -> list[NestedKey]:
    """Apply `unravel_key` to each key."""
    return [unravel_key(key) for key in keys]


def require_parts(key: object) -> tuple[str, ...]:
    """Flatten a nested key, refusing anything else.

    Raises:
        TDKeyError: `key` is not a string or a non-empty tuple of strings.
    """
    parts = key_parts(key)
    if not parts:
        raise TDKeyError(
            f"A key must be a string or a non-empty tuple of strings, got {key!r} of type {type(key).__name__}."
        )
    return parts


def join_key(key: NestedKey, separator: str = KEY_SEPARATOR) -> str:
    """Join the parts of a nested key to one string."""
    return key if isinstance(key, str) else separator.join(require_parts(key))
