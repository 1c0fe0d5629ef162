"""Grids of keys: access, views, removal, selection, updates, key flattening."""

from __future__ import annotations

from .cells import cells

KEYS = """
    'a' | 'n' | 'z' | ('n', 'c') | ('n', 'm') | ('n', 'm', 'a') | ('a', 'x') | ('z', 'x') | ('a',) | (('n',), 'c') | 1
    | () | ('a', 1) | None | 's' | 'l' | ('n', 'o')"""
KEY_LISTS = """
    'a', 'b' | 'a' | 'n', 'a' | 'n', ('n', 'c') | ('n', 'c'), 'n' | ('n', 'm') | 'z' | ('n', 'z') | ('z', 'a')
    | 'b', 'a'
    | ('n', 'm', 'a'), 'b' | ('a', 'x') | 1 | 's', 'l' | ['a'] | 'a', 'a'"""
VIEWS = """
     | True | True, True | False, True | sort=True | True, sort=True | True, True, sort=True | False, True, sort=True
    | True, True, lib.is_leaf_nontensor | False, True, lib.is_leaf_nontensor | True, False, lib.is_leaf_nontensor
    | True, True, lambda cls: True | True, False, lambda cls: True"""
VALUES = """
    torch.ones(td.batch_size) | 1.0 | 'text' | lib.TensorDict({}) | {'x': torch.ones(td.batch_size)}
    | np.ones(tuple(td.batch_size)) | torch.ones(7, 7) | [1, 2, 3] | None"""
SOURCES = """
    td | td.clone() | {'a': torch.ones(td.batch_size)} | {'n': {'c': torch.ones(td.batch_size)}}
    | {'a': {'x': torch.ones(td.batch_size)}} | {'n': torch.ones(td.batch_size)} | {'z': 1}
    | {'z': torch.ones(td.batch_size)}
    | {('n', 'c'): torch.zeros(td.batch_size)} | {('z', 'y'): torch.zeros(td.batch_size)} | {} | None | []
    | {'s': 'other'}"""

GRIDS: dict[str, tuple[str, ...]] = {
    "get": cells("out = td.get({0}{1})", KEYS, " | , None | , 'd' | , default=1"),
    "getitem by key": cells("out = td[{0}]", KEYS),
    "setitem by key": cells("td[{0}] = {1}", KEYS, VALUES),
    "membership": cells(
        "out = {0} in {1}", KEYS, "td | td.keys() | td.keys(True) | td.keys(True, True) | td.keys(False, True)"
    ),
    "keys": cells("out = {0}(td.keys({1}))", "list | len", VIEWS),
    "items": cells("out = list(td.items({0}))", VIEWS),
    "values": cells("out = list(td.values({0}))", VIEWS),
    "pop": cells("out = td.pop({0}{1})", KEYS, " | , None"),
    "popitem": ("out = td.popitem()",),
    "del_": cells(
        "{0}", tuple(f"out = td.del_({key})" for key in ("'a'", "'n'", "('n', 'c')", "'z'", "('z', 'x')", "1"))
    ),
    "delitem": cells("del td[{0}]", KEYS),
    "set": cells("out = td.set({0}, {1})", KEYS, VALUES),
    "set inplace": cells("out = td.set({0}, {1}, inplace=True)", KEYS, VALUES),
    "set_": cells("out = td.set_({0}, {1})", KEYS, VALUES),
    "set_non_tensor": cells("out = td.set_non_tensor({0}, {1})", KEYS, "1 | 'text' | [1, 2, 3]"),
    "get_non_tensor": cells("out = td.get_non_tensor({0}{1})", KEYS, " | , None"),
    "fill_": cells("out = td.fill_({0}, 3)", KEYS),
    "create_nested": cells("out = td.create_nested({0})", KEYS),
    "setdefault": cells("out = td.setdefault({0}, torch.ones(td.batch_size))", KEYS),
    "rename_key_": cells(
        "out = td.rename_key_({0}, {1}{2})", KEYS, "'a' | 'n' | 'q' | ('n', 'c') | ('q', 'r')", " | , safe=True"
    ),
    "entry_class": cells("out = td.entry_class({0})", KEYS),
    "select": cells("out = td.select({0}{1})", KEY_LISTS, " | , strict=False | , inplace=True"),
    "select nothing": cells("out = td.select({0})", " | strict=False | inplace=True"),
    "exclude": cells("out = td.exclude({0}{1})", KEY_LISTS, " | , inplace=True"),
    "exclude nothing": cells("out = td.exclude({0})", " | inplace=True"),
    "update": cells(
        "out = td.update({0}{1})",
        SOURCES,
        " | , keys_to_update=[] | , keys_to_update=['a'] | , clone=True | , inplace=True",
    ),
    "update_": cells("out = td.update_({0}{1})", SOURCES, " | , keys_to_update=[] | , keys_to_update=['a']"),
    "replace": cells("out = td.replace({0})", SOURCES + " | | a=torch.ones(td.batch_size)"),
    "empty": cells(
        "out = td.empty({0})",
        " | recurse=True | batch_size=[] | device='cpu' | device=None | names=None | batch_size=[2, 2, 2]"
        " | recurse=True, batch_size=[] | names=list('xyz')[: td.ndim]",
    ),
    "flatten_keys": cells(
        "out = td.flatten_keys({0})",
        " | '_' | '' | inplace=True | is_leaf=lib.default_is_leaf | is_leaf=lib.is_leaf_nontensor",
    ),
    "flatten_keys that collide": cells(
        "td.set('n.c', torch.ones(td.batch_size)); out = td.{0}", "flatten_keys() | unflatten_keys()"
    ),
    "unflatten_keys": cells(
        "out = td.{0}.unflatten_keys({1})", "flatten_keys() | flatten_keys('_') | clone()", " | '_' | inplace=True"
    ),
    "entries joined": cells(
        "out = td.{0}({1}, out_key={2}, dim={3}{4})",
        "cat_tensors | stack_tensors",
        "'a', 'a' | 'a', 'b' | 'a', ('n', 'c') | 'a', 'z'",
        "'o' | 'a' | ('n', 'o')",
        "0 | -1",
        " | , keep_entries=True",
    ),
}
