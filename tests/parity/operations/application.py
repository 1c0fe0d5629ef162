"""The apply family with its options."""

from __future__ import annotations

from ..draw import Draw
from ..state import State
from .arguments import like_tree
from .registry import operation

FUNCTIONS = (
    "lambda x: x + 1",
    "lambda x: x.clone()",
    "lambda x: x",
    "lambda x: None",
    "lambda x: x if x.dtype == torch.float32 else None",
    "torch.zeros_like",
    "lambda x: x.sum()",
    "lambda x: x[..., None]",
)

OPTIONS = (
    "batch_size=[]",
    "batch_size=td.batch_size[:1]",
    "device=None",
    "device='cpu'",
    "names=None",
    "inplace=True",
    "filter_empty=True",
    "filter_empty=False",
    "propagate_lock=True",
    "is_leaf=lib.default_is_leaf",
    "out=td.clone()",
    "out=td.empty()",
    "unknown=1",
)


def options(draw: Draw) -> str:
    """Return no option, one, or two."""
    chosen = draw.some(OPTIONS, 0, draw.pick((0, 1, 1, 2)))
    by_keyword = {option.split("=")[0]: option for option in chosen}
    return "".join(f", {option}" for option in by_keyword.values())


@operation("apply", 2, adopt=0.1)
def apply(draw: Draw, state: State) -> str:
    return f"out = td.apply({draw.pick(FUNCTIONS)}{options(draw)})"


@operation("apply with others", 0.8)
def apply_with_others(draw: Draw, state: State) -> str:
    other = like_tree(draw, state, state.batch_size, 0.3)
    default = draw.pick(("", "", ", default=None", ", default=torch.tensor(1)"))
    function = draw.pick(("lambda x, y: x + y", "lambda x, y: x if y is None else y", "lambda x, y: y"))
    return f"out = td.apply({function}, {other}{default}{options(draw)})"


@operation("apply_", 0.5)
def apply_in_place(draw: Draw, state: State) -> str:
    return f"out = td.apply_({draw.pick(FUNCTIONS)}{options(draw) if draw.chance(0.2) else ''})"


@operation("apply call_on_nested", 0.4)
def apply_on_nested(draw: Draw, state: State) -> str:
    function = draw.pick(("lambda x: x", "lambda x: x.clone()", "lambda x: x if isinstance(x, torch.Tensor) else None"))
    return f"out = td.apply({function}, call_on_nested=True{options(draw)})"


@operation("apply on non-tensors", 0.3)
def apply_on_non_tensors(draw: Draw, state: State) -> str:
    function = draw.pick(("lambda x: x", "lambda x: x if isinstance(x, torch.Tensor) else None"))
    return f"out = td.apply({function}, is_leaf=lib.is_leaf_nontensor)"


@operation("named_apply", 1)
def named_apply(draw: Draw, state: State) -> str:
    function = draw.pick(
        (
            "lambda k, x: x + len(k)",
            "lambda k, x: x if 'a' in k else None",
            "lambda k, x: seen.append(k)",
        )
    )
    nested = draw.pick(("", ", nested_keys=True"))
    if "seen" in function:
        return f"seen = []\ntd.named_apply({function}{nested})\nout = seen"
    return f"out = td.named_apply({function}{nested}{options(draw)})"
