"""Reading and writing Python values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch import Tensor
from typing_extensions import Self

from ..abc import Capability
from ..errors import LockedError, missing_key
from ..keys import require_parts
from ..leaves import NonTensorData, NonTensorDataBase, kind_of
from ..typing import NO_DEFAULT, NestedKey
from .mapping import MappingMethods
from .views import contains


class NonTensorMethods(MappingMethods):
    """`get_non_tensor`, `set_non_tensor` and the like."""

    def get_non_tensor(self, key: NestedKey, default: Any = NO_DEFAULT) -> Any:
        """Return the Python value under a key, rows as a list; other entries as they are.

        Raises:
            TDKeyError: the key is missing and no default was given.
        """
        if not contains(self, require_parts(key)):
            if default is NO_DEFAULT:
                raise missing_key(key, self._storage)
            return default
        value = self._at(key)
        return kind_of(value).unwrap(value)

    def set_non_tensor(self, key: NestedKey, value: Any) -> Self:
        """Store a Python value as it is: numbers, lists and tensors are not converted.

        Args:
            key: the key; missing nodes are created.
            value: the value, shared by the batch. Non-tensor data is stored with its own rows.

        Returns:
            This container.

        Raises:
            LockedError: the container is locked.
        """
        parts = require_parts(key)
        if self._locked:
            raise LockedError(f"set {key!r} in")
        self._require(Capability.NON_TENSOR, "set_non_tensor()")
        owner = self._make_path(parts)
        if not isinstance(value, NonTensorDataBase):
            value = NonTensorData(value, batch_size=owner._batch_size, device=owner._device)
        owner._store(parts[-1], value)
        return self

    def is_non_tensor(self, key: NestedKey) -> bool:
        """Tell whether the entry under a key is non-tensor data.

        Raises:
            TDKeyError: the key is missing.
        """
        return kind_of(self._at(key)).is_non_tensor

    def non_tensor_items(self, include_nested: bool = False) -> Iterator[tuple[NestedKey, Any]]:
        """Yield the key and wrapper of each non-tensor entry.

        Args:
            include_nested: those of nodes too, under tuple keys.
        """
        return _non_tensor_items(self, (), include_nested)

    def filter_non_tensor_data(self) -> Self:
        """Return a container that shares all entries but non-tensor data, at every depth."""
        return _without_non_tensor(self)  # type: ignore[no-any-return]  # the class of self


def _non_tensor_items(node: Any, prefix: tuple[str, ...], nested: bool) -> Iterator[tuple[NestedKey, Any]]:
    for key, value in node._storage.items():
        if type(value) is Tensor:
            continue
        kind = kind_of(value)
        if kind.is_non_tensor:
            yield (*prefix, key) if prefix else key, value
        elif nested:
            child = kind.node(value)
            if child is not None:
                yield from _non_tensor_items(child, (*prefix, key), nested)


def _without_non_tensor(node: Any) -> Any:
    if type(node._storage) is not dict and node._storage.parts is not None:
        return node._by_part(_without_non_tensor)
    storage: dict[str, Any] = {}
    for key, value in node._storage.items():
        if type(value) is not Tensor:
            kind = kind_of(value)
            if kind.is_non_tensor:
                continue
            child = kind.node(value)
            if child is not None:
                value = kind.wrap(value, _without_non_tensor(child))
        storage[key] = value
    return node._like(storage)
