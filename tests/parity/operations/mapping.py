"""Operations by key: write, read, remove, rename, and the key views."""

from __future__ import annotations

from dataclasses import replace

from ..draw import Draw
from ..state import State
from ..tensors import number_text
from .arguments import any_key, any_path, key_text, like_text, new_path, present_path, value_text
from .indices import index_text, indexed_shape
from .registry import operation


@operation("set", 2)
def set_(draw: Draw, state: State) -> str:
    path = any_path(draw, state, present=0.4)
    inplace = ", inplace=True" if draw.chance(0.25) else ""
    return f"out = td.set({key_text(path)}, {value_text(draw, state, path)}{inplace})"


@operation("setitem by key", 2)
def setitem(draw: Draw, state: State) -> str:
    path = any_path(draw, state, present=0.4)
    return f"td[{key_text(path)}] = {value_text(draw, state, path)}"


@operation("set_")
def set_in_place(draw: Draw, state: State) -> str:
    if state.tensors and draw.chance(0.8):
        entry = draw.pick(state.tensors)
        return f"out = td.set_({key_text(entry.path)}, {like_text(draw, entry)})"
    path = any_path(draw, state)
    return f"out = td.set_({key_text(path)}, {value_text(draw, state, path)})"


@operation("set_at_", 1.5)
def set_at(draw: Draw, state: State) -> str | None:
    path = present_path(draw, state.tensors)
    if path is None:
        return None
    entry = next(entry for entry in state.tensors if entry.path == path)
    index = index_text(draw, entry.shape[: state.dims] or entry.shape)
    shape = indexed_shape(index, entry.shape)
    value = number_text(draw) if shape is None or draw.chance(0.4) else like_text(draw, replace(entry, shape=shape))
    key = any_key(draw, state) if draw.chance(0.1) else key_text(path)
    return f"out = td.set_at_({key}, {value}, {index})"


@operation("get", 1.5)
def get(draw: Draw, state: State) -> str:
    default = draw.pick(("", "", ", None", ", 1.5", ", default='d'"))
    return f"out = td.get({any_key(draw, state)}{default})"


@operation("getitem by key", 1.5)
def getitem(draw: Draw, state: State) -> str:
    path = any_path(draw, state)
    return f"out = td[{key_text(path)}]"


@operation("get_at", 0.5)
def get_at(draw: Draw, state: State) -> str:
    default = draw.pick(("", "", ", None", ", default=2"))
    return f"out = td.get_at({any_key(draw, state)}, {index_text(draw, state.batch_size)}{default})"


@operation("pop", 1)
def pop(draw: Draw, state: State) -> str:
    default = draw.pick(("", "", ", None", ", 'd'"))
    return f"out = td.pop({any_key(draw, state, 0.75)}{default})"


@operation("popitem", 0.3)
def popitem(draw: Draw, state: State) -> str:
    return "out = td.popitem()"


@operation("del_", 0.5)
def del_(draw: Draw, state: State) -> str:
    return f"out = td.del_({any_key(draw, state)})"


@operation("delitem", 0.3)
def delitem(draw: Draw, state: State) -> str:
    return f"del td[{any_key(draw, state)}]"


@operation("clear", 0.05)
def clear(draw: Draw, state: State) -> str:
    return "out = td.clear()"


@operation("rename_key_", 1)
def rename_key(draw: Draw, state: State) -> str:
    old = any_key(draw, state, 0.9)
    new = key_text(any_path(draw, state) if draw.chance(0.2) else new_path(draw, state))
    safe = ", safe=True" if draw.chance(0.4) else ""
    return f"out = td.rename_key_({old}, {new}{safe})"


@operation("setdefault", 0.7)
def setdefault(draw: Draw, state: State) -> str:
    path = any_path(draw, state, present=0.5)
    inplace = ", inplace=True" if draw.chance(0.1) else ""
    return f"out = td.setdefault({key_text(path)}, {value_text(draw, state, path)}{inplace})"


@operation("create_nested", 0.5)
def create_nested(draw: Draw, state: State) -> str:
    path = any_path(draw, state) if draw.chance(0.1) else new_path(draw, state)
    return f"out = td.create_nested({key_text(path)})"


@operation("fill_", 0.7)
def fill(draw: Draw, state: State) -> str:
    return f"out = td.fill_({any_key(draw, state)}, {number_text(draw)})"


@operation("zero_", 0.3)
def zero(draw: Draw, state: State) -> str:
    return "out = td.zero_()"


@operation("membership", 1)
def membership(draw: Draw, state: State) -> str:
    view = draw.pick(("td", "td.keys()", "td.keys(True)", "td.keys(True, True)", "td.keys(leaves_only=True)"))
    return f"out = {any_key(draw, state, 0.6)} in {view}"


VIEW_ARGUMENTS = (
    "",
    "True",
    "True, True",
    "leaves_only=True",
    "sort=True",
    "True, sort=True",
    "True, True, sort=True",
    "leaves_only=True, sort=True",
    "True, True, is_leaf=lib.is_leaf_nontensor",
    "True, is_leaf=lib.is_leaf_nontensor",
    "True, True, is_leaf=lib.default_is_leaf",
    "leaves_only=True, is_leaf=lib.is_leaf_nontensor",
    "True, True, lib.is_leaf_nontensor, sort=True",
    "True, True, is_leaf=lambda cls: issubclass(cls, lib.TensorDict)",
)


def view_text(draw: Draw, method: str) -> str:
    """Return a key view as a list, or its length."""
    view = f"td.{method}({draw.pick(VIEW_ARGUMENTS)})"
    return f"out = len({view})" if method == "keys" and draw.chance(0.2) else f"out = list({view})"


@operation("keys", 1)
def keys(draw: Draw, state: State) -> str:
    return view_text(draw, "keys")


@operation("items", 1)
def items(draw: Draw, state: State) -> str:
    return view_text(draw, "items")


@operation("values", 1)
def values(draw: Draw, state: State) -> str:
    return view_text(draw, "values")


@operation("sorted_keys", 0.1)
def sorted_keys(draw: Draw, state: State) -> str:
    return "out = list(td.sorted_keys)"


@operation("entry_class", 0.3)
def entry_class(draw: Draw, state: State) -> str:
    return f"out = td.entry_class({any_key(draw, state)})"


@operation("get_item_shape", 0.2)
def get_item_shape(draw: Draw, state: State) -> str:
    return f"out = td.get_item_shape({any_key(draw, state)})"


@operation("fromkeys", 0.2)
def fromkeys(draw: Draw, state: State) -> str:
    keys = ", ".join(any_key(draw, state, 0.5) for _ in range(draw.integer(0, 3)))
    value = draw.pick(("", f", {number_text(draw)}", ", 'text'"))
    return f"out = lib.TensorDict.fromkeys([{keys}]{value})"


@operation("set_non_tensor", 0.4)
def set_non_tensor(draw: Draw, state: State) -> str:
    value = draw.pick(("'text'", "1.5", "{'x': 1}", "[1, 2]", "None"))
    return f"out = td.set_non_tensor({any_key(draw, state, 0.3)}, {value})"


@operation("get_non_tensor", 0.4)
def get_non_tensor(draw: Draw, state: State) -> str:
    path = present_path(draw, state.of_kind("non_tensor")) if draw.chance(0.7) else None
    key = any_key(draw, state) if path is None else key_text(path)
    return f"out = td.get_non_tensor({key}{draw.pick(('', ', None', ', default=3'))})"


@operation("is_non_tensor", 0.2)
def is_non_tensor(draw: Draw, state: State) -> str:
    return f"out = td.is_non_tensor({any_key(draw, state)})"


@operation("non_tensor_items", 0.2)
def non_tensor_items(draw: Draw, state: State) -> str:
    return f"out = list(td.non_tensor_items({draw.pick(('', 'include_nested=True'))}))"


@operation("filter_non_tensor_data", 0.3, adopt=0.2)
def filter_non_tensor_data(draw: Draw, state: State) -> str:
    return "out = td.filter_non_tensor_data()"


@operation("unravel_key", 0.2)
def unravel_key(draw: Draw, state: State) -> str:
    key = draw.pick(("'a'", "('a',)", "('a', ('b', ('c',)))", "(('a', 'b'), 'c')", "1", "()", "('a', 1)", "None"))
    function = draw.pick(("unravel_key({0})", "unravel_key_list([{0}, 'x'])", "unravel_key_to_tuple({0})"))
    return f"out = lib.{function.format(key)}"
