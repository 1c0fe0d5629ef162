"""New containers with the keys, feature shapes and dtypes of this one: `new_zeros` and its kin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Size, Tensor
from typing_extensions import Self

from ..errors import TDRuntimeError
from ..leaves import kind_of
from ..structural import StructuralOp
from ..structural.op import Names
from ..typing import NO_DEFAULT, DeviceLike, NoDefault
from .kernel import Kernel


class CreateMethods(Kernel):
    """`new_zeros`, `new_ones`, `new_full`, `new_empty`, `new_tensor`."""

    def new_zeros(self, *size: Any, dtype: torch.dtype | None = None, device: Any = NO_DEFAULT) -> Self:
        """Return a container of another batch size filled with zeros.

        Args:
            size: the batch size; each leaf keeps the dims that follow it.
            dtype: the dtype of every leaf. Default: that of the leaf.
            device: the device of every leaf, None to leave it open. Default: that of this container.
        """
        return self.new_full(_size(size), 0, dtype=dtype, device=device)

    def new_ones(self, *size: Any, dtype: torch.dtype | None = None, device: Any = NO_DEFAULT) -> Self:
        """Return a container of another batch size filled with ones; arguments as `new_zeros`."""
        return self.new_full(_size(size), 1, dtype=dtype, device=device)

    def new_full(
        self,
        size: Any,
        fill_value: float | bool | complex,
        *,
        dtype: torch.dtype | None = None,
        device: DeviceLike | NoDefault | None = NO_DEFAULT,
    ) -> Self:
        """Return a container of another batch size filled with a number; arguments as `new_zeros`."""
        return self._renewed(
            _size((size,)),
            device,
            lambda leaf, shape, where: leaf.new_full(shape, fill_value, dtype=dtype or leaf.dtype, device=where),
        )

    def new_empty(self, *size: Any, dtype: torch.dtype | None = None, device: Any = NO_DEFAULT) -> Self:
        """Return a container of another batch size with uninitialised leaves; arguments as `new_zeros`."""
        return self._renewed(
            _size(size),
            device,
            lambda leaf, shape, where: leaf.new_empty(shape, dtype=dtype or leaf.dtype, device=where),
        )

    def _renewed(self, size: Size, device: Any, make: Callable[[Tensor, Any, Any], Tensor]) -> Self:
        where = None if device is NO_DEFAULT or device is None else torch.device(device)
        out = self._transform(_Renew(len(self._batch_size), size, where, make))
        if device is not NO_DEFAULT:
            _set_device(out, where)
        return out


class _Renew(StructuralOp):
    """Replace every leaf by a new one with another batch size."""

    __slots__ = ("device", "make", "n", "shape")

    shares_storage = False
    keeps_flags = False

    def __init__(self, n: int, shape: Size, device: Any, make: Callable[[Tensor, Any, Any], Tensor]) -> None:
        self.n, self.shape, self.device, self.make = n, shape, device, make

    def tensor(self, value: Tensor) -> Tensor:
        """Return the new leaf."""
        return self.make(value, (*self.shape, *value.shape[self.n :]), self.device)

    def positions(self, value: Tensor) -> Tensor:
        """Repeat the first value of a column, as there is no zero of Python values."""
        if not value.numel():
            raise TDRuntimeError("A column without rows has no value that could fill another batch size.")
        return value.new_zeros((*self.shape, *value.shape[self.n :]))

    def size(self, size: Size) -> Size:
        """Return the new batch size."""
        return self.shape + size[self.n :]

    def names(self, names: Names) -> Names | None:
        """Names stay when there are as many dims as before."""
        return list(names) if len(self.shape) == self.n else None


def _size(size: tuple[Any, ...]) -> Size:
    if len(size) == 1 and not isinstance(size[0], int):
        return Size(size[0])
    return Size(size)


def _set_device(node: Kernel, device: torch.device | None) -> None:
    node._device = device
    if type(node._storage) is not dict and node._storage.parts is not None:  # type: ignore[union-attr]
        for part in node._storage.parts:  # type: ignore[union-attr]
            _set_device(part, device)
        return
    for value in node._storage.values():
        child = None if type(value) is Tensor else kind_of(value).node(value)
        if child is not None:
            _set_device(child, device)
