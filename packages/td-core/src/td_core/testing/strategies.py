"""Hypothesis strategies for keys, shapes and indices, and the settings the suites share."""

from __future__ import annotations

from typing import Any

import torch
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from td_core.typing import NestedKey

SUITE_SETTINGS = settings(
    max_examples=40,
    deadline=None,
    # the same inherited test runs once a storage, and building a container may be slow
    suppress_health_check=[HealthCheck.differing_executors, HealthCheck.too_slow],
)

key_parts: st.SearchStrategy[str] = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6
)
"""One part of a key: any printable text."""


def nested_keys(max_depth: int = 3) -> st.SearchStrategy[NestedKey]:
    """Keys in canonical form: a string, or a flat tuple of two or more strings."""
    return st.lists(key_parts, min_size=1, max_size=max_depth).map(
        lambda parts: parts[0] if len(parts) == 1 else tuple(parts)
    )


def shapes(min_dims: int = 1, max_dims: int = 3, max_size: int = 4) -> st.SearchStrategy[tuple[int, ...]]:
    """Batch sizes."""
    return st.lists(st.integers(1, max_size), min_size=min_dims, max_size=max_dims).map(tuple)


def slices(size: int) -> st.SearchStrategy[slice]:
    """Slices that torch accepts (positive steps) over a dim of the given size."""
    bound = st.none() | st.integers(-size - 1, size + 1)
    return st.builds(slice, bound, bound, st.none() | st.integers(1, 3))


@st.composite
def indices(draw: st.DrawFn, shape: tuple[int, ...]) -> Any:
    """Indices of every kind that are valid for a tensor whose leading dims are `shape`."""
    items: list[Any] = []
    position = 0
    ellipsis_used = False
    while position < len(shape):
        kinds = ["int", "slice", "none", "list", "tensor", "mask", "full", "range"]
        if not ellipsis_used:
            kinds.append("ellipsis")
        if draw(st.booleans()) and items:
            break
        kind = draw(st.sampled_from(kinds))
        size = shape[position]
        step = 1
        if kind == "int":
            items.append(draw(st.integers(-size, size - 1)))
        elif kind == "slice":
            items.append(draw(slices(size)))
        elif kind == "full":
            items.append(slice(None))
        elif kind == "range":
            stop = draw(st.integers(1, size))
            items.append(range(draw(st.integers(0, stop - 1)), stop))
        elif kind == "none":
            items.append(None)
            step = 0
        elif kind == "ellipsis":
            items.append(...)
            ellipsis_used = True
            position = len(shape)
        elif kind == "mask":
            items.append(torch.tensor(draw(st.lists(st.booleans(), min_size=size, max_size=size))))
        else:  # index arrays of length 2, so that several of them broadcast
            values = draw(st.lists(st.integers(-size, size - 1), min_size=2, max_size=2))
            items.append(values if kind == "list" else torch.tensor(values))
        position += step
    return items[0] if len(items) == 1 and draw(st.booleans()) else tuple(items)
