"""Numpy structured arrays: fields become entries that share the array's memory, and back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..errors import TDTypeError
from ..leaves import NonTensorData, NonTensorDataBase, NonTensorStack, kind_of
from .kernel import Kernel

Array = np.ndarray[Any, Any]

_NUMERIC = "biufc"


def fields_of(array: Array) -> Iterator[tuple[str, Any]]:
    """Yield an entry for each field.

    Numeric fields share memory with the array where torch can address it (strides that are whole items, native byte
    order, writeable), else they are copied. Nested dtypes become nodes; strings and objects become columns.
    """
    assert array.dtype.names is not None, "checked by the caller"
    for name in array.dtype.names:
        field = array[name]
        if field.dtype.names is not None:
            node = Kernel._build({}, torch.Size(field.shape))
            for key, value in fields_of(field):
                node.set(key, value)
            yield name, node
        elif field.dtype.kind in _NUMERIC:
            yield name, _tensor(field)
        else:
            yield name, _column(field, array.ndim)


def _tensor(field: Array) -> Any:
    if not field.dtype.isnative:
        field = field.astype(field.dtype.newbyteorder("="))
    if not field.flags.writeable or any(stride < 0 or stride % field.itemsize for stride in field.strides):
        field = field.copy()
    return torch.from_numpy(field)


def _column(field: Array, ndim: int) -> NonTensorDataBase:
    """A column of the rows of a field: strings and bytes as Python has them, dates as numpy scalars."""
    size = field.shape[:ndim]
    flat = field.reshape(-1, *field.shape[ndim:])
    rows = flat.tolist() if field.dtype.kind in "USO" else list(flat)
    data: Any = NonTensorStack(*rows).reshape(size) if size else NonTensorData(rows[0])
    data._field_type = field.dtype.str
    return data  # type: ignore[no-any-return]


def to_structured(td: Kernel) -> Array:
    """Return a structured array with a field for each entry.

    Raises:
        TDTypeError: an entry has a dtype that numpy lacks.
    """
    array = np.empty(td._batch_size, dtype=_dtype_of(td, ()))
    _fill(array, td)
    return array


def _dtype_of(td: Kernel, path: tuple[str, ...], ndim: int | None = None) -> np.dtype[Any]:
    ndim = len(td._batch_size) if ndim is None else ndim
    fields: list[Any] = []
    for key, value in td._storage.items():
        kind = kind_of(value)
        child = kind.node(value)
        if child is not None:
            size = child._batch_size
            fields.append((key, _dtype_of(child, (*path, key), len(size)), tuple(size[ndim:])))
        elif kind.is_non_tensor:
            column = _rows(value)
            fields.append((key, column.dtype, column.shape[ndim:]) if column.ndim > ndim else (key, column.dtype))
        else:
            fields.append((key, _numpy_dtype(value, (*path, key)), tuple(value.shape[ndim:])))
    return np.dtype(fields)


def _numpy_dtype(value: Tensor, path: tuple[str, ...]) -> np.dtype[Any]:
    try:
        return torch.empty(0, dtype=value.dtype).numpy().dtype
    except TypeError as error:
        raise TDTypeError(
            f"The entry {path!r} is of type {value.dtype}, which numpy lacks. Cast it first, for instance with "
            "td.float()."
        ) from error


def _fill(array: Array, td: Kernel) -> None:
    for key, value in td._storage.items():
        kind = kind_of(value)
        child = kind.node(value)
        if child is not None:
            _fill(array[key], child)
        elif kind.is_non_tensor:
            rows = _rows(value)
            array[key] = rows if rows.dtype.kind != "O" or rows.ndim else rows.item()
        else:
            array[key] = value.detach().cpu().numpy()


def _rows(data: NonTensorDataBase) -> Array:
    """The values as an array of the batch size (a scalar for one shared value): of strings or numbers, else objects.

    Values that came from a structured array get at least the width of their field.
    """
    shared = isinstance(data, NonTensorData)
    values: list[Any] = [data.data] if shared else data.reshape(-1).tolist()
    array = _array_of(values)
    if data._field_type is not None:
        declared = np.dtype(data._field_type)
        if not values or declared.kind == "O":
            array = array.astype(declared)
        elif declared.kind == array.dtype.kind:
            array = array.astype(np.promote_types(declared, array.dtype))
    return array.reshape(()) if shared else array.reshape(data.batch_size)


def _array_of(values: list[Any]) -> Array:
    kinds = {type(value) for value in values}
    if len(kinds) == 1 and kinds.pop() in _UNIFORM:
        return np.array(values)
    array = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        array[i] = value
    return array


_UNIFORM = frozenset({str, bytes, int, float, bool, complex, np.datetime64, np.timedelta64, np.str_, np.bytes_})
