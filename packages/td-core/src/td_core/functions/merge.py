"""Merging several tensordicts into one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

from ..errors import TDRuntimeError, TDTypeError
from ..keys import unravel_key
from ..leaves import kind_of, kind_of_type
from ..typing import NestedKey

Combine = Callable[..., Any]


def merge_tensordicts(*tensordicts: Any, callback_exist: Combine | Mapping[NestedKey, Combine] | None = None) -> Any:
    """Merge tensordicts into a new one, which takes batch size, device and names from the first.

    Args:
        tensordicts: two or more; nested nodes are merged too. An entry that several of them have is that of the first.
        callback_exist: called with the values of an entry that all of them have, in order, to combine them; or a
            mapping from keys to such functions. Non-tensor entries are not combined.

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
    return _merged(nodes, lambda _key: callback_exist, ())


def _node(td: Any) -> Any:
    kind = kind_of_type(type(td))
    node = None if kind is None else kind.node(td)
    if node is None:
        raise TDTypeError(f"merge_tensordicts() merges tensordicts, got a {type(td).__name__}.")
    return node


def _merged(
    nodes: list[Any], function_for: Callable[[Any], Combine | None], path: tuple[str, ...], alone: bool = False
) -> Any:
    """Merge one level. `alone`: some of the tensordicts lack this node, so nothing in it is combined."""
    out = nodes[0].empty()
    for key in dict.fromkeys(chain.from_iterable(node.keys() for node in nodes)):
        values = [node.get(key) for node in nodes if key in node]
        partial = alone or len(values) < len(nodes)
        first, kind, here = values[0], kind_of(values[0]), (*path, key)
        children = [kind_of(value).node(value) for value in values]
        if all(child is not None for child in children):
            value = kind.wrap(first, _merged(children, function_for, here, partial))
        else:
            function = None if partial or kind.is_non_tensor else function_for(unravel_key(here))
            value = first if function is None else function(*values)
        out.set(key, value)
    return out
