"""Non-tensor data as a kind of value: what a container does with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Size, Tensor

from ..errors import BatchSizeError
from ..structural import Index, StructuralOp
from .kind import LeafKind, register_kind
from .non_tensor import NonTensorData, NonTensorStack, as_non_tensor, cat_non_tensor, stack_non_tensor
from .non_tensor_base import NonTensorDataBase
from .rows import same_value


class NonTensorKind(LeafKind):
    """One Python value shared by the batch, or a column of them."""

    is_tensor = False
    is_collection = True
    is_non_tensor = True

    def shape(self, value: Any) -> Size:
        return value._batch_size  # type: ignore[no-any-return]

    def transform(self, value: Any, op: StructuralOp) -> Any:
        return value._transform(op)

    def fit(self, value: Any, batch_size: Size, device: torch.device | None) -> Any:
        return fit_non_tensor(value, batch_size, device)

    def unwrap(self, value: Any) -> Any:
        return value.unwrap()

    def clone(self, value: Any) -> Any:
        return value.clone()

    def write(self, value: Any, index: Index, new: Any) -> Any:
        return write_non_tensor(value, index, new)

    def copy_into(self, value: Any, new: Any, non_blocking: bool = False) -> Any:
        return copy_into_non_tensor(value, new)

    def stack(self, values: Sequence[Any], dim: int) -> Any:
        return stack_non_tensor(values, dim)

    def cat(self, values: Sequence[Any], dim: int) -> Any:
        return cat_non_tensor(values, dim)

    def collect(self, value: Any, leaves: list[Tensor]) -> bool:
        return True

    def rebuild(self, value: Any, leaves: Iterator[Tensor]) -> Any:
        return value.clone()

    def index(self, value: Any, index: Any) -> Any:
        return value[index]


def fit_non_tensor(value: Any, batch_size: Size, device: torch.device | None) -> Any:
    """Return the data with the batch size (one value) or unchanged (a column), with the device recorded.

    Raises:
        BatchSizeError: the column does not start with `batch_size`.
    """
    fits = value._batch_size[: len(batch_size)] == batch_size
    if fits and (device is None or value._device == device):
        return value
    if isinstance(value, NonTensorData):
        new = value._resized(value._batch_size if fits else batch_size, value._names if fits else None)
    elif fits:
        new = value._at(value._positions, value._names)
    else:
        raise BatchSizeError(None, value._batch_size, batch_size)  # the container knows the key
    if device is not None:
        new._device = device
    return new


def rebatched_value(value: Any, batch_size: Size) -> Any:
    """Give one shared value exactly this batch size, as it has rows wherever the batch has; other values stay."""
    if isinstance(value, NonTensorData) and value._batch_size != batch_size:
        return value._resized(batch_size, None)
    return value


def write_non_tensor(value: Any, index: Index, new: Any) -> Any:
    """Write at an index and return the data to store: one value becomes a column when the new value differs."""
    if isinstance(value, NonTensorData):
        region = index.size(value._batch_size)
        if not region.numel():
            return value
        new = as_non_tensor(new, region, value._device)
        if isinstance(new, NonTensorData) and same_value(new.data, value.data):
            return value
        if not value._batch_size:  # there is one value to write, whatever the shape of the region
            return value.update(new if isinstance(new, NonTensorData) else new.reshape(-1)[-1])
        value = value.maybe_to_stack()
    value._write(index, new)
    return value


def copy_into_non_tensor(value: Any, new: Any) -> Any:
    """Overwrite the whole data and return what to store: in place wherever the class can hold the new values."""
    if not isinstance(new, NonTensorDataBase):
        raise TypeError(f"the entry holds Python values, the new value is a {type(new).__name__}")
    if isinstance(value, NonTensorStack) or isinstance(new, NonTensorData):
        return value.update(new)
    return new


register_kind(NonTensorDataBase, NonTensorKind())
