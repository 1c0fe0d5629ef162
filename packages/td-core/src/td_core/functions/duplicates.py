"""Rows of one tensordict that occur in another, or twice in the same."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ..errors import TDKeyError, TDRuntimeError, TDValueError
from ..structural import wrap_dim
from ..typing import NestedKey


def isin(input: Any, reference: Any, key: NestedKey, dim: int = 0) -> Tensor:
    """Tell which rows of an entry occur among the rows of the same entry elsewhere.

    Args:
        input: the tensordict whose rows are judged.
        reference: the tensordict that has the rows to look for.
        key: the entry that is compared.
        dim: the batch dim along which the rows lie.

    Returns:
        A boolean tensor, one value a row of `input`.

    Raises:
        TDKeyError: one of them has no tensor under `key`.
        TDValueError: `dim` is no batch dim.
        TDRuntimeError: the rows differ in shape.
    """
    rows = _rows(input, key, dim, "input")
    known = _rows(reference, key, dim, "reference")
    if rows.shape[1:] != known.shape[1:]:
        raise TDRuntimeError(
            f"isin() compares rows of one shape, and those of the entry {key!r} have shape {list(rows.shape[1:])} in "
            f"the input and {list(known.shape[1:])} in the reference."
        )
    labels = _labels(torch.cat([known, rows]))
    return torch.isin(labels[len(known) :], labels[: len(known)])


def remove_duplicates(input: Any, key: NestedKey, dim: int = 0, *, return_indices: bool = False) -> Any:
    """Drop the rows of a tensordict that repeat an earlier one, judged by one entry.

    Args:
        input: the tensordict.
        key: the entry that decides.
        dim: the batch dim along which the rows lie.
        return_indices: return the positions of the rows that stay, too.

    Returns:
        A tensordict of the first of equal rows, in the order of the deciding entry.

    Raises:
        TDKeyError: there is no tensor under `key`.
        TDValueError: `dim` is no batch dim.
    """
    labels = _labels(_rows(input, key, dim, "input"))
    n = len(labels)
    # the first position of each label: the smallest among equal ones
    groups = int(labels.max()) + 1 if n else 0
    kept = labels.new_full((groups,), n).scatter_reduce_(0, labels, torch.arange(n, device=labels.device), "amin")
    result = input[(slice(None),) * wrap_dim(dim, input.batch_dims) + (kept,)]
    return (result, kept) if return_indices else result


def _rows(td: Any, key: NestedKey, dim: int, which: str) -> Tensor:
    """Return the entry with the rows along its first dim."""
    value: Tensor | Any = td.get(key)
    if not isinstance(value, Tensor):
        found = "nothing" if value is None else f"a {type(value).__name__}"
        raise TDKeyError(f"The {which} needs a tensor under the key {key!r}, found {found}.")
    return value.movedim(wrap_dim(dim, td.batch_dims, error=TDValueError), 0)


def _labels(rows: Tensor) -> Tensor:
    """Number rows in increasing order, so that equal ones get equal numbers."""
    if not rows.shape[0]:
        return torch.zeros(0, dtype=torch.long, device=rows.device)
    if not rows[0].numel():
        return torch.zeros(rows.shape[0], dtype=torch.long, device=rows.device)
    labels: Tensor = rows.reshape(rows.shape[0], -1).unique(dim=0, return_inverse=True)[1]
    return labels
