"""Joining containers and taking them apart."""

from __future__ import annotations

from typing import Any

import torch

from ..floors import distribute, gather, per_leaf
from ..sides import Side
from ..trees import Data, Tree
from ..workload import Workload, bulk

COUNT = 4

_split_by_two = per_leaf("leaf.split(2)")
_split_by_sizes = per_leaf("leaf.split([2, 6])")
_chunk = per_leaf("leaf.chunk(2)")
_unbind = per_leaf("leaf.unbind(0)")
_unbind_second = per_leaf("leaf.unbind(1)")
_tensor_split = per_leaf("leaf.tensor_split(4)")


def _several(side: Side, tree: Tree) -> tuple[Any, ...]:
    """A list of containers of one form."""
    return ([side.container(tree, seed=number) for number in range(COUNT)],)


def _stack(trees: list[Data]) -> Data:
    return gather(trees, torch.stack)


def _stack_last(trees: list[Data]) -> Data:
    return gather(trees, lambda leaves: torch.stack(leaves, 2))


def _cat(trees: list[Data]) -> Data:
    return gather(trees, torch.cat)


def _cat_second(trees: list[Data]) -> Data:
    return gather(trees, lambda leaves: torch.cat(leaves, 1))


WORKLOADS: tuple[Workload, ...] = (
    bulk("combine/stack", _stack, lambda tds: torch.stack(tds, 0), _several),
    bulk("combine/stack-last", _stack_last, lambda tds: torch.stack(tds, -1), _several),
    bulk("combine/cat", _cat, lambda tds: torch.cat(tds, 0), _several),
    bulk("combine/cat-second", _cat_second, lambda tds: torch.cat(tds, 1), _several),
    bulk("combine/split", lambda data: distribute(_split_by_two(data), 4), lambda td: td.split(2)),
    bulk("combine/split-sizes", lambda data: distribute(_split_by_sizes(data), 2), lambda td: td.split([2, 6])),
    bulk("combine/chunk", lambda data: distribute(_chunk(data), 2), lambda td: td.chunk(2)),
    bulk("combine/tensor_split", lambda data: distribute(_tensor_split(data), 4), lambda td: td.tensor_split(4)),
    bulk("combine/unbind", lambda data: distribute(_unbind(data), 8), lambda td: td.unbind(0)),
    bulk("combine/unbind-second", lambda data: distribute(_unbind_second(data), 4), lambda td: td.unbind(1)),
    bulk("combine/iterate", lambda data: distribute(_unbind(data), 8), list),
)
