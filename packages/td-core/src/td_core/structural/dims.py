"""Ops that move, add, drop, merge or split batch dims, and the dim arithmetic they share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter, methodcaller
from typing import Any

import torch

from ..errors import TDError, TDIndexError, TDRuntimeError
from .op import Names, StructuralOp


def wrap_dim(dim: int, ndim: int, what: str = "dim", error: type[TDError] = TDIndexError) -> int:
    """Normalise a dimension counted from either end.

    Args:
        dim: the dimension, in `[-ndim, ndim)`.
        ndim: the number of batch dims.
        what: the name of the argument, for the message.
        error: the class to raise.

    Raises:
        TDError: `dim` is out of range (an instance of `error`).
    """
    if -ndim <= dim < ndim:
        return dim + ndim if dim < 0 else dim
    bounds = f"[{-ndim}, {ndim - 1}]" if ndim else "[] (there are no batch dims)"
    raise error(f"{what}={dim} is out of range: with {ndim} batch dims it must be in {bounds}.")


class Permute(StructuralOp):
    """Reorder the first `len(dims)` batch dims."""

    __slots__ = ("_full", "dims")

    def __init__(self, dims: Sequence[int]) -> None:
        self.dims = tuple(dims)
        self._full: dict[int, tuple[int, ...]] = {}

    def tensor(self, value: torch.Tensor) -> torch.Tensor:
        ndim = value.ndim
        full = self._full.get(ndim)
        if full is None:
            full = self._full[ndim] = (*self.dims, *range(len(self.dims), ndim))
        return value.permute(*full)

    def size(self, size: torch.Size) -> torch.Size:
        n = len(self.dims)
        return torch.Size([size[d] for d in self.dims]) + size[n:]

    def names(self, names: Names) -> Names:
        return [*[names[d] for d in self.dims], *names[len(self.dims) :]]

    def inverse(self, size: torch.Size) -> StructuralOp:
        inverse = [0] * len(self.dims)
        for new, old in enumerate(self.dims):
            inverse[old] = new
        return Permute(inverse)


class Transpose(StructuralOp):
    """Swap two batch dims."""

    __slots__ = ("dim0", "dim1")

    def __init__(self, dim0: int, dim1: int) -> None:
        self.dim0, self.dim1 = dim0, dim1

    def tensor(self, value: torch.Tensor) -> torch.Tensor:
        return value.transpose(self.dim0, self.dim1)

    def size(self, size: torch.Size) -> torch.Size:
        swapped = list(size)
        swapped[self.dim0], swapped[self.dim1] = swapped[self.dim1], swapped[self.dim0]
        return torch.Size(swapped)

    def names(self, names: Names) -> Names:
        swapped = list(names)
        swapped[self.dim0], swapped[self.dim1] = swapped[self.dim1], swapped[self.dim0]
        return swapped

    def inverse(self, size: torch.Size) -> StructuralOp:
        return self


class Unsqueeze(StructuralOp):
    """Insert a dim of size 1 before batch dim `dim` (counted from the front)."""

    __slots__ = ("dim", "tensor")

    tensor: Callable[[torch.Tensor], Any]  # type: ignore[assignment]  # the fastest callable for the dim

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self.tensor = methodcaller("unsqueeze", dim) if dim else itemgetter(None)

    def size(self, size: torch.Size) -> torch.Size:
        return torch.Size((*size[: self.dim], 1, *size[self.dim :]))

    def names(self, names: Names) -> Names:
        return [*names[: self.dim], None, *names[self.dim :]]

    def inverse(self, size: torch.Size) -> StructuralOp:
        return Squeeze((self.dim,))


class Squeeze(StructuralOp):
    """Drop the batch dims `dims` (increasing, all of size 1)."""

    __slots__ = ("dims",)

    def __init__(self, dims: Sequence[int]) -> None:
        self.dims = tuple(dims)

    def tensor(self, value: torch.Tensor) -> torch.Tensor:
        return value.squeeze(self.dims[0]) if len(self.dims) == 1 else value.squeeze(self.dims)

    def size(self, size: torch.Size) -> torch.Size:
        return torch.Size([n for d, n in enumerate(size) if d not in self.dims])

    def names(self, names: Names) -> Names:
        return [n for d, n in enumerate(names) if d not in self.dims]

    def inverse(self, size: torch.Size) -> StructuralOp:
        return Unsqueeze(self.dims[0]) if len(self.dims) == 1 else Regroup(len(size) - len(self.dims), size)


class _Replace(StructuralOp):
    """Give the first `n` batch dims the sizes `shape`. Full shapes are computed once for each shape of leaf."""

    __slots__ = ("_full", "n", "shape")

    def __init__(self, n: int, shape: Sequence[int]) -> None:
        self.n = n
        self.shape = shape if type(shape) is torch.Size else torch.Size(shape)
        self._full: dict[torch.Size, tuple[int, ...]] | None = None if torch.compiler.is_compiling() else {}

    def full(self, value: torch.Tensor) -> tuple[int, ...]:
        """The shape of the result for a leaf."""
        memo, size = self._full, value.shape
        if memo is None:
            return (*self.shape, *size[self.n :])
        full = memo.get(size)
        if full is None:
            full = memo[size] = (*self.shape, *size[self.n :])
        return full

    def size(self, size: torch.Size) -> torch.Size:
        return self.shape + size[self.n :] if len(size) > self.n else self.shape


class Expand(_Replace):
    """Broadcast the batch dims to `shape`; new dims come first."""

    __slots__ = ()

    keeps_flags = False

    def tensor(self, value: torch.Tensor) -> torch.Tensor:
        return value.expand(self.full(value))

    def names(self, names: Names) -> Names:
        return [*[None] * (len(self.shape) - self.n), *names]


class Regroup(_Replace):
    """View the first `n` batch dims as `shape`, which has as many elements."""

    __slots__ = ()

    def tensor(self, value: torch.Tensor) -> torch.Tensor:
        return value.view(self.full(value))

    def names(self, names: Names) -> Names | None:
        extra = names[self.n :]
        return [*[None] * len(self.shape), *extra] if any(extra) else None

    def inverse(self, size: torch.Size) -> StructuralOp:
        return type(self)(len(self.shape), size[: self.n])


class Reshape(Regroup):
    """As `Regroup`, copying where the strides do not allow a view."""

    __slots__ = ()

    shares_storage = False
    keeps_flags = False

    def tensor(self, value: torch.Tensor) -> torch.Tensor:
        return value.reshape(self.full(value))


class Flatten(StructuralOp):
    """Merge the batch dims `start..end` (both included) into one."""

    __slots__ = ("end", "start")

    shares_storage = False
    keeps_flags = False

    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end

    def tensor(self, value: torch.Tensor) -> torch.Tensor:
        return value.flatten(self.start, self.end)

    def size(self, size: torch.Size) -> torch.Size:
        merged = torch.Size((size[self.start : self.end + 1].numel(),))
        return size[: self.start] + merged + size[self.end + 1 :]

    def names(self, names: Names) -> Names:
        return [*names[: self.start], None, *names[self.end + 1 :]]

    def inverse(self, size: torch.Size) -> StructuralOp:
        return Unflatten(self.start, size[self.start : self.end + 1])


class Unflatten(StructuralOp):
    """Split batch dim `dim` into `sizes`."""

    __slots__ = ("dim", "sizes")

    keeps_flags = False

    def __init__(self, dim: int, sizes: Sequence[int]) -> None:
        self.dim, self.sizes = dim, torch.Size(sizes)

    def tensor(self, value: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = value.unflatten(self.dim, self.sizes)
        return result

    def size(self, size: torch.Size) -> torch.Size:
        return torch.Size((*size[: self.dim], *self.sizes, *size[self.dim + 1 :]))

    def names(self, names: Names) -> Names:
        return [*names[: self.dim], *[None] * len(self.sizes), *names[self.dim + 1 :]]

    def inverse(self, size: torch.Size) -> StructuralOp:
        return Flatten(self.dim, self.dim + len(self.sizes) - 1)


class Gather(StructuralOp):
    """`torch.gather` along batch dim `dim`; the index is expanded over the trailing dims of each leaf."""

    __slots__ = ("dim", "index")

    shares_storage = False
    keeps_flags = False

    def __init__(self, dim: int, index: torch.Tensor) -> None:
        self.dim, self.index = dim, index

    def tensor(self, value: torch.Tensor) -> torch.Tensor:
        index = self.index
        rest = value.shape[index.ndim :]
        return value.gather(self.dim, index.reshape(*index.shape, *[1] * len(rest)).expand(*index.shape, *rest))

    def size(self, size: torch.Size) -> torch.Size:
        return self.index.shape + size[self.index.ndim :]

    def names(self, names: Names) -> Names:
        return list(names)


class ViewDtype(StructuralOp):
    """Reinterpret the bytes of every leaf as another dtype; batch dims stay."""

    __slots__ = ("dtype",)

    def __init__(self, dtype: torch.dtype) -> None:
        self.dtype = dtype

    def tensor(self, value: torch.Tensor) -> torch.Tensor:
        return value.view(self.dtype)

    def positions(self, value: torch.Tensor) -> torch.Tensor:
        return value

    def size(self, size: torch.Size) -> torch.Size:
        return size

    def names(self, names: Names) -> Names:
        return list(names)


def infer_size(shape: Sequence[int], numel: int) -> torch.Size:
    """Fill the one -1 of a shape so that it has `numel` elements.

    Raises:
        TDRuntimeError: more than one -1, or the sizes do not fit.
    """
    size = torch.Size(shape)
    if -1 not in size:
        if size.numel() != numel or min(size, default=0) < 0:
            raise TDRuntimeError(f"The shape {list(shape)} is invalid for a batch of {numel} elements.")
        return size
    unknown = [d for d, n in enumerate(shape) if n == -1]
    known = 1
    for d, n in enumerate(shape):
        if d not in unknown:
            known *= n
    if len(unknown) > 1 or known <= 0 or numel % known:
        raise TDRuntimeError(
            f"The shape {list(shape)} is invalid for a batch of {numel} elements: one -1 can be inferred, and "
            "the other sizes must divide the number of elements."
        )
    filled = list(shape)
    filled[unknown[0]] = numel // known
    return torch.Size(filled)
