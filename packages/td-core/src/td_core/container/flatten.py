"""Flattening nested keys to one level and back."""

from __future__ import annotations

from typing import Any, TypeVar
from weakref import ref

from torch import Tensor
from typing_extensions import Self

from ..errors import TDKeyError, TDTypeError, TDValueError
from ..leaves import kind_of
from ..typing import LeafPredicate
from .kernel import Kernel
from .mapping import MappingMethods

C = TypeVar("C", bound=Kernel)


class FlattenKeysMethods(MappingMethods):
    """`flatten_keys`, `unflatten_keys`."""

    def flatten_keys(self, separator: str = ".", inplace: bool = False, is_leaf: LeafPredicate | None = None) -> Self:
        """Return a container of one level, whose keys are the paths joined by a separator. Leaves are shared.

        Empty nodes vanish. As a context manager, the entries are merged back, unflattened, at the end.

        Args:
            separator: what stands between the parts.
            inplace: change this container. The entries of this level come first then.
            is_leaf: tells from its type what is kept as an entry. Default: whatever is not a container.

        Raises:
            TDKeyError: two paths join to the same key.
            LockedError: `inplace` on a locked container.
        """
        _check_separator(separator, "flatten_keys")
        if inplace:
            self._require_unlocked("flatten the keys of")
        if type(self._storage) is not dict and self._storage.parts is not None:  # type: ignore[union-attr]
            flattened = self._by_part(lambda part: part.flatten_keys(separator, inplace, is_leaf))
            return self if inplace else _returning(flattened, self, _Unflatten(separator))
        flat: dict[str, Any] = {}
        _collect(self, "", separator, is_leaf, flat)
        if not inplace:
            return _returning(self._like(flat), self, _Unflatten(separator))
        storage = self._storage
        for key in [key for key in storage if key not in flat or flat[key] is not storage[key]]:
            del storage[key]
        for key, value in flat.items():
            if key not in storage:
                storage[key] = value
        return self

    def unflatten_keys(self, separator: str = ".", inplace: bool = False) -> Self:
        """Return a nested container made by splitting the keys of this level. Leaves are shared.

        New nodes have the batch size, device and names of this container. As a context manager, the entries are merged
        back, flattened, at the end.

        Args:
            separator: where the keys are split.
            inplace: change this container.

        Raises:
            TDKeyError: a key would be both an entry and the prefix of another, or two keys are the same path.
            LockedError: `inplace` on a locked container.
        """
        if not separator:
            raise TDValueError("unflatten_keys cannot split keys at an empty separator.")
        _check_separator(separator, "unflatten_keys")
        if inplace:
            self._require_unlocked("unflatten the keys of")
        if type(self._storage) is not dict and self._storage.parts is not None:  # type: ignore[union-attr]
            unflattened = self._by_part(lambda part: part.unflatten_keys(separator, inplace))
            return self if inplace else _returning(unflattened, self, _Flatten(separator))
        split = {key: key.split(separator) for key in self._storage if separator in key}
        out: Any = self._like({key: _copied(value) for key, value in self._storage.items() if key not in split})
        for key, parts in split.items():
            _insert(out, key, parts, self._storage[key])
        if not inplace:
            return _returning(out, self, _Flatten(separator))  # type: ignore[no-any-return]  # the class of self
        storage = self._storage
        for key in split:
            del storage[key]
        changed = {parts[0] for parts in split.values()}
        for key, value in out._storage.items():
            if key in changed:
                storage[key] = value
        return self


def _returning(out: C, source: Any, undo: Any) -> C:
    """Note what the end of a context manager does with a result."""
    out._origin = (ref(source), undo)
    return out


class _Flatten:
    """Undoes `unflatten_keys`."""

    def __init__(self, separator: str) -> None:
        self.separator = separator

    def __call__(self, container: Any) -> Any:
        return container.flatten_keys(self.separator)


class _Unflatten:
    """Undoes `flatten_keys`."""

    def __init__(self, separator: str) -> None:
        self.separator = separator

    def __call__(self, container: Any) -> Any:
        return container.unflatten_keys(self.separator)


def _check_separator(separator: object, method: str) -> None:
    if not isinstance(separator, str):
        raise TDTypeError(
            f"{method} needs a string as separator, got {separator!r} of type {type(separator).__name__}."
        )


def _collect(node: Any, prefix: str, separator: str, is_leaf: LeafPredicate | None, flat: dict[str, Any]) -> None:
    """Enter each entry under its joined path, depth first in insertion order."""
    for key, value in node._storage.items():
        path = prefix + key
        if type(value) is not Tensor:
            child = kind_of(value).node(value)
            if child is not None and (is_leaf is None or not is_leaf(type(value))):
                _collect(child, path + separator, separator, is_leaf, flat)
                continue
        if is_leaf is None or is_leaf(type(value)):
            if path in flat:
                raise TDKeyError(f"Flattening the keys with {separator!r} makes two entries collide at {path!r}.")
            flat[path] = value


def _copied(value: Any) -> Any:
    """Return a node with a level of its own, so that entries can be added; any other value as it is."""
    if type(value) is Tensor:
        return value
    kind = kind_of(value)
    node = kind.node(value)
    return value if node is None else kind.wrap(value, node._like({k: _copied(v) for k, v in node._storage.items()}))


def _insert(root: Any, key: str, parts: list[str], value: Any) -> None:
    """Insert a value at a path, creating nodes."""
    node = root
    for part in parts[:-1]:
        entry = node._storage.get(part)
        if entry is None:
            entry = node._storage[part] = root._like({})
        child = None if type(entry) is Tensor else kind_of(entry).node(entry)
        if child is None:
            raise TDKeyError(f"Unflattening the key {key!r} needs a node at {part!r}, which is an entry already.")
        node = child
    if parts[-1] in node._storage:
        raise TDKeyError(
            f"Unflattening the key {key!r} would override the entry {tuple(parts)!r}, which exists already."
        )
    node._storage[parts[-1]] = value
