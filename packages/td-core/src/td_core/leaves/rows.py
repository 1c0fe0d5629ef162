"""The rows behind non-tensor data, and the positions that tell which row stands where.

Rows are a flat list of Python objects; positions are a long tensor of the batch shape. A structural operation is
applied to the positions and leaves the rows alone, so slicing or permuting a column of a million strings costs what it
costs for one tensor of integers.

Views and copies are those of tensors: a slice shares the rows of its source, a mask or a clone does not. Rows are
copied when they are first written to, not when they are cloned.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Size, Tensor

from ..structural import Index


class Rows:
    """A list of Python objects that several columns may look at.

    Attributes:
        values: the objects.
        borrowed: other rows have the same list, so that it is copied before the first write.
        repeated: one row may stand at several positions, so that a column gathers its rows before the first write.
    """

    __slots__ = ("borrowed", "repeated", "values")

    def __init__(self, values: list[Any], borrowed: bool = False, repeated: bool = False) -> None:
        self.values = values
        self.borrowed = borrowed
        self.repeated = repeated

    def borrow(self, repeated: bool = False) -> Rows:
        """Return rows with the same values, independent of these ones."""
        self.borrowed = True
        return Rows(self.values, True, repeated)

    def write(self, positions: list[int], values: Sequence[Any]) -> None:
        """Set the rows at `positions`."""
        if self.borrowed:
            self.values, self.borrowed = list(self.values), False
        rows = self.values
        for position, value in zip(positions, values, strict=True):
            rows[position] = value


def independent(rows: Rows, positions: Tensor) -> tuple[Rows, Tensor]:
    """Return rows and positions with the same values that no write to the given rows reaches."""
    if torch.compiler.is_compiling():  # positions have no values then
        return rows.borrow(repeated=True), positions
    if not rows.repeated and _in_order(positions, len(rows.values)):
        return rows.borrow(), positions
    return gathered(rows, positions)


def gathered(rows: Rows, positions: Tensor) -> tuple[Rows, Tensor]:
    """Return new rows, one a position, and their positions."""
    values = rows.values
    return Rows([values[i] for i in positions.flatten().tolist()]), fresh_positions(positions.shape)


def _in_order(positions: Tensor, n: int) -> bool:
    """Whether the positions are the rows 0 to n - 1, each once, in order."""
    return positions.numel() == n and torch.equal(positions.flatten(), torch.arange(n, device="cpu"))


def is_view(positions: Tensor, base: Tensor) -> bool:
    """Whether positions are a view of `base` in which every row stands once."""
    if torch.compiler.is_compiling():  # addresses cannot be traced; a copy is right, if not a view
        return False
    if any(step == 0 and n > 1 for step, n in zip(positions.stride(), positions.shape, strict=True)):
        return False
    return positions.untyped_storage().data_ptr() == base.untyped_storage().data_ptr()


def indexed(positions: Tensor, index: Index) -> Tensor:
    """Index positions, which are on the CPU whatever the device of the index."""
    items = tuple(item.cpu() if isinstance(item, Tensor) else item for item in index.items)
    return positions[items]


def fresh_positions(size: Size) -> Tensor:
    """Return the positions of rows that stand in order."""
    return torch.arange(size.numel(), device="cpu").view(size)


def nested(rows: list[Any], positions: Any) -> Any:
    """Return the rows at nested lists of positions, nested likewise."""
    if type(positions) is int:
        return rows[positions]
    if positions and type(positions[0]) is int:
        return [rows[i] for i in positions]
    return [nested(rows, inner) for inner in positions]


def same_value(a: Any, b: Any) -> bool:
    """Whether two Python values are equal; arrays and tensors are compared as wholes."""
    if a is b:
        return True
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        return isinstance(a, Tensor) and isinstance(b, Tensor) and a.shape == b.shape and bool((a == b).all())
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return type(a) is type(b) and bool(np.array_equal(a, b))
    try:
        return bool(a == b)
    except (ValueError, RuntimeError, TypeError):
        # objects that hold arrays have no truth value; they are then equal only to themselves
        return False
