"""Listing keys, values and items in every mode, and the facts a container answers about itself."""

from __future__ import annotations

from typing import Any

from ..trees import WITH_LOCKED, Data
from ..workload import Workload, access

Key = str | tuple[str, ...]


def nested_keys(data: Data, leaves_only: bool, prefix: tuple[str, ...] = ()) -> list[Key]:
    """List the keys of all levels, as strings at the top and as tuples below."""
    return [key for key, _ in nested_items(data, leaves_only, prefix)]


def nested_values(data: Data, leaves_only: bool) -> list[Any]:
    """List the values of all levels."""
    found: list[Any] = []
    for value in data.values():
        if type(value) is dict:
            if not leaves_only:
                found.append(value)
            found += nested_values(value, leaves_only)
        else:
            found.append(value)
    return found


def nested_items(data: Data, leaves_only: bool, prefix: tuple[str, ...] = ()) -> list[tuple[Key, Any]]:
    """List the keys and values of all levels."""
    found: list[tuple[Key, Any]] = []
    for key, value in data.items():
        if type(value) is dict:
            if not leaves_only:
                found.append(((*prefix, key) if prefix else key, value))
            found += nested_items(value, leaves_only, (*prefix, key))
        else:
            found.append(((*prefix, key) if prefix else key, value))
    return found


def top_leaves(data: Data) -> list[str]:
    """List the keys of the top level that hold tensors."""
    return [key for key, value in data.items() if type(value) is not dict]


def is_empty(data: Data) -> bool:
    """Stop at the first tensor."""
    for value in data.values():  # noqa: SIM110 (a generator for ``all`` takes three times as long)
        if type(value) is not dict or not is_empty(value):
            return False
    return True


def _view(name: str, floor: Any, library: Any) -> Workload:
    return access(name, floor, library, trees=WITH_LOCKED, unordered=True)


# Note on the orders: a container may list a node before or after what it holds.
WORKLOADS: tuple[Workload, ...] = (
    _view("views/keys", list, lambda td: list(td.keys())),
    _view("views/keys-leaves", top_leaves, lambda td: list(td.keys(leaves_only=True))),
    _view("views/keys-nested", lambda data: nested_keys(data, False), lambda td: list(td.keys(True))),
    _view("views/keys-nested-leaves", lambda data: nested_keys(data, True), lambda td: list(td.keys(True, True))),
    _view("views/keys-sorted", sorted, lambda td: list(td.keys(sort=True))),
    _view("views/values", lambda data: list(data.values()), lambda td: list(td.values())),
    _view("views/values-nested", lambda data: nested_values(data, False), lambda td: list(td.values(True))),
    _view("views/values-nested-leaves", lambda data: nested_values(data, True), lambda td: list(td.values(True, True))),
    _view("views/items", lambda data: list(data.items()), lambda td: list(td.items())),
    _view("views/items-nested", lambda data: nested_items(data, False), lambda td: list(td.items(True))),
    _view("views/items-nested-leaves", lambda data: nested_items(data, True), lambda td: list(td.items(True, True))),
    access("views/len-keys", len, lambda td: len(td.keys()), trees=WITH_LOCKED),
    access("views/is_empty", is_empty, lambda td: td.is_empty()),
)
