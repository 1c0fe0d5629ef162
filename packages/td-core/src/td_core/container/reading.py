"""The container as a mapping: reading single entries, and listing keys, values and items."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ..errors import (
    KeyThroughLeafError,
    TDRuntimeError,
    missing_key,
)
from ..keys import join_key, key_parts, require_parts
from ..leaves import is_leaf_nontensor, kind_of
from ..typing import NO_DEFAULT, IndexType, LeafPredicate, NestedKey
from .form import Form
from .kernel import Kernel
from .names import NamesMethods
from .views import NestedKeysView, collect_items, contains


class ReadMethods(NamesMethods):
    """`get`, membership, `keys`, `items`, `values`."""

    __hash__ = None  # type: ignore[assignment]  # a mutable mapping with elementwise equality

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
        """Return the type of an entry, `NoneType` when there is none.

        Raises:
            KeyThroughLeafError: the key leads through a tensor.
        """
        parts = require_parts(key)
        if not contains(self, parts):
            return type(self.get(parts))
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
