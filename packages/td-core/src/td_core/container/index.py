"""Reading and writing by index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Size, Tensor

from ..errors import BatchSizeError, LockedError, TDRuntimeError, TDTypeError, missing_key
from ..keys import key_parts
from ..leaves import kind_of, kind_of_type
from ..leaves.non_tensor import as_non_tensor
from ..storage import SubView
from ..structural import Index, parse_index
from ..typing import NO_DEFAULT
from .kernel import Kernel
from .sizes import SizeMethods
from .update import UpdateMethods


class IndexMethods(UpdateMethods, SizeMethods):
    """`td[index]`, `td[index] = value`, iteration."""

    def __getitem__(self, key: Any) -> Any:
        """Return an entry for a key, the indexed container for an index.

        Raises:
            TDKeyError: the key is missing.
            TDIndexError: the index is out of range.
        """
        kind = type(key)
        if kind is str:
            try:
                value = self._storage[key]
            except KeyError:
                raise missing_key(key, self._storage) from None
            if type(value) is Tensor or isinstance(value, Kernel):
                return value
            return kind_of(value).unwrap(value)
        if kind is tuple and key and type(key[0]) is str:
            value = self
            for part in key:
                if type(part) is not str or not isinstance(value, Kernel):
                    break
                value = value._storage.get(part)
            else:
                if type(value) is Tensor or isinstance(value, Kernel):
                    return value
        elif kind is int:
            return self._index(key)
        elif key is Ellipsis:
            return self
        entry = self._get_item(key)
        return self._index(key) if entry is NO_DEFAULT else entry

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write an entry for a key; write into the indexed region of every entry for an index."""
        if type(key) is str:
            storage = self._storage
            if type(value) is Tensor and self._device is None and not self._locked and type(storage) is dict:
                size = self._batch_size
                if value.shape[: len(size)] == size:
                    storage[key] = value
                    return
            self._store(key, value)
            return
        if isinstance(key, str) or type(key) is tuple:
            parts = key_parts(key)
            if parts:
                self._make_path(parts)._store(parts[-1], value)
                return
        self._assign(key, value)

    def __getitems__(self, indices: Any) -> Any:
        """Return the elements of a list of indices as one container: what `torch.utils.data.DataLoader` asks for."""
        return self._index(indices)

    def __iter__(self) -> Iterator[Any]:
        if not self._batch_size:
            raise TDTypeError(
                "Iteration over a tensordict without batch dims. Use keys(), values() or items() for its entries."
            )
        return iter(self.unbind(0))  # type: ignore[attr-defined]  # as a tensor does; every container has it

    # -- reading ------------------------------------------------------------------------------------------------------

    def _index(self, index: Any) -> Any:
        """Return the container indexed over its batch dims."""
        if index is Ellipsis or (type(index) is tuple and not index):
            return self
        if not self._batch_size:
            _check_batchless(index)
        op = parse_index(index, self._batch_size)
        out = self._transform(op)
        if self._sharing is not None and op.shares_storage:
            out._sharing = self._sharing
            out._locked_like(self)
        return out

    # -- writing ------------------------------------------------------------------------------------------------------

    def _assign(self, index: Any, value: Any) -> None:
        """Write a value into the indexed region."""
        if not self._batch_size and not (index is Ellipsis or (type(index) is tuple and not index)):
            _check_batchless(index)
        op = parse_index(index, self._batch_size)
        kind = kind_of_type(type(value))
        if kind is None and isinstance(value, dict):
            value = self._region_from(value, op)
        elif kind is None or kind.node(value) is None:
            self._write_everywhere(op, value)
            return
        else:
            value = kind.node(value)
        self._write_index(op, value)

    def _region_from(self, mapping: dict[Any, Any], op: Index) -> Any:
        region = self._build({}, op.size(self._batch_size), self._device)
        for key, value in mapping.items():
            region.set(key, value)
        return region

    def _get_sub_tensordict(self, index: Any) -> Any:
        """Return a view on a region, whose writes reach this container whatever the index. A list counts as a tuple."""
        items = tuple(index) if isinstance(index, list) else index if isinstance(index, tuple) else (index,)
        return SubView(self, parse_index(items, self._batch_size)).container()

    def _store_region(self, key: str, op: Index, value: Any) -> None:
        """Add an entry of this batch size, with a value in a region and zeros elsewhere."""
        self._store(key, _full_entry(value, op, self))

    def _write_everywhere(self, op: Index, value: Any) -> None:
        """Write one number, tensor or object into the region of every entry."""
        storage = self._storage
        for key in list(storage):
            if type(storage) is not dict and not _is_node(storage, key):
                self._write_parsed(key, op, value)
                continue
            old = storage[key]
            child: Any = None if type(old) is Tensor else kind_of(old).node(old)
            if child is not None:
                child._write_everywhere(op, value)
            else:
                self._write_parsed(key, op, value)

    def _write_index(self, op: Index, value: Any) -> None:
        """Write a container into the region: shared keys in place, new keys as zero-filled full-size entries."""
        size = op.size(self._batch_size)
        if value._batch_size != size:
            value = _reconcile(value, size, self._batch_size, op)
        if self._device is not None and value._device != self._device:
            value = value._to_device(self._device)
        storage = self._storage
        if type(storage) is not dict and storage.assign(op, value):  # type: ignore[union-attr]
            return
        if self._locked:
            new = [key for key in value._storage if key not in storage]
            if new:
                raise LockedError(f"add the entries {new} to")
        for key, item in value._storage.items():
            if key not in storage:
                self._store(key, _full_entry(item, op, self))
            elif type(storage) is not dict and not _is_node(storage, key):
                self._write_parsed(key, op, item)
            else:
                child: Any = None
                if type(item) is not Tensor:
                    old = storage[key]
                    child = None if type(old) is Tensor else kind_of(old).node(old)
                inner = None if child is None else kind_of(item).node(item)
                if inner is None:
                    self._write_parsed(key, op, item)
                else:
                    child._write_index(op, inner)


def _is_node(storage: Any, key: str) -> bool:
    kind = kind_of_type(storage.value_type(key))
    return kind is not None and kind.is_collection and not kind.is_non_tensor


def _check_batchless(index: Any) -> None:
    """Refuse an index that would consume a dim of a container without batch dims."""
    items = index if type(index) is tuple else (index,)
    for item in items:
        if item is None or item is Ellipsis or isinstance(item, bool):
            continue
        if isinstance(item, Tensor) and item.dtype is torch.bool and item.ndim == 0:
            continue
        raise TDRuntimeError(
            f"Indexing a tensordict without batch dims by {index!r}: only None, ... and 0-dim booleans are possible."
        )


def _reconcile(value: Any, size: Size, batch_size: Size, op: Index) -> Any:
    """Give a value the batch size of the region it is written to: expanded on the left, or a shallow copy."""
    own = value._batch_size
    if own and size[-len(own) :] == own:
        return value.expand(size)
    try:
        return value._rebatched(size)
    except BatchSizeError as error:
        raise TDRuntimeError(
            f"A value of batch size {list(own)} cannot be written to the region of size {list(size)} that the "
            f"index {op.items!r} selects in a tensordict of batch size {list(batch_size)}."
        ) from error


def _full_entry(item: Any, op: Index, owner: Kernel) -> Any:
    """Return an entry of the owner's batch size: zeros, with `item` in the region."""
    batch_size = owner._batch_size
    kind = kind_of(item)
    node = kind.node(item)
    if node is not None:
        n = len(op.size(batch_size))
        full: Any = owner._build({}, batch_size + node._batch_size[n:], owner._device)
        for key, value in node._storage.items():
            full._storage[key] = _full_entry(value, op, full)
        return kind.wrap(item, full)
    if kind.is_non_tensor:
        blank = as_non_tensor(None, batch_size, None)
        return kind_of(blank).write(blank, op, item)
    rest = item.shape[len(op.size(batch_size)) :]
    entry = item.new_zeros((*batch_size, *rest))
    entry[op.key] = item
    return entry
