"""Shape operations on the batch dims. Each builds a structural op and has the storage interpret it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import ref

import torch
from torch import Tensor
from typing_extensions import Self

from ..errors import BatchSizeError, TDIndexError, TDRuntimeError, TDTypeError, TDValueError
from ..leaves import kind_of
from ..structural import (
    Expand,
    Flatten,
    Gather,
    Permute,
    Regroup,
    Reshape,
    Squeeze,
    StructuralOp,
    Transpose,
    Unflatten,
    Unsqueeze,
    ViewDtype,
    infer_size,
    parse_index,
    wrap_dim,
)
from .index import IndexMethods


class ShapeMethods(IndexMethods):
    """`view`, `reshape`, `permute` and the like. Results share storage where a tensor's would, and keep the lock."""

    def _reshaped(self, op: StructuralOp) -> Self:
        """Apply an op as a public method does: lock and flags follow, and a context manager can undo it."""
        out = self._walk(op, op.tensor, self._batch_size, op.size(self._batch_size))
        if self._locked:
            out._locked_like(self)
        if self._sharing is not None and op.keeps_flags:
            out._sharing = self._sharing
        out._origin = (ref(self), op)
        return out

    def _unchanged(self) -> Self:
        """Return this container as the result of an op that has nothing to do."""
        self._origin = None
        return self

    def view(self, *shape: Any, size: Sequence[int] | None = None) -> Self:
        """View the batch as another shape, or every leaf as another dtype.

        Args:
            shape: the new batch size, one size may be -1; or a dtype, with the meaning it has for a tensor.
            size: the new batch size, by keyword.

        Returns:
            A container sharing storage; this one when the shape is the same.

        Raises:
            TDRuntimeError: the shape does not fit.
            BatchSizeError: a dtype of another width changes a dim that is a batch dim.
        """
        if len(shape) == 1 and isinstance(shape[0], torch.dtype):
            out = self._reshaped(ViewDtype(shape[0]))
            _require_fitting(out)
            return out
        new = infer_size(_sizes(shape, size), self._batch_size.numel())
        if new == self._batch_size:
            return self._unchanged()
        return self._reshaped(Regroup(len(self._batch_size), new))

    def reshape(self, *shape: Any, size: Sequence[int] | None = None) -> Self:
        """As `view`, copying where the strides do not allow a view."""
        new = infer_size(_sizes(shape, size), self._batch_size.numel())
        if new == self._batch_size:
            return self._unchanged()
        return self._reshaped(Reshape(len(self._batch_size), new))

    def permute(self, *dims: Any, **kwargs: Any) -> Self:
        """Reorder the batch dims; a shorter list reorders the first ones.

        Raises:
            TDValueError: a dim is out of range, or the list is no permutation of its own range.
        """
        order = None
        if kwargs:
            order = kwargs.pop("dims", None)
            if kwargs:
                raise TDTypeError(f"permute() got the unexpected arguments {sorted(kwargs)}.")
        given = _sizes(dims, order)
        n = len(self._batch_size)
        normal = [d + n if d < 0 else d for d in given]
        unmoved = list(range(len(normal)))
        if sorted(normal) != unmoved or len(normal) > n:
            raise TDValueError(f"permute: {list(given)} is not a permutation of the first of the {n} batch dims.")
        if normal == unmoved:
            return self._unchanged()
        return self._reshaped(Permute(normal))

    def transpose(self, dim0: int, dim1: int) -> Self:
        """Swap two batch dims.

        Raises:
            TDValueError: a dim is out of range.
        """
        n = len(self._batch_size)
        a = wrap_dim(dim0, n, "dim0", TDValueError)
        b = wrap_dim(dim1, n, "dim1", TDValueError)
        return self._unchanged() if a == b else self._reshaped(Transpose(a, b))

    def squeeze(self, dim: int | None = None) -> Self:
        """Drop the batch dims of size 1, or one of them.

        Returns:
            A view; this container when there is nothing to drop.

        Raises:
            TDIndexError: `dim` is out of range.
        """
        size = self._batch_size
        if dim is None:
            dims = [d for d, n in enumerate(size) if n == 1]
        else:
            d = wrap_dim(dim, len(size))
            dims = [d] if size[d] == 1 else []
        return self._reshaped(Squeeze(dims)) if dims else self._unchanged()

    def unsqueeze(self, dim: int) -> Self:
        """Insert a batch dim of size 1; -1 puts it last.

        Raises:
            TDRuntimeError: `dim` is out of `[-batch_dims - 1, batch_dims]`.
        """
        return self._reshaped(Unsqueeze(wrap_dim(dim, len(self._batch_size) + 1, error=TDRuntimeError)))

    def expand(self, *shape: Any, size: Sequence[int] | None = None) -> Self:
        """Broadcast the batch dims of size 1 and add leading dims; -1 keeps a size.

        Raises:
            TDRuntimeError: the shape is shorter than the batch size, or differs in a dim that is not of size 1.
        """
        given = list(_sizes(shape, size))
        old = self._batch_size
        extra = len(given) - len(old)
        if extra < 0:
            raise TDRuntimeError(
                f"expand: the sizes {given} must be at least as many as the {len(old)} batch dims {list(old)}."
            )
        for d, n in enumerate(given):
            if n == -1 and d >= extra:
                given[d] = old[d - extra]
            elif n < 0 or (d >= extra and old[d - extra] not in (1, n)):
                raise TDRuntimeError(
                    f"expand: the shape {given} does not fit the batch size {list(old)}: each dim is equal, of size 1 "
                    "or new and non-negative."
                )
        return self._reshaped(Expand(len(old), given))

    def expand_as(self, other: Any) -> Self:
        """Expand to the shape of a tensor or container."""
        return self.expand(*other.shape)

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Self:
        """Merge the batch dims `start_dim..end_dim` (both included) into one.

        Raises:
            TDIndexError: a dim is out of range.
            TDValueError: `end_dim` comes before `start_dim`.
        """
        n = len(self._batch_size)
        if not n:
            wrap_dim(start_dim, 1, "start_dim")
            wrap_dim(end_dim, 1, "end_dim")
            return self._reshaped(Unsqueeze(0))
        start, end = wrap_dim(start_dim, n, "start_dim"), wrap_dim(end_dim, n, "end_dim")
        if end < start:
            raise TDValueError(f"flatten: end_dim={end_dim} comes before start_dim={start_dim}.")
        return self._unchanged() if start == end else self._reshaped(Flatten(start, end))

    def unflatten(self, dim: int, unflattened_size: Sequence[int]) -> Self:
        """Split one batch dim into several; one size may be -1.

        Raises:
            TDIndexError: `dim` is out of range.
            TDRuntimeError: the sizes do not multiply up to that of the dim.
        """
        d = wrap_dim(dim, len(self._batch_size))
        return self._reshaped(Unflatten(d, infer_size(tuple(unflattened_size), self._batch_size[d])))

    def gather(self, dim: int, index: Tensor, out: Any = None) -> Self:
        """Gather along a batch dim, as `torch.gather` with the index expanded over the trailing dims of each leaf.

        Args:
            dim: the batch dim.
            index: positions, int64, with as many dims as the batch.
            out: a container to write into.

        Raises:
            TDRuntimeError: `dim` is out of range.
        """
        d = wrap_dim(dim, len(self._batch_size), error=TDRuntimeError)
        result = self._transform(Gather(d, index))
        if out is None:
            return result
        out.update_(result)
        return out  # type: ignore[no-any-return]

    def masked_select(self, mask: Tensor) -> Self:
        """Return the elements of the batch where a mask over the leading batch dims is True.

        Args:
            mask: boolean; trailing dims of size 1 beyond the batch dims are dropped.

        Returns:
            A container of batch size `[mask.sum(), *batch_size[mask.ndim:]]`, without names.

        Raises:
            TDIndexError: the mask is not boolean, or its shape is not that of the leading batch dims.
        """
        if mask.dtype not in (torch.bool, torch.uint8):
            raise TDIndexError(f"masked_select needs a boolean mask, got {mask.dtype}.")
        while mask.ndim > len(self._batch_size) and mask.shape[-1] == 1:
            mask = mask.squeeze(-1)
        out = self._transform(parse_index(mask, self._batch_size))
        if out._names is not None:
            out.names = None
        return out


def _require_fitting(node: Any) -> None:
    """Check that every tensor of the tree starts with the batch size of its node."""
    size = node._batch_size
    for key, value in node._storage.items():
        child = None if type(value) is Tensor else kind_of(value).node(value)
        if child is not None:
            _require_fitting(child)
        elif isinstance(value, Tensor) and value.shape[: len(size)] != size:
            raise BatchSizeError(key, value.shape, size)


def _sizes(positional: tuple[Any, ...], keyword: Sequence[int] | None) -> Sequence[int]:
    """Read sizes given as `f(2, 3)`, `f((2, 3))` or `f(size=(2, 3))`."""
    if keyword is not None:
        return keyword
    if len(positional) == 1 and not isinstance(positional[0], int):
        if not isinstance(positional[0], (list, tuple)):
            raise TDTypeError(f"Expected sizes (ints, or one sequence of ints), got {positional[0]!r}.")
        return positional[0]
    return positional
