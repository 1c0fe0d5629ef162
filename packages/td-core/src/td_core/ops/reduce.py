"""Reductions as values: what a reduction does to a tensor, to a batch size, to the names."""

# ruff: noqa: D102  # many small classes with the methods of one documented base

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Size, Tensor

from ..structural import Names, StructuralOp

Arguments = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
"""A function of a tensor with its further arguments."""

Reducer = Callable[..., Arguments]
"""`reducer(dims, keepdim, **options)` says what to call on each tensor; `dims` is None for a full reduction."""


class Leafwise(StructuralOp):
    """Calls `function(value, *args, **kwargs)` on each leaf."""

    __slots__ = ("args", "function", "kwargs")

    shares_storage = False
    keeps_flags = False

    def __init__(self, arguments: Arguments) -> None:
        self.function, self.args, self.kwargs = arguments

    def tensor(self, value: Tensor) -> Any:
        return self.function(value, *self.args, **self.kwargs)

    def each(self, leaves: list[Tensor]) -> list[Any]:
        """Apply the operation to a list of leaves."""
        function, args, kwargs = self.function, self.args, self.kwargs
        if kwargs:
            return [function(leaf, *args, **kwargs) for leaf in leaves]
        return [function(leaf, *args) for leaf in leaves]


class Reduction(Leafwise):
    """A reduction over some batch dims.

    Attributes:
        dims: the dims, counted from the front, in increasing order.
        keepdim: whether they stay, with size 1.
    """

    __slots__ = ("dims", "keepdim")

    def __init__(self, arguments: Arguments, dims: tuple[int, ...], keepdim: bool) -> None:
        super().__init__(arguments)
        self.dims, self.keepdim = dims, keepdim

    def size(self, size: Size) -> Size:
        if self.keepdim:
            return Size([1 if d in self.dims else n for d, n in enumerate(size)])
        return Size([n for d, n in enumerate(size) if d not in self.dims])

    def names(self, names: Names) -> Names:
        return names if self.keepdim else [name for d, name in enumerate(names) if d not in self.dims]


class FullReduction(Leafwise):
    """A reduction of each leaf to one element."""

    __slots__ = ()

    def size(self, size: Size) -> Size:
        return Size(())

    def names(self, names: Names) -> Names:
        return []


class KeptReduction(Leafwise):
    """A reduction of each leaf to one element that keeps every dim with size 1."""

    __slots__ = ("options", "reducer")

    def __init__(self, reducer: Reducer, options: dict[str, Any]) -> None:
        self.reducer, self.options = reducer, options
        super().__init__((self._reduce, (), {}))

    def _reduce(self, value: Tensor) -> Any:
        function, args, kwargs = self.reducer(tuple(range(value.ndim)), True, **self.options)
        return function(value, *args, **kwargs)

    def size(self, size: Size) -> Size:
        return Size([1] * len(size))

    def names(self, names: Names) -> Names:
        return names


class FeatureReduction(Leafwise):
    """A reduction of whatever follows the first `n` dims of a leaf; the batch stays as it is."""

    __slots__ = ("n",)

    def __init__(self, arguments: Arguments, n: int) -> None:
        super().__init__(arguments)
        self.n = n

    def tensor(self, value: Tensor) -> Any:
        return super().tensor(value.flatten(self.n) if value.ndim > self.n else value.unsqueeze(-1))

    def size(self, size: Size) -> Size:
        return size

    def names(self, names: Names) -> Names:
        return names


class Prepended(Reduction):
    """A reduction whose result has a new leading dim of size `n`, as quantiles at several points."""

    __slots__ = ("n",)

    def __init__(self, arguments: Arguments, dims: tuple[int, ...], keepdim: bool, n: int) -> None:
        super().__init__(arguments, dims, keepdim)
        self.n = n

    def size(self, size: Size) -> Size:
        return Size((self.n, *super().size(size)))

    def names(self, names: Names) -> Names:
        return [None, *super().names(names)]


class Scan(Leafwise):
    """An operation along a batch dim that keeps every shape, as softmax."""

    __slots__ = ()

    def size(self, size: Size) -> Size:
        return size

    def names(self, names: Names) -> Names:
        return names


# -- reducers ---------------------------------------------------------------------------------------------------------


def over_dims(function: Callable[..., Tensor]) -> Reducer:
    """Make a reducer of a torch function with the signature `(input, dim, keepdim, ...)`."""

    def reducer(dims: tuple[int, ...] | None, keepdim: bool, **options: Any) -> Arguments:
        kwargs = {name: value for name, value in options.items() if value is not None}
        if dims is None:
            return function, (), kwargs
        return function, (dims[0] if len(dims) == 1 else dims, keepdim), kwargs

    return reducer


def over_one_dim(function: Callable[..., Tensor]) -> Reducer:
    """Make a reducer of a torch function that reduces one dim at a time."""

    def reducer(dims: tuple[int, ...] | None, keepdim: bool, **options: Any) -> Arguments:
        if dims is None:
            return function, (), options
        if len(dims) == 1:
            return function, (dims[0], keepdim), options
        return _one_by_one, (function, dims, keepdim, options), {}

    return reducer


def _one_by_one(
    value: Tensor, function: Callable[..., Tensor], dims: tuple[int, ...], keepdim: bool, options: dict[str, Any]
) -> Tensor:
    if not dims:
        return function(value, **options)
    for dim in reversed(dims):
        value = function(value, dim, keepdim, **options)
    return value


def _deviation(function: Callable[..., Tensor]) -> Reducer:
    def reducer(dims: tuple[int, ...] | None, keepdim: bool, *, correction: int) -> Arguments:
        return function, (), {"dim": dims, "correction": correction, "keepdim": keepdim}

    return reducer


def _quantile(dims: tuple[int, ...] | None, keepdim: bool, **options: Any) -> Arguments:
    return _quantile_of, (dims, keepdim), options


def _quantile_of(value: Tensor, dims: tuple[int, ...] | None, keepdim: bool, *, q: Any, interpolation: str) -> Tensor:
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


REDUCERS: dict[str, Reducer] = {
    "all": over_one_dim(torch.all),
    "amax": over_dims(torch.amax),
    "amin": over_dims(torch.amin),
    "any": over_one_dim(torch.any),
    "logsumexp": over_dims(torch.logsumexp),
    "mean": over_dims(torch.mean),
    "nanmean": over_dims(torch.nanmean),
    "nansum": over_dims(torch.nansum),
    "prod": over_one_dim(torch.prod),
    "quantile": _quantile,
    "std": _deviation(torch.std),
    "sum": over_dims(torch.sum),
    "var": _deviation(torch.var),
}
"""How to reduce one tensor, by method name."""


def reduce_one(name: str, value: Tensor, dims: tuple[int, ...] | None, keepdim: bool, options: dict[str, Any]) -> Any:
    """Reduce one tensor by the reducer of that name."""
    function, args, kwargs = REDUCERS[name](dims, keepdim, **options)
    return function(value, *args, **kwargs)
