"""Operations as context managers: work on the result, and the origin is updated on leaving."""

from __future__ import annotations

from ..draw import Draw
from ..state import State
from .arguments import dim_text, reshaped
from .registry import operation

BODIES = (
    "inner['z'] = torch.ones(inner.batch_size)",
    "inner.set('a', torch.ones(inner.batch_size))",
    "inner.zero_()",
    "inner['n', 'z'] = torch.ones(inner.batch_size)",
    "inner.pop('a', None)",
    "raise ValueError('from the body')",
    "pass",
)


def subject(draw: Draw, state: State) -> str:
    """Return a call that can be entered."""
    dim, other = dim_text(draw, state.dims, 0.02), dim_text(draw, state.dims, 0.02)
    ones = [dim for dim, size in enumerate(state.batch_size) if size == 1]
    dims = list(range(state.dims))
    draw.random.shuffle(dims)
    start, end = sorted((dim % max(1, state.dims), other % max(1, state.dims)))
    return draw.pick(
        (
            f"view({list(reshaped(draw, state.batch_size))})",
            f"permute({dims})",
            f"transpose({dim}, {other})",
            f"squeeze({draw.pick(ones) if ones else dim})",
            "squeeze()",
            f"unsqueeze({draw.integer(-state.dims - 1, state.dims)})",
            f"flatten({start}, {end})",
            "flatten()",
            f"unflatten({dim}, [-1, 1])",
            "flatten_keys()",
            "flatten_keys('_')",
            "unflatten_keys()",
            "unlock_()",
            "lock_()",
            "to(torch.float64)",
            "to('cpu')",
        )
    )


@operation("context manager", 2)
def context_manager(draw: Draw, state: State) -> str:
    return f"with td.{subject(draw, state)} as inner:\n    {draw.pick(BODIES)}\n    out = inner"


@operation("context manager, written in place", 0.4)
def context_in_place(draw: Draw, state: State) -> str:
    return f"with td.{subject(draw, state)} as inner:\n    inner.apply_(lambda x: x.zero_())"
