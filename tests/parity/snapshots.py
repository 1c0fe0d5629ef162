"""Neutral pictures of what an operation left behind, so that values of two libraries can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import torch

from .libraries import Library

Storages = frozenset[int]


@dataclass(frozen=True)
class TensorShot:
    """A tensor; `shares` tells whether it lies in memory that the current tensordict held before the operation."""

    tensor: torch.Tensor
    shares: bool


@dataclass(frozen=True)
class NodeShot:
    """A tensordict with everything visible of it; entries in order."""

    lazy: bool
    batch_size: tuple[int, ...]
    names: tuple[str | None, ...]
    device: str | None
    locked: bool
    entries: dict[str, Shot]


@dataclass(frozen=True)
class NonTensorShot:
    """The wrapper of a non-tensor entry: its values as nested lists, whichever way they are held."""

    batch_size: tuple[int, ...]
    values: Any


@dataclass(frozen=True)
class SequenceShot:
    """A list, tuple, or anything iterable that is read by going through it."""

    kind: str
    items: list[Shot]


@dataclass(frozen=True)
class MappingShot:
    """A dict or named tuple, in order."""

    kind: str
    items: dict[Any, Shot]


@dataclass(frozen=True)
class PlainShot:
    """Any other Python value."""

    value: Any


@dataclass(frozen=True)
class UnreadableShot:
    """A value that raises when looked at."""

    error: Exception


Shot: TypeAlias = TensorShot | NodeShot | NonTensorShot | SequenceShot | MappingShot | PlainShot | UnreadableShot


class Camera:
    """Takes snapshots of the values of one library."""

    def __init__(self, library: Library, known: Storages = frozenset()) -> None:
        self.library = library
        self.known = known
        self.lazy_type: type[Any] | None = getattr(library.module, "LazyStackedTensorDict", None)

    def take(self, value: Any) -> Shot:
        """Return a snapshot of any value."""
        try:
            return self.look(value)
        except Exception as error:  # what a library raises here is a finding, whatever its type
            return UnreadableShot(error)

    def look(self, value: Any) -> Shot:
        """Return a snapshot, or raise what looking at the value raises."""
        if isinstance(value, type):
            return PlainShot(value.__name__)
        if isinstance(value, torch.Tensor):
            return TensorShot(value, value.numel() > 0 and storage_of(value) in self.known)
        if self.library.is_non_tensor(value):
            return NonTensorShot(tuple(value.batch_size), plain_lists(value.tolist()))
        if self.library.is_container(value):
            return self.look_at_node(value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return MappingShot(type(value).__name__, {name: self.take(getattr(value, name)) for name in value._fields})
        if isinstance(value, torch.Size):
            return PlainShot(value)
        if isinstance(value, (list, tuple)):
            kind = "tuple" if isinstance(value, tuple) else "list"
            return SequenceShot(kind, [self.take(item) for item in value])
        if isinstance(value, Mapping):
            return MappingShot("mapping", {key: self.take(item) for key, item in value.items()})
        if isinstance(value, Iterable) and not isinstance(value, (str, bytes, set, frozenset, range, np.ndarray)):
            return SequenceShot("iterable", [self.take(item) for item in value])
        return PlainShot(value)

    def look_at_node(self, td: Any) -> NodeShot:
        """Return a snapshot of a tensordict."""
        return NodeShot(
            lazy=self.lazy_type is not None and isinstance(td, self.lazy_type),
            batch_size=tuple(td.batch_size),
            names=tuple(td.names),
            device=None if td.device is None else str(td.device),
            locked=bool(td.is_locked),
            entries={key: self.take(value) for key, value in td.items()},
        )


def storage_of(tensor: torch.Tensor) -> int:
    """Return the address of a tensor's storage (-1 for an empty one, which shares nothing)."""
    return tensor.untyped_storage().data_ptr() or -1


def plain_lists(value: Any) -> Any:
    """Return nested lists of the builtin type, for a comparison by value."""
    return [plain_lists(item) for item in value] if isinstance(value, list) else value


def storages(*shots: Shot) -> Storages:
    """Return the storages of all tensors in the snapshots."""
    return frozenset(address for shot in shots for address in addresses(shot) if address != -1)


def addresses(shot: Shot) -> Iterator[int]:
    if isinstance(shot, TensorShot):
        yield storage_of(shot.tensor)
    elif isinstance(shot, NodeShot):
        for inner in shot.entries.values():
            yield from addresses(inner)
