"""Indexing as a value: `parse_index` turns what stands between square brackets into an `Index`.

The batch size of the result is computed from the index alone. A boolean mask becomes positions once, so that every
leaf is gathered rather than searched anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..errors import TDIndexError, TDValueError
from .op import Names, StructuralOp

Item = Any  # int, slice, None, or a long tensor: what `canonical` leaves


class Index(StructuralOp):
    """`value[items]` over the leading dims.

    Attributes:
        items: the canonical index: a tuple of int, slice, None and long tensors, no ellipsis, no mask.
        key: what a leaf is indexed with: `items`, or its only item.
        size_: the batch size of the result.
        dims: the number of batch dims that were indexed.
        shares_storage: whether no item is a tensor.
        mask: the mask the index was given as, if it was one: writing one number to a leaf is faster by it.
    """

    __slots__ = ("dims", "items", "key", "mask", "shares_storage", "size_", "tensor")

    tensor: Callable[[Tensor], Any]  # type: ignore[assignment]  # a C-level getter instead of a method

    def __init__(
        self,
        items: tuple[Item, ...],
        size: torch.Size,
        dims: int,
        advanced: bool = False,
        mask: Tensor | None = None,
    ) -> None:
        self.items = items
        self.size_ = size
        self.dims = dims
        self.shares_storage = not advanced
        self.mask = mask
        self.key = items[0] if len(items) == 1 else items
        self.tensor = _Gather(self.key) if mask is not None else itemgetter(self.key)  # type: ignore[arg-type]  # a mask's positions

    @property
    def keeps_flags(self) -> bool:  # type: ignore[override]  # a property where the base has a constant
        return self.shares_storage

    def size(self, size: torch.Size) -> torch.Size:
        return self.size_ + size[self.dims :] if len(size) > self.dims else self.size_

    def names(self, names: Names) -> Names:
        return [*_index_names(self.items, names[: self.dims]), *names[self.dims :]]


class _Gather:
    """`index_select` along dim 0 by the positions of a mask: in range for sure, and faster than advanced indexing."""

    __slots__ = ("positions",)

    def __init__(self, positions: Tensor) -> None:
        self.positions = positions

    def __call__(self, value: Tensor) -> Tensor:
        if value.is_nested or value.device != self.positions.device:
            return value[self.positions]
        return value.index_select(0, self.positions)


def parse_index(index: Any, batch_size: torch.Size) -> Index:
    """Parse an index over `batch_size`.

    Args:
        index: int, slice, None, `...`, range, list, numpy or torch array of integers or booleans, or a tuple of these.
        batch_size: the sizes of the dims it applies to.

    Raises:
        TDIndexError: too many indices, one out of range, a mask of the wrong shape, or no index at all.
        TDValueError: a slice with a step below 1.
    """
    kind = type(index)
    if kind is int and batch_size:
        n = batch_size[0]
        if not -n <= index < n:
            raise TDIndexError(f"index {index} is out of range for batch dim 0 of size {n}.")
        return Index((index,), batch_size[1:], len(batch_size))
    if kind is slice and batch_size:
        return Index((_checked_slice(index),), _sliced(index, batch_size[0]) + batch_size[1:], len(batch_size))
    if index is Ellipsis:
        return Index((), batch_size, len(batch_size))
    if kind is Tensor and index.dtype is torch.long and batch_size:
        return Index((index,), index.shape + batch_size[1:], len(batch_size), True)
    if kind is Tensor and index.dtype is torch.bool and index.ndim == 1 and index.shape == batch_size[:1]:
        positions = index.nonzero().view(-1)
        return Index((positions,), positions.shape + batch_size[1:], len(batch_size), True, index)
    if kind is tuple:
        basic = _parse_basic(index, batch_size)
        if basic is not None:
            return basic
    items = index if kind is tuple else (index,)
    canonical = _canonical(items, batch_size)
    alone = len(items) == len(canonical) == 1 and type(items[0]) is Tensor and items[0].dtype is torch.bool
    mask = items[0] if alone and items[0].ndim else None
    advanced = any(isinstance(item, Tensor) for item in canonical)
    return Index(canonical, _index_size(canonical, batch_size), len(batch_size), advanced, mask)


def _parse_basic(items: tuple[Any, ...], batch_size: torch.Size) -> Index | None:
    """Parse a tuple of ints, slices and None only, which is most of them; None when there is anything else in it."""
    size = []
    dim, ndim = 0, len(batch_size)
    for item in items:
        if item is None:
            size.append(1)
            continue
        if dim == ndim:
            return None
        n = batch_size[dim]
        if type(item) is slice:
            size.append(n if item == _ALL else len(range(*_checked_slice(item).indices(n))))
        elif type(item) is not int or not -n <= item < n:
            return None
        dim += 1
    return Index(items, torch.Size(size) + batch_size[dim:], ndim)


_ALL = slice(None)


def _checked_slice(item: slice) -> slice:
    if item.step is not None and item.step <= 0:
        raise TDValueError(f"{item!r}: a slice step must be greater than zero, as for tensors.")
    return item


def _sliced(item: slice, n: int) -> torch.Size:
    return torch.Size((len(range(*item.indices(n))),))


def _canonical(items: Sequence[Any], batch_size: torch.Size) -> tuple[Item, ...]:
    """Convert each item, expand the ellipsis, and turn masks into positions."""
    converted = [_convert(item) for item in items]
    consumed = sum(_consumes(item) for item in converted)
    ndim = len(batch_size)
    if consumed > ndim:
        raise TDIndexError(f"too many indices: {consumed} for {ndim} batch dims (batch size {list(batch_size)}).")
    ellipses = [i for i, item in enumerate(converted) if item is Ellipsis]
    if len(ellipses) > 1:
        raise TDIndexError("an index can have only one ellipsis ('...').")
    out: list[Item] = []
    dim = 0
    for item in converted:
        if item is Ellipsis:
            out.extend([slice(None)] * (ndim - consumed))
            dim += ndim - consumed
        elif isinstance(item, Tensor):
            out.extend(_positions(item, dim, batch_size))
            dim += _consumes(item)
        else:
            if type(item) is int and not -batch_size[dim] <= item < batch_size[dim]:
                raise TDIndexError(f"index {item} is out of range for batch dim {dim} of size {batch_size[dim]}.")
            out.append(item)
            dim += item is not None
    return tuple(out)


def _convert(item: Any) -> Any:
    """Bring one item to int, slice, None, Ellipsis or a tensor."""
    if item is None or item is Ellipsis or type(item) is int or isinstance(item, Tensor):
        return _as_index_tensor(item) if isinstance(item, Tensor) else item
    if type(item) is slice:
        return _checked_slice(item)
    if isinstance(item, (bool, np.bool_)):
        return torch.tensor(bool(item))
    if isinstance(item, (int, np.integer)):
        return int(item)
    if isinstance(item, range):
        return torch.arange(item.start, item.stop, item.step) if len(item) else torch.zeros(0, dtype=torch.long)
    if isinstance(item, (list, tuple, np.ndarray)):
        return _as_index_tensor(torch.as_tensor(item) if len(item) else torch.zeros(0, dtype=torch.long))
    if hasattr(item, "__index__"):
        return int(item.__index__())
    raise TDIndexError(
        f"A tensordict cannot be indexed by {item!r} of type {type(item).__name__}. Use a key (str or tuple of str), "
        "an int, a slice, None, ..., a list, a range, an array or tensor of integers or booleans, or a tuple of these."
    )


def _as_index_tensor(item: Tensor) -> Tensor:
    if item.dtype in (torch.bool, torch.long):
        return item
    if item.dtype is torch.uint8:
        return item.bool()
    if item.dtype in (torch.int32, torch.int16, torch.int8):
        return item.long()
    raise TDIndexError(f"tensors used as indices must be of integer or boolean type, got {item.dtype}.")


def _consumes(item: Any) -> int:
    """How many dims an item consumes."""
    if item is None or item is Ellipsis:
        return 0
    if isinstance(item, Tensor) and item.dtype is torch.bool:
        return item.ndim
    return 1


def _positions(item: Tensor, dim: int, batch_size: torch.Size) -> tuple[Item, ...]:
    """Turn an index tensor that starts at batch dim `dim` into long tensors, one a dim it consumes."""
    if item.dtype is not torch.bool:
        return (item,)
    if item.ndim == 0:
        return (item,)
    span = batch_size[dim : dim + item.ndim]
    if item.shape != span:
        raise TDIndexError(
            f"The shape of the mask {list(item.shape)} does not match the batch dims it indexes, {list(span)} "
            f"(batch size {list(batch_size)}, from dim {dim})."
        )
    return item.nonzero(as_tuple=True)


def _index_size(items: tuple[Item, ...], batch_size: torch.Size) -> torch.Size:
    """The batch size of the result, by torch's rules of indexing."""
    out: list[int] = []
    dim = 0
    for item in items:
        if item is None:
            out.append(1)
        elif type(item) is slice:
            out.extend(_sliced(item, batch_size[dim]))
        dim += _consumes(item)
    shapes = _merging_shapes(items)
    if shapes:
        place = _merged_place(items)
        try:
            out[place:place] = _broadcast(shapes)
        except RuntimeError as error:
            raise TDIndexError(
                f"The index tensors could not be broadcast together: shapes {[list(s) for s in shapes]}."
            ) from error
    return torch.Size((*out, *batch_size[dim:]))


def _merges(item: Item) -> bool:
    """Whether an item is a tensor that merges with other tensors; one of a single integer selects, as an int does."""
    return isinstance(item, Tensor) and (item.ndim > 0 or item.dtype is torch.bool)


def _merging_shapes(items: tuple[Item, ...]) -> list[torch.Size]:
    """The shapes of the tensors that merge; a 0-dim boolean counts as one row or none."""
    return [item.shape if item.dtype is not torch.bool else torch.Size((int(item),)) for item in items if _merges(item)]


def _merged_place(items: tuple[Item, ...]) -> int:
    """Where the merged dims go: in the place of the tensors if those stand side by side, else first."""
    kept = [item for item in items if item is None or type(item) is slice or _merges(item)]
    places = [place for place, item in enumerate(kept) if _merges(item)]
    return places[0] if places[-1] - places[0] == len(places) - 1 else 0


def _broadcast(shapes: list[torch.Size]) -> torch.Size:
    first = shapes[0]
    if all(shape == first for shape in shapes):
        return first
    return torch.Size(torch.broadcast_shapes(*shapes))


def _index_names(items: tuple[Item, ...], names: Names) -> Names:
    """The names of the result: one-dimensional indices keep the name, merged or n-d ones are nameless."""
    out: Names = []
    dim = 0
    single: str | None = None
    for item in items:
        if item is None:
            out.append(None)
        elif type(item) is slice:
            out.append(names[dim])
        elif _merges(item) and item.dtype is not torch.bool:
            single = names[dim]
        dim += _consumes(item)
    shapes = _merging_shapes(items)
    if shapes:
        place = _merged_place(items)
        alone = len(shapes) == 1 and len(shapes[0]) == 1
        out[place:place] = [single] if alone else [None] * len(_broadcast(shapes))
    return [*out, *names[dim:]]
