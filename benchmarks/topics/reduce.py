"""Reductions over batch dims and over everything."""

from __future__ import annotations

from typing import Any

import torch

from ..floors import foreach, per_leaf
from ..sides import Side
from ..trees import DEEP, FLAT, LOCKED, Data, Tree, leaves_of
from ..workload import Workload, bulk

TREES = (*FLAT, DEEP[1], DEEP[2])
WITH_LOCKED = (*TREES, *LOCKED)

_positive = per_leaf("leaf > 0.0")
_negative = per_leaf("leaf < 0.0")


def _true(side: Side, tree: Tree) -> tuple[Any, ...]:
    """A container of masks that are true throughout, so that ``all`` visits every leaf."""
    return (side.build(_positive(tree.data()), locked=tree.locked),)


def _false(side: Side, tree: Tree) -> tuple[Any, ...]:
    """A container of masks that are false throughout, so that ``any`` visits every leaf."""
    return (side.build(_negative(tree.data()), locked=tree.locked),)


def _all(data: Data) -> bool:
    return all(bool(leaf.all()) for leaf in leaves_of(data))


def _any(data: Data) -> bool:
    return any(bool(leaf.any()) for leaf in leaves_of(data))


WORKLOADS: tuple[Workload, ...] = (
    bulk("reduce/sum", per_leaf("leaf.sum()"), lambda td: td.sum(), trees=WITH_LOCKED),
    bulk("reduce/sum-dim", per_leaf("leaf.sum(dim=0)"), lambda td: td.sum(dim=0), trees=WITH_LOCKED),
    bulk("reduce/sum-dims", per_leaf("leaf.sum(dim=(0, 1))"), lambda td: td.sum(dim=(0, 1)), trees=TREES),
    bulk(
        "reduce/sum-keepdim",
        per_leaf("leaf.sum(dim=1, keepdim=True)"),
        lambda td: td.sum(dim=1, keepdim=True),
        trees=TREES,
    ),
    bulk("reduce/mean", per_leaf("leaf.mean()"), lambda td: td.mean(), trees=TREES),
    bulk("reduce/mean-dim", per_leaf("leaf.mean(dim=0)"), lambda td: td.mean(dim=0), trees=TREES),
    bulk("reduce/std-dim", per_leaf("leaf.std(dim=0)"), lambda td: td.std(dim=0), trees=TREES),
    bulk("reduce/prod-dim", per_leaf("leaf.prod(dim=0)"), lambda td: td.prod(dim=0), trees=TREES),
    bulk("reduce/amax-dim", per_leaf("leaf.amax(dim=0)"), lambda td: td.amax(dim=0), trees=TREES),
    bulk("reduce/max-dim", per_leaf("leaf.max(dim=0).values"), lambda td: td.max(dim=0).values, trees=TREES),
    bulk("reduce/norm", foreach(torch._foreach_norm), lambda td: td.norm(), trees=TREES),
    bulk("reduce/logsumexp-dim", per_leaf("leaf.logsumexp(dim=0)"), lambda td: td.logsumexp(dim=0), trees=TREES),
    bulk("reduce/softmax", per_leaf("leaf.softmax(dim=0)"), lambda td: td.softmax(dim=0), trees=TREES),
    bulk("reduce/all", _all, lambda td: td.all(), _true, trees=TREES),
    bulk("reduce/any", _any, lambda td: td.any(), _false, trees=TREES),
    bulk("reduce/all-dim", per_leaf("leaf.all(dim=0)"), lambda td: td.all(dim=0), _true, trees=TREES),
    bulk("reduce/any-dim", per_leaf("leaf.any(dim=0)"), lambda td: td.any(dim=0), _false, trees=TREES),
)
