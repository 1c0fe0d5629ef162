"""From nested tensors to padded ones."""

from __future__ import annotations

from typing import Any

import torch
from torch import Size, Tensor
from typing_extensions import Self

from ..errors import TDRuntimeError
from ..leaves import kind_of
from ..typing import NestedKey
from .mapping import MappingMethods


class PaddingMethods(MappingMethods):
    """`to_padded_tensor`."""

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
