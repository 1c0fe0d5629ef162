"""Reductions as values: what a reduction does to a tensor, to a batch size, to the names."""

# ruff: noqa: D102  # many small classes with the methods of one documented base

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Size, Tensor

from ..structural import Names, StructuralOp

Reducer = Callable[..., Tensor]
"""`reducer(tensor, dims, keepdim, **options)`; `dims` is None for a full reduction."""


class Reduction(StructuralOp):
    """A reduction over some batch dims.

    Attributes:
        dims: the dims, counted from the front, in increasing order.
        keepdim: whether they stay, with size 1.
    """

    __slots__ = ("dims", "keepdim", "options", "reducer")

    shares_storage = False
    keeps_flags = False

    def __init__(self, reducer: Reducer, dims: tuple[int, ...], keepdim: bool, options: dict[str, Any]) -> None:
        self.reducer, self.dims, self.keepdim, self.options = reducer, dims, keepdim, options

    def tensor(self, value: Tensor) -> Any:
        return self.reducer(value, self.dims, self.keepdim, **self.options)

    def size(self, size: Size) -> Size:
        if self.keepdim:
            return Size([1 if d in self.dims else n for d, n in enumerate(size)])
        return Size([n for d, n in enumerate(size) if d not in self.dims])

    def names(self, names: Names) -> Names:
        return names if self.keepdim else [name for d, name in enumerate(names) if d not in self.dims]


class FullReduction(StructuralOp):
    """A reduction of each leaf to one element, with all dims kept as size 1 on demand."""

    __slots__ = ("keepdim", "options", "reducer")

    shares_storage = False
    keeps_flags = False

    def __init__(self, reducer: Reducer, keepdim: bool, options: dict[str, Any]) -> None:
        self.reducer, self.keepdim, self.options = reducer, keepdim, options

    def tensor(self, value: Tensor) -> Any:
        if self.keepdim:
            return self.reducer(value, tuple(range(value.ndim)), True, **self.options)
        return self.reducer(value, None, False, **self.options)

    def size(self, size: Size) -> Size:
        return Size([1] * len(size)) if self.keepdim else Size(())

    def names(self, names: Names) -> Names:
        return names if self.keepdim else []


class FeatureReduction(StructuralOp):
    """A reduction of whatever follows the first `n` dims of a leaf; the batch stays as it is."""

    __slots__ = ("n", "options", "reducer")

    shares_storage = False
    keeps_flags = False

    def __init__(self, reducer: Reducer, n: int, options: dict[str, Any]) -> None:
        self.reducer, self.n, self.options = reducer, n, options

    def tensor(self, value: Tensor) -> Any:
        flat = value.flatten(self.n) if value.ndim > self.n else value.unsqueeze(-1)
        return self.reducer(flat, (self.n,), False, **self.options)

    def size(self, size: Size) -> Size:
        return size

    def names(self, names: Names) -> Names:
        return names


class Prepended(Reduction):
    """A reduction whose result has a new leading dim of size `n`, as quantiles at several points."""

    __slots__ = ("n",)

    def __init__(self, reducer: Reducer, dims: tuple[int, ...], keepdim: bool, options: dict[str, Any], n: int) -> None:
        super().__init__(reducer, dims, keepdim, options)
        self.n = n

    def size(self, size: Size) -> Size:
        return Size((self.n, *super().size(size)))

    def names(self, names: Names) -> Names:
        return [None, *super().names(names)]


class Scan(StructuralOp):
    """An operation along a batch dim that keeps every shape, as softmax."""

    __slots__ = ("dim", "function", "options")

    shares_storage = False
    keeps_flags = False

    def __init__(self, function: Callable[..., Any], dim: int, options: dict[str, Any]) -> None:
        self.function, self.dim, self.options = function, dim, options

    def tensor(self, value: Tensor) -> Any:
        return self.function(value, self.dim, **self.options)

    def size(self, size: Size) -> Size:
        return size

    def names(self, names: Names) -> Names:
        return names


# -- reducers ---------------------------------------------------------------------------------------------------------


def over_dims(function: Callable[..., Tensor]) -> Reducer:
    """Make a reducer of a torch function with the signature `(input, dim, keepdim, ...)`."""

    def reduce(value: Tensor, dims: tuple[int, ...] | None, keepdim: bool, **options: Any) -> Tensor:
        if dims is None or not dims:
            return function(value, **options) if not keepdim else function(value, (), True, **options)
        return function(value, dims, keepdim, **options)

    return reduce


def over_one_dim(function: Callable[..., Tensor]) -> Reducer:
    """Make a reducer of a torch function that reduces one dim at a time."""

    def reduce(value: Tensor, dims: tuple[int, ...] | None, keepdim: bool, **options: Any) -> Tensor:
        if dims is None or not dims:
            return function(value, **options)
        for dim in reversed(dims):
            value = function(value, dim, keepdim, **options)
        return value

    return reduce


def _deviation(function: Callable[..., Tensor]) -> Reducer:
    def reduce(value: Tensor, dims: tuple[int, ...] | None, keepdim: bool, *, correction: int) -> Tensor:
        return function(value, dim=dims, correction=correction, keepdim=keepdim)

    return reduce


def _quantile(value: Tensor, dims: tuple[int, ...] | None, keepdim: bool, *, q: Any, interpolation: str) -> Tensor:
    if isinstance(q, Tensor):
        q = q.to(value.device, value.dtype)
    if dims is None:
        return torch.quantile(value, q, interpolation=interpolation)
    if len(dims) == 1:
        return torch.quantile(value, q, dims[0], keepdim, interpolation=interpolation)
    last = [d for d in range(value.ndim) if d not in dims]
    flat = value.permute(*last, *dims).flatten(len(last)) if dims else value.unsqueeze(-1)
    result = torch.quantile(flat, q, -1, interpolation=interpolation)
    if keepdim:
        offset = result.ndim - len(last)
        for dim in dims:
            result = result.unsqueeze(dim + offset)
    return result


def _norm(value: Tensor, dims: tuple[int, ...] | None, keepdim: bool, *, dtype: torch.dtype | None) -> Tensor:
    result: Tensor = torch.linalg.vector_norm(value, 2, dims, keepdim, dtype=dtype)
    return result


REDUCERS: dict[str, Reducer] = {
    "all": over_one_dim(torch.all),
    "amax": over_dims(torch.amax),
    "amin": over_dims(torch.amin),
    "any": over_one_dim(torch.any),
    "mean": over_dims(torch.mean),
    "nanmean": over_dims(torch.nanmean),
    "nansum": over_dims(torch.nansum),
    "norm": _norm,
    "prod": over_one_dim(torch.prod),
    "quantile": _quantile,
    "std": _deviation(torch.std),
    "sum": over_dims(torch.sum),
    "var": _deviation(torch.var),
}
"""How to reduce one tensor, by method name."""
