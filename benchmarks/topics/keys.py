"""Choosing, dropping, flattening and copying the structure of a container: no tensor is computed."""

from __future__ import annotations

from typing import Any

from ..floors import check
from ..sides import Side
from ..trees import DEEP, FLAT, NODE, WITH_LOCKED, Data, Tree
from ..workload import Workload, access, pair

HALVES = (*FLAT, DEEP[2])


def _half(tree: Tree) -> list[str]:
    """Every second key of the top level that holds a tensor."""
    return [key for key in tree.data() if key != NODE][::2]


def _with_half(side: Side, tree: Tree) -> tuple[Any, ...]:
    return (side.container(tree), _half(tree))


def _two_levels(side: Side, tree: Tree) -> tuple[Any, ...]:
    data = tree.data()
    return (side.build({NODE: data, "other": tree.data(seed=1)}), [(NODE, key) for key in _half(tree)])


def _select(data: Data, keys: list[str]) -> Data:
    return {key: data[key] for key in keys}


def _select_nested(data: Data, keys: list[tuple[str, str]]) -> Data:
    selected: Data = {}
    for first, second in keys:
        selected.setdefault(first, {})[second] = data[first][second]
    return selected


def _exclude(data: Data, keys: list[str]) -> Data:
    dropped = set(keys)
    return {
        key: copy_structure(value) if type(value) is dict else value
        for key, value in data.items()
        if key not in dropped
    }


def _exclude_nested(data: Data, keys: list[tuple[str, str]]) -> Data:
    result = copy_structure(data)
    for first, second in keys:
        result[first].pop(second, None)
    return result


def _split(data: Data, keys: list[str]) -> list[Data]:
    rest = dict(data)
    return [{key: rest.pop(key) for key in keys}, rest]


def copy_structure(data: Data) -> Data:
    """Copy the dicts and keep the tensors."""
    return {key: copy_structure(value) if type(value) is dict else value for key, value in data.items()}


def flatten(data: Data) -> Data:
    """Join nested keys with dots."""
    result: Data = {}
    _flatten_into(result, data, "")
    return result


def _flatten_into(result: Data, data: Data, prefix: str) -> None:
    for key, value in data.items():
        if type(value) is dict:
            _flatten_into(result, value, f"{prefix}{key}.")
        else:
            result[prefix + key] = value


def unflatten(data: Data) -> Data:
    """Split keys at dots."""
    result: Data = {}
    for key, value in data.items():
        *path, last = key.split(".")
        node = result
        for part in path:
            node = node.setdefault(part, {})
        node[last] = value
    return result


def _flattened(side: Side, tree: Tree) -> tuple[Any, ...]:
    return (side.build(flatten(tree.data()), locked=tree.locked),)


def merge(data: Data, other: Data) -> Data:
    """Update a nested dict with another whose batch was checked when it was built."""
    for key, value in other.items():
        if type(value) is dict:
            node = data.get(key)
            if type(node) is dict:
                merge(node, value)
            else:
                data[key] = value
        else:
            data[key] = value
    return data


def merge_checked(data: Data, other: Data) -> Data:
    """Update a nested dict with another that nobody has checked yet."""
    for key, value in other.items():
        if type(value) is dict:
            merge_checked(data.setdefault(key, {}), value)
        else:
            check(value)
            data[key] = value
    return data


def _replace(data: Data, other: Data) -> Data:
    return merge(copy_structure(data), other)


def _with_dict(side: Side, tree: Tree) -> tuple[Any, ...]:
    return (side.container(tree), tree.data(seed=1))


WORKLOADS: tuple[Workload, ...] = (
    access("keys/select", _select, lambda td, keys: td.select(*keys), _with_half, trees=HALVES),
    access("keys/select-nested", _select_nested, lambda td, keys: td.select(*keys), _two_levels, trees=FLAT),
    access("keys/exclude", _exclude, lambda td, keys: td.exclude(*keys), _with_half, trees=HALVES),
    access("keys/exclude-nested", _exclude_nested, lambda td, keys: td.exclude(*keys), _two_levels, trees=FLAT),
    access("keys/split_keys", _split, lambda td, keys: td.split_keys(keys), _with_half, trees=FLAT),
    access("keys/flatten_keys", flatten, lambda td: td.flatten_keys("."), trees=WITH_LOCKED),
    access("keys/unflatten_keys", unflatten, lambda td: td.unflatten_keys("."), _flattened),
    access("keys/copy", copy_structure, lambda td: td.copy(), trees=WITH_LOCKED),
    access("keys/clone-shallow", copy_structure, lambda td: td.clone(recurse=False)),
    access("keys/to_dict", copy_structure, lambda td: td.to_dict()),
    access("keys/empty", lambda data: {}, lambda td: td.empty()),
    access("update/container", merge, lambda td, other: td.update(other), pair),
    access("update/dict", merge_checked, lambda td, other: td.update(other), _with_dict),
    access("update/replace", _replace, lambda td, other: td.replace(other), pair),
)
