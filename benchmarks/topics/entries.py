"""Reading, storing, finding and removing single entries.

Flat workloads visit every key of the top level; nested ones reach the deepest leaf of a tree of twenty levels, by a
tuple or step by step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..floors import check, locate, store
from ..sides import Side
from ..trees import BATCH, DEEP, DEPTH, FLAT, LOCKED, NODE, Data, Tree, leaves_of
from ..workload import Workload, access

MISSING = "missing"
DEEPEST = DEEP[2]
BOTTOM = (NODE,) * (DEPTH - 1)
KEY = (*BOTTOM, f"leaf{DEEPEST.leaves - 1}")
FLAT_AND_LOCKED = (*FLAT, LOCKED[0])
AT_DEPTH = (DEEPEST, LOCKED[1])
NEW = torch.ones(BATCH)


def _with_keys(side: Side, tree: Tree) -> tuple[Any, ...]:
    """The container and the keys of its top level."""
    return (side.container(tree), list(tree.data()))


def _with_values(side: Side, tree: Tree) -> tuple[Any, ...]:
    """The container and new values for its top level."""
    return (side.container(tree), tree.data(seed=1))


def _two_levels(side: Side, tree: Tree) -> tuple[Any, ...]:
    """A tree inside one node, and the keys of its leaves."""
    data = tree.data()
    return (side.build({NODE: data}, locked=tree.locked), [(NODE, key) for key in data])


def _two_levels_with_values(side: Side, tree: Tree) -> tuple[Any, ...]:
    data = tree.data()
    values = {(NODE, key): value for key, value in tree.data(seed=1).items()}
    return (side.build({NODE: data}, locked=tree.locked), values)


def _deep_with_value(side: Side, tree: Tree) -> tuple[Any, ...]:
    """A deep tree and a new value for its deepest leaf."""
    return (side.container(tree), leaves_of(tree.data(seed=1))[-1])


def _read(td: Any, keys: list[Any]) -> None:
    for key in keys:
        td[key]


def _read_nested(data: Data, keys: list[tuple[str, str]]) -> None:
    for first, second in keys:
        data[first][second]


def _get(td: Any, keys: list[Any]) -> None:
    for key in keys:
        td.get(key)


def _get_missing(td: Any, keys: list[Any]) -> None:
    for _ in keys:
        td.get(MISSING, None)


def _descend(td: Any) -> Any:
    """Reach the deepest leaf one key at a time."""
    for _ in range(DEPTH - 1):
        td = td[NODE]
    return td[KEY[-1]]


def _write(td: Any, values: dict[Any, Any]) -> None:
    for key, value in values.items():
        td[key] = value


def _write_checked(data: Data, values: Data) -> None:
    for key, value in values.items():
        check(value)
        data[key] = value


def _store_all(data: Data, values: dict[tuple[str, ...], Any]) -> None:
    for (first, second), value in values.items():
        check(value)
        data[first][second] = value


def _set(td: Any, values: Data) -> None:
    for key, value in values.items():
        td.set(key, value)


def _set_in_place(td: Any, values: Data) -> None:
    for key, value in values.items():
        td.set_(key, value)


def _copy_checked(data: Data, values: Data) -> None:
    for key, value in values.items():
        check(value)
        data[key].copy_(value)


def _set_at(td: Any, values: Data) -> None:
    for key in values:
        td.set_at_(key, 0.0, 3)


def _set_at_by_hand(data: Data, values: Data) -> None:
    for key in values:
        data[key][3] = 0.0


def _get_at(td: Any, keys: list[str]) -> list[Any]:
    return [td.get_at(key, 3) for key in keys]


def _get_at_by_hand(data: Data, keys: list[str]) -> list[Any]:
    return [data[key][3] for key in keys]


def _set_and_delete(td: Any) -> None:
    td["new"] = NEW
    del td["new"]


def _set_and_delete_checked(data: Data) -> None:
    check(NEW)
    data["new"] = NEW
    del data["new"]


def _set_and_pop(td: Any) -> Any:
    td["new"] = NEW
    return td.pop("new")


def _set_and_pop_checked(data: Data) -> Any:
    check(NEW)
    data["new"] = NEW
    return data.pop("new")


def _rename_there_and_back(td: Any) -> None:
    td.rename_key_("leaf0", "renamed")
    td.rename_key_("renamed", "leaf0")


def _rename_by_hand(data: Data) -> None:
    if "renamed" in data:
        raise KeyError("renamed")
    data["renamed"] = data.pop("leaf0")
    if "leaf0" in data:
        raise KeyError("leaf0")
    data["leaf0"] = data.pop("renamed")


def _create_nested_and_delete(td: Any) -> None:
    td["branch", "new"] = NEW
    del td["branch"]


def _create_nested_by_hand(data: Data) -> None:
    check(NEW)
    data.setdefault("branch", {})["new"] = NEW
    del data["branch"]


def _contains(find: Callable[[Any], Any]) -> Callable[[Any, list[Any]], int]:
    """Count the keys that are found in what ``find`` makes of the container."""

    def count(td: Any, keys: list[Any]) -> int:
        return sum([key in find(td) for key in keys])

    return count


def _count(data: Data, keys: list[str]) -> int:
    return sum([key in data for key in keys])


def _count_nested(data: Data, keys: list[tuple[str, str]]) -> int:
    return sum([first in data and second in data[first] for first, second in keys])


def _count_missing(data: Data, keys: list[str]) -> int:
    return sum([MISSING in data for _ in keys])


def _contains_missing(td: Any, keys: list[str]) -> int:
    return sum([MISSING in td.keys() for _ in keys])  # noqa: SIM118 (the view is what is measured)


def _contains_deep(td: Any) -> bool:
    return KEY in td.keys(True)


def _contains_deep_by_hand(data: Data) -> bool:
    node: Any = data
    for part in KEY:
        if type(node) is not dict or part not in node:
            return False
        node = node[part]
    return True


WORKLOADS: tuple[Workload, ...] = (
    access("get/item", _read, _read, _with_keys, trees=FLAT_AND_LOCKED),
    access("get/get", _get, _get, _with_keys, trees=FLAT_AND_LOCKED),
    access("get/get-default", _get_missing, _get_missing, _with_keys, trees=FLAT_AND_LOCKED),
    access("get/nested", _read_nested, _read, _two_levels, trees=FLAT_AND_LOCKED),
    access("get/depth-20", lambda data: locate(data, KEY), lambda td: td[KEY], trees=AT_DEPTH),
    access("get/depth-20-get", lambda data: locate(data, KEY), lambda td: td.get(KEY), trees=AT_DEPTH),
    access("get/depth-20-by-steps", _descend, _descend, trees=AT_DEPTH),
    access("get/get_at", _get_at_by_hand, _get_at, _with_keys, trees=FLAT_AND_LOCKED),
    access("set/item", _write_checked, _write, _with_values, trees=FLAT),
    access("set/set", _write_checked, _set, _with_values, trees=FLAT),
    access("set/set_", _copy_checked, _set_in_place, _with_values, trees=FLAT_AND_LOCKED),
    access("set/set_at_", _set_at_by_hand, _set_at, _with_values, trees=FLAT_AND_LOCKED),
    access("set/nested", _store_all, _write, _two_levels_with_values, trees=FLAT),
    access(
        "set/depth-20",
        lambda data, value: store(data, KEY, value),
        lambda td, value: td.__setitem__(KEY, value),
        _deep_with_value,
        trees=(DEEPEST,),
    ),
    access("set/new-then-delete", _set_and_delete_checked, _set_and_delete, trees=(*FLAT, DEEPEST)),
    access("set/new-then-pop", _set_and_pop_checked, _set_and_pop, trees=(*FLAT, DEEPEST)),
    access("set/new-branch-then-delete", _create_nested_by_hand, _create_nested_and_delete, trees=(*FLAT, DEEPEST)),
    access("set/rename_key_", _rename_by_hand, _rename_there_and_back, trees=(*FLAT, DEEPEST)),
    access(
        "set/setdefault", lambda data: data.setdefault("leaf0", NEW), lambda td: td.setdefault("leaf0", NEW), trees=FLAT
    ),
    access("contains/container", _count, _contains(lambda td: td), _with_keys, trees=FLAT_AND_LOCKED),
    access("contains/keys", _count, _contains(lambda td: td.keys()), _with_keys, trees=FLAT_AND_LOCKED),
    access("contains/keys-missing", _count_missing, _contains_missing, _with_keys, trees=FLAT_AND_LOCKED),
    access("contains/nested", _count_nested, _contains(lambda td: td.keys(True)), _two_levels, trees=FLAT_AND_LOCKED),
    access("contains/depth-20", _contains_deep_by_hand, _contains_deep, trees=AT_DEPTH),
)
