"""What the generators know of the current tensordict, read from the peer's one through its public interface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch

from .libraries import Library

Kind = Literal["tensor", "node", "non_tensor"]
Path = tuple[str, ...]


@dataclass(frozen=True)
class Entry:
    """One entry at any depth. `batch_size` is that of the node it lies in (its own for a node)."""

    path: Path
    kind: Kind
    shape: tuple[int, ...]
    dtype: str
    batch_size: tuple[int, ...]


@dataclass(frozen=True)
class State:
    """The current tensordict in outline."""

    batch_size: tuple[int, ...]
    names: tuple[str | None, ...]
    device: str | None
    locked: bool
    entries: tuple[Entry, ...]

    @property
    def dims(self) -> int:
        """Number of batch dims."""
        return len(self.batch_size)

    def of_kind(self, *kinds: Kind) -> list[Entry]:
        """Return the entries of these kinds, at every depth."""
        return [entry for entry in self.entries if entry.kind in kinds]

    def top(self, *kinds: Kind) -> list[Entry]:
        """Return the top-level entries of these kinds."""
        return [entry for entry in self.of_kind(*kinds) if len(entry.path) == 1]

    @property
    def tensors(self) -> list[Entry]:
        """The tensor entries, at every depth."""
        return self.of_kind("tensor")

    @property
    def nodes(self) -> list[Entry]:
        """The nested nodes, at every depth."""
        return self.of_kind("node")

    def elements(self) -> int:
        """Return the number of elements of all tensors."""
        return sum(torch.Size(entry.shape).numel() for entry in self.tensors)


def read_state(library: Library, td: Any) -> State:
    """Outline a tensordict."""
    entries: list[Entry] = []
    collect(library, td, (), entries)
    device = None if td.device is None else str(td.device)
    return State(tuple(td.batch_size), tuple(td.names), device, bool(td.is_locked), tuple(entries))


def collect(library: Library, node: Any, path: Path, entries: list[Entry]) -> None:
    """Append the entries of `node`, parents first."""
    batch_size = tuple(node.batch_size)
    for key in list(node.keys()):
        value = node.get(key)
        here = (*path, key)
        if isinstance(value, torch.Tensor):
            entries.append(Entry(here, "tensor", tuple(value.shape), str(value.dtype), batch_size))
        elif library.is_non_tensor(value):
            entries.append(Entry(here, "non_tensor", tuple(value.batch_size), "", batch_size))
        elif not library.is_container(value):  # the peer can lose an entry's wrapper
            entries.append(Entry(here, "non_tensor", (), "", batch_size))
        else:
            entries.append(Entry(here, "node", tuple(value.batch_size), "", tuple(value.batch_size)))
            collect(library, value, here, entries)
