"""Operations that make one tensordict of several, copies, and padding."""

from __future__ import annotations

from ..draw import Draw
from ..state import State
from .arguments import dim_text, like_tree
from .registry import operation


def partners(draw: Draw, state: State, change: float) -> str:
    """Return a list of tensordicts: the current one and others like it."""
    batch_size = state.batch_size if draw.chance(0.95) else (*state.batch_size, 2)
    others = draw.pick((["td"], ["td.clone()"], [like_tree(draw, state, batch_size, change)], []))
    members = ["td", *others]
    draw.random.shuffle(members)
    return f"[{', '.join(members)}]"


@operation("stack", 2, adopt=0.2)
def stack(draw: Draw, state: State) -> str:
    dim = draw.integer(-state.dims - 1, state.dims) if draw.chance(0.93) else state.dims + 2
    form = draw.pick(("torch.stack", "lib.TensorDict.stack", "lib.stack"))
    return f"out = {form}({partners(draw, state, 0.06)}, {dim})"


@operation("stack out=", 0.3)
def stack_out(draw: Draw, state: State) -> str:
    return f"out = torch.stack([td, td], 0, out={like_tree(draw, state, (2, *state.batch_size), 0)})"


@operation("cat", 2, adopt=0.2)
def cat(draw: Draw, state: State) -> str:
    form = draw.pick(("torch.cat", "lib.TensorDict.cat", "lib.cat"))
    return f"out = {form}({partners(draw, state, 0.06)}, {dim_text(draw, state.dims)})"


@operation("cat out=", 0.3)
def cat_out(draw: Draw, state: State) -> str | None:
    if not state.dims:
        return None
    shape = (2 * state.batch_size[0], *state.batch_size[1:])
    return f"out = torch.cat([td, td], 0, out={like_tree(draw, state, shape, 0)})"


@operation("maybe_dense_stack", 0.4)
def maybe_dense_stack(draw: Draw, state: State) -> str:
    form = draw.pick(("lib.maybe_dense_stack", "lib.TensorDict.maybe_dense_stack"))
    return f"out = {form}({partners(draw, state, 0)}, {draw.integer(-1, state.dims)})"


@operation("dense_stack_tds", 0.2)
def dense_stack_tds(draw: Draw, state: State) -> str:
    return f"out = lib.dense_stack_tds({partners(draw, state, 0)}{draw.pick(('', ', dim=0'))})"


@operation("clone", 1, adopt=0.3)
def clone(draw: Draw, state: State) -> str:
    form = draw.pick(("td.clone()", "td.clone(False)", "td.clone(recurse=True)", "td.copy()", "torch.clone(td)"))
    return f"out = {form}"


@operation("copy.copy", 0.5, adopt=0.3)
def copied(draw: Draw, state: State) -> str:
    return f"out = copy.{draw.pick(('copy', 'deepcopy'))}(td)"


@operation("pickle", 0.5, adopt=0.3)
def pickled(draw: Draw, state: State) -> str:
    return "out = pickle.loads(pickle.dumps(td))"


@operation("pad", 0.7)
def pad(draw: Draw, state: State) -> str:
    dims = draw.integer(0, state.dims)
    sizes = [draw.integer(0, 2) for _ in range(2 * dims)]
    if draw.chance(0.1):
        sizes.append(1)
    value = draw.pick(("", ", 1.0", ", value=2"))
    return f"out = lib.pad(td, {sizes if draw.chance(0.6) else tuple(sizes)}{value})"


@operation("pad_sequence", 0.7)
def pad_sequence(draw: Draw, state: State) -> str:
    others = []
    for _ in range(draw.integer(0, 2)):
        shape = (draw.integer(1, 4), *state.batch_size[1:]) if state.dims else ()
        others.append(like_tree(draw, state, shape, 0.05))
    options = draw.pick(
        ("", ", padding_value=1", ", return_mask=True", ", return_mask='m'", ", pad_dim=1", ", padding_side='left'")
    )
    return f"out = lib.pad_sequence([{', '.join(['td', *others])}]{options})"


FACTORIES = (
    "torch.zeros_like(td)",
    "torch.ones_like(td)",
    "torch.full_like(td, 2)",
    "torch.empty_like(td).zero_()",
    "td.new_zeros(2)",
    "td.new_ones([2, 3])",
    "td.new_zeros()",
    "td.new_full([2], 3)",
    "td.new_full((), 3)",
    "td.new_ones(2, dtype=torch.int64)",
)


@operation("factory", 0.5)
def factory(draw: Draw, state: State) -> str:
    return f"out = {draw.pick(FACTORIES)}"
