"""Splitting an index in the part that selects members of a stack, and the part that each member is indexed by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Size, Tensor

from ..structural import Index, parse_index


@dataclass(frozen=True, slots=True)
class StackIndex:
    """An index, seen from a stack.

    Attributes:
        members: the numbers of the members it selects, in order.
        items: what each member is indexed by.
        dim: where the stack dim stands in the result; None when an integer took it away.
    """

    members: tuple[int, ...]
    items: tuple[Any, ...]
    dim: int | None

    def index_for(self, batch_size: Size) -> Index:
        """Return the index of one member."""
        return parse_index(self.items, batch_size)


def split_index(index: Index, dim: int, n: int) -> StackIndex | None:
    """Split an index over a stack of `n` members along `dim`.

    Returns:
        The two parts; None when they cannot be told apart (several tensors that merge into one dim).
    """
    position, before = _item_at(index.items, dim)
    tensors = [item for item in index.items if isinstance(item, Tensor)]
    if position is None:
        # the stack dim is not indexed: it keeps its place counted from the end
        return StackIndex(tuple(range(n)), index.items, len(index.size_) - (index.dims - dim))
    item = index.items[position]
    rest = index.items[:position] + index.items[position + 1 :]
    others = [t for t in tensors if t is not item]
    if type(item) is int:
        return None if tensors else StackIndex((item % n,), _trimmed(rest), None)
    if type(item) is slice:
        if tensors:
            return None
        return StackIndex(tuple(range(*item.indices(n))), _trimmed(rest), before)
    if others or item.ndim > 1 or any(type(i) is int for i in rest):
        return None
    if not item.ndim:
        return StackIndex((int(item) % n,), _trimmed(rest), None)
    return StackIndex(tuple(int(i) % n for i in torch.as_tensor(item).tolist()), _trimmed(rest), before)


def _item_at(items: tuple[Any, ...], dim: int) -> tuple[int | None, int]:
    """Return which item consumes a dim (None if none does), and how many dims of the result come before it."""
    consumed = out = 0
    for position, item in enumerate(items):
        if item is None:
            out += 1
            continue
        if isinstance(item, Tensor) and item.dtype is torch.bool:
            out += 1
            continue
        if consumed == dim:
            return position, out
        consumed += 1
        out += type(item) is slice
    return None, out


def _trimmed(items: tuple[Any, ...]) -> tuple[Any, ...]:
    """Drop an index that changes nothing."""
    return (
        ()
        if all(item == slice(None) for item in items if not isinstance(item, Tensor))
        and not any(isinstance(item, Tensor) for item in items)
        else items
    )
