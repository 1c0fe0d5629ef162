"""Merging several tensordicts into one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import TDRuntimeError, TDTypeError
from ..keys import unravel_key
from ..leaves import kind_of, kind_of_type
from ..typing import NestedKey

Combine = Callable[..., Any]


def merge_tensordicts(*tensordicts: Any, callback_exist: Combine | Mapping[NestedKey, Combine] | None = None) -> Any:
    """Merge tensordicts left to right into a new one, which takes batch size, device and names from the first.

    Args:
        tensordicts: two or more. Nested nodes are merged too.
        callback_exist: called with all values of an entry that several of them have, in order, to combine them; or a
            mapping from keys to such functions. Entries without a function keep the last value.

    Raises:
        TDRuntimeError: fewer than two are given.
        TDTypeError: something else than a tensordict is given.
    """
    if len(tensordicts) < 2:
        raise TDRuntimeError(f"merge_tensordicts() needs at least two tensordicts, got {len(tensordicts)}.")
    nodes = [_node(td) for td in tensordicts]
    if isinstance(callback_exist, Mapping):
        functions = {unravel_key(key): function for key, function in callback_exist.items()}
        return _merged(nodes, functions.get, ())
    return _merged(nodes, lambda key: callback_exist, ())


def _node(td: Any) -> Any:
    kind = kind_of_type(type(td))
    node = None if kind is None else kind.node(td)
    if node is None:
        raise TDTypeError(f"merge_tensordicts() merges tensordicts, got a {type(td).__name__}.")
    return node


def _merged(nodes: list[Any], function_for: Callable[[Any], Combine | None], path: tuple[str, ...]) -> Any:
    out = nodes[0].empty()
    keys = dict.fromkeys(key for node in nodes for key in node.keys())
    for key in keys:
        values = [node.get(key) for node in nodes if key in node.keys()]
        children = [kind_of(value).node(value) for value in values]
        here = (*path, key)
        if all(child is not None for child in children):
            value = kind_of(values[0]).wrap(values[0], _merged(children, function_for, here))
        else:
            function = function_for(unravel_key(here)) if len(values) > 1 else None
            value = values[-1] if function is None else function(*(kind_of(v).unwrap(v) for v in values))
        out.set(key, value)
    return out
