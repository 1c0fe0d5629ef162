"""Running one row of the op table over the flat list of leaves of a whole tree.

One `torch._foreach_*` call serves all leaves. Where torch refuses the list (nested tensors, tensors batched by vmap,
arguments that only some leaves accept), the leaves are computed one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from .table import PointwiseOp

Operand = Any
"""A number, or a list with one value for each leaf."""

_REFUSALS = (RuntimeError, TypeError)  # NotImplementedError is a RuntimeError


def unary(op: PointwiseOp, leaves: list[Tensor]) -> Sequence[Tensor]:
    """Return `op` of each leaf."""
    if op.foreach is not None and leaves:
        try:
            return op.foreach(leaves)
        except _REFUSALS:
            return [op.function(leaf) for leaf in leaves]
    function = op.function
    return [function(leaf) for leaf in leaves]


def binary(op: PointwiseOp, leaves: list[Tensor], other: Operand, alpha: Any = None) -> Sequence[Tensor]:
    """Return `op` of each leaf and the other operand."""
    if alpha is not None:
        return _scaled(op, leaves, other, alpha)
    if op.foreach is not None and leaves:
        try:
            return op.foreach(leaves, other)
        except _REFUSALS:
            pass  # one by one below, which works or says what is wrong
    function = op.function
    if isinstance(other, list):
        return [function(leaf, right) for leaf, right in zip(leaves, other, strict=True)]
    return [function(leaf, other) for leaf in leaves]


def _scaled(op: PointwiseOp, leaves: list[Tensor], other: Operand, alpha: Any) -> Sequence[Tensor]:
    rights = other if isinstance(other, list) else [other] * len(leaves)
    if op.foreach is not None and leaves and rights is other:
        try:
            return op.foreach(leaves, rights, alpha=alpha)
        except _REFUSALS:
            pass  # one by one below, which works or says what is wrong
    return [op.function(leaf, right, alpha=alpha) for leaf, right in zip(leaves, rights, strict=True)]


def ternary(op: PointwiseOp, leaves: list[Tensor], first: Operand, second: Operand, **kwargs: Any) -> Sequence[Tensor]:
    """Return `op` of each leaf and two other operands."""
    if op.foreach is not None and leaves:
        try:
            return op.foreach(leaves, first, second, **kwargs)
        except _REFUSALS:
            pass  # one by one below, which works or says what is wrong
    firsts, seconds = spread(first, len(leaves)), spread(second, len(leaves))
    return [op.function(leaf, a, b, **kwargs) for leaf, a, b in zip(leaves, firsts, seconds, strict=True)]


def inplace(op: PointwiseOp, leaves: list[Tensor], *operands: Operand, **kwargs: Any) -> None:
    """Apply `op` to each leaf in place."""
    if not leaves:
        return
    if op.foreach_inplace is not None:
        try:
            op.foreach_inplace(leaves, *operands, **kwargs)
        except _REFUSALS as error:
            # Torch names the list function when it refuses the list itself, before any leaf is written. Errors of a
            # single leaf come later, and must not lead to a second application.
            if "_foreach" not in str(error):
                raise
        else:
            return
    function = op.inplace
    assert function is not None, f"{op.name} has no in-place twin"
    columns = [spread(operand, len(leaves)) for operand in operands]
    for leaf, *values in zip(leaves, *columns, strict=True):
        function(leaf, *values, **kwargs)


def spread(operand: Operand, n: int) -> list[Any]:
    """Return one value for each of `n` leaves."""
    return operand if isinstance(operand, list) else [operand] * n


def norms(leaves: list[Tensor], dtype: torch.dtype | None) -> Sequence[Tensor]:
    """Return the 2-norm of each leaf."""
    if not leaves:
        return []
    try:
        return torch._foreach_norm(leaves, 2, dtype)
    except _REFUSALS:
        return [torch.linalg.vector_norm(leaf, 2, dtype=dtype) for leaf in leaves]
