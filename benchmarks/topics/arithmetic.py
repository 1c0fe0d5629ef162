"""Elementwise operations, out of place and in place."""

from __future__ import annotations

import operator
from typing import Any

import torch

from ..floors import foreach, foreach_, per_leaf
from ..trees import BATCH, DEEP, FLAT, LOCKED
from ..workload import Workload, beside, bulk, pair, triple

SCALAR = torch.tensor(1.5)
ROWS = torch.linspace(0.5, 1.5, BATCH[0] * BATCH[1]).view(BATCH)
TREES = (*FLAT, DEEP[1], DEEP[2])
WITH_LOCKED = (*TREES, *LOCKED)


_add_rows = per_leaf("leaf + rows[leaf.ndim]", "rows")


def _aligned_add(data: Any, rows: torch.Tensor) -> Any:
    """Add a tensor of the batch's shape, widened on the right once for each number of dims."""
    return _add_rows(data, {2: rows, 3: rows[..., None], 4: rows[..., None, None]})


def _iadd(td: Any, other: Any) -> Any:
    td += other
    return td


def _isub(td: Any, other: Any) -> Any:
    td -= other
    return td


OUT_OF_PLACE: tuple[Workload, ...] = (
    bulk("arithmetic/add-number", foreach(torch._foreach_add), operator.add, beside(1.5), trees=WITH_LOCKED),
    bulk("arithmetic/mul-number", foreach(torch._foreach_mul), operator.mul, beside(1.5), trees=WITH_LOCKED),
    bulk("arithmetic/rsub-number", per_leaf("1.0 - leaf"), lambda td: 1.0 - td, trees=TREES),
    bulk("arithmetic/pow-number", foreach(torch._foreach_pow), operator.pow, beside(2.0), trees=TREES),
    bulk("arithmetic/mul-scalar-tensor", foreach(torch._foreach_mul), operator.mul, beside(SCALAR), trees=TREES),
    bulk("arithmetic/add-batch-tensor", _aligned_add, operator.add, beside(ROWS), trees=TREES),
    bulk("arithmetic/add-td", foreach(torch._foreach_add), operator.add, pair, trees=WITH_LOCKED),
    bulk("arithmetic/mul-td", foreach(torch._foreach_mul), operator.mul, pair, trees=WITH_LOCKED),
    bulk("arithmetic/div-td", foreach(torch._foreach_div), operator.truediv, pair, trees=TREES),
    bulk("arithmetic/maximum", foreach(torch._foreach_maximum), lambda td, other: td.maximum(other), pair, trees=TREES),
    bulk("arithmetic/neg", foreach(torch._foreach_neg), operator.neg, trees=TREES),
    bulk("arithmetic/abs", foreach(torch._foreach_abs), lambda td: td.abs(), trees=TREES),
    bulk("arithmetic/exp", foreach(torch._foreach_exp), lambda td: td.exp(), trees=WITH_LOCKED),
    bulk("arithmetic/sqrt", foreach(torch._foreach_sqrt), lambda td: td.sqrt(), trees=TREES),
    bulk("arithmetic/tanh", foreach(torch._foreach_tanh), lambda td: td.tanh(), trees=TREES),
    bulk("arithmetic/clamp", per_leaf("leaf.clamp(0.75, 1.25)"), lambda td: td.clamp(0.75, 1.25), trees=TREES),
    bulk(
        "arithmetic/lerp",
        foreach(torch._foreach_lerp),
        lambda td, other, weight: td.lerp(other, weight),
        lambda side, tree: (*pair(side, tree), 0.3),
        trees=TREES,
    ),
    bulk(
        "arithmetic/addcmul",
        foreach(torch._foreach_addcmul),
        lambda td, left, right: td.addcmul(left, right),
        triple,
        trees=TREES,
    ),
)

# In-place work repeats on the same values, so each operation is chosen to keep them finite.
IN_PLACE: tuple[Workload, ...] = (
    bulk(
        "arithmetic/add_-number",
        foreach_(torch._foreach_add_),
        lambda td, x: td.add_(x),
        beside(0.01),
        trees=WITH_LOCKED,
    ),
    bulk("arithmetic/iadd-number", foreach_(torch._foreach_add_), _iadd, beside(0.01), trees=TREES),
    bulk(
        "arithmetic/mul_-number",
        foreach_(torch._foreach_mul_),
        lambda td, x: td.mul_(x),
        beside(1.0),
        trees=WITH_LOCKED,
    ),
    bulk(
        "arithmetic/add_-td", foreach_(torch._foreach_add_), lambda td, other: td.add_(other), pair, trees=WITH_LOCKED
    ),
    bulk("arithmetic/isub-td", foreach_(torch._foreach_sub_), _isub, pair, trees=TREES),
    bulk("arithmetic/abs_", foreach_(torch._foreach_abs_), lambda td: td.abs_(), trees=TREES),
    bulk(
        "arithmetic/clamp_max_",
        foreach_(torch._foreach_clamp_max_),
        lambda td, x: td.clamp_max_(x),
        beside(1.25),
        trees=TREES,
    ),
    bulk(
        "arithmetic/lerp_",
        foreach_(torch._foreach_lerp_),
        lambda td, other, weight: td.lerp_(other, weight),
        lambda side, tree: (*pair(side, tree), 0.3),
        trees=TREES,
    ),
    bulk("arithmetic/zero_", foreach_(torch._foreach_zero_), lambda td: td.zero_(), trees=WITH_LOCKED),
)

WORKLOADS: tuple[Workload, ...] = OUT_OF_PLACE + IN_PLACE
