"""From what is written to what is stored: numbers, arrays and number lists become tensors, all else non-tensor data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .kind import kind_of_type
from .non_tensor import as_non_tensor


def as_leaf(value: Any, batch_size: torch.Size, device: torch.device | None) -> Any:
    """Convert a value that is neither a tensor nor a container.

    Args:
        value: anything. Numbers, numeric arrays and (nested) number lists become tensors; strings, None, callables and
            other objects become non-tensor data shared by the batch; other lists become a column, one item a row.
        batch_size: the batch size of the container it is written to.
        device: the device of that container.

    Returns:
        A tensor or non-tensor data, on `device`, not yet checked against `batch_size`.
    """
    converter = _CONVERTERS.get(type(value))
    if converter is None:
        converter = _converter_for(type(value))
    return converter(value, batch_size, device)


def _number(value: Any, batch_size: torch.Size, device: torch.device | None) -> Tensor:
    return torch.as_tensor(value, device=device)


def _array(value: Any, batch_size: torch.Size, device: torch.device | None) -> Any:
    if value.dtype.kind in "biufc":
        return torch.as_tensor(value, device=device)
    return as_non_tensor(value, batch_size, device)


def _sequence(value: Any, batch_size: torch.Size, device: torch.device | None) -> Any:
    """A list (or tuple) of numbers or of equal-shaped tensors is a tensor; other lists are columns."""
    try:
        if any(isinstance(item, Tensor) for item in value):
            return torch.stack([torch.as_tensor(item, device=device) for item in value])
        if not any(isinstance(item, np.ndarray) for item in value):
            return torch.as_tensor(value, device=device)
    except (TypeError, ValueError, RuntimeError):
        # not numeric, or ragged: torch has no tensor for it
        return as_non_tensor(value, batch_size, device)
    return as_non_tensor(value, batch_size, device)


def _object(value: Any, batch_size: torch.Size, device: torch.device | None) -> Any:
    return as_non_tensor(value, batch_size, device)


_CONVERTERS: dict[type, Callable[[Any, torch.Size, torch.device | None], Any]] = {
    bool: _number,
    int: _number,
    float: _number,
    complex: _number,
    str: _object,
    type(None): _object,
    list: _sequence,
    tuple: _sequence,
    np.ndarray: _array,
}


def _converter_for(type_: type) -> Callable[[Any, torch.Size, torch.device | None], Any]:
    """Find the converter of a type that has no row: by its bases, then non-tensor data."""
    assert kind_of_type(type_) is None, "tensors and containers are stored as they are"
    for bases, converter in (
        ((np.ndarray, np.generic), _array),
        ((bool, int, float, complex), _number),
        ((list, tuple), _sequence),
    ):
        if issubclass(type_, bases):
            return converter
    return _object
