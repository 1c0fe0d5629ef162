"""Text of indices of every type, and what they do to a shape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ..draw import Draw
from ..tensors import mask_text


def positions(draw: Draw, size: int, count: int | None = None) -> list[int]:
    """Return positions within a dim of this size, negative ones included."""
    if size == 0:
        return []
    return [draw.integer(-size, size - 1) for _ in range(draw.integer(0, 3) if count is None else count)]


def slice_text(draw: Draw, size: int) -> str:
    """Return a slice, at times one that runs over the end."""
    start = draw.pick((None, None, 0, 1, -1, size))
    stop = draw.pick((None, None, size, 1, -1, size + 2))
    step = draw.pick((None, None, 1, 2))
    return f"slice({start}, {stop}, {step})"


def long_tensor_text(draw: Draw, size: int, dims: int) -> str:
    """Return an integer tensor with this many dims."""
    if dims == 0:
        return f"torch.tensor({draw.integer(-size, size - 1) if size else 0})"
    shape = tuple(draw.integer(1, 3) for _ in range(dims))
    found = positions(draw, size, math.prod(shape))
    if not found:
        return "torch.zeros((0,), dtype=torch.long)"
    return f"torch.tensor({found}).reshape({shape})"


def item_text(draw: Draw, size: int) -> str:
    """Return an index for one dim."""
    kind = draw.weighted(
        ("int", "slice", "list", "range", "tensor", "tensor nd", "numpy", "mask", "numpy mask", "mask list", "np int"),
        (5, 5, 3, 1.5, 3, 1, 1, 2, 0.7, 0.7, 0.4),
    )
    if kind == "int":
        return str(draw.integer(-size, size - 1) if size else 0)
    if kind == "slice":
        return slice_text(draw, size)
    if kind == "list":
        return repr(positions(draw, size))
    if kind == "range":
        return f"range({draw.integer(0, size)}, {size})"
    if kind == "tensor":
        return long_tensor_text(draw, size, draw.pick((1, 1, 1, 0)))
    if kind == "tensor nd":
        return long_tensor_text(draw, size, 2)
    if kind == "numpy":
        return f"np.array({positions(draw, size)}, dtype={draw.pick(('np.int64', 'np.int32'))})"
    if kind == "np int":
        return f"np.int64({draw.integer(0, size - 1) if size else 0})"
    bits = [draw.chance(0.6) for _ in range(size)]
    if kind == "mask":
        return f"torch.tensor({bits}, dtype=torch.bool)"
    return f"np.array({bits}, dtype=bool)" if kind == "numpy mask" else repr(bits)


def wild_text(draw: Draw, shape: Sequence[int]) -> str:
    """Return an index that is likely to be refused."""
    size = shape[0] if shape else 1
    return draw.pick(
        (
            str(size),
            str(-size - 1),
            f"[{size}]",
            f"torch.tensor([{size}])",
            f"torch.tensor({[True] * (size + 1)})",
            f"({', '.join(['0'] * (len(shape) + 1))},)",
            "1.5",
            "(..., ...)",
            "torch.tensor([0.5])",
            "{1}",
            f"range({size + 2})",
        )
    )


def index_text(draw: Draw, shape: Sequence[int], wild: float = 0.06) -> str:
    """Return an index for a batch of this shape."""
    if draw.chance(wild):
        return wild_text(draw, shape)
    if draw.chance(0.06):
        return draw.pick(("...", "None", "()", "True", "False", "torch.tensor(True)", "torch.tensor(False)"))
    if not shape:
        return draw.pick(("None", "...", "(None, None)", "torch.tensor(True)", "()", "(..., None)", "0", "slice(None)"))
    if draw.chance(0.15):
        return mask_text(draw, shape[: draw.integer(1, len(shape))])
    if draw.chance(0.45):
        return item_text(draw, shape[0])
    return tuple_text(draw, shape)


def tuple_text(draw: Draw, shape: Sequence[int]) -> str:
    """Return a tuple of indices that takes at most the dims there are, with None and an ellipsis here and there."""
    parts: list[str] = []
    dims = list(shape)
    while dims and (not parts or draw.chance(0.6)):
        if len(dims) >= 2 and draw.chance(0.08):
            parts.append(mask_text(draw, dims[:2]))
            dims = dims[2:]
        else:
            parts.append(item_text(draw, dims.pop(0)))
        if draw.chance(0.12):
            parts.append("None")
    if draw.chance(0.2):
        tail = [item_text(draw, dims[-1])] if dims and draw.chance(0.5) else []
        parts = [*parts, "...", *tail]
    return f"({', '.join(parts)},)"


def indexed_shape(index: str, shape: Sequence[int]) -> tuple[int, ...] | None:
    """Return the shape of a tensor of this shape once indexed, or None where torch refuses the index."""
    try:
        found = eval(index, {"torch": torch, "np": np})
        return tuple(torch.zeros(tuple(shape))[as_torch_takes_it(found)].shape)
    except (IndexError, TypeError, ValueError, RuntimeError):
        return None


def as_torch_takes_it(index: object) -> Any:
    """Return an index with ranges as lists."""
    if isinstance(index, tuple):
        return tuple(as_torch_takes_it(item) for item in index)
    return list(index) if isinstance(index, range) else index
