"""Reductions: over all elements of each leaf, over batch dims, over feature dims, or over the whole container.

Results are unlocked. Non-tensor data pass through: what is read from the result is what was read before.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from typing import Any, Literal

import torch
from torch import Tensor
from typing_extensions import Self

from ..errors import TDIndexError, TDRuntimeError, TDTypeError, TDValueError
from ..leaves import NonTensorData, kind_of, kind_of_type
from ..ops import kernels
from ..ops.reduce import (
    REDUCERS,
    FeatureReduction,
    FullReduction,
    KeptReduction,
    Leafwise,
    Prepended,
    Reducer,
    Reduction,
    Scan,
    reduce_one,
)
from ..structural import StructuralOp, wrap_dim
from ..typing import NO_DEFAULT, NoDefault
from .kernel import normal_names
from .lock import LockMethods

Dims = builtins.int | tuple[builtins.int, ...] | Literal["feature"] | None | NoDefault
KeyTransform = Callable[[Any], Any]


class ReductionMethods(LockMethods):
    """`sum`, `mean`, `prod`, `std`, `max`, `all`, `norm`, `softmax`, ...

    The reductions share their arguments:

    - `dim`: the batch dims to reduce, negative ones counted from the last batch dim; "feature" reduces what follows the
      batch dims of each leaf. By default each leaf is reduced to one element and the batch size becomes empty.
    - `keepdim`: keep the reduced dims with size 1.
    - `reduce`: reduce all leaves together, to one tensor.
    - `key_transform`: renames the entries of the result, at every level.
    """

    def sum(
        self,
        dim: Dims = NO_DEFAULT,
        keepdim: bool | NoDefault = NO_DEFAULT,
        *,
        dtype: torch.dtype | None = None,
        reduce: bool | None = None,
        key_transform: KeyTransform | None = None,
    ) -> Any:
        """Return the sum over all elements of each leaf, over dims, or over the whole container."""
        return self._reduced("sum", dim, keepdim, reduce, key_transform, {"dtype": dtype})

    def nansum(
        self,
        dim: Dims = NO_DEFAULT,
        keepdim: bool | NoDefault = NO_DEFAULT,
        *,
        dtype: torch.dtype | None = None,
        reduce: bool | None = None,
    ) -> Any:
        """Return the sum, NaN counted as zero; arguments as `sum`."""
        return self._reduced("nansum", dim, keepdim, reduce, None, {"dtype": dtype})

    def mean(
        self,
        dim: Dims = NO_DEFAULT,
        keepdim: bool | NoDefault = NO_DEFAULT,
        *,
        dtype: torch.dtype | None = None,
        reduce: bool | None = None,
        key_transform: KeyTransform | None = None,
    ) -> Any:
        """Return the mean; arguments as `sum`. With `reduce`, every element of every leaf weighs the same."""
        return self._reduced("mean", dim, keepdim, reduce, key_transform, {"dtype": dtype})

    def nanmean(
        self,
        dim: Dims = NO_DEFAULT,
        keepdim: bool | NoDefault = NO_DEFAULT,
        *,
        dtype: torch.dtype | None = None,
        reduce: bool | None = None,
    ) -> Any:
        """Return the mean of what is not NaN; arguments as `sum`."""
        return self._reduced("nanmean", dim, keepdim, reduce, None, {"dtype": dtype})

    def prod(
        self,
        dim: Dims = NO_DEFAULT,
        keepdim: bool | NoDefault = NO_DEFAULT,
        *,
        dtype: torch.dtype | None = None,
        reduce: bool | None = None,
    ) -> Any:
        """Return the product; arguments as `sum`, but for `dim`, which is one dim."""
        if isinstance(dim, tuple):
            if len(dim) != 1:
                raise TDTypeError(f"prod reduces one dim at a time, got dim={dim!r}. Chain calls to reduce several.")
            dim = dim[0]
        return self._reduced("prod", dim, keepdim, reduce, None, {"dtype": dtype})

    def std(
        self,
        dim: Dims = NO_DEFAULT,
        keepdim: bool | NoDefault = NO_DEFAULT,
        *,
        correction: int = 1,
        reduce: bool | None = None,
        key_transform: KeyTransform | None = None,
    ) -> Any:
        """Return the standard deviation; arguments as `sum`, and `correction` as in `torch.std`."""
        return self._reduced("std", dim, keepdim, reduce, key_transform, {"correction": correction})

    def var(
        self,
        dim: Dims = NO_DEFAULT,
        keepdim: bool | NoDefault = NO_DEFAULT,
        *,
        correction: int = 1,
        reduce: bool | None = None,
        key_transform: KeyTransform | None = None,
    ) -> Any:
        """Return the variance; arguments as `sum`, and `correction` as in `torch.var`."""
        return self._reduced("var", dim, keepdim, reduce, key_transform, {"correction": correction})

    def amax(self, dim: Dims = NO_DEFAULT, keepdim: bool = False, *, reduce: bool | None = None) -> Any:
        """Return the largest values; arguments as `sum`."""
        return self._reduced("amax", dim, keepdim, reduce, None, {})

    def amin(self, dim: Dims = NO_DEFAULT, keepdim: bool = False, *, reduce: bool | None = None) -> Any:
        """Return the smallest values; arguments as `sum`."""
        return self._reduced("amin", dim, keepdim, reduce, None, {})

    def max(
        self,
        dim: int | None | NoDefault = NO_DEFAULT,
        keepdim: bool = False,
        *,
        reduce: bool | None = None,
        return_indices: bool = True,
    ) -> Any:
        """Return the largest values; arguments as `sum`, but for `dim`, which is one dim.

        With a dim, the result is a named tuple of values and indices, as that of `torch.max`, unless `return_indices`
        is off.
        """
        return self._extreme("amax", torch.max, torch.return_types.max, dim, keepdim, reduce, return_indices)

    def min(
        self,
        dim: int | None | NoDefault = NO_DEFAULT,
        keepdim: bool = False,
        *,
        reduce: bool | None = None,
        return_indices: bool = True,
    ) -> Any:
        """Return the smallest values; arguments and results as `max`."""
        return self._extreme("amin", torch.min, torch.return_types.min, dim, keepdim, reduce, return_indices)

    def cummax(self, dim: int, *, reduce: bool | None = None, return_indices: bool = True) -> Any:
        """Return the largest values so far along a batch dim, with their indices unless `return_indices` is off."""
        return self._running(torch.cummax, torch.return_types.cummax, dim, reduce, return_indices)

    def cummin(self, dim: int, *, reduce: bool | None = None, return_indices: bool = True) -> Any:
        """Return the smallest values so far along a batch dim, with their indices unless `return_indices` is off."""
        return self._running(torch.cummin, torch.return_types.cummin, dim, reduce, return_indices)

    def quantile(
        self,
        q: float | Tensor,
        dim: Dims = NO_DEFAULT,
        keepdim: bool | NoDefault = NO_DEFAULT,
        *,
        interpolation: str = "linear",
        reduce: bool | None = None,
        key_transform: KeyTransform | None = None,
    ) -> Any:
        """Return the `q`-th quantile; arguments as `sum`.

        A tensor of several `q` gives every leaf a leading dim, which is a batch dim of the result when `dim` is given.
        """
        if not isinstance(q, (float, int, Tensor)):
            raise TDTypeError(f"q must be a number or a tensor, got {q!r} of type {type(q).__name__}.")
        return self._reduced("quantile", dim, keepdim, reduce, key_transform, {"q": q, "interpolation": interpolation})

    def norm(
        self, *, out: Any = None, dtype: torch.dtype | None = None, key_transform: KeyTransform | None = None
    ) -> Any:
        """Return the 2-norm of each leaf, with an empty batch size.

        Args:
            out: a container of empty batch size that the result is written to, and that is returned.
            dtype: the dtype of the result.
            key_transform: renames the entries of the result, at every level.
        """
        leaves, stored = self._gather()
        whole = self if stored else _flat(self)
        results = iter(kernels.norms(leaves if stored else whole._leaves(), dtype))
        result = regrow(whole, results, FullReduction((torch.linalg.vector_norm, (2,), {"dtype": dtype})))
        return _finished(result, key_transform, out)

    def logsumexp(self, dim: int | tuple[int, ...] | None = None, keepdim: bool = False, *, out: Any = None) -> Any:
        """Return the logarithm of the sum of exponentials over batch dims; all of them by default.

        Raises:
            TDValueError: a dim that is not a batch dim.
        """
        n = len(self._batch_size)
        dims = tuple(range(n)) if dim is None else dim if isinstance(dim, tuple) else (dim,)
        wrapped = tuple(sorted(wrap_dim(d, n, error=TDValueError) for d in dims))
        op = Reduction(REDUCERS["logsumexp"](wrapped, keepdim), wrapped, keepdim)
        return _finished(self._regrown(op), None, out)

    def softmax(self, dim: int, dtype: torch.dtype | None = None) -> Self:
        """Return the softmax along a batch dim.

        Raises:
            TDIndexError: a dim that is not a batch dim.
        """
        if not isinstance(dim, int):
            raise TDValueError(f"softmax takes one dim, got {dim!r}.")
        op = Scan((torch.softmax, (wrap_dim(dim, len(self._batch_size)),), {"dtype": dtype}))
        return self._regrown(op)  # type: ignore[no-any-return]  # a container like self

    def all(self, dim: int | tuple[int, ...] | None = None, keepdim: bool = False) -> Any:
        """Tell whether all elements are true.

        Args:
            dim: the batch dims to reduce, negative ones counted from the last batch dim. Default: everything.
            keepdim: keep the reduced dims with size 1.

        Returns:
            A bool for the whole container without `dim`, else a container of booleans.

        Raises:
            TDRuntimeError: a dim that is not a batch dim.
        """
        if dim is None:
            return builtins.all(bool(leaf.all()) for leaf in self._leaves())
        return self._truth("all", dim, keepdim)

    def any(self, dim: int | tuple[int, ...] | None = None, keepdim: bool = False) -> Any:
        """Tell whether any element is true; arguments and errors as `all`."""
        if dim is None:
            return builtins.any(bool(leaf.any()) for leaf in self._leaves())
        return self._truth("any", dim, keepdim)

    def _truth(self, name: str, dim: Any, keepdim: bool) -> Any:
        dims = self._batch_dims_of(name, dim)
        return self._regrown(Reduction(REDUCERS[name](dims, keepdim), dims, keepdim))

    # -- how they work ------------------------------------------------------------------------------------------------

    def _regrown(self, op: Leafwise) -> Any:
        """Apply a reduction to every leaf."""
        leaves, stored = self._gather()
        if stored:
            return regrow(self, iter(op.each(leaves)), op)
        whole = _flat(self) if isinstance(op, FullReduction) else self._stacked()
        return regrow(whole, iter(op.each(whole._leaves())), op)

    def _reduced(
        self,
        name: str,
        dim: Any,
        keepdim: Any,
        reduce: bool | None,
        key_transform: KeyTransform | None,
        options: dict[str, Any],
    ) -> Any:
        keep = False if keepdim is NO_DEFAULT else keepdim
        if type(keep) is not bool:
            raise TDTypeError(f"keepdim of {name} must be a bool, got {keepdim!r}.")
        if reduce:
            return self._reduced_together(name, dim, keep, options)
        reducer = REDUCERS[name]
        if dim is NO_DEFAULT or dim is None or dim == ():
            op = KeptReduction(reducer, options) if keep else FullReduction(reducer(None, False, **options))
            result = self._regrown(op)
        elif dim == "feature":
            if keep:
                raise TDTypeError('dim="feature" cannot be combined with keepdim=True.')
            result = _reduce_features(self, reducer, options)
        else:
            dims = self._batch_dims_of(name, dim)
            arguments, q = reducer(dims, keep, **options), options.get("q")
            if isinstance(q, Tensor) and q.ndim:
                result = self._regrown(Prepended(arguments, dims, keep, q.numel()))
            else:
                result = self._regrown(Reduction(arguments, dims, keep))
        return _finished(result, key_transform, None)

    def _batch_dims_of(self, name: str, dim: Any) -> tuple[int, ...]:
        """Normalise the `dim` argument to increasing batch dims.

        Raises:
            TDIndexError: a dim that is not a batch dim.
            TDRuntimeError: a dim given twice.
            TDTypeError: neither an int nor a tuple of ints.
        """
        if type(dim) is int:
            return (wrap_dim(dim, len(self._batch_size), error=DimError),)
        dims = tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
        if not builtins.all(isinstance(d, int) for d in dims):
            raise TDTypeError(f'{name} takes an int, a tuple of ints or "feature" as dim, got {dim!r}.')
        n = len(self._batch_size)
        wrapped = tuple(sorted(wrap_dim(d, n, error=DimError) for d in dims))
        if len(set(wrapped)) != len(wrapped):
            raise TDRuntimeError(f"{name}: a dim appears twice in {dim!r}.")
        return wrapped

    def _reduced_together(self, name: str, dim: Any, keep: bool, options: dict[str, Any]) -> Tensor:
        """Reduce all leaves to one tensor."""
        leaves, stored = self._gather()
        if not leaves:
            raise TDValueError(f"{name}(reduce=True) reduces all tensors together, and there are none.")
        if dim is NO_DEFAULT or dim is None or dim == ():
            return reduce_one(name, _concatenated(leaves), None, False, options)  # type: ignore[no-any-return]
        if not stored:
            leaves = self._stacked()._leaves()
        if dim == "feature":
            n = len(self._batch_size)
            flat = [leaf.flatten(n) if leaf.ndim > n else leaf.unsqueeze(-1) for leaf in leaves]
            return reduce_one(name, torch.cat(flat, n), (n,), False, options)  # type: ignore[no-any-return]
        dims = self._batch_dims_of(name, dim)
        return reduce_one(name, torch.cat(leaves, dims[0]), dims, keep, options)  # type: ignore[no-any-return]

    def _extreme(
        self,
        name: str,
        function: Callable[..., Any],
        pair_type: Callable[[Any], Any],
        dim: Any,
        keepdim: bool,
        reduce: bool | None,
        return_indices: bool,
    ) -> Any:
        full = dim is NO_DEFAULT or dim is None
        if full or not return_indices:
            return self._reduced(name, dim, keepdim, reduce, None, {})
        if isinstance(dim, (str, tuple, list)):
            raise TDTypeError(f"{name[1:]} takes one batch dim, got {dim!r}. {name} takes several.")
        (one,) = self._batch_dims_of(name[1:], dim)
        if reduce:
            return function(torch.cat(self._stacked()._leaves(), one), one, keepdim)
        return self._paired(Reduction((function, (one, keepdim), {}), (one,), keepdim), pair_type)

    def _running(
        self,
        function: Callable[..., Any],
        pair_type: Callable[[Any], Any],
        dim: int,
        reduce: bool | None,
        return_indices: bool,
    ) -> Any:
        if isinstance(dim, (str, tuple, list)):
            raise TDTypeError(f"A running extreme goes along one batch dim, got {dim!r}.")
        (one,) = self._batch_dims_of(function.__name__, dim)
        if reduce:
            pair = function(torch.cat(self._stacked()._leaves(), one), one)
        else:
            pair = self._paired(Scan((function, (one,), {})), pair_type)
        return pair if return_indices else pair[0]

    def _paired(self, op: Leafwise, pair_type: Callable[[Any], Any]) -> Any:
        """Apply an operation that gives values and indices."""
        whole = self if self._gather()[1] else self._stacked()
        results = op.each(whole._leaves())
        values = regrow(whole, iter([pair[0] for pair in results]), op)
        return pair_type((values, regrow(whole, iter([pair[1] for pair in results]), op)))


class DimError(TDIndexError, TDRuntimeError):
    """A dim that is not a batch dim."""


def regrow(node: Any, results: Iterator[Tensor], op: StructuralOp) -> Any:
    """Build the same tree around the next results, with the batch sizes and names that `op` gives."""
    storage: dict[str, Any] = {}
    for key, value in node._storage.items():
        if type(value) is Tensor:
            storage[key] = next(results)
            continue
        kind = kind_of(value)
        inner = kind.node(value)
        if inner is not None:
            storage[key] = kind.wrap(value, regrow(inner, results, op))
        elif kind.is_non_tensor:
            size = op.size(kind.shape(value))
            same = size == kind.shape(value)
            storage[key] = (
                kind.clone(value) if same else NonTensorData(value.unwrap(), batch_size=size, device=value.device)
            )
        else:
            storage[key] = next(results)
    names = node._names
    if names is not None:
        names = normal_names(op.names(names))
    return node._derive(storage, op.size(node._batch_size), node._device, names)


def _reduce_features(node: Any, reducer: Reducer, options: dict[str, Any]) -> Any:
    """Reduce what follows the batch dims of each leaf; each node by its own batch dims."""
    n = len(node._batch_size)
    op = FeatureReduction(reducer((n,), False, **options), n)
    storage: dict[str, Any] = {}
    for key, value in node._storage.items():
        kind = kind_of(value)
        inner = kind.node(value)
        if inner is not None:
            storage[key] = kind.wrap(value, _reduce_features(inner, reducer, options))
        else:
            storage[key] = value if kind.is_non_tensor else op.tensor(value)
    return node._like(storage)


def _flat(node: Any) -> Any:
    """Return a tree with the elements of each entry in one dim, whatever their shapes: enough to reduce them all."""
    storage: dict[str, Any] = {}
    for key in node._storage:
        kind = kind_of_type(_type_of(node, key))
        if kind is None or not kind.is_tensor:
            value = node._storage[key]
            inner = kind_of(value).node(value)
            storage[key] = value if inner is None else kind_of(value).wrap(value, _flat(inner))
        else:
            storage[key] = _flat_entry(node, key)
    return node._like(storage)


def _type_of(node: Any, key: str) -> type:
    storage = node._storage
    return type(storage[key]) if type(storage) is dict else storage.value_type(key)


def _flat_entry(node: Any, key: str) -> Tensor:
    storage = node._storage
    if type(storage) is not dict and storage.parts is not None:
        return torch.cat([_flat_entry(part, key) for part in storage.parts])
    value: Tensor = storage[key]
    return value.values() if value.is_nested else value.flatten()


def _concatenated(leaves: list[Tensor]) -> Tensor:
    """Flatten all leaves into one tensor."""
    return torch.cat([leaf.values() if leaf.is_nested else leaf.flatten() for leaf in leaves])


def _finished(result: Any, key_transform: KeyTransform | None, out: Any) -> Any:
    """Rename the entries of a result, and write it to `out` where one is given."""
    if key_transform is not None:
        result = _renamed(result, key_transform)
    if out is None:
        return result
    if out.batch_size != result.batch_size:
        raise TDRuntimeError(
            f"out has batch size {list(out.batch_size)}, and the result {list(result.batch_size)}. They must be equal."
        )
    return out.update(result)


def _renamed(node: Any, key_transform: KeyTransform) -> Any:
    storage: dict[str, Any] = {}
    for key, value in node._storage.items():
        kind = kind_of(value)
        inner = kind.node(value)
        storage[key_transform(key)] = value if inner is None else kind.wrap(value, _renamed(inner, key_transform))
    return node._like(storage)
