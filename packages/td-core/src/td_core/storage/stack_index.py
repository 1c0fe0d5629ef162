"""Splitting an index in the part that selects members of a stack, and the part that each member is indexed by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Size, Tensor

from ..errors import TDIndexError
from ..leaves import kind_of_type
from ..structural import Index, parse_index


@dataclass(frozen=True, slots=True)
class StackIndex:
    """An index, seen from a stack.

    Attributes:
        members: the numbers of the members it selects, in order.
        items: what each member is indexed by.
        dim: where the stack dim stands in the result; None when an integer took it away.
        keeps_name: whether the stack dim keeps its name.
    """

    members: tuple[int, ...]
    items: tuple[Any, ...]
    dim: int | None
    keeps_name: bool = True

    def index_for(self, batch_size: Size) -> Index:
        """Return the index of one member."""
        return parse_index(self.items, batch_size)

    def share(self, value: Any, index: Index) -> Sequence[Any]:
        """Give each selected member its part of a value that broadcasts to the region."""
        n, dim = len(self.members), self.dim
        kind = kind_of_type(type(value))
        if dim is None or kind is None:
            return [value] * n
        if kind.is_tensor:
            if value.ndim < len(index.size_):
                value = value.expand(index.size_)
            return [value.select(dim, 0)] * n if value.shape[dim] == 1 != n else value.unbind(dim)
        size = kind.shape(value)
        if len(size) <= dim:
            return [value] * n
        whole = (slice(None),) * dim
        rest = size[:dim] + size[dim + 1 :]
        places = [0] * n if size[dim] == 1 else range(n)
        return [kind.transform(value, Index((*whole, i), rest, len(size))) for i in places]


def split_index(index: Index, dim: int, n: int) -> StackIndex | None:
    """Split an index over a stack of `n` members along `dim`.

    Returns:
        The two parts; None when they cannot be told apart (several tensors that merge into one dim).
    """
    position = _position_of(index.items, dim)
    if position is None:
        # the stack dim is not indexed: it keeps its place counted from the end
        return StackIndex(tuple(range(n)), index.items, len(index.size_) - (index.dims - dim))
    item = index.items[position]
    rest = index.items[:position] + index.items[position + 1 :]
    if type(item) is int:
        return StackIndex((item % n,), _trimmed(rest), None)
    if type(item) is slice:
        place = _place_of_slice(index.items, position)
        return None if place is None else StackIndex(tuple(range(*item.indices(n))), _trimmed(rest), place)
    if item.numel() and not -n <= int(item.min()) <= int(item.max()) < n:
        raise TDIndexError(f"index {item.tolist()} is out of range for batch dim {dim} of size {n}.")
    if not item.ndim:
        return StackIndex((int(item) % n,), _trimmed(rest), None)
    if item.ndim > 1 or any(_merges(other) for other in rest):
        return None
    place = sum(other is None or type(other) is slice for other in index.items[:position])
    return StackIndex(tuple(i % n for i in item.tolist()), _trimmed(rest), place)


def _position_of(items: tuple[Any, ...], dim: int) -> int | None:
    """Return which item consumes a dim, None if none does."""
    consumed = 0
    for position, item in enumerate(items):
        if item is None or (isinstance(item, Tensor) and item.dtype is torch.bool):
            continue
        if consumed == dim:
            return position
        consumed += 1
    return None


def _merges(item: Any) -> bool:
    return isinstance(item, Tensor) and (item.ndim > 0 or item.dtype is torch.bool)


def _place_of_slice(items: tuple[Any, ...], position: int) -> int | None:
    """Return where the slice at `position` stands in the result; None when its absence would move index tensors."""
    kept = [(i, item) for i, item in enumerate(items) if item is None or type(item) is slice or _merges(item)]
    mine = next(place for place, (i, _) in enumerate(kept) if i == position)
    tensors = [place for place, (_, item) in enumerate(kept) if _merges(item)]
    before = sum(place < mine for place in range(len(kept)) if place not in tensors)
    if not tensors:
        return before
    merged: int = max(max(item.ndim, 1) for _, item in kept if _merges(item))
    if tensors[-1] - tensors[0] == len(tensors) - 1:
        return before + (merged if tensors[0] < mine else 0)
    alone = [place - (place > mine) for place in tensors]
    if alone[-1] - alone[0] == len(alone) - 1 and alone[0] > 0:
        return None
    return before + merged


def _trimmed(items: tuple[Any, ...]) -> tuple[Any, ...]:
    """Drop an index that changes nothing."""
    return (
        ()
        if all(item == slice(None) for item in items if not isinstance(item, Tensor))
        and not any(isinstance(item, Tensor) for item in items)
        else items
    )
