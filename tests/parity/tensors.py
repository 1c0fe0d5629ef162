"""Text of tensors, numbers and shapes: deterministic values without random state, short enough to read in a script."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .draw import Draw

FLOATS = ("torch.float32", "torch.float64")
DTYPES = (*FLOATS, "torch.int64", "torch.bool", "torch.uint8")


def shape_text(shape: Sequence[int]) -> str:
    """Return a shape as a tuple literal."""
    return repr(tuple(shape))


def tensor_text(draw: Draw, shape: Sequence[int], dtype: str) -> str:
    """Return an expression for a tensor of this shape and dtype, with varied values."""
    count = math.prod(shape)
    if count == 0:
        return f"torch.zeros({shape_text(shape)}, dtype={dtype})"
    series = f"torch.arange({draw.integer(0, 9)}, {count} * 3 + 9)[:{count}]"
    series = f"({series} * {draw.pick((1, 3, 5, 7))} % {draw.pick((5, 11, 13))})"
    shaped = f"{series}.reshape({shape_text(shape)})"
    if dtype == "torch.bool":
        return f"({shaped} % 2 == 0)"
    if dtype in FLOATS:
        return f"({shaped}.to({dtype}) / 2 - 1)"
    if dtype == "torch.int64":
        return f"({shaped} - 2)"
    return f"{shaped}.to({dtype})"


def tensor_of_any_dtype(draw: Draw, shape: Sequence[int]) -> str:
    """Return an expression for a tensor of this shape and a random dtype, float32 more often than the others."""
    return tensor_text(draw, shape, "torch.float32" if draw.chance(0.5) else draw.pick(DTYPES))


def mask_text(draw: Draw, shape: Sequence[int]) -> str:
    """Return an expression for a boolean tensor, written out when small."""
    count = math.prod(shape)
    if count == 0:
        return f"torch.zeros({shape_text(shape)}, dtype=torch.bool)"
    if count > 6:
        return tensor_text(draw, shape, "torch.bool")
    bits = [draw.chance(0.6) for _ in range(count)]
    return f"torch.tensor({bits}).reshape({shape_text(shape)})"


def number_text(draw: Draw) -> str:
    """Return a Python number, most often one that every dtype takes."""
    return draw.weighted(("2", "1", "0", "3", "0.5", "-1", "True"), (5, 3, 1, 2, 3, 1, 0.5))
