"""Copying, casting, applying and overwriting every leaf."""

from __future__ import annotations

import torch
from torch import Tensor

from ..floors import foreach_, per_leaf
from ..trees import DEEP, FLAT, LOCKED, Data
from ..workload import Workload, beside, bulk, pair

TREES = (*FLAT, DEEP[1], DEEP[2])
WITH_LOCKED = (*TREES, *LOCKED)


def increment(leaf: Tensor) -> Tensor:
    """The function that ``apply`` is given."""
    return leaf + 1


def combine(leaf: Tensor, other: Tensor) -> Tensor:
    """The function of two leaves that ``apply`` is given."""
    return leaf - other


def named(key: str, leaf: Tensor) -> Tensor:
    """The function of key and leaf that ``named_apply`` is given."""
    return leaf + len(key)


_apply = per_leaf("function(leaf)", "function")
_apply_two = per_leaf("function(leaf, other[key])", "function", zipped=("other",))
_named_apply = per_leaf("function(key, leaf)", "function")
_copy = foreach_(torch._foreach_copy_)


def _copy_from(data: Data, other: Data) -> Data:
    result: Data = _copy(data, other)
    return result


WORKLOADS: tuple[Workload, ...] = (
    bulk("values/clone", per_leaf("leaf.clone()"), lambda td: td.clone(), trees=WITH_LOCKED),
    bulk("values/detach", per_leaf("leaf.detach()"), lambda td: td.detach(), trees=TREES),
    bulk("values/data", per_leaf("leaf.data"), lambda td: td.data, trees=TREES),
    bulk("values/contiguous", per_leaf("leaf.contiguous()"), lambda td: td.contiguous(), trees=TREES),
    bulk("values/to-dtype", per_leaf("leaf.to(torch.float64)"), lambda td: td.to(torch.float64), trees=WITH_LOCKED),
    bulk("values/double", per_leaf("leaf.double()"), lambda td: td.double(), trees=TREES),
    bulk("values/int", per_leaf("leaf.int()"), lambda td: td.int(), trees=TREES),
    bulk("values/to-device", per_leaf("leaf.to('cpu')"), lambda td: td.to("cpu"), trees=TREES),
    bulk("values/apply", _apply, lambda td, f: td.apply(f), beside(increment), trees=WITH_LOCKED),
    bulk(
        "values/apply-two",
        lambda data, other: _apply_two(data, other, combine),
        lambda td, other: td.apply(combine, other),
        pair,
        trees=TREES,
    ),
    bulk("values/named_apply", _named_apply, lambda td, f: td.named_apply(f), beside(named), trees=TREES),
    bulk("values/update_", _copy_from, lambda td, other: td.update_(other), pair, trees=WITH_LOCKED),
    bulk("values/copy_", _copy_from, lambda td, other: td.copy_(other), pair, trees=TREES),
)
