"""Non-tensor data: `NonTensorData`, one Python value shared by the batch, and `NonTensorStack`, a column of values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Size, Tensor
from typing_extensions import Self

from ..errors import TDAttributeError, TDRuntimeError, TDValueError
from ..structural import Index, Names, StructuralOp
from ..typing import DeviceLike
from .non_tensor_base import COMBINE_FUNCTIONS, NonTensorDataBase
from .rows import Rows, fresh_positions, gathered, independent, indexed, is_view, nested, same_value


class NonTensorData(NonTensorDataBase):
    """One Python value, shared by all batch positions.

    Args:
        data: the value. Another `NonTensorData` is unwrapped.
        batch_size: the batch size.
        device: the device to record.
        names: the names of the batch dims.
    """

    is_shared_value = True

    _row: int | Tensor = 0  # a tensor where compiled code took an item out of a column

    def __init__(
        self,
        data: Any,
        *,
        batch_size: Sequence[int] | int = (),
        device: DeviceLike | None = None,
        names: Sequence[str | None] | None = None,
    ) -> None:
        self._rows = Rows([data.data if isinstance(data, NonTensorDataBase) else data])
        self._batch_size = _as_size(batch_size)
        self._device = None if device is None else torch.device(device)
        self._names = None if names is None else list(names)

    @property
    def data(self) -> Any:
        """The Python value. Assigning replaces it in place."""
        return self._rows.values[self._row]

    @data.setter
    def data(self, value: Any) -> None:
        self._rows.write([int(self._row)], [value.data if isinstance(value, NonTensorDataBase) else value])

    @property
    def batch_size(self) -> Size:
        """The batch size. Assigning changes it freely, as the value does not depend on it."""
        return self._batch_size

    @batch_size.setter
    def batch_size(self, batch_size: Sequence[int]) -> None:
        self._batch_size = _as_size(batch_size)

    def unwrap(self) -> Any:
        """Return what `td[key]` gives: the value."""
        return self.data

    def update(self, source: Any, *args: Any, **kwargs: Any) -> Self:
        """Replace the value by plain data, or by that of another `NonTensorData`.

        Raises:
            TDValueError: `source` holds several values.
        """
        if isinstance(source, NonTensorStack):
            raise TDValueError(
                "Cannot update a NonTensorData, which holds one value, with a NonTensorStack. "
                "Call maybe_to_stack() on it first."
            )
        self.data = source
        return self

    def update_(self, source: Any, *args: Any, **kwargs: Any) -> Self:
        """Replace the value in place; as `update`."""
        return self.update(source)

    def copy_(self, src: Any, non_blocking: bool = False) -> Self:
        """Replace the value in place; as `update`."""
        return self.update(src)

    def maybe_to_stack(self) -> NonTensorDataBase:
        """Return a column with a row for each batch position; batch-less data is returned as it is."""
        n = len(self._batch_size)
        if not n:
            return self
        rows = Rows([self.data] * self._batch_size.numel())
        return _column(rows, fresh_positions(self._batch_size), self, type(self))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the value."""
        return self.data(*args, **kwargs)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(data={self.data}, batch_size={self._batch_size}, device={self._device})"

    def _index(self) -> Tensor:
        return torch.full((), int(self._row), device="cpu").expand(self._batch_size)

    def _item_type(self) -> type[NonTensorData]:
        return type(self)

    def _transform(self, op: StructuralOp) -> NonTensorDataBase:
        return self._resized(op.size(self._batch_size), None if self._names is None else op.names(self._names))

    def _reshaped(self, fn: Callable[[Tensor], Tensor]) -> Any:
        return self._resized(fn(self._index()).shape, None)

    def _resized(self, batch_size: Size, names: Names | None) -> Self:
        new = self._copy()
        new._batch_size = batch_size
        new._names = names
        return new

    def _copy(self) -> Self:
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        new._rows = Rows([self.data])
        new._row = 0
        return new

    def _write(self, index: Index, value: Any) -> None:
        new = as_non_tensor(value, index.size_, self._device)
        if isinstance(new, NonTensorData) and (same_value(new.data, self.data) or not self._batch_size):
            self.data = new.data
            return
        raise TDValueError(
            f"A {type(self).__name__} holds one value for all its positions, so it cannot take another value at an "
            "index. Call maybe_to_stack() to get a NonTensorStack, which holds a value per position."
        )

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_rows": [self.data], "_row": 0}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._rows = Rows(state["_rows"])


class MetaData(NonTensorData):
    """A value that belongs to the container as a whole: equal ones stay one when stacked."""


class NonTensorStack(NonTensorDataBase):
    """A column: one Python value for each batch position.

    Args:
        items: Python values, `NonTensorData` or other columns, all of one batch size.
        stack_dim: the new batch dim along which they stand.
        device: the device to record.
    """

    _positions: Tensor
    _items: type[NonTensorData] = NonTensorData

    def __init__(self, *items: Any, stack_dim: int = 0, device: DeviceLike | None = None) -> None:
        if any(isinstance(item, NonTensorDataBase) for item in items):
            wrapped = [item if isinstance(item, NonTensorDataBase) else NonTensorData(item) for item in items]
            column = _stacked(wrapped, stack_dim)
            self._rows, self._positions, self._items = column._rows, column._positions, column._items
        elif stack_dim in (0, -1):
            self._rows = Rows(list(items))
            self._positions = torch.arange(len(items), device="cpu")
        else:
            raise TDValueError(f"stack_dim={stack_dim} is out of range: plain values can only be stacked along dim 0.")
        self._batch_size = self._positions.shape
        if device is not None:
            self._device = torch.device(device)

    @classmethod
    def from_list(cls, values: Sequence[Any], *, device: DeviceLike | None = None) -> Self:
        """Build a column from nested lists; the levels at which all lists have one length become batch dims."""
        return cls.from_nested(values, None, device=device)

    @classmethod
    def from_nested(cls, values: Sequence[Any], ndim: int | None, *, device: DeviceLike | None = None) -> Self:
        """Build a column of (at most) `ndim` batch dims from nested lists. None: as many as the lists have."""
        rows = [v.tolist() if isinstance(v, NonTensorDataBase) else v for v in values]
        size = [len(rows)]
        outer = {id(values)}
        while rows and (ndim is None or len(size) < ndim) and all(isinstance(row, list) for row in rows):
            length = len(rows[0])
            if not outer.isdisjoint(map(id, rows)):
                raise TDValueError("A list that contains itself cannot be stored.")
            outer.update(map(id, rows))
            if not length or any(len(row) != length for row in rows):
                break
            rows = [v.tolist() if isinstance(v, NonTensorDataBase) else v for row in rows for v in row]
            size.append(length)
        column = object.__new__(cls)
        column._rows = Rows(rows)
        column._batch_size = Size(size)
        column._positions = fresh_positions(column._batch_size)
        if device is not None:
            column._device = torch.device(device)
        return column

    @property
    def data(self) -> Any:
        """The one value of all rows.

        Raises:
            TDAttributeError: the rows differ.
        """
        values = self._values()
        if values and all(same_value(values[0], value) for value in values[1:]):
            return values[0]
        raise TDAttributeError(
            f"The data of a NonTensorStack of batch size {list(self._batch_size)} is not unique. Use tolist() to get "
            "a value for each position."
        )

    def update(self, source: Any, *args: Any, **kwargs: Any) -> Self:
        """Overwrite every row, from plain data, `NonTensorData` or a column of the same batch size."""
        self._settle()
        self._write_rows(self._positions, source)
        return self

    def update_(self, source: Any, *args: Any, **kwargs: Any) -> Self:
        """Overwrite every row in place; as `update`."""
        return self.update(source)

    def copy_(self, src: Any, non_blocking: bool = False) -> Self:
        """Overwrite every row in place; as `update`."""
        return self.update(src)

    def maybe_to_stack(self) -> NonTensorDataBase:
        """Return this column."""
        return self

    def __repr__(self) -> str:
        rows = repr(nested(self._rows.values, self._positions[:_SHOWN_ROWS].tolist()))
        if len(rows) > _SHOWN_WIDTH:
            rows = rows[:_SHOWN_WIDTH] + "..."
        elif self._positions.shape[0] > _SHOWN_ROWS:
            rows = rows[:-1] + ", ..."
        lines = (rows, f"batch_size={self._batch_size}", f"device={self._device}")
        return f"{type(self).__name__}(\n    " + ",\n    ".join(lines) + ")"

    def _index(self) -> Tensor:
        return self._positions

    def _item_type(self) -> type[NonTensorData]:
        return self._items

    def _values(self) -> list[Any]:
        rows = self._rows.values
        return [rows[i] for i in self._positions.flatten().tolist()]

    def _transform(self, op: StructuralOp) -> NonTensorDataBase:
        positions = op.positions(self._positions) if type(op) is not Index else indexed(self._positions, op)
        return self._at(positions, None if self._names is None else op.names(self._names))

    def _reshaped(self, fn: Callable[[Tensor], Tensor]) -> Any:
        return self._at(fn(self._positions), None)

    def _at(self, positions: Tensor, names: Names | None) -> NonTensorDataBase:
        """Return the data at other positions: sharing the rows if they are a view of ours, else independent."""
        rows = self._rows
        if not is_view(positions, self._positions):
            rows, positions = independent(rows, positions)
        if positions.ndim:
            column = _column(rows, positions, self, self._items)
            column._names = names
            return column
        item = object.__new__(self._items)
        item._rows = rows
        item._row = positions if torch.compiler.is_compiling() else int(positions)
        item._batch_size = positions.shape
        item._device = self._device
        if self._field_type is not None:
            item._field_type = self._field_type
        return item

    def _copy(self) -> Self:
        rows, positions = independent(self._rows, self._positions)
        copy = _column(rows, positions, self, self._items)
        copy._names = self._names
        return copy  # type: ignore[return-value]  # _column builds the class of its source

    def _write(self, index: Index, value: Any) -> None:
        self._settle()
        self._write_rows(indexed(self._positions, index), value)

    def _settle(self) -> None:
        """Make sure that each position has a row of its own, before a write."""
        if self._rows.repeated:
            self._rows, self._positions = gathered(self._rows, self._positions)

    def _write_rows(self, positions: Tensor, value: Any) -> None:
        new = as_non_tensor(value, positions.shape, None)
        if isinstance(new, NonTensorData):
            values = [new.data] * positions.numel()
        elif new.batch_size == positions.shape:
            values = new._values()
        else:
            try:
                values = new.expand(positions.shape)._values()
            except RuntimeError as error:
                raise TDRuntimeError(
                    f"Cannot write non-tensor data of batch size {list(new.batch_size)} to positions of batch size "
                    f"{list(positions.shape)}. Give one value, or one for each position."
                ) from error
        self._rows.write(positions.flatten().tolist(), values)

    def __getstate__(self) -> dict[str, Any]:
        values = self._values()
        return {**self.__dict__, "_rows": values, "_positions": None, "_batch_size": tuple(self._batch_size)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._rows = Rows(state["_rows"])
        self._batch_size = Size(state["_batch_size"])
        self._positions = fresh_positions(self._batch_size)


_SHOWN_ROWS = 32
_SHOWN_WIDTH = 50


def as_non_tensor(value: Any, batch_size: Size, device: torch.device | None) -> Any:
    """Wrap a Python value for a container.

    Args:
        value: a list becomes a column along its leading levels, anything else one value shared by the batch.
        batch_size: the batch size of the container; it has no say in the shape of a column.
        device: the device to record.
    """
    if isinstance(value, NonTensorDataBase):
        return value
    if isinstance(value, list):
        return NonTensorStack.from_list(value, device=device)
    data = object.__new__(NonTensorData)
    data._rows = Rows([value])
    data._batch_size = batch_size
    data._device = device
    return data


def stack_non_tensor(values: Sequence[Any], dim: int) -> Any:
    """Stack non-tensor data along a new batch dim.

    Equal `MetaData` stay one. Columns whose trailing batch dims differ become columns of lists over the dims they
    share.
    """
    first = values[0]
    if all(isinstance(value, MetaData) for value in values) and _all_equal(values):
        size = list(first._batch_size)
        dim = dim if dim >= 0 else dim + len(size) + 1
        return first._resized(Size([*size[:dim], len(values), *size[dim:]]), None)
    return _stacked(values, dim)


def cat_non_tensor(values: Sequence[Any], dim: int) -> Any:
    """Concatenate non-tensor data along a batch dim; equal single values stay one."""
    first = values[0]
    if all(isinstance(value, NonTensorData) for value in values) and _all_equal(values):
        size = torch.cat([value._index() for value in values], dim).shape
        return first._resized(size, first._names)
    rows, positions = _pooled(values)
    return _column(rows, torch.cat(positions, dim), first, _common_item_type(values))


def _stacked(values: Sequence[Any], dim: int) -> NonTensorStack:
    item_type = _common_item_type(values)
    first = values[0]
    if all(type(value) is NonTensorData and not value._batch_size for value in values):
        if dim not in (0, -1):
            raise TDValueError(f"dim={dim} is out of range for stacking data of empty batch size.")
        return _column(Rows([v.data for v in values]), torch.arange(len(values), device="cpu"), first, item_type)
    sizes = {value._batch_size for value in values}
    if len(sizes) > 1:
        shared = _shared_dims(sizes)
        values = [_coarse(value, shared) for value in values]
    rows, positions = _pooled(values)
    return _column(rows, torch.stack(positions, dim), first, item_type)


def _pooled(values: Sequence[Any]) -> tuple[Rows, list[Tensor]]:
    """Bring the values of all data to one list of rows, with the positions each has in it."""
    rows: list[Any] = []
    positions = []
    for value in values:
        n = value._batch_size.numel()
        if isinstance(value, NonTensorData):
            positions.append(fresh_positions(value._batch_size) + len(rows))
            rows.extend([value.data] * n)
        elif torch.compiler.is_compiling():  # positions have no values then
            positions.append(value._positions + len(rows))
            rows.extend(value._rows.values)
        else:
            positions.append(fresh_positions(value._batch_size) + len(rows))
            rows.extend(value._values())
    return Rows(rows, repeated=torch.compiler.is_compiling()), positions


def _coarse(value: Any, ndim: int) -> Any:
    """Return the data with its first `ndim` batch dims, the values of the further ones as lists."""
    if ndim == 0:
        return NonTensorData(value.tolist(), device=value._device)
    return NonTensorStack.from_nested(value.tolist(), ndim, device=value._device)


def _shared_dims(sizes: set[Size]) -> int:
    """The number of leading dims that all sizes have in common."""
    shared = 0
    for dims in zip(*sizes, strict=False):
        if len(set(dims)) > 1:
            break
        shared += 1
    return shared


def _column(rows: Rows, positions: Tensor, like: NonTensorDataBase, items: type[NonTensorData]) -> NonTensorStack:
    column = object.__new__(type(like) if isinstance(like, NonTensorStack) else NonTensorStack)
    column._rows = rows
    column._positions = positions
    column._batch_size = positions.shape
    column._device = like._device
    column._items = items
    if like._field_type is not None:
        column._field_type = like._field_type
    return column


def _as_size(size: Sequence[int] | int) -> Size:
    return Size((size,)) if isinstance(size, int) else Size(size)


def _all_equal(values: Sequence[Any]) -> bool:
    first = values[0].data
    return all(same_value(first, value.data) for value in values[1:])


def _common_item_type(values: Sequence[Any]) -> type[NonTensorData]:
    types = {value._item_type() for value in values}
    return types.pop() if len(types) == 1 else NonTensorData


COMBINE_FUNCTIONS[torch.stack] = stack_non_tensor
COMBINE_FUNCTIONS[torch.cat] = cat_non_tensor
