"""Stacking and concatenating, as functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..container.base import TensorDictBase
from ..container.lazy_stack import LazyStackedTensorDict
from ..errors import TDValueError


def stack(input: Sequence[Any], dim: int = 0, *, out: Any = None) -> Any:
    """Stack containers along a new batch dim; see `TensorDict.stack`."""
    return TensorDictBase.stack(input, dim, out=out)


def cat(input: Sequence[Any], dim: int = 0, *, out: Any = None) -> Any:
    """Concatenate containers along a batch dim; see `TensorDict.cat`."""
    return TensorDictBase.cat(input, dim, out=out)


def lazy_stack(input: Sequence[Any], dim: int = 0, *, out: Any = None, stack_dim_name: str | None = None) -> Any:
    """Stack containers without copying; see `TensorDict.lazy_stack`."""
    return TensorDictBase.lazy_stack(input, dim, out=out, stack_dim_name=stack_dim_name)


def maybe_dense_stack(input: Sequence[Any], dim: int = 0, *, out: Any = None) -> Any:
    """Stack containers, densely where that is possible; see `TensorDict.maybe_dense_stack`."""
    return TensorDictBase.maybe_dense_stack(input, dim, out=out)


def dense_stack_tds(td_list: Any, dim: int | None = None) -> Any:
    """Stack densely a list of containers, or the members of a lazy stack along its own dim.

    Args:
        td_list: a list of containers, or a lazy stack.
        dim: where the new dim goes. Default: the dim of the lazy stack; a list needs one.

    Raises:
        TDIndexError: the list is empty, or `dim` out of range.
        TDRuntimeError: keys, batch sizes or shapes differ.
        TDValueError: `dim` differs from the dim of the lazy stack, or is not given with a list.
    """
    if isinstance(td_list, LazyStackedTensorDict):
        if dim is not None and dim != td_list.stack_dim:
            raise TDValueError(f"dim={dim} differs from the stack dim {td_list.stack_dim} of the lazy stack.")
        return TensorDictBase.stack(td_list.tensordicts, td_list.stack_dim)
    if dim is None:
        raise TDValueError("dense_stack_tds() of a list needs the dim along which to stack: dense_stack_tds(tds, 0).")
    return TensorDictBase.stack(td_list, dim)
