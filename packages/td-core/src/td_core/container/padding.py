"""Padding the batch, and turning nested tensors to padded ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Size, Tensor
from typing_extensions import Self

from ..errors import TDRuntimeError
from ..leaves import NonTensorStack, kind_of
from ..typing import NestedKey
from .mapping import MappingMethods


class PaddingMethods(MappingMethods):
    """`pad`, `to_padded_tensor`."""

    def pad(self, pad_size: Sequence[int], value: float = 0.0) -> Self:
        """Return a container whose batch dims are padded; non-tensor entries are padded with None.

        Args:
            pad_size: how much to add before and after, dim by dim from the first batch dim on. Negative sizes crop.
            value: what to pad tensors with.

        Raises:
            TDRuntimeError: `pad_size` has odd length, or more than two sizes a batch dim.
        """
        sizes = list(pad_size)
        if len(sizes) % 2:
            raise TDRuntimeError(f"pad() takes two sizes a batch dim, before and after, got {len(sizes)}: {sizes}.")
        if len(sizes) > 2 * len(self._batch_size):
            raise TDRuntimeError(
                f"pad() got sizes for {len(sizes) // 2} dims, and there are {len(self._batch_size)} batch dims."
            )
        return _padded(self, list(zip(sizes[::2], sizes[1::2], strict=True)), value)  # type: ignore[no-any-return]

    def to_padded_tensor(self, padding: float = 0.0, mask_key: NestedKey | None = None) -> Self:
        """Return an unlocked container whose nested tensors are padded to plain ones; other tensors are shared.

        Args:
            padding: the value to pad with.
            mask_key: where to write a boolean mask of what is data. Only if a ragged dim is a batch dim.

        Raises:
            TDRuntimeError: `mask_key` is given, and no batch dim is ragged.
        """
        ragged = _ragged_dim(self._batch_size)
        if mask_key is not None and ragged is None:
            raise TDRuntimeError(
                f"to_padded_tensor(mask_key={mask_key!r}) needs a ragged batch dim, and the batch size is "
                f"{list(self._batch_size)}. Entries with ragged dims of their own have a mask each: see pad_sequence()."
            )
        storage: dict[str, Any] = {}
        size = self._batch_size
        mask: Tensor | None = None
        for key, value in self._storage.items():
            kind = kind_of(value)
            node: Any = kind.node(value)
            if node is not None:
                value = kind.wrap(value, node.to_padded_tensor(padding))
                found = kind.shape(value)
            elif isinstance(value, Tensor) and value.is_nested:
                if ragged is not None and mask is None:
                    mask = _mask(value, ragged)
                value = torch.nested.to_padded_tensor(value, padding)
                found = value.shape
            else:
                found = size
            if ragged is not None and found is not size:
                size = Size((*size[:ragged], found[ragged], *size[ragged + 1 :]))
            storage[key] = value
        out = self._derive(storage, size, self._device, self._names)
        if mask_key is not None:
            assert mask is not None, "a ragged batch dim comes from a nested tensor"
            out.set(mask_key, mask)
        return out


def _padded(node: Any, pairs: list[tuple[int, int]], value: float) -> Any:
    size = node._batch_size
    grown = [n + sum(pair) for n, pair in zip(size, pairs, strict=False)]
    storage: dict[str, Any] = {}
    for key, entry in node._storage.items():
        kind = kind_of(entry)
        child = kind.node(entry)
        if child is not None:
            storage[key] = kind.wrap(entry, _padded(child, pairs, value))
        elif kind.is_non_tensor:
            storage[key] = padded_column(entry, pairs)
        else:
            storage[key] = _pad_leading(entry, pairs, value)
    return node._derive(storage, Size([*grown, *size[len(pairs) :]]), node._device, node._names)


def _pad_leading(tensor: Tensor, pairs: list[tuple[int, int]], value: float) -> Tensor:
    """Pad the leading dims; torch wants the sizes from the last dim backwards."""
    backwards = [0, 0] * (tensor.ndim - len(pairs)) + [n for pair in reversed(pairs) for n in pair]
    return F.pad(tensor, backwards, value=value)


def padded_column(data: Any, pairs: list[tuple[int, int]]) -> Any:
    """Pad non-tensor data with None, or crop it."""
    if not any(n for pair in pairs for n in pair):
        return data
    ndim = data.batch_dims
    rows = [*data.reshape(-1).tolist(), None] if data.numel() else [None]
    positions = torch.arange(data.numel()).reshape(data.batch_size)
    padded = _pad_leading(positions, pairs, -1)
    column = NonTensorStack(*(rows[i] for i in padded.flatten().tolist()))
    return column.reshape(padded.shape) if ndim != 1 else column


def _ragged_dim(size: Size) -> int | None:
    """The first batch dim whose size is the symbol of a ragged dim."""
    return next((d for d, n in enumerate(size) if not isinstance(n, int)), None)


def _mask(nested: Tensor, dim: int) -> Tensor:
    """Mark what is data, over the dims up to the ragged one."""
    ones = torch.nested.to_padded_tensor(torch.ones_like(nested, dtype=torch.uint8), 0)
    mask: Tensor = ones.bool()
    while mask.ndim > dim + 1:
        mask = mask.select(-1, 0)
    return mask
