"""Writing single entries: whole, in place, or at an index."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor
from typing_extensions import Self

from ..abc import Capability
from ..errors import (
    BatchSizeError,
    InplaceWriteError,
    LockedError,
    TDError,
    TDKeyError,
    TDRuntimeError,
    TDValueError,
    missing_key,
)
from ..keys import key_parts, require_parts
from ..leaves import kind_of, kind_of_type
from ..leaves.normalise import as_leaf
from ..leaves.rows import same_value
from ..structural import Index, parse_index
from ..typing import IndexType, NestedKey
from .kernel import Kernel
from .names import assign_names
from .reading import ReadMethods
from .views import contains


class WriteMethods(ReadMethods):
    """`set`, `set_`, `set_at_`, `create_nested`, `setdefault`, `fromkeys`, and the checks behind them."""

    def set(self, key: NestedKey, item: Any, inplace: bool = False, *, non_blocking: bool | None = None) -> Self:
        """Write an entry.

        Args:
            key: the key; missing intermediate nodes are created.
            item: a tensor, a container, a number, an array, a dict, or any Python object. Tensors must start with
                `batch_size`.
            inplace: overwrite the values of an existing entry, keeping its memory and dtype; a missing key is inserted.
            non_blocking: how the item is moved to the container's device. Default: asynchronously where that is safe.

        Returns:
            This container.

        Raises:
            LockedError: the container is locked, and the key is new or `inplace` is False.
            BatchSizeError: the item does not start with `batch_size`.
            TDKeyError: `key` is not a nested key, or leads through an entry that is not a container.
        """
        if type(key) is str:
            if inplace and key in self._storage:
                self._overwrite(key, item, non_blocking)
            else:
                self._insert(key, item)
            return self
        parts = require_parts(key)
        owner, depth = self._last_node(parts)
        if depth < len(parts) - 1:  # build what is missing aside, so that an item that does not fit leaves no trace
            if owner._locked:
                raise LockedError(f"set {parts!r} in")
            owner._require(Capability.WRITE, f"setting {parts!r}")
            node = owner._empty_node()
            node.set(parts[depth + 1 :], item)
            owner._storage[parts[depth]] = node
        elif inplace and parts[-1] in owner._storage:
            owner._overwrite(parts[-1], item, non_blocking)
        else:
            owner._insert(parts[-1], item)
        return self

    def set_(self, key: NestedKey, item: Any, *, non_blocking: bool | None = None) -> Self:
        """Overwrite the values of an existing entry in place, keeping its memory and dtype. Allowed when locked.

        Raises:
            TDKeyError: the key is missing, or that of an entry of an item that is a mapping or container.
            BatchSizeError: the item does not start with `batch_size`.
            InplaceWriteError: the item cannot be copied into the entry.
        """
        parts = (key,) if type(key) is str else require_parts(key)
        owner = self._owner(parts)
        if parts[-1] not in owner._storage:
            raise missing_key(key, owner._storage)
        if type(item) is not Tensor and _holds_entries(item):
            owner.update_({parts[-1]: item}, non_blocking=non_blocking)  # every container has it
        else:
            owner._overwrite(parts[-1], item, non_blocking)
        return self

    def _insert(self, key: str, item: Any) -> None:
        """Do what `set` does without `inplace`: where the storage cannot replace an entry, that is an error."""
        storage = self._storage
        if type(storage) is not dict and not storage.replaces and key in storage:  # type: ignore[union-attr]
            raise TDRuntimeError(
                f"set({key!r}, ..., inplace=False) would replace an entry of a {type(self).__name__}, which is a view. "
                "Use set_(), inplace=True or td[key] = value to write its values."
            )
        self._store(key, item)

    def _store(self, key: str, item: Any) -> None:
        """Validate and insert one entry of this level."""
        if type(self._storage) is not dict and self._refuses(key, item):
            self._overwrite(key, item)
            return
        if self._locked:
            raise LockedError(f"set {key!r} in")
        batch_size = self._batch_size
        if type(item) is Tensor:
            if item.shape[: len(batch_size)] != batch_size:
                raise BatchSizeError(key, item.shape, batch_size)
            if self._device is not None and item.device != self._device:
                item = item.to(self._device)
            self._storage[key] = item
        elif type(item) is dict:
            self._storage[key] = self._node_from(item)
        else:
            self._storage[key] = self._as_value(key, item)

    def _refuses(self, key: str, item: Any) -> bool:
        """Whether the storage, which is no dict, has the key and cannot replace it: then its values are to be written.

        Raises:
            UnsupportedOperationError: the storage does not take entries, or not of this kind.
        """
        storage: Any = self._storage
        if not storage.replaces and key in storage:
            return True
        self._require(Capability.WRITE, f"setting {key!r}")
        kind = kind_of_type(type(item))
        if kind is not None and kind.is_non_tensor:
            self._require(Capability.NON_TENSOR, f"setting {key!r} to a Python value")
        return False

    def _as_value(self, key: object, item: Any) -> Any:
        """Turn anything a user may write into a value that fits this container."""
        batch_size = self._batch_size
        kind = kind_of_type(type(item))
        if kind is None:
            if isinstance(item, dict) or hasattr(item, "keys"):
                return self._node_from(item)
            item = as_leaf(item, batch_size, self._device)
            kind = kind_of(item)
        inner = kind.node(item)
        if inner is not None and _holds(inner, self):
            raise TDValueError(f"Cannot write {key!r}: the value is, or contains, the tensordict it is written to.")
        shape = kind.shape(item)
        if shape[: len(batch_size)] != batch_size and not kind.is_collection:
            raise BatchSizeError(key, shape, batch_size)
        try:
            item = kind.fit(item, batch_size, self._device)
        except BatchSizeError as error:  # of the item itself, or of an entry below it: name the whole path
            path = (*key_parts(key), *key_parts(error.key))
            raise BatchSizeError(path if len(path) > 1 else key, error.shape, error.batch_size) from None
        if self._names is not None:
            node = kind.node(item)
            if node is not None:
                item = kind.wrap(item, _named_like(node, self._names, key))
        return item

    def _node_from(self, mapping: Any) -> Any:
        """Build a child node from a mapping, with this container's batch size, device and names."""
        node = self._empty_node()
        node._take(mapping.items())
        return node

    def _take(self, items: Iterable[tuple[Any, Any]], non_blocking: bool | None = None) -> None:
        """Insert the entries of a mapping. A tuple key adds to a node; a plain key may not replace what came of one.

        Raises:
            TDKeyError: a plain key comes after a tuple key that starts with it.
        """
        heads: set[str] = set()
        storage, size = self._storage, self._batch_size
        n = len(size)
        free = type(storage) is dict and self._device is None and not self._locked
        for key, value in items:
            if free and type(value) is Tensor and type(key) is str and not heads and value.shape[:n] == size:
                storage[key] = value
            elif type(key) is not str:
                self.set(key, value, non_blocking=non_blocking)
                heads.add(key_parts(key)[0])
            elif heads and key in heads:
                raise TDKeyError(
                    f"The entry {key!r} comes after an entry inside of it, which it would replace. Put it first, or "
                    "give the nested entries in one way."
                )
            else:
                self._store(key, value)

    def _empty_node(self) -> Any:
        storage = self._storage
        child = {} if type(storage) is dict else storage.empty(self._batch_size)  # type: ignore[union-attr]
        return self._build(child, self._batch_size, self._device, self._names)

    def _overwrite(self, key: str, item: Any, non_blocking: bool | None = None) -> None:
        """Overwrite an existing entry of this level in place."""
        storage = self._storage
        if type(storage) is not dict:
            self._overwrite_through(key, item, non_blocking)
            return
        old = storage[key]
        if old is item:
            return
        batch_size = self._batch_size
        if type(item) is not Tensor:
            kind = kind_of(old)
            if not (kind.node(old) is not None and (isinstance(item, dict) or kind_of_type(type(item)) is kind)):
                item = self._as_value(key, item)
        elif item.shape[: len(batch_size)] != batch_size:
            raise BatchSizeError(key, item.shape, batch_size)
        try:
            if type(old) is Tensor and type(item) is Tensor:
                old.copy_(item, non_blocking=bool(non_blocking))
                return
            kind = kind_of(old)
            if kind.node(old) is not None and not isinstance(item, dict) and kind_of(item).node(item) is None:
                raise InplaceWriteError(key, f"the entry is a tensordict, the value a {type(item).__name__}")
            if self._sharing is not None and kind.is_non_tensor:
                self._require_same_data(key, old, kind.copy_into(kind.clone(old), item))
                return
            new = kind.copy_into(old, item, bool(non_blocking))
            if new is not old:
                storage[key] = new
        except (TDError, RecursionError):
            raise
        except (RuntimeError, TypeError, ValueError, AttributeError) as error:
            if not _same_memory(old, item):
                raise InplaceWriteError(key, str(error)) from error

    def _overwrite_through(self, key: str, item: Any, non_blocking: bool | None) -> None:
        """`_overwrite` for a storage that is no dict: the old value is not read."""
        storage: Any = self._storage
        self._require(Capability.INPLACE, f"writing {key!r} in place")
        kind = kind_of_type(storage.value_type(key))
        assert kind is not None, "the entry was stored"
        is_node = kind.is_collection and not kind.is_non_tensor
        if not (is_node and (isinstance(item, dict) or kind_of_type(type(item)) is kind)):
            item = self._as_value(key, item)
            if is_node and kind_of(item).node(item) is None:
                raise InplaceWriteError(key, f"the entry is a tensordict, the value a {type(item).__name__}")
        if self._sharing is not None and kind.is_non_tensor:
            old = storage[key]
            self._require_same_data(key, old, kind.copy_into(kind.clone(old), item))
            return
        try:
            storage.overwrite(key, item, bool(non_blocking))
        except (TDError, RecursionError):
            raise
        except (RuntimeError, TypeError, ValueError, AttributeError) as error:
            if not _same_memory(storage[key], item):
                raise InplaceWriteError(key, str(error)) from error

    def _make_path(self, parts: tuple[str, ...]) -> Any:
        """Return the container that holds the last part of a path, creating missing nodes."""
        node, depth = self._last_node(parts)
        for part in parts[depth:-1]:
            if node._locked:
                raise LockedError(f"set {parts!r} in")
            node._storage[part] = node._empty_node()
            node = node._storage[part]
        return node

    def _last_node(self, parts: tuple[str, ...]) -> tuple[Any, int]:
        """Return the last node on a path that exists, and how many parts lead to it.

        Raises:
            TDKeyError: the path leads through an entry that is not a container.
        """
        node: Any = self
        for depth, part in enumerate(parts[:-1]):
            value = node._storage.get(part)
            if value is None:
                return node, depth
            child = value if isinstance(value, Kernel) else kind_of(value).node(value)
            if child is None:
                raise TDKeyError(
                    f"Cannot set {parts!r}: the entry {parts[: depth + 1]!r} is already present and is a "
                    f"{type(value).__name__}, not a tensordict."
                )
            node = child
        return node, len(parts) - 1

    def set_at_(self, key: NestedKey, value: Any, index: IndexType, *, non_blocking: bool | None = None) -> Self:
        """Write into `td[key][index]` in place; the value broadcasts as for a tensor. Allowed when locked.

        Raises:
            TDKeyError: the key is missing.
        """
        parts = (key,) if type(key) is str else require_parts(key)
        owner = self._owner(parts)
        if parts[-1] not in owner._storage:
            raise missing_key(key, owner._storage)
        owner._write_at(parts[-1], value, index)
        return self

    def _write_at(self, key: str, value: Any, index: Any) -> None:
        """Write into one existing entry of this level at an unparsed index."""
        storage = self._storage
        if type(storage) is not dict and storage.parts is not None and not _is_chain(index):  # type: ignore[union-attr]
            shape = storage.peek(key).shape  # type: ignore[union-attr]  # as far as the members agree
            known = shape[: shape.index(-1)] if -1 in shape else shape
            self._write_parsed(key, parse_index(index, torch.Size(known)), value)
            return
        old = storage[key]
        if _is_chain(index):
            warnings.warn(
                f"Multiple indexing: {index!r} is applied one part after the other. Prefer a single index.",
                UserWarning,
                stacklevel=3,
            )
            part = kind_of(old).index(old, index[0])
            holder = self._build({key: part}, torch.Size([]), self._device)
            holder._write_at(key, value, index[1:] if len(index) > 2 else index[1])
            value, index = holder._storage[key], index[0]
        if type(storage) is dict and type(old) is Tensor:
            old[index] = as_tensor_for(old, value)
            return
        parsed = parse_index(index, kind_of(old).shape(old))
        self._write_parsed(key, parsed, value)

    def _write_parsed(self, key: str, index: Index, value: Any) -> None:
        """Write into one existing entry of this level. The object of a non-tensor entry may change, locked or not."""
        storage = self._storage
        if type(storage) is not dict:
            self._require(Capability.INPLACE, f"writing {key!r} in place")
            kind = kind_of_type(storage.value_type(key))  # type: ignore[union-attr]  # narrowed by the branch
            if self._sharing is not None and kind is not None and kind.is_non_tensor:
                old = storage[key]
                self._require_same_data(key, old, kind.write(kind.clone(old), index, value))
                return
            storage.write(key, index, value)  # type: ignore[union-attr]  # narrowed by the branch
            return
        old = storage[key]
        if type(old) is Tensor:
            if type(value) is Tensor:
                old[index.key] = value
            else:
                old[index.key if index.mask is None else index.mask] = as_tensor_for(old, value)
            return
        kind = kind_of(old)
        if self._sharing is not None and kind.is_non_tensor:
            self._require_same_data(key, old, kind.write(kind.clone(old), index, value))
            return
        new = kind.write(old, index, value)
        if new is not old:
            storage[key] = new

    def _require_same_data(self, key: str, old: Any, new: Any) -> None:
        """Refuse a change of non-tensor data in shared memory, where other processes would not see it."""
        if not same_value(old.tolist(), new.tolist()):
            raise TDRuntimeError(
                f"The non-tensor entry {key!r} cannot change: the tensordict is in {self._sharing} memory, where other "
                "processes cannot see new non-tensor values. Allocate it before sharing."
            )

    def create_nested(self, key: NestedKey) -> Self:
        """Insert an empty node with the batch size, device and names of its parent.

        Raises:
            LockedError: the container is locked.
        """
        self._require_unlocked(f"create {key!r} in")
        parts = require_parts(key)
        owner = self._make_path(parts)
        owner._require_unlocked(f"create {key!r} in")
        owner._require(Capability.WRITE, "create_nested()")
        owner._storage[parts[-1]] = owner._empty_node()
        return self

    def setdefault(self, key: NestedKey, default: Any, inplace: bool = False) -> Any:
        """Return the entry, setting it to `default` first when it is missing."""
        if not contains(self, require_parts(key)):
            self.set(key, default, inplace=inplace)
        return self.get(key)

    @classmethod
    def fromkeys(cls, keys: Iterable[NestedKey], value: Any = 0) -> Self:
        """Build a container of empty batch size with the same value under each key."""
        out: Self = cls._build({}, torch.Size([]))
        out._take((key, value) for key in keys)
        return out


def _holds_entries(item: Any) -> bool:
    """Whether an item is a mapping or a container."""
    kind = kind_of_type(type(item))
    return isinstance(item, Mapping) if kind is None else kind.node(item) is not None


def _holds(tree: Kernel, node: Kernel) -> bool:
    """Whether `node` is the root of a tree or one of its nodes."""
    level = [tree]
    while level:
        if any(found is node for found in level):
            return True
        level = [child for found in level for child in found._children()]
    return False


def _named_like(node: Kernel, names: list[str | None], key: object) -> Kernel:
    """Return the node with its leading dims named as the parent's, a shallow copy when that changes it.

    Raises:
        TDRuntimeError: the node has other names for those dims.
    """
    own = node._names[: len(names)] if node._names is not None else None
    if own == names:
        return node
    if own is not None and any(a is not None and b is not None and a != b for a, b in zip(own, names, strict=False)):
        raise TDRuntimeError(
            f"The dimension names {own} of the entry {key!r} conflict with the names {names} of the tensordict it is "
            "written to. Rename one of them first."
        )
    copy = node._like(node._storage)
    assign_names(copy, names)
    return copy


def _is_chain(index: Any) -> bool:
    """Whether an index is several ones, to be applied one after the other."""
    return type(index) is tuple and bool(index) and type(index[0]) is tuple


def _same_memory(old: Any, new: Any) -> bool:
    """Whether two tensors share their storage, so that what one says was written through the other already."""
    if not isinstance(old, Tensor) or not isinstance(new, Tensor):
        return False
    return old.untyped_storage().data_ptr() == new.untyped_storage().data_ptr()


def as_tensor_for(old: Tensor, value: Any) -> Any:
    """Bring a list or array to a tensor of the dtype and device of the entry it is written into."""
    if isinstance(value, (Tensor, int, float, complex)):
        return value
    return torch.as_tensor(value, dtype=old.dtype, device=old.device)
