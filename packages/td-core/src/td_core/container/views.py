"""Views and listings of the keys of a tree."""

from __future__ import annotations

from collections.abc import Iterator, KeysView
from typing import Any

from torch import Tensor

from ..errors import TDTypeError
from ..keys import join_key, key_parts
from ..leaves import is_leaf_default, is_leaf_nontensor, kind_of, kind_of_type
from ..typing import LeafPredicate, NestedKey
from .kernel import Kernel


class NestedKeysView(KeysView[NestedKey]):
    """The keys of a tree, by the options of `td.keys`.

    Children come before their node. The view is live: it follows later changes of the container.
    """

    def __init__(
        self,
        node: Kernel,
        include_nested: bool,
        leaves_only: bool,
        is_leaf: LeafPredicate | None,
        sort: bool,
    ) -> None:
        self._node = node
        self.include_nested = include_nested
        self.leaves_only = leaves_only
        self.is_leaf = is_leaf
        self.sort = sort

    def __iter__(self) -> Iterator[NestedKey]:
        return iter(self._list())

    def __len__(self) -> int:
        return len(self._list())

    def __contains__(self, key: object) -> bool:
        if type(key) is str:
            return key in self._node._storage
        parts = key_parts(key)
        if not parts:
            raise TDTypeError(
                f"Membership in tensordict keys is only defined for strings and tuples of strings, got {key!r}."
            )
        if len(parts) == 1:
            return parts[0] in self._node._storage
        return self.include_nested and contains(self._node, parts)

    def __repr__(self) -> str:
        indent = " " * 4
        return (
            f"{type(self).__name__}({self._list()!r},\n{indent}include_nested={self.include_nested},\n"
            f"{indent}leaves_only={self.leaves_only})"
        )

    def _list(self) -> list[NestedKey]:
        keys: list[NestedKey] = []
        if self.leaves_only and not (self.include_nested or self.is_leaf or self.sort):
            return [key for key, value in self._node._storage.items() if type(value) is Tensor or _is_leaf(value)]
        if self.include_nested and self.is_leaf is None:
            _collect_keys(self._node, (), keys, self.leaves_only)
        else:
            is_leaf = self.is_leaf or is_leaf_default
            _collect_by_type(self._node, (), keys, self.include_nested, self.leaves_only, is_leaf)
        return sorted(keys, key=join_key) if self.sort else keys


def collect_items(
    node: Kernel,
    prefix: tuple[str, ...],
    found: list[tuple[NestedKey, Any]],
    include_nested: bool,
    leaves_only: bool,
    is_leaf: LeafPredicate | None,
) -> None:
    """Append the (key, value) pairs that the options ask for, children before their node."""
    if is_leaf is None:
        is_leaf = is_leaf_default
    for name, value in node._storage.items():
        key = (*prefix, name) if prefix else name
        if type(value) is Tensor and is_leaf is is_leaf_default:
            found.append((key, value))
            continue
        leaf = is_leaf(type(value))
        if include_nested and not leaf:
            child = kind_of(value).node(value)
            if child is not None:
                collect_items(child, (*prefix, name), found, True, leaves_only, is_leaf)
        if leaf or not leaves_only:
            found.append((key, value))


def _is_leaf(value: Any) -> bool:
    return not isinstance(value, Kernel) and not kind_of(value).is_collection


def _collect_keys(node: Kernel, prefix: tuple[str, ...], keys: list[NestedKey], leaves_only: bool) -> None:
    """As `collect_items` with nested keys and the default leaf predicate, without the values."""
    storage = node._storage
    if type(storage) is not dict:
        _collect_unread(storage, prefix, keys, leaves_only)
        return
    for name, value in storage.items():
        if type(value) is Tensor:
            keys.append((*prefix, name) if prefix else name)
            continue
        path = (*prefix, name)
        kind = kind_of(value)
        child = value if isinstance(value, Kernel) else kind.node(value)
        if child is not None:
            _collect_keys(child, path, keys, leaves_only)
        if not (leaves_only and kind.is_collection):
            keys.append(path if prefix else name)


def _collect_by_type(
    node: Kernel,
    prefix: tuple[str, ...],
    keys: list[NestedKey],
    include_nested: bool,
    leaves_only: bool,
    is_leaf: LeafPredicate,
) -> None:
    """Append the keys that the options ask for, reading nodes only."""
    storage: Any = node._storage
    for name in storage:
        type_ = type(storage[name]) if type(storage) is dict else storage.value_type(name)
        leaf = is_leaf(type_)
        if include_nested and not leaf and not is_leaf_nontensor(type_):
            child = kind_of(storage[name]).node(storage[name])
            if child is not None:
                _collect_by_type(child, (*prefix, name), keys, True, leaves_only, is_leaf)
        if leaf or not leaves_only:
            keys.append((*prefix, name) if prefix else name)


def _collect_unread(storage: Any, prefix: tuple[str, ...], keys: list[NestedKey], leaves_only: bool) -> None:
    """List the keys of a storage, reading nodes only."""
    for name in storage:
        path = (*prefix, name)
        kind = kind_of_type(storage.value_type(name))
        if kind is not None and kind.is_collection and not kind.is_non_tensor:
            value = storage[name]
            child = kind_of(value).node(value)
            if child is not None:
                _collect_keys(child, path, keys, leaves_only)
        if not (leaves_only and kind is not None and kind.is_collection):
            keys.append(path if prefix else name)


def contains(node: Kernel, parts: tuple[str, ...]) -> bool:
    """Whether the path leads to an entry."""
    value: Any = node
    for part in parts[:-1]:
        storage = value._storage
        if part not in storage:
            return False
        value = storage[part]
        if not isinstance(value, Kernel):
            value = kind_of(value).node(value)
            if value is None:
                return False
    return parts[-1] in value._storage
