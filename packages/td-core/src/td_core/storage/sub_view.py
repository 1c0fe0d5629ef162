"""The storage of a view on a region of another container: nothing is held but the source and the index.

Entries are indexed when read; writes go to the source. This holds for index tensors too, where reading copies.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import torch
from torch import Size, Tensor

from ..abc import Capability, Storage
from ..errors import TDIndexError, TDRuntimeError
from ..leaves import kind_of
from ..structural import Index, Permute, Regroup, Squeeze, StructuralOp, Transpose, Unsqueeze

_REFUSED: dict[type, str] = {
    Permute: "permute",
    Regroup: "view",
    Squeeze: "squeeze",
    Transpose: "transpose",
    Unsqueeze: "unsqueeze",
}


class SubView(Storage):
    """The region of a container that an index selects.

    Removing and renaming entries acts on the whole entries of the source.

    Attributes:
        source: the container.
        index: the index over its batch dims.
    """

    name: ClassVar[str] = "sub-view"
    capabilities: ClassVar[Capability] = (
        Capability.WRITE
        | Capability.DELETE
        | Capability.RENAME
        | Capability.INPLACE
        | Capability.NON_TENSOR
        | Capability.PICKLE
    )
    replaces: ClassVar[bool] = False

    __slots__ = ("index", "source")

    def __init__(self, source: Any, index: Index) -> None:
        _check_range(index, source._batch_size)
        self.source = source
        self.index = index

    def container(self) -> Any:
        """Return a container around this storage; its metadata are those of the source."""
        source = self.source
        return source._build(self, self.index.size(source._batch_size))

    # -- the mapping --------------------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[str]:
        return iter(list(self.source._storage))

    def __len__(self) -> int:
        return len(self.source._storage)

    def __contains__(self, key: object) -> bool:
        return key in self.source._storage

    def __getitem__(self, key: str) -> Any:
        value = self.source._storage[key]
        kind = kind_of(value)
        node = kind.node(value)
        if node is None:
            return kind.transform(value, self.index)
        return kind.wrap(value, SubView(node, self.index).container())

    def __setitem__(self, key: str, value: Any) -> None:
        self.source._store_region(key, self.index, value)

    def __delitem__(self, key: str) -> None:
        self.source.del_(key)

    # -- bulk operations ----------------------------------------------------------------------------------------------

    def value_type(self, key: str) -> type:
        """Return the type of the entry of the source."""
        storage = self.source._storage
        return type(storage[key]) if type(storage) is dict else storage.value_type(key)

    def rename(self, old: str, new: str) -> None:
        """Rename the entry of the source."""
        self.source.rename_key_(old, new)

    def write(self, key: str, index: Index, value: Any) -> None:
        """Write at a further index: into the region as it was read, and then back to the source."""
        part = self[key]
        kind = kind_of(part)
        new = kind.write(part, index, value)
        if kind.node(part) is None and not (isinstance(part, Tensor) and self.index.shares_storage):
            self.source._write_parsed(key, self.index, new)

    def overwrite(self, key: str, value: Any, non_blocking: bool = False) -> None:
        """Write into the region of the source, in the dtype of the entry there."""
        old = self.source._storage[key]
        kind = kind_of(old)
        if kind.node(old) is not None:
            kind.copy_into(self[key], value, non_blocking)
            return
        if kind.is_tensor and isinstance(value, Tensor):
            value = value.to(old.dtype)
        self.source._write_parsed(key, self.index, value)

    def shallow_copy(self) -> SubView:
        """Return the same view on a shallow copy of the source."""
        return SubView(self.source._shallow_copy(), self.index)

    def transform(self, op: StructuralOp) -> Any:
        """Return a view of the view for an index; other ops give dense results, or have no meaning in place."""
        if type(op) is Index:
            return SubView(self.container(), op)
        if type(op) in _REFUSED:
            raise TDRuntimeError(
                f"A view on a region of a tensordict has no {_REFUSED[type(op)]}(). Call reshape(), or to_tensordict() "
                "first to work on a dense copy."
            )
        return super().transform(op)


def _check_range(index: Index, batch_size: Size) -> None:
    """Refuse positions that are out of range now rather than when an entry is read."""
    dim = 0
    for item in index.items:
        if item is None or (isinstance(item, Tensor) and item.dtype is torch.bool):
            continue
        n = batch_size[dim]
        if isinstance(item, Tensor) and item.numel() and not -n <= int(item.min()) <= int(item.max()) < n:
            raise TDIndexError(f"index {item.tolist()} is out of range for batch dim {dim} of size {n}.")
        dim += 1
