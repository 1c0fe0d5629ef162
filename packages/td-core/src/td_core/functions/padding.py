"""Padding: along batch dims, and of sequences to one length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from ..container.build import container_of
from ..container.padding import padded_column
from ..container.tensordict import TensorDict
from ..errors import TDIndexError, TDRuntimeError, TDValueError
from ..keys import key_parts, unravel_key
from ..leaves import kind_of
from ..typing import NestedKey


def pad(tensordict: Any, pad_size: Sequence[int], value: float = 0.0) -> Any:
    """Pad the batch dims of every entry; see `TensorDict.pad`."""
    return kind_of(tensordict).wrap(tensordict, container_of(tensordict).pad(pad_size, value))


def pad_sequence(
    list_of_tensordicts: Sequence[Any],
    pad_dim: int = 0,
    padding_value: float | Mapping[NestedKey, float] = 0.0,
    out: Any = None,
    return_mask: bool | NestedKey = False,
    padding_side: Literal["left", "right"] = "right",
) -> Any:
    """Stack tensordicts of unequal length along a new first dim, padding every entry to the longest.

    Only the keys that all of them have are kept. Non-tensor entries are padded with None where they follow the padded
    dim.

    Args:
        list_of_tensordicts: the tensordicts.
        pad_dim: the dim of the entries that is padded. If it is a batch dim, the batch size of the result has it.
        padding_value: what to pad with, or a mapping from keys to values (0 for other keys).
        out: a tensordict to write the result to.
        return_mask: add a `masks` entry with, for each tensor, a boolean mask of what is data; a key names it
            otherwise.
        padding_side: which end is padded.

    Raises:
        TDRuntimeError: the list is empty, or other dims of an entry differ.
        TDIndexError: an entry has no dim `pad_dim`.
        TDValueError: the padding side is unknown.
    """
    if padding_side not in ("left", "right"):
        raise TDValueError(f"padding_side must be 'left' or 'right', got {padding_side!r}.")
    if not len(list_of_tensordicts):
        raise TDRuntimeError("pad_sequence() needs at least one tensordict, got an empty list.")
    if isinstance(padding_value, Mapping):
        by_key = {unravel_key(key): value for key, value in padding_value.items()}
        values = _Values(by_key, 0.0)
    else:
        values = _Values({}, padding_value)
    nodes = [container_of(td) for td in list_of_tensordicts]
    padder = _SequencePadder(pad_dim, padding_side == "left", values)
    result, masks = padder.join(nodes, ())
    if return_mask:
        key = ("masks",) if return_mask is True else key_parts(return_mask)
        result.set(key, masks)
    result = kind_of(list_of_tensordicts[0]).wrap(list_of_tensordicts[0], result)
    return result if out is None else out.update(result)


class _Values:
    """The padding value of each key."""

    def __init__(self, by_key: Mapping[NestedKey, float], default: float) -> None:
        self.by_key, self.default = by_key, default

    def of(self, path: tuple[str, ...]) -> float:
        return self.by_key.get(unravel_key(path), self.default)


class _SequencePadder:
    """Pads and stacks a list of trees, level by level."""

    def __init__(self, dim: int, left: bool, values: _Values) -> None:
        self.dim, self.left, self.values = dim, left, values

    def join(self, nodes: list[Any], path: tuple[str, ...]) -> tuple[Any, Any]:
        """Return the stacked tree and the tree of masks."""
        size = self._batch_size([node.batch_size for node in nodes], path)
        device = nodes[0].device if len({node.device for node in nodes}) == 1 else None
        out = TensorDict({}, size, device)
        masks = TensorDict({}, size, device)
        for key, first in nodes[0].items():
            if not all(key in node for node in nodes):
                continue
            entries = [node.get(key) for node in nodes]
            kind, here = kind_of(first), (*path, key)
            if kind.node(first) is not None:
                joined, mask = self.join([kind_of(entry).node(entry) for entry in entries], here)
                out.set(key, kind.wrap(first, joined))
                masks.set(key, mask)
            elif kind.is_non_tensor:
                out.set(key, self._column(entries, size, here))
            else:
                joined, mask = self._tensors(entries, len(size), here)
                out.set(key, joined)
                masks.set(key, mask)
        return out, masks

    def _batch_size(self, sizes: list[torch.Size], path: tuple[str, ...]) -> torch.Size:
        """The number of trees, and the batch size they share, with the padded dim at its longest."""
        ndim = len(sizes[0])
        if any(len(size) != ndim for size in sizes):
            raise TDRuntimeError(f"pad_sequence() needs equal numbers of batch dims{_at(path)}, got sizes {sizes}.")
        longest = [max(size[d] for size in sizes) for d in range(ndim)]
        dim = self.dim if self.dim >= 0 else None
        for d in range(ndim):
            if d != dim and any(size[d] != longest[d] for size in sizes):
                raise TDRuntimeError(
                    f"pad_sequence() can only pad dim {self.dim}{_at(path)}, and the batch sizes differ in dim {d}: "
                    f"{[list(size) for size in sizes]}."
                )
        return torch.Size([len(sizes), *longest])

    def _tensors(self, tensors: list[Tensor], batch_dims: int, path: tuple[str, ...]) -> tuple[Tensor, Tensor]:
        ndim = tensors[0].ndim
        if not -ndim <= self.dim < ndim:
            raise TDIndexError(f"pad_dim={self.dim} is out of range for the entry {path!r} of {ndim} dims.")
        dim = self.dim % ndim
        length = max(tensor.shape[dim] for tensor in tensors)
        rest = {(*tensor.shape[:dim], *tensor.shape[dim + 1 :]) for tensor in tensors}
        if len(rest) > 1 or any(tensor.ndim != ndim for tensor in tensors):
            raise TDRuntimeError(
                f"pad_sequence() can only pad dim {self.dim}, and the entry {path!r} differs in other dims: shapes "
                f"{[list(tensor.shape) for tensor in tensors]}."
            )
        value = self.values.of(path)
        joined = torch.stack([self._pad(tensor, dim, length, value) for tensor in tensors])
        kept = max(dim + 2, batch_dims)
        marks = [torch.ones(tensor.shape[: kept - 1], dtype=torch.bool, device=tensor.device) for tensor in tensors]
        return joined, torch.stack([self._pad(mark, dim, length, False) for mark in marks])

    def _pad(self, tensor: Tensor, dim: int, length: int, value: float) -> Tensor:
        missing = length - tensor.shape[dim]
        if not missing:
            return tensor
        before, after = (missing, 0) if self.left else (0, missing)
        return F.pad(tensor, [*[0, 0] * (tensor.ndim - 1 - dim), before, after], value=value)

    def _column(self, entries: list[Any], size: torch.Size, path: tuple[str, ...]) -> Any:
        """Stack non-tensor data, padded with None where it has the padded batch dim."""
        if not 0 <= self.dim < len(size) - 1:
            return kind_of(entries[0]).stack(entries, 0)
        padded = []
        for entry in entries:
            missing = size[self.dim + 1] - entry.batch_size[self.dim]
            pair = (missing, 0) if self.left else (0, missing)
            padded.append(padded_column(entry, [*[(0, 0)] * self.dim, pair]))
        return kind_of(padded[0]).stack(padded, 0)


def _at(path: tuple[str, ...]) -> str:
    return f" at {path!r}" if path else ""
