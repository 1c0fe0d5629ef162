"""Kinds of values: how a container treats each type of value it holds.

The table is keyed by `type(value)`. A plain `torch.Tensor` is asked for first, by identity of its type, wherever speed
matters; every other value goes through its kind. Plugins add kinds through the `td_leaf_types` hook.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from ..structural import Index, StructuralOp, parse_index

if TYPE_CHECKING:
    from ..container.kernel import Kernel


class LeafKind:
    """Behaviour of one kind of value. The base class describes tensors of any class.

    Every method takes the value first, and none changes it unless it says so.
    """

    is_tensor: ClassVar[bool] = True
    """A torch tensor of some class: takes part in arithmetic, casts and transfers."""

    is_collection: ClassVar[bool] = False
    """Not a leaf by default: a container, or non-tensor data (the peer counts it as a collection too)."""

    is_non_tensor: ClassVar[bool] = False
    """Holds Python values."""

    def node(self, value: Any) -> Kernel | None:
        """Return the container behind a value that is a node, else None."""
        return None

    def wrap(self, value: Any, node: Kernel) -> Any:
        """Return a value of the class of `value` around another container (nodes only)."""
        return node

    def shape(self, value: Any) -> torch.Size:
        """Return the dims of the value that may serve as batch dims."""
        return value.shape  # type: ignore[no-any-return]

    def transform(self, value: Any, op: StructuralOp) -> Any:
        """Apply a structural operation."""
        return op.tensor(value)

    def fit(self, value: Any, batch_size: torch.Size, device: torch.device | None) -> Any:
        """Adapt a value that is being inserted to the batch size and device of its new parent."""
        return value if device is None or value.device == device else value.to(device)

    def unwrap(self, value: Any) -> Any:
        """Return what `td[key]` gives for this value."""
        return value

    def clone(self, value: Any) -> Any:
        """Return a copy that shares no memory with the value."""
        return value.clone()

    def write(self, value: Any, index: Index, new: Any) -> Any:
        """Write `new` at `index`, in place where the kind can, and return the value to store."""
        value[index.items] = new
        return value

    def copy_into(self, value: Any, new: Any, non_blocking: bool = False) -> Any:
        """Overwrite the whole value by `new`, in place where the kind can, and return the value to store."""
        value.copy_(new, non_blocking=non_blocking)
        return value

    def stack(self, values: Sequence[Any], dim: int) -> Any:
        """Stack values of this kind along a new batch dim."""
        return torch.stack(list(values), dim)

    def cat(self, values: Sequence[Any], dim: int) -> Any:
        """Concatenate values of this kind along a batch dim."""
        return torch.cat(list(values), dim)

    def collect(self, value: Any, leaves: list[Tensor]) -> bool:
        """Append the tensors of this value to `leaves`, in order, and tell whether they are the stored ones."""
        leaves.append(value)
        return True

    def rebuild(self, value: Any, leaves: Iterator[Tensor]) -> Any:
        """Return the same value around the next tensors of `leaves`."""
        return next(leaves)

    def index(self, value: Any, index: Any) -> Any:
        """Apply an unparsed index over the dims of `shape(value)`."""
        return self.transform(value, parse_index(index, self.shape(value)))


class NodeKind(LeafKind):
    """A container as a value of another container."""

    is_tensor = False
    is_collection = True

    def node(self, value: Any) -> Kernel | None:
        return value  # type: ignore[no-any-return]

    def shape(self, value: Any) -> torch.Size:
        return value.batch_size  # type: ignore[no-any-return]

    def transform(self, value: Any, op: StructuralOp) -> Any:
        return value._transform(op)

    def fit(self, value: Any, batch_size: torch.Size, device: torch.device | None) -> Any:
        return value._fit(batch_size, device)

    def clone(self, value: Any) -> Any:
        return value.clone()

    def write(self, value: Any, index: Index, new: Any) -> Any:
        value._assign(index.items, new)
        return value

    def copy_into(self, value: Any, new: Any, non_blocking: bool = False) -> Any:
        value.update(new, inplace=True, non_blocking=non_blocking)
        return value

    def stack(self, values: Sequence[Any], dim: int) -> Any:
        return values[0]._stack(values, dim)

    def cat(self, values: Sequence[Any], dim: int) -> Any:
        return values[0]._cat(values, dim)

    def collect(self, value: Any, leaves: list[Tensor]) -> bool:
        return value._collect(leaves)  # type: ignore[no-any-return]  # a container

    def rebuild(self, value: Any, leaves: Iterator[Tensor]) -> Any:
        return value._rebuild(leaves)

    def index(self, value: Any, index: Any) -> Any:
        return value[index]


class WrappedNodeKind(NodeKind):
    """A node whose container stands behind another object, which every operation keeps the class of.

    A subclass says how to open a value (`node`) and how to close it again (`wrap`).
    """

    def node(self, value: Any) -> Kernel:
        raise NotImplementedError

    def wrap(self, value: Any, node: Kernel) -> Any:
        raise NotImplementedError

    def transform(self, value: Any, op: StructuralOp) -> Any:
        return self.wrap(value, super().transform(self.node(value), op))

    def fit(self, value: Any, batch_size: torch.Size, device: torch.device | None) -> Any:
        return self.wrap(value, super().fit(self.node(value), batch_size, device))

    def clone(self, value: Any) -> Any:
        return self.wrap(value, super().clone(self.node(value)))

    def write(self, value: Any, index: Index, new: Any) -> Any:
        super().write(self.node(value), index, new)
        return value

    def stack(self, values: Sequence[Any], dim: int) -> Any:
        return self.wrap(values[0], super().stack([self.node(value) for value in values], dim))

    def cat(self, values: Sequence[Any], dim: int) -> Any:
        return self.wrap(values[0], super().cat([self.node(value) for value in values], dim))

    def collect(self, value: Any, leaves: list[Tensor]) -> bool:
        return super().collect(self.node(value), leaves)

    def rebuild(self, value: Any, leaves: Iterator[Tensor]) -> Any:
        return self.wrap(value, super().rebuild(self.node(value), leaves))


TENSOR = LeafKind()
NODE = NodeKind()

_BASES: dict[type, LeafKind] = {Tensor: TENSOR}
_PLAIN = (bool, int, float, complex, str, bytes, list, tuple, set, dict, range, type(None), np.ndarray)
_KINDS: dict[type, LeafKind | None] = {}  # the answer for each type met so far; None: not stored as it is
_RESOLVERS: list[Callable[[type], LeafKind | None]] = []


def register_kind(type_: type, kind: LeafKind) -> None:
    """Say how values of `type_` and its subclasses are treated."""
    _BASES[type_] = kind
    _forget()


def register_kind_resolver(resolver: Callable[[type], LeafKind | None]) -> None:
    """Add a function that is asked, once a type, for its kind; its answer goes before that for a base of the type."""
    _RESOLVERS.append(resolver)
    _forget()


def _forget() -> None:
    _KINDS.clear()
    _KINDS.update(dict.fromkeys(_PLAIN))
    _KINDS.update(_BASES)


def kind_of_type(type_: type) -> LeafKind | None:
    """Return the kind of a type, or None when values of it cannot be stored as they are."""
    return _KINDS[type_] if type_ in _KINDS else _resolve(type_)


def kind_of(value: Any) -> LeafKind:
    """Return the kind of a stored value."""
    kind = _KINDS.get(type(value))
    if kind is None:
        kind = _resolve(type(value))
        if kind is None:
            raise AssertionError(f"a value of type {type(value).__name__} was stored without normalisation")
    return kind


def _resolve(type_: type) -> LeafKind | None:
    asked = (resolver(type_) for resolver in _RESOLVERS)
    kind = next((kind for kind in asked if kind is not None), None)
    if kind is None:
        kind = next((_BASES[base] for base in type_.__mro__ if base in _BASES), None)
    _KINDS[type_] = kind
    return kind


_forget()


def transform(value: Any, op: StructuralOp) -> Any:
    """Apply a structural operation to a stored value of any kind."""
    return kind_of(value).transform(value, op)


def map_value(value: Any, fn: Callable[[Tensor], Any]) -> Any:
    """Apply a function to the tensors of a stored value of any kind."""
    kind = kind_of(value)
    leaves: list[Tensor] = []
    kind.collect(value, leaves)
    return kind.rebuild(value, map(fn, leaves))


def is_tensor_collection(value_or_type: Any) -> bool:
    """Tell whether a value or a type is a container or non-tensor data."""
    kind = kind_of_type(value_or_type if isinstance(value_or_type, type) else type(value_or_type))
    return kind is not None and kind.is_collection


def is_leaf_default(type_: type) -> bool:
    """The default leaf predicate: whatever is not a collection."""
    kind = kind_of_type(type_)
    return kind is None or not kind.is_collection


default_is_leaf = is_leaf_default
"""The name of `is_leaf_default` in the field."""


def is_leaf_nontensor(type_: type) -> bool:
    """A leaf predicate for which non-tensor data are leaves too."""
    kind = kind_of_type(type_)
    return kind is None or not kind.is_collection or kind.is_non_tensor
