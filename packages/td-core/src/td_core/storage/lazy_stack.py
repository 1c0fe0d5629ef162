"""The storage of a lazy stack: a list of containers and the dim along which they stand.

Entries are stacked when read and split when written. A structural op is moved past the stack dim and handed to the
members where that is possible; otherwise the entries are stacked first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from torch import Size, Tensor

from ..abc import DENSE_CAPABILITIES, Capability, LeafSpec, Storage
from ..errors import TDKeyError, TDRuntimeError
from ..leaves import kind_of
from ..structural import Expand, Index, Permute, Squeeze, StructuralOp, Transpose, Unsqueeze
from .stack_index import StackIndex, split_index


class LazyStack(Storage):
    """Containers of one batch size, stacked along `dim`.

    Only the keys that all members have are visible; the others stay in their members.

    Attributes:
        members: the containers.
        dim: the stack dim, counted from the front of the stack's batch size.
    """

    name: ClassVar[str] = "lazy-stack"
    capabilities: ClassVar[Capability] = DENSE_CAPABILITIES | Capability.HETEROGENEOUS

    __slots__ = ("dim", "members")

    def __init__(self, members: Sequence[Any], dim: int) -> None:
        self.members = list(members)
        self.dim = dim

    # -- the mapping --------------------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[str]:
        first, *others = [member._storage for member in self.members]
        return iter([key for key in first if all(key in other for other in others)])

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, key: object) -> bool:
        return all(key in member._storage for member in self.members)

    def __getitem__(self, key: str) -> Any:
        values = self._values(key)
        kind = kind_of(values[0])
        if kind.node(values[0]) is not None:
            return stack_nodes(values, self.dim)
        try:
            return kind.stack(values, self.dim)
        except (RuntimeError, TypeError) as error:
            shapes = [list(kind_of(value).shape(value)) for value in values]
            raise TDRuntimeError(
                f"The entry {key!r} cannot be read as one tensor: its shapes are {shapes}. Read it member by member "
                "(td[i][key]), or call densify() to get nested tensors."
            ) from error

    def __setitem__(self, key: str, value: Any) -> None:
        for member, piece in zip(self.members, self._pieces(value), strict=True):
            member._storage[key] = piece

    def __delitem__(self, key: str) -> None:
        if key not in self:
            raise KeyError(key)
        for member in self.members:
            del member._storage[key]

    def _values(self, key: str) -> list[Any]:
        try:
            return [member._storage[key] for member in self.members]
        except KeyError:
            holders = [i for i, member in enumerate(self.members) if key in member._storage]
            where = f" Only the members {holders} have it." if holders else ""
            raise TDKeyError(f"The key {key!r} is not in every member of the lazy stack.{where}") from None

    def _pieces(self, value: Any) -> Sequence[Any]:
        """Split a value of the stack's batch size into one for each member."""
        if isinstance(value, Tensor):
            return value.unbind(self.dim)
        kind = kind_of(value)
        size = kind.shape(value)
        whole = (slice(None),) * self.dim
        rest = size[: self.dim] + size[self.dim + 1 :]
        return [kind.transform(value, Index((*whole, i), rest, len(size))) for i in range(len(self.members))]

    # -- bulk operations ----------------------------------------------------------------------------------------------

    def nodes(self) -> list[tuple[str, Any]]:
        """The members: what a lock has to reach."""
        return [(str(i), member) for i, member in enumerate(self.members)]

    def value_type(self, key: str) -> type:
        """Return the type of the entry in the first member."""
        return type(self.members[0]._storage[key])

    def peek(self, key: str) -> Any:
        """Describe a tensor entry without stacking it; sizes that differ are -1."""
        values = self._values(key)
        first = values[0]
        if not all(isinstance(value, Tensor) and value.ndim == first.ndim for value in values):
            return self[key]
        sizes = [dims[0] if len(set(dims)) == 1 else -1 for dims in zip(*(v.shape for v in values), strict=True)]
        shape = (*sizes[: self.dim], len(values), *sizes[self.dim :])
        grad = any(value.requires_grad for value in values)
        return LeafSpec(type(first).__name__, shape, first.dtype, first.device, grad)

    def rename(self, old: str, new: str) -> None:
        """Rename the entry in every member."""
        for member in self.members:
            storage = member._storage
            if type(storage) is dict:
                value = storage.pop(old)
                storage.pop(new, None)
                storage[new] = value
            else:
                storage.rename(old, new)

    def empty(self, batch_size: Size) -> Any:
        """Return the storage of an empty node: a lazy stack of empty nodes."""
        return LazyStack([member._empty_node() for member in self.members], self.dim)

    def write(self, key: str, index: Index, value: Any) -> None:
        """Write into the members that the index selects."""
        target = split_index(index, self.dim, len(self.members))
        if target is None:
            whole = self[key]
            whole = kind_of(whole).write(whole, index, value)
            self.overwrite(key, whole)
            return
        pieces = _spread(value, target, index)
        for i, piece in zip(target.members, pieces, strict=True):
            member = self.members[i]
            member._write_parsed(key, target.index_for(member._batch_size), piece)

    def overwrite(self, key: str, value: Any, non_blocking: bool = False) -> None:
        """Overwrite the entry of every member in place."""
        self._values(key)
        for member, piece in zip(self.members, self._pieces(value), strict=True):
            member._overwrite(key, piece, non_blocking)

    def transform(self, op: StructuralOp) -> Any:
        """Hand the op to the members if it can be moved past the stack dim; otherwise stack first."""
        mover = _MOVERS.get(type(op))
        moved = None if mover is None else mover(self, op)
        return super().transform(op) if moved is None else moved

    def _moved(self, op: StructuralOp, dim: int) -> LazyStack:
        return LazyStack([member._transform(op) for member in self.members], dim)


def stack_nodes(nodes: Sequence[Any], dim: int) -> Any:
    """Stack containers lazily; the result has the class that goes with the storage."""
    kind = kind_of(nodes[0])
    members = [kind_of(node).node(node) for node in nodes]
    first: Any = members[0]
    size = first._batch_size
    device = first._device if all(m is not None and m._device == first._device for m in members) else None
    names = None if first._names is None else [*first._names[:dim], None, *first._names[dim:]]
    stacked = first._build(LazyStack(members, dim), Size((*size[:dim], len(nodes), *size[dim:])), device, names)
    if all(m is not None and m._locked for m in members):
        stacked.lock_()
    return kind.wrap(nodes[0], stacked)


def _spread(value: Any, target: StackIndex, index: Index) -> Sequence[Any]:
    """Give each selected member its part of a value that broadcasts to the region."""
    if target.dim is None:
        return [value] * len(target.members)
    if isinstance(value, Tensor):
        if value.ndim < len(index.size_):
            value = value.expand(index.size_)
        if value.shape[target.dim] == 1 != len(target.members):
            return [value.select(target.dim, 0)] * len(target.members)
        return value.unbind(target.dim)
    if type(value) in (int, float, bool, complex) or not hasattr(value, "batch_size"):
        return [value] * len(target.members)
    kind = kind_of(value)
    size = kind.shape(value)
    whole = (slice(None),) * target.dim
    rest = size[: target.dim] + size[target.dim + 1 :]
    return [kind.transform(value, Index((*whole, i), rest, len(size))) for i in range(len(target.members))]


# -- how each op moves past the stack dim -----------------------------------------------------------------------------


def _move_index(stack: LazyStack, op: Any) -> Any:
    target = split_index(op, stack.dim, len(stack.members))
    if target is None:
        return None
    picked = [stack.members[i] for i in target.members]
    if target.dim is None:
        return picked[0]._transform(target.index_for(picked[0]._batch_size)) if target.items else picked[0]
    if not picked:
        return None
    return LazyStack([m._transform(target.index_for(m._batch_size)) if target.items else m for m in picked], target.dim)


def _move_permute(stack: LazyStack, op: Any) -> LazyStack:
    n = len(stack.members[0]._batch_size) + 1
    dims = [*op.dims, *range(len(op.dims), n)]
    inner = [d - (d > stack.dim) for d in dims if d != stack.dim]
    return stack._moved(Permute(inner), dims.index(stack.dim))


def _move_transpose(stack: LazyStack, op: Any) -> LazyStack:
    dims = list(range(len(stack.members[0]._batch_size) + 1))
    dims[op.dim0], dims[op.dim1] = dims[op.dim1], dims[op.dim0]
    return _move_permute(stack, Permute(dims))


def _move_unsqueeze(stack: LazyStack, op: Any) -> LazyStack:
    before = op.dim <= stack.dim
    return stack._moved(Unsqueeze(op.dim if before else op.dim - 1), stack.dim + before)


def _move_squeeze(stack: LazyStack, op: Any) -> Any:
    inner = [d - (d > stack.dim) for d in op.dims if d != stack.dim]
    if stack.dim in op.dims:
        member = stack.members[0]
        return member._transform(Squeeze(inner)) if inner else member
    return stack._moved(Squeeze(inner), stack.dim - sum(d < stack.dim for d in op.dims))


def _move_expand(stack: LazyStack, op: Any) -> LazyStack:
    dim = stack.dim + len(op.shape) - op.n
    inner = Expand(op.n - 1, (*op.shape[:dim], *op.shape[dim + 1 :]))
    members = stack.members * op.shape[dim] if len(stack.members) != op.shape[dim] else stack.members
    return LazyStack(members, stack.dim)._moved(inner, dim)


_MOVERS: dict[type, Any] = {
    Index: _move_index,
    Permute: _move_permute,
    Transpose: _move_transpose,
    Unsqueeze: _move_unsqueeze,
    Squeeze: _move_squeeze,
    Expand: _move_expand,
}
