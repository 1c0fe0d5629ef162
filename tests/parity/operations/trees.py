"""Operations on the tree of keys: update, replace, select, exclude, flatten and unflatten, entries joined in one."""

from __future__ import annotations

from ..draw import Draw
from ..state import State
from .arguments import any_key, like_tree, some_keys
from .registry import operation


def update_source(draw: Draw, state: State, change: float = 0.4) -> str:
    """Return a tree to update with: like the current one, with changes; a dict at times."""
    batch_size = state.batch_size
    if batch_size and draw.chance(0.04):
        batch_size = batch_size[:-1]
    return like_tree(draw, state, batch_size, change, plain=draw.chance(0.3))


def restriction(draw: Draw, state: State) -> str:
    """Return a keys_to_update argument, most often none."""
    return f", keys_to_update=[{', '.join(some_keys(draw, state))}]" if draw.chance(0.2) else ""


@operation("update", 2)
def update(draw: Draw, state: State) -> str:
    options = draw.weighted(("", ", inplace=True", ", clone=True", ", inplace=True, clone=True"), (5, 2, 1, 0.5))
    return f"out = td.update({update_source(draw, state)}{options}{restriction(draw, state)})"


@operation("update_", 1)
def update_in_place(draw: Draw, state: State) -> str:
    return f"out = td.update_({update_source(draw, state, 0.15)}{restriction(draw, state)})"


@operation("copy_", 0.3)
def copy(draw: Draw, state: State) -> str:
    return f"out = td.copy_({like_tree(draw, state, state.batch_size)})"


@operation("replace", 0.7, adopt=0.2)
def replace(draw: Draw, state: State) -> str:
    return f"out = td.replace({update_source(draw, state)})"


@operation("select", 1.5, adopt=0.1)
def select(draw: Draw, state: State) -> str:
    keys = some_keys(draw, state, 0, 3)
    options = [*keys, *draw.weighted(([], ["inplace=True"], ["strict=False"]), (5, 1, 2))]
    return f"out = td.select({', '.join(options)})"


@operation("exclude", 1.5, adopt=0.15)
def exclude(draw: Draw, state: State) -> str:
    options = [*some_keys(draw, state, 0, 2), *draw.weighted(([], ["inplace=True"]), (4, 1))]
    return f"out = td.exclude({', '.join(options)})"


@operation("split_keys", 0.4)
def split_keys(draw: Draw, state: State) -> str:
    sets = ", ".join(f"[{', '.join(some_keys(draw, state, 1, 2))}]" for _ in range(draw.integer(1, 2)))
    options = draw.pick(("", "", ", strict=False", ", default=None", ", inplace=True"))
    return f"out = td.split_keys({sets}{options})"


@operation("empty", 0.7)
def empty(draw: Draw, state: State) -> str:
    options = draw.pick(
        ("", "recurse=True", "True", "batch_size=[]", "device='cpu'", "names=None", "device=None", "batch_size=[7]")
    )
    return f"out = td.empty({options})"


@operation("flatten_keys", 1, adopt=0.2)
def flatten_keys(draw: Draw, state: State) -> str:
    options = draw.pick(
        ("", "'.'", "'_'", "','", "inplace=True", "is_leaf=lib.default_is_leaf", "is_leaf=lib.is_leaf_nontensor")
    )
    return f"out = td.flatten_keys({options})"


@operation("unflatten_keys", 1, adopt=0.3)
def unflatten_keys(draw: Draw, state: State) -> str:
    subject = draw.pick(("td", "td.flatten_keys()", "td.flatten_keys('_')"))
    separator = "'_'" if "_'" in subject else draw.pick(("", "'.'"))
    inplace = "inplace=True" if draw.chance(0.15) else ""
    return f"out = {subject}.unflatten_keys({', '.join(filter(None, (separator, inplace)))})"


@operation("cat_tensors", 0.5)
def cat_tensors(draw: Draw, state: State) -> str:
    return joined(draw, state, "cat_tensors")


@operation("stack_tensors", 0.5)
def stack_tensors(draw: Draw, state: State) -> str:
    return joined(draw, state, "stack_tensors")


def joined(draw: Draw, state: State, method: str) -> str:
    """Return a call that joins entries in one, of equal shape most often."""
    entries = state.tensors
    if entries and draw.chance(0.9):
        shape = draw.pick(entries).shape
        keys = [repr(e.path if len(e.path) > 1 else e.path[0]) for e in entries if e.shape == shape][:3]
    else:
        keys = some_keys(draw, state, 1, 2)
    options = [f"out_key={any_key(draw, state, 0.2)}", f"dim={draw.pick((0, 0, -1, 1))}"]
    if draw.chance(0.3):
        options.append("keep_entries=True")
    return f"out = td.{method}({', '.join([*keys, *options])})"


@operation("cat_from_tensordict", 0.3)
def cat_from_tensordict(draw: Draw, state: State) -> str:
    options = draw.pick(("", ", sorted=False", ", sorted=True"))
    return f"out = td.cat_from_tensordict(dim={draw.pick((0, -1))}{options})"


@operation("stack_from_tensordict", 0.3)
def stack_from_tensordict(draw: Draw, state: State) -> str:
    options = draw.pick(("", ", sorted=False", ", sorted=True"))
    return f"out = td.stack_from_tensordict(dim={draw.pick((0, -1))}{options})"


@operation("merge_tensordicts", 0.3)
def merge_tensordicts(draw: Draw, state: State) -> str:
    others = ", ".join(like_tree(draw, state, state.batch_size, 0.4) for _ in range(draw.integer(0, 2)))
    return f"out = lib.merge_tensordicts(td, {others})"


@operation("filter_empty_", 0.2)
def filter_empty(draw: Draw, state: State) -> str:
    return "out = td.filter_empty_()"
