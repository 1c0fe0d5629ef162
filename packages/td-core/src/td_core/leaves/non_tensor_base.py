"""What all non-tensor data share: metadata, shape operations, comparison, and the torch functions they answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import torch
from torch import Size, Tensor
from typing_extensions import Self

from ..errors import TDTypeError
from ..structural import Index, Names, StructuralOp, parse_index
from ..typing import DeviceLike, IndexType
from .rows import Rows, nested, same_value

if TYPE_CHECKING:
    from .non_tensor import NonTensorData


class NonTensorDataBase:
    """What `NonTensorData` and `NonTensorStack` share: the metadata of a container, and its shape operations."""

    _is_non_tensor = True

    is_shared_value: ClassVar[bool] = False
    """Whether one value stands at every batch position."""

    _batch_size: Size
    _device: torch.device | None = None
    _names: Names | None = None
    _field_type: str | None = None  # the numpy dtype of the field the values came from, kept for the way back
    _rows: Rows

    # -- metadata -----------------------------------------------------------------------------------------------------

    @property
    def batch_size(self) -> Size:
        """The batch size."""
        return self._batch_size

    @property
    def shape(self) -> Size:
        """The batch size."""
        return self._batch_size

    @property
    def device(self) -> torch.device | None:
        """The device of the container it was written to; it says nothing about the Python values."""
        return self._device

    @property
    def names(self) -> Names:
        """The name of each batch dim, None where it has none."""
        return [None] * len(self._batch_size) if self._names is None else list(self._names)

    @property
    def batch_dims(self) -> int:
        """The number of batch dims."""
        return len(self._batch_size)

    @property
    def ndim(self) -> int:
        """The number of batch dims."""
        return len(self._batch_size)

    def dim(self) -> int:
        """Return the number of batch dims."""
        return len(self._batch_size)

    def size(self, dim: int | None = None) -> Any:
        """Return the batch size, or the size of one batch dim."""
        return self._batch_size if dim is None else self._batch_size[dim]

    def numel(self) -> int:
        """Return the number of batch positions."""
        return self._batch_size.numel()

    def __len__(self) -> int:
        if not self._batch_size:
            raise TDTypeError(f"A {type(self).__name__} of empty batch size has no length.")
        return self._batch_size[0]

    # -- values -------------------------------------------------------------------------------------------------------

    @property
    def data(self) -> Any:
        """The Python value."""
        raise NotImplementedError

    def tolist(self) -> Any:
        """Return the values as nested lists of the batch shape; the value itself for an empty batch size."""
        return nested(self._rows.values, self._index().tolist())

    def unwrap(self) -> Any:
        """Return what `td[key]` gives: the shared value, or the rows as nested lists."""
        return self.tolist()

    def to_dict(self) -> Any:
        """Return what `unwrap` returns."""
        return self.unwrap()

    def maybe_to_stack(self) -> NonTensorDataBase:
        """Return a column with a row for each batch position; batch-less data is returned as it is."""
        raise NotImplementedError

    def is_empty(self) -> bool:
        """Tell that there is content: always False."""
        return False

    def _index(self) -> Tensor:
        """The row of each batch position, as a long tensor of the batch shape."""
        raise NotImplementedError

    def _item_type(self) -> type[NonTensorData]:
        """The class of the data at one batch position."""
        raise NotImplementedError

    # -- structure ----------------------------------------------------------------------------------------------------

    def _transform(self, op: StructuralOp) -> NonTensorDataBase:
        """Apply a structural operation."""
        raise NotImplementedError

    def _reshaped(self, fn: Callable[[Tensor], Tensor]) -> Any:
        """Apply a function of tensors that moves, repeats or drops positions."""
        raise NotImplementedError

    def _copy(self) -> Self:
        """Return an independent copy around the same Python values."""
        raise NotImplementedError

    def __getitem__(self, index: IndexType) -> Any:
        return self._transform(parse_index(index, self._batch_size))

    def __setitem__(self, index: IndexType, value: Any) -> None:
        self._write(parse_index(index, self._batch_size), value)

    def _write(self, index: Index, value: Any) -> None:
        raise NotImplementedError

    def __iter__(self) -> Iterator[Any]:
        return iter(self.unbind(0))

    def unbind(self, dim: int = 0) -> tuple[Any, ...]:
        """Return the slices along a batch dim."""
        return tuple(self._reshaped(lambda p, i=i: p.select(dim, i)) for i in range(self._batch_size[dim]))  # type: ignore[misc]

    def split(self, split_size: int | list[int], dim: int = 0) -> tuple[Any, ...]:
        """Split along a batch dim, as `torch.Tensor.split`."""
        parts = self._index().split(split_size, dim)
        return tuple(self._reshaped(lambda _, part=part: part) for part in parts)  # type: ignore[misc]

    def permute(self, *dims: Any) -> Any:
        """Reorder the batch dims."""
        return self._reshaped(lambda p: p.permute(*dims))

    def transpose(self, dim0: int, dim1: int) -> Any:
        """Swap two batch dims."""
        return self._reshaped(lambda p: p.transpose(dim0, dim1))

    def reshape(self, *shape: Any) -> Any:
        """Change the batch size, keeping the order."""
        return self._reshaped(lambda p: p.reshape(*shape))

    def view(self, *shape: Any) -> Any:
        """Change the batch size, keeping the order."""
        return self._reshaped(lambda p: p.reshape(*shape))

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Any:
        """Merge batch dims."""
        return self._reshaped(lambda p: p.flatten(start_dim, end_dim))

    def unflatten(self, dim: int, unflattened_size: Sequence[int]) -> Any:
        """Split a batch dim."""
        return self._reshaped(lambda p: p.unflatten(dim, list(unflattened_size)))

    def squeeze(self, *dim: Any) -> Any:
        """Drop batch dims of size 1."""
        return self._reshaped(lambda p: p.squeeze(*dim))

    def unsqueeze(self, dim: int) -> Any:
        """Insert a batch dim of size 1."""
        return self._reshaped(lambda p: p.unsqueeze(dim))

    def expand(self, *shape: Any) -> Any:
        """Broadcast to a batch size."""
        return self._reshaped(lambda p: p.expand(*shape))

    def repeat(self, *repeats: Any) -> Any:
        """Tile along the batch dims."""
        return self._reshaped(lambda p: p.repeat(*repeats))

    def gather(self, dim: int, index: Tensor) -> Any:
        """Gather positions along a batch dim, as `torch.gather`."""
        return self._reshaped(lambda p: p.gather(dim, index.to(p.device)))

    def clone(self, recurse: bool = True) -> Self:
        """Return a copy; the Python values are shared with it."""
        return self._copy()

    def contiguous(self) -> Self:
        """Return a copy."""
        return self._copy()

    def to(self, device: DeviceLike) -> Self:
        """Return a copy with another recorded device."""
        copy = self._copy()
        copy._device = torch.device(device)
        return copy

    def cpu(self) -> Self:
        """Return a copy with the CPU as recorded device."""
        return self.to("cpu")

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func in COMBINE_FUNCTIONS:
            dim = args[1] if len(args) > 1 else kwargs.get("dim", 0)
            values = args[0] if args else kwargs["tensors"]
            if not all(isinstance(value, NonTensorDataBase) for value in values):
                found = sorted({type(value).__name__ for value in values})
                raise TDTypeError(f"torch.{func.__name__} takes non-tensor data or tensors, not both: got {found}.")
            return COMBINE_FUNCTIONS[func](values, dim)
        if func in _SHAPE_FUNCTIONS and args:
            return args[0]._reshaped(lambda p: func(p, *args[1:], **kwargs))
        if func in _METHOD_FUNCTIONS and args:
            return getattr(args[0], _METHOD_FUNCTIONS[func])(*args[1:], **kwargs)
        return NotImplemented

    # -- comparison ---------------------------------------------------------------------------------------------------

    __hash__ = None  # type: ignore[assignment]  # mutable, with elementwise equality

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, NonTensorDataBase):
            return NotImplemented
        return _compare(self, other)

    def __ne__(self, other: object) -> Any:
        if not isinstance(other, NonTensorDataBase):
            return NotImplemented
        return ~_compare(self, other)


def _compare(a: NonTensorDataBase, b: NonTensorDataBase) -> Tensor:
    """Compare position by position, broadcasting the batch sizes."""
    size = torch.broadcast_shapes(a._batch_size, b._batch_size)
    if a.is_shared_value and b.is_shared_value:
        return torch.full(size, same_value(a.data, b.data), dtype=torch.bool)
    left, right = a._rows.values, b._rows.values
    pairs = zip(a._index().expand(size).flatten().tolist(), b._index().expand(size).flatten().tolist(), strict=True)
    return torch.tensor([same_value(left[i], right[j]) for i, j in pairs], dtype=torch.bool).reshape(size)


COMBINE_FUNCTIONS: dict[Any, Callable[[Sequence[Any], int], Any]] = {}
"""`torch.stack` and `torch.cat`, entered by the module that defines them for non-tensor data."""

_SHAPE_FUNCTIONS = {
    torch.permute,
    torch.transpose,
    torch.swapaxes,
    torch.swapdims,
    torch.movedim,
    torch.moveaxis,
    torch.reshape,
    torch.flatten,
    torch.unflatten,
    torch.squeeze,
    torch.unsqueeze,
    torch.flip,
    torch.roll,
    torch.gather,
    torch.index_select,
    torch.take_along_dim,
    torch.repeat_interleave,
    torch.tile,
    torch.broadcast_to,
}
_METHOD_FUNCTIONS = {torch.unbind: "unbind", torch.split: "split", torch.clone: "clone"}


def is_non_tensor(value: Any) -> bool:
    """Tell whether a value, or a type, is non-tensor data."""
    return bool(getattr(value, "_is_non_tensor", False))
