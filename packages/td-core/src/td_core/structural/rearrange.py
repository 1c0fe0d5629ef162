"""Ops that copy elements to other places along batch dims: Roll, Flip, Repeat, RepeatInterleave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from .op import Names, StructuralOp


class _Copying(StructuralOp):
    """An op whose result shares no memory, and keeps sizes and names."""

    __slots__ = ()

    shares_storage = False
    keeps_flags = False

    def size(self, size: torch.Size) -> torch.Size:
        return size

    def names(self, names: Names) -> Names:
        return list(names)


class Roll(_Copying):
    """Shift elements along batch dims, around the end."""

    __slots__ = ("dims", "shifts")

    def __init__(self, shifts: Sequence[int], dims: Sequence[int]) -> None:
        self.shifts, self.dims = tuple(shifts), tuple(dims)

    def tensor(self, value: torch.Tensor) -> torch.Tensor:
        return value.roll(self.shifts, self.dims) if self.dims else value.clone()


class RollFlat(_Copying):
    """Shift elements along the first `n` batch dims taken as one, around the end."""

    __slots__ = ("n", "shift")

    def __init__(self, shift: int, n: int) -> None:
        self.shift, self.n = shift, n

    def tensor(self, value: torch.Tensor) -> torch.Tensor:
        return value.flatten(0, self.n - 1).roll(self.shift, 0).view(value.shape)


class Flip(_Copying):
    """Reverse batch dims."""

    __slots__ = ("dims",)

    def __init__(self, dims: Sequence[int]) -> None:
        self.dims = tuple(dims)

    def tensor(self, value: torch.Tensor) -> torch.Tensor:
        return value.flip(self.dims)


class Repeat(_Copying):
    """Repeat the batch, `repeats[d]` times along dim `d`."""

    __slots__ = ("repeats",)

    def __init__(self, repeats: Sequence[int]) -> None:
        self.repeats = tuple(repeats)

    def tensor(self, value: torch.Tensor) -> torch.Tensor:
        return value.repeat((*self.repeats, *[1] * (value.ndim - len(self.repeats))))

    def size(self, size: torch.Size) -> torch.Size:
        n = len(self.repeats)
        return torch.Size([*[a * b for a, b in zip(size[:n], self.repeats, strict=True)], *size[n:]])


class RepeatInterleave(_Copying):
    """Repeat each element along batch dim `dim`; `length` is the size of the dim afterwards."""

    __slots__ = ("dim", "length", "repeats")

    def __init__(self, repeats: Any, dim: int, length: int) -> None:
        self.repeats, self.dim, self.length = repeats, dim, length

    def tensor(self, value: torch.Tensor) -> torch.Tensor:
        return value.repeat_interleave(self.repeats, self.dim, output_size=self.length)

    def size(self, size: torch.Size) -> torch.Size:
        return torch.Size((*size[: self.dim], self.length, *size[self.dim + 1 :]))
