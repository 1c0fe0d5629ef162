"""The batch size, names, lock and device of a tensordict, and the questions about its size."""

from __future__ import annotations

from ..draw import Draw
from ..state import State
from ..trees import NAMES, random_names
from .arguments import dim_text, key_text, value_text
from .registry import add_operation, operation


@operation("batch_size =", 1)
def assign_batch_size(draw: Draw, state: State) -> str:
    attribute = draw.pick(("batch_size", "batch_size", "shape"))
    return f"td.{attribute} = {list(other_batch_size(draw, state))}"


def other_batch_size(draw: Draw, state: State) -> tuple[int, ...]:
    """Return a batch size that the entries allow, most often."""
    if draw.chance(0.15):
        return (*state.batch_size, 2) if draw.chance(0.5) else (5,)
    if state.tensors and draw.chance(0.4):
        shape = draw.pick(state.tensors).shape
        return shape[: draw.integer(0, len(shape))]
    return state.batch_size[: draw.integer(0, state.dims)]


@operation("auto_batch_size_", 0.7)
def auto_batch_size(draw: Draw, state: State) -> str:
    return f"out = td.auto_batch_size_({draw.pick(('', '', 'batch_dims=1', '2', 'batch_dims=0', '0'))})"


QUESTIONS = (
    "td.batch_size", "td.shape", "td.size()", "td.batch_dims", "td.ndim", "td.dim()", "td.ndimension()", "td.numel()",
    "td.depth", "td.bytes()", "td.bytes(count_duplicates=False)", "td.param_count()", "td.is_empty()", "len(td)",
    "td.device", "td.names", "td.is_locked", "td.is_contiguous()", "td.is_floating_point()", "td.dtype", "td.is_cpu",
    "td.is_cuda", "td.is_meta", "td.is_shared()", "td.is_memmap()", "td.is_consolidated()", "td.requires_grad",
    "bool(td)", "hash(td)", "lib.is_tensor_collection(td)", "lib.is_non_tensor(td)",
    "lib.is_tensor_collection(type(td))", "td.saved_path",
)  # fmt: skip


@operation("question", 2)
def question(draw: Draw, state: State) -> str:
    return f"out = {draw.pick(QUESTIONS)}"


@operation("size", 0.2)
def size(draw: Draw, state: State) -> str:
    return f"out = td.size({dim_text(draw, state.dims)})"


@operation("iterate", 0.3)
def iterate(draw: Draw, state: State) -> str:
    return "out = list(td)"


@operation("lock_", 0.5)
def lock(draw: Draw, state: State) -> str:
    return draw.pick(("out = td.lock_()", "td.is_locked = True"))


@operation("unlock_", 0.5)
def unlock(draw: Draw, state: State) -> str:
    return draw.pick(("out = td.unlock_()", "td.is_locked = False"))


def unlock_when_locked(draw: Draw, state: State) -> str | None:
    """Unlock a locked tensordict, so that programs do not stay locked for long."""
    return "out = td.unlock_()" if state.locked else None


add_operation("unlock_ a locked one", unlock_when_locked, 6)


@operation("unlock_ a node", 0.3)
def unlock_node(draw: Draw, state: State) -> str | None:
    if not state.nodes:
        return None
    return f"out = td[{key_text(draw.pick(state.nodes).path)}].{draw.pick(('unlock_', 'lock_'))}()"


@operation("with unlock_", 0.4)
def with_unlock(draw: Draw, state: State) -> str:
    method = draw.pick(("unlock_", "lock_"))
    return f"with td.{method}() as inner:\n    out = inner is td, td.is_locked\n    td['z'] = torch.ones(td.batch_size)"


@operation("set in a node", 0.5)
def set_in_node(draw: Draw, state: State) -> str | None:
    if not state.nodes:
        return None
    node = draw.pick(state.nodes)
    path = (*node.path, draw.pick("abz"))
    return f"out = td[{key_text(node.path)}].set({path[-1]!r}, {value_text(draw, state, path)})"


@operation("names =", 0.7)
def assign_names(draw: Draw, state: State) -> str:
    return f"td.names = {names_list(draw, state)}"


def names_list(draw: Draw, state: State) -> str:
    """Return a list of names, or None; rarely of the wrong length or with one name twice."""
    if draw.chance(0.1):
        return draw.pick(("['t', 't']", "['t', 'u', 'v', 'w']", "[]", "[None]"))
    return "None" if draw.chance(0.15) else repr(list(random_names(draw, state.dims)))


@operation("rename", 0.5, adopt=0.1)
def rename(draw: Draw, state: State) -> str:
    return f"out = td.rename({renaming(draw, state)})"


@operation("rename_", 0.5)
def rename_in_place(draw: Draw, state: State) -> str:
    return f"out = td.rename_({renaming(draw, state)})"


def renaming(draw: Draw, state: State) -> str:
    """Return positional names, or one old name and its new one."""
    known = [name for name in state.names if name is not None]
    if known and draw.chance(0.5):
        return f"{draw.pick(known)}={draw.pick(NAMES)!r}"
    if draw.chance(0.1):
        return "t='u'"
    return ", ".join(repr(name) for name in random_names(draw, state.dims))


@operation("refine_names", 0.5)
def refine_names(draw: Draw, state: State) -> str:
    names: list[str | None] = [
        name if name is not None and draw.chance(0.9) else draw.pick((None, *NAMES)) for name in state.names
    ]
    texts = [repr(name) for name in names]
    if texts and draw.chance(0.2):
        texts[draw.integer(0, len(texts) - 1)] = "..."
    return f"out = td.refine_names({', '.join(texts)})"


@operation("device", 0.3)
def device(draw: Draw, state: State) -> str:
    return draw.pick(("out = td.clear_device_()", "out = td.auto_device_()", "td.device = 'cpu'", "out = td.cpu()"))
