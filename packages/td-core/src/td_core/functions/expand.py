"""Broadcasting by dims on the right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from ..errors import TDRuntimeError

T = TypeVar("T")


def expand_right(tensor: T, shape: Sequence[int]) -> T:
    """Expand a tensor or tensordict to a shape by appending dims on the right.

    Args:
        tensor: what to expand; its shape must match the leading dims of `shape` (sizes of 1 may grow).
        shape: the shape of the result.

    Raises:
        TDRuntimeError: `shape` has fewer dims, or its leading ones do not match.
    """
    source: Any = tensor
    own, target = tuple(source.shape), tuple(shape)
    if len(target) < len(own) or any(a not in (1, b) for a, b in zip(own, target, strict=False)):
        raise TDRuntimeError(
            f"Cannot expand the shape {list(own)} to {list(target)} on the right: the target needs at least as many "
            "dims, and its leading sizes must be those of the source, or the source's must be 1."
        )
    for _ in range(len(target) - len(own)):
        source = source.unsqueeze(-1)
    return source.expand(target)  # type: ignore[no-any-return]


def expand_as_right(tensor: T, dest: Any) -> T:
    """Expand to the shape of a tensor or tensordict by appending dims on the right; errors as `expand_right`."""
    return expand_right(tensor, dest.shape)
