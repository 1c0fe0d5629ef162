"""How each structural op moves past the dim of a lazy stack, to its members.

A move returns a storage, a container (when the stack dim is gone), or None when the entries have to be stacked first.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import torch
from torch import Size

from ..structural import (
    Expand,
    Flatten,
    Index,
    Permute,
    Regroup,
    Reshape,
    Squeeze,
    Transpose,
    Unflatten,
    Unsqueeze,
    ViewDtype,
    parse_index,
)
from .stack_index import split_index

if TYPE_CHECKING:
    from .lazy_stack import LazyStack


def _index(stack: LazyStack, op: Any) -> Any:
    target = split_index(op, stack.dim, len(stack.members))
    if target is None:
        return None if stack.readable() else _elements_at(stack, op)
    picked = [stack.members[i] for i in target.members]
    if target.dim is None:
        return picked[0]._transform(target.index_for(picked[0]._batch_size)) if target.items else picked[0]
    if not picked:
        return None if stack.readable() else type(stack)([], target.dim, stack.dim_name)
    name = stack.dim_name if target.keeps_name else None
    members = [m._transform(target.index_for(m._batch_size)) if target.items else m for m in picked]
    return type(stack)(members, target.dim, name)


def _elements_at(stack: LazyStack, op: Any) -> Any:
    """Index a stack of members that differ by tensors that merge: element by element."""
    size = _size(stack)
    positions = torch.arange(size.numel()).reshape(size)[op.key]
    if not positions.numel():
        return type(stack)([], 0)
    elements = _elements(stack, size)
    return _grouped(type(stack), [elements[i] for i in positions.flatten().tolist()], tuple(positions.shape))


def _permute(stack: LazyStack, op: Any) -> LazyStack:
    n = len(_size(stack))
    dims = [*op.dims, *range(len(op.dims), n)]
    inner = [d - (d > stack.dim) for d in dims if d != stack.dim]
    if inner == sorted(inner):
        return type(stack)(stack.members, dims.index(stack.dim), stack.dim_name)
    return stack.moved(Permute(inner), dims.index(stack.dim))


def _transpose(stack: LazyStack, op: Any) -> LazyStack:
    dims = list(range(len(_size(stack))))
    dims[op.dim0], dims[op.dim1] = dims[op.dim1], dims[op.dim0]
    return _permute(stack, Permute(dims))


def _unsqueeze(stack: LazyStack, op: Any) -> LazyStack:
    before = op.dim <= stack.dim
    return stack.moved(Unsqueeze(op.dim if before else op.dim - 1), stack.dim + before)


def _squeeze(stack: LazyStack, op: Any) -> Any:
    inner = [d - (d > stack.dim) for d in op.dims if d != stack.dim]
    if stack.dim in op.dims:
        member = stack.members[0]
        return member._transform(Squeeze(inner)) if inner else member
    if not inner:
        return stack.join(stack.members)
    return stack.moved(Squeeze(inner), stack.dim - sum(d < stack.dim for d in op.dims))


def _expand(stack: LazyStack, op: Any) -> LazyStack:
    dim = stack.dim + len(op.shape) - op.n
    inner = Expand(op.n - 1, (*op.shape[:dim], *op.shape[dim + 1 :]))
    members = stack.members * op.shape[dim] if len(stack.members) != op.shape[dim] else stack.members
    return type(stack)(members, stack.dim, stack.dim_name).moved(inner, dim)


def _view_dtype(stack: LazyStack, op: Any) -> LazyStack:
    return stack.moved(op, stack.dim)


def _flatten(stack: LazyStack, op: Any) -> Any:
    if not op.start <= stack.dim <= op.end:
        shift = op.start > stack.dim
        inner = Flatten(op.start - shift, op.end - shift)
        return stack.moved(inner, stack.dim if shift else stack.dim - (op.end - op.start))
    size = _size(stack)
    merged = size[op.start : op.end + 1].numel()
    return _regroup(stack, Reshape(len(size), (*size[: op.start], merged, *size[op.end + 1 :])))


def _unflatten(stack: LazyStack, op: Any) -> Any:
    if op.dim == stack.dim:
        if op.dim == 0:
            return _grouped(type(stack), stack.members, tuple(op.sizes))
        size = _size(stack)
        return _regroup(stack, Reshape(len(size), (*size[: op.dim], *op.sizes, *size[op.dim + 1 :])))
    before = op.dim < stack.dim
    inner = Unflatten(op.dim if before else op.dim - 1, op.sizes)
    return stack.moved(inner, stack.dim + (len(op.sizes) - 1 if before else 0))


def _regroup(stack: LazyStack, op: Any) -> Any:
    size, shape, n = _size(stack), tuple(op.shape), len(stack.members)
    size = size[: op.n]
    before = prod(size[: stack.dim])
    for dim, length in enumerate(shape):
        if length == n and prod(shape[:dim]) == before:
            inner = type(op)(op.n - 1, Size((*shape[:dim], *shape[dim + 1 :])))
            out = stack.moved(inner, dim)
            out.dim_name = None
            return out
    if not op.shares_storage and stack.readable():
        return None
    return _grouped(type(stack), _elements(stack, size), shape)


def _size(stack: LazyStack) -> Size:
    inner = stack.members[0]._batch_size
    return Size((*inner[: stack.dim], len(stack.members), *inner[stack.dim :]))


def _elements(stack: LazyStack, size: Size) -> list[Any]:
    """The elements of the batch dims, in order."""
    found = []
    for position in product(*map(range, size)):
        member = stack.members[position[stack.dim]]
        rest = position[: stack.dim] + position[stack.dim + 1 :]
        found.append(member._transform(parse_index(rest, member._batch_size)) if rest else member)
    return found


def _grouped(cls: type[LazyStack], elements: list[Any], shape: tuple[int, ...]) -> Any:
    """Stack elements to a shape, lazily; the outermost stack as a storage, or the only element."""
    if not shape:
        return elements[0]
    if len(shape) == 1:
        return cls(elements, 0)
    step = prod(shape[1:])
    rows = []
    for i in range(shape[0]):
        storage = _grouped(cls, elements[i * step : (i + 1) * step], shape[1:])
        first = elements[i * step]
        rows.append(first._build(storage, Size((*shape[1:], *first._batch_size)), first._device))
    return cls(rows, 0)


Move = Callable[["LazyStack", Any], Any]

MOVES: dict[type, Move] = {
    Index: _index,
    Permute: _permute,
    Transpose: _transpose,
    Unsqueeze: _unsqueeze,
    Squeeze: _squeeze,
    Expand: _expand,
    Flatten: _flatten,
    Unflatten: _unflatten,
    Regroup: _regroup,
    Reshape: _regroup,
    ViewDtype: _view_dtype,
}
