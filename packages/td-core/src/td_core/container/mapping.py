"""The container as a mapping: reading, writing and removing single entries, and listing keys."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor
from typing_extensions import Self

from ..abc import Capability
from ..errors import (
    BatchSizeError,
    InplaceWriteError,
    KeyThroughLeafError,
    LockedError,
    TDError,
    TDKeyError,
    TDRuntimeError,
    TDTypeError,
    missing_key,
)
from ..keys import join_key, key_parts, require_parts
from ..leaves import is_leaf_nontensor, kind_of, kind_of_type
from ..leaves.normalise import as_leaf
from ..leaves.rows import same_value
from ..structural import Index, parse_index
from ..typing import NO_DEFAULT, IndexType, LeafPredicate, NestedKey
from .form import Form
from .kernel import Kernel
from .names import NamesMethods, assign_names
from .views import NestedKeysView, collect_items, contains


class MappingMethods(NamesMethods):
    """Access to entries by key."""

    __hash__ = None  # type: ignore[assignment]  # a mutable mapping with elementwise equality

    # -- reading ------------------------------------------------------------------------------------------------------

    def get(
        self,
        key: NestedKey,
        default: Any = NO_DEFAULT,
        *,
        as_list: bool = False,
        as_nested_tensor: bool = False,
        as_padded_tensor: bool = False,
        layout: torch.layout | None = None,
        padding_side: str = "right",
        padding_value: float = 0.0,
    ) -> Any:
        """Return the value stored under a (nested) key; non-tensor data comes in its wrapper.

        The options are for lazy stacks, whose members may differ in shape; other storages ignore them.

        Args:
            key: the key.
            default: what to return when the key is missing. Default: None.
            as_list: return the values of the members in a list.
            as_nested_tensor: return them as a nested tensor.
            as_padded_tensor: return them stacked, the smaller ones padded.
            layout: of the nested tensor, `torch.jagged` by default.
            padding_side: "right" or "left".
            padding_value: what to pad with.

        Raises:
            TDKeyError: `key` is not a nested key.
            KeyThroughLeafError: the path leads through a tensor and no default was given.
        """
        if as_list or as_nested_tensor or as_padded_tensor:
            form = Form(as_list, as_nested_tensor, layout, padding_side, padding_value)
            return self._get_ragged(key, default, form)  # type: ignore[attr-defined]  # every container has it
        if type(key) is str:
            value = self._storage.get(key, default)
            return None if value is NO_DEFAULT else value
        value = self
        for part in key if type(key) is tuple else ():
            if type(part) is not str or not isinstance(value, Kernel):
                break
            value = value._storage.get(part)
        else:
            if type(value) is Tensor:
                return value
        parts = require_parts(key)
        value = self
        for depth, part in enumerate(parts):
            node: Kernel | None = value if depth == 0 else kind_of(value).node(value)
            if node is None:
                if default is NO_DEFAULT and kind_of(value).is_tensor:
                    raise KeyThroughLeafError(parts[:depth], type(value), part)
                return None if default is NO_DEFAULT else default
            try:
                value = node._storage[part]
            except KeyError:
                return None if default is NO_DEFAULT else default
        return value

    def _at(self, key: NestedKey) -> Any:
        """Return the stored value of a key that must be there."""
        parts = (key,) if type(key) is str else require_parts(key)
        node = self._owner(parts)
        try:
            return node._storage[parts[-1]]
        except KeyError:
            raise missing_key(key, node._storage) from None

    def _owner(self, parts: tuple[str, ...]) -> Any:
        """Return the container that holds the last part of a path, whether or not that part exists.

        Raises:
            TDKeyError: an intermediate part is missing.
            KeyThroughLeafError: an intermediate part is not a container.
        """
        node: Kernel = self
        for depth, part in enumerate(parts[:-1]):
            try:
                value = node._storage[part]
            except KeyError:
                raise missing_key(parts, node._storage) from None
            child = None if type(value) is Tensor else kind_of(value).node(value)
            if child is None:
                raise KeyThroughLeafError(parts[: depth + 1], type(value), parts[depth + 1])
            node = child
        return node

    def _get_item(self, key: Any) -> Any:
        """Return `td[key]` for a key; the sentinel NO_DEFAULT when `key` is an index."""
        if type(key) is tuple or isinstance(key, str):
            parts = key_parts(key)
            if parts:
                value = self._at(parts)
                return value if type(value) is Tensor else kind_of(value).unwrap(value)
        return NO_DEFAULT

    def get_at(self, key: NestedKey, index: IndexType, default: Any = NO_DEFAULT) -> Any:
        """Return an entry indexed over its leading dims; missing keys as in `get`."""
        value = self.get(key, NO_DEFAULT)
        if type(value) is Tensor:
            return value[index]
        if value is None:
            return None if default is NO_DEFAULT else default
        return kind_of(value).index(value, index)

    def entry_class(self, key: NestedKey) -> type:
        """Return the type of an entry, `NoneType` when there is none."""
        parts = require_parts(key)
        if not contains(self, parts):
            return type(None)
        storage = self._owner(parts)._storage
        return type(storage[parts[-1]]) if type(storage) is dict else storage.value_type(parts[-1])

    def get_item_shape(self, key: NestedKey) -> torch.Size:
        """Return the shape of a tensor entry, the batch size of a node or of non-tensor data.

        Raises:
            TDKeyError: the key is missing.
        """
        value = self._at(key)
        return kind_of(value).shape(value)

    def __contains__(self, key: object) -> bool:
        if type(key) is str:
            return key in self._storage
        parts = key_parts(key)
        if not parts:
            raise TDRuntimeError(f"Only keys (str or tuple of str) can be members of a tensordict, got {key!r}.")
        return contains(self, parts)

    def __bool__(self) -> bool:
        raise TDRuntimeError(
            "The truth value of a tensordict is not defined. Use is_empty() to test for leaves, len(td.keys()) for "
            "keys, and (a == b).all() to compare."
        )

    def is_empty(self) -> bool:
        """Whether the tree has no leaf at any depth; non-tensor data counts as a leaf."""
        if type(self._storage) is not dict:
            return not len(self.keys(True, True, is_leaf_nontensor))
        for value in self._storage.values():
            node = None if type(value) is Tensor else kind_of(value).node(value)
            if node is None or not node.is_empty():  # type: ignore[attr-defined]  # every container has it
                return False
        return True

    @property
    def depth(self) -> int:
        """The number of nodes on the way to the deepest leaf."""
        return max(_levels(self), 0)

    # -- listing ------------------------------------------------------------------------------------------------------

    def keys(
        self,
        include_nested: bool = False,
        leaves_only: bool = False,
        is_leaf: LeafPredicate | None = None,
        *,
        sort: bool = False,
    ) -> Any:
        """Return the keys.

        Args:
            include_nested: list the keys of nodes too, as tuples, children before their node.
            leaves_only: leave nodes out.
            is_leaf: tells from the type of a value whether it is a leaf. Default: whatever is not a collection.
            sort: sort by the "."-joined key.

        Returns:
            A live view; with `sort` alone, a list.
        """
        if not include_nested and not leaves_only and is_leaf is None:
            return sorted(self._storage) if sort else self._storage.keys()
        return NestedKeysView(self, include_nested, leaves_only, is_leaf, sort)

    def items(
        self,
        include_nested: bool = False,
        leaves_only: bool = False,
        is_leaf: LeafPredicate | None = None,
        *,
        sort: bool = False,
    ) -> Any:
        """Return (key, value) pairs; options as in `keys`. Non-tensor data comes in its wrapper.

        Returns:
            A live view with the default options, else a list.
        """
        if not include_nested and not leaves_only and is_leaf is None:
            items = self._storage.items()
            return sorted(items, key=lambda item: item[0]) if sort else items
        found: list[tuple[NestedKey, Any]] = []
        collect_items(self, (), found, include_nested, leaves_only, is_leaf)
        if sort:
            found.sort(key=lambda item: join_key(item[0]))
        return found

    def values(
        self,
        include_nested: bool = False,
        leaves_only: bool = False,
        is_leaf: LeafPredicate | None = None,
        *,
        sort: bool = False,
    ) -> Any:
        """Return the values; options as in `keys`, result as in `items`."""
        if not include_nested and not leaves_only and is_leaf is None and not sort:
            return self._storage.values()
        if include_nested and leaves_only and is_leaf is None and not sort:
            leaves, stored = self._gather()
            if stored:
                return list(leaves)
        return [value for _, value in self.items(include_nested, leaves_only, is_leaf, sort=sort)]

    # -- writing ------------------------------------------------------------------------------------------------------

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
            TDKeyError: the key is missing.
            BatchSizeError: the item does not start with `batch_size`.
            InplaceWriteError: the item cannot be copied into the entry.
        """
        parts = (key,) if type(key) is str else require_parts(key)
        owner = self._owner(parts)
        if parts[-1] not in owner._storage:
            raise missing_key(key, owner._storage)
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
        except TDError:
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
        except TDError:
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
        parts = require_parts(key)
        owner = self._make_path(parts)
        owner._require_unlocked(f"create {key!r} in")
        owner._require(Capability.WRITE, "create_nested()")
        owner._storage[parts[-1]] = owner._empty_node()
        return self

    def setdefault(self, key: NestedKey, default: Any, inplace: bool = False) -> Any:
        """Return the entry, setting it to `default` first when it is missing."""
        if key not in self:
            self.set(key, default, inplace=inplace)
        return self.get(key)

    @classmethod
    def fromkeys(cls, keys: Iterable[NestedKey], value: Any = 0) -> Self:
        """Build a container of empty batch size with the same value under each key."""
        out: Self = cls._build({}, torch.Size([]))
        for key in keys:
            out.set(key, value)
        return out

    # -- removing -----------------------------------------------------------------------------------------------------

    def pop(self, key: NestedKey, default: Any = NO_DEFAULT) -> Any:
        """Remove an entry and return it.

        Raises:
            LockedError: the container is locked.
            TDKeyError: the key is missing and no default was given.
        """
        self._require_unlocked(f"pop {key!r} from")
        parts = require_parts(key)
        if not contains(self, parts):
            return self._at(parts) if default is NO_DEFAULT else default  # raises: it says where the path ends
        owner = self._owner(parts)
        owner._require_unlocked(f"pop {key!r} from")
        owner._require(Capability.DELETE, "pop()")
        value = owner._storage[parts[-1]]
        del owner._storage[parts[-1]]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Remove and return the last inserted (key, value) pair.

        Raises:
            LockedError: the container is locked.
            TDKeyError: the container is empty.
        """
        self._require_unlocked("pop from")
        self._require(Capability.DELETE, "popitem()")
        if not len(self._storage):
            raise TDKeyError("popitem(): the tensordict is empty.")
        key = list(self._storage)[-1]
        value = self._storage[key]
        del self._storage[key]
        return key, value

    def del_(self, key: NestedKey) -> Self:
        """Remove an entry; a node left empty stays.

        Raises:
            LockedError: the container is locked.
            TDKeyError: the key is missing.
        """
        self._require_unlocked(f"delete {key!r} from")
        parts = require_parts(key)
        owner = self._owner(parts)
        owner._require_unlocked(f"delete {key!r} from")
        owner._require(Capability.DELETE, "del_()")
        if parts[-1] not in owner._storage:
            raise missing_key(key, owner._storage)
        del owner._storage[parts[-1]]
        return self

    def __delitem__(self, key: NestedKey) -> None:
        self.del_(key)

    def clear(self) -> Self:
        """Remove every entry.

        Raises:
            LockedError: the container is locked.
        """
        self._require_unlocked("clear")
        self._require(Capability.DELETE, "clear()")
        self._storage.clear()
        return self

    def rename_key_(self, old_key: NestedKey, new_key: NestedKey, safe: bool = False) -> Self:
        """Move an entry to another key; it becomes the last one.

        Args:
            old_key: the present key.
            new_key: the new key; missing nodes are created.
            safe: refuse to overwrite an entry.

        Returns:
            This container.

        Raises:
            LockedError: the container is locked.
            TDTypeError: a key is neither str nor tuple.
            TDKeyError: the old key is missing, or `safe` and the new one is taken.
        """
        self._require_unlocked("rename a key of")
        self._require(Capability.RENAME, "rename_key_()")
        for key in (old_key, new_key):
            if not isinstance(key, (str, tuple)):
                raise TDTypeError(
                    f"A key must be a string or a tuple of strings, got {key!r} of type {type(key).__name__}."
                )
        old, new = require_parts(old_key), require_parts(new_key)
        source = self._owner(old)
        if old[-1] not in source._storage:
            raise missing_key(old_key, source._storage)
        if old == new:
            return self
        below = new[: len(old)] == old  # the entry goes to below itself: a node takes its place
        if safe and not below and contains(self, new):
            raise TDKeyError(f"Cannot rename {old_key!r} to {new_key!r}: the key {new_key!r} is already present.")
        storage = source._storage
        if old[:-1] == new[:-1]:
            if type(storage) is dict:
                value = storage.pop(old[-1])
                storage.pop(new[-1], None)
                storage[new[-1]] = value
            else:
                storage.rename(old[-1], new[-1])  # type: ignore[union-attr]  # narrowed by the branch
            return self
        value = storage[old[-1]]
        if below:
            node = source._empty_node()
            node.set(new[len(old) :], value)
            del source._storage[old[-1]]
            source._storage[old[-1]] = node
            return self
        target = self._make_path(new)
        target._require_unlocked("rename a key of")
        fitted = target._as_value(new[-1], value)  # may refuse: before anything is taken away
        del source._storage[old[-1]]
        target._storage.pop(new[-1], None)
        target._storage[new[-1]] = fitted
        return self


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


def _levels(node: Kernel) -> int:
    """The depth of the deepest leaf, -1 when there is none."""
    deepest = -1
    for value in node._storage.values():
        child = None if type(value) is Tensor else kind_of(value).node(value)
        if child is None:
            deepest = max(deepest, 0)
            continue
        below = _levels(child)
        if below >= 0:
            deepest = max(deepest, below + 1)
    return deepest


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
