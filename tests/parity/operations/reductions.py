"""Reductions in all their modes, all and any."""

from __future__ import annotations

from functools import partial

from ..draw import Draw
from ..state import State
from .arguments import dim_text
from .registry import add_operation

REDUCTIONS = ("mean", "nanmean", "sum", "nansum", "prod", "std", "var")
EXTREMES = ("min", "max", "amin", "amax")
CUMULATIVE = ("cummin", "cummax")


def subject(draw: Draw, name: str) -> str:
    """Return the tensordict to reduce; as floats most often where only floats can be averaged."""
    if name in ("mean", "nanmean", "std", "var", "logsumexp", "norm", "quantile") and draw.chance(0.8):
        return "td.float()"
    return "td"


def dims_argument(draw: Draw, state: State) -> str:
    """Return a dim argument: one dim, or a tuple of them."""
    if draw.chance(0.35):
        dims = draw.some(range(state.dims), 1) if state.dims else [0]
        return f"dim={tuple(dims)}"
    if draw.chance(0.05):
        return draw.pick(("dim=None", "dim='feature'", "dim=()"))
    return f"dim={dim_text(draw, state.dims)}"


def arguments(draw: Draw, state: State, name: str) -> list[str]:
    """Return the arguments of one mode of a reduction."""
    found: list[str] = []
    if draw.chance(0.6):
        found.append(dims_argument(draw, state))
    if draw.chance(0.3):
        found.append(f"keepdim={draw.chance(0.7)}")
    if draw.chance(0.2):
        found.append(f"reduce={draw.chance(0.8)}")
    if name in ("sum", "mean", "prod") and draw.chance(0.15):
        found.append("dtype=torch.float64")
    if name in ("std", "var") and draw.chance(0.2):
        found.append("correction=0")
    return found


def reduction(name: str, draw: Draw, state: State) -> str:
    return f"out = {subject(draw, name)}.{name}({', '.join(arguments(draw, state, name))})"


def extreme(name: str, draw: Draw, state: State) -> str:
    found = [f"dim={dim_text(draw, state.dims)}"] if draw.chance(0.6) else []
    if draw.chance(0.3):
        found.append("keepdim=True")
    if draw.chance(0.15):
        found.append("reduce=True")
    if name in ("min", "max") and draw.chance(0.3):
        found.append("return_indices=False")
    return f"out = td.{name}({', '.join(found)})"


def cumulative(name: str, draw: Draw, state: State) -> str:
    return f"out = td.{name}({dim_text(draw, state.dims)}{draw.pick(('', ', return_indices=False'))})"


def truth(name: str, draw: Draw, state: State) -> str:
    dim = "" if draw.chance(0.5) else f"dim={dim_text(draw, state.dims)}"
    return f"out = {draw.pick(('td', '(td > 0)', '(td == td)'))}.{name}({dim})"


def logsumexp(draw: Draw, state: State) -> str:
    dim = draw.pick(("", f"dim={dim_text(draw, state.dims)}", f"dim={dim_text(draw, state.dims)}, keepdim=True"))
    return f"out = td.float().logsumexp({dim})"


def norm(draw: Draw, state: State) -> str:
    return f"out = {subject(draw, 'norm')}.norm({draw.pick(('', 'dtype=torch.float64'))})"


for name in REDUCTIONS:
    add_operation(name, partial(reduction, name), 0.5)
for name in EXTREMES:
    add_operation(name, partial(extreme, name), 0.15)
for name in CUMULATIVE:
    add_operation(name, partial(cumulative, name), 0.1)
for name in ("all", "any"):
    add_operation(name, partial(truth, name), 0.6)
add_operation("logsumexp", logsumexp, 0.15)
add_operation("norm", norm, 0.3)
