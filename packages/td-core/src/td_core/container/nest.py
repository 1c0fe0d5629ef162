"""Nests of lists, tuples, named tuples and dicts as containers, and back: each level keeps its own type.

The type stands in an extra non-tensor entry. Items of sequences have their position as key. Dict keys that are not
strings (or look like one of ours) stand under a generated key, beside the value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from torch import Size, Tensor

from ..leaves import NonTensorData, kind_of
from ..leaves.normalise import as_leaf
from .build import Sizing, container_of, is_named_tuple
from .kernel import Kernel

TYPE_KEY = "_pytree_type"
_WRAPPED = "<NON_NESTED>"


def from_nest(nest: Any, sizing: Sizing) -> Any:
    """Convert a nest; numbers and arrays become tensors. A bare leaf is returned as a tensor, a container as it is."""
    items = _items(nest)
    if items is None:
        return nest if isinstance(nest, Tensor) or container_of(nest) is not None else as_leaf(nest, Size(()), None)
    return sizing.build(_converted(nest, items))


def _items(nest: Any) -> list[tuple[str, Any]] | None:
    """The (key, value) pairs of one level, None for a leaf."""
    if container_of(nest) is not None:
        return None
    if is_named_tuple(nest):
        return list(zip(nest._fields, nest, strict=True))
    if isinstance(nest, (list, tuple)):
        return [(str(i), item) for i, item in enumerate(nest)]
    if not isinstance(nest, Mapping):
        return None
    items = []
    for i, (key, value) in enumerate(nest.items()):
        if type(key) is str and key != TYPE_KEY and not key.startswith(_WRAPPED):
            items.append((key, value))
        else:
            items.append((f"{_WRAPPED}{i}", _KeyAndValue(key, value)))
    return items


class _KeyAndValue:
    """A dict entry whose key cannot be one of a container."""

    __slots__ = ("key", "value")

    def __init__(self, key: Any, value: Any) -> None:
        self.key, self.value = key, value


def _converted(nest: Any, items: list[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    plain = Sizing("from_pytree")
    for key, value in items:
        if isinstance(value, _KeyAndValue):
            pair = [("value", from_nest(value.value, plain)), ("key", NonTensorData(value.key))]
            yield key, plain.build(pair)
        else:
            yield key, from_nest(value, plain)
    yield TYPE_KEY, NonTensorData(type(nest))


def to_nest(td: Kernel) -> Any:
    """Rebuild the nest a container was made from; a container that was none is returned as it is."""
    if TYPE_KEY not in td._storage:
        return td
    kind: type = td._storage[TYPE_KEY].data
    items = {key: _plain(value) for key, value in td._storage.items() if key != TYPE_KEY}
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return kind(**items)
    if issubclass(kind, (list, tuple)):
        return kind(items[str(i)] for i in range(len(items)))
    rebuilt: Any = kind()
    for key, value in items.items():
        if key.startswith(_WRAPPED):
            node = td._storage[key]
            rebuilt[node._storage["key"].data] = _plain(node._storage["value"])
        else:
            rebuilt[key] = value
    return rebuilt


def _plain(value: Any) -> Any:
    kind = kind_of(value)
    node = kind.node(value)
    if node is None:
        return kind.unwrap(value)
    return to_nest(node) if TYPE_KEY in node._storage else value
