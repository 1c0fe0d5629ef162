"""Choosing elements with a mask of the batch's shape."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ..floors import each_leaf, per_leaf
from ..sides import Side
from ..trees import DEEP, FLAT, LOCKED, Data, Tree
from ..workload import Workload, beside, bulk

MASK = torch.tensor([[True, False, False, True], [False, True, True, False]] * 4)
TREES = (*FLAT, DEEP[1], DEEP[2])

_where_td = per_leaf("torch.where(masks[leaf.ndim], leaf, other[key])", "masks", zipped=("other",))
_where_number = per_leaf("torch.where(masks[leaf.ndim], leaf, 0.0)", "masks")
_fill = per_leaf("leaf.masked_fill(masks[leaf.ndim], 0.0)", "masks")
_fill_ = each_leaf("leaf.masked_fill_(masks[leaf.ndim], 0.0)", "masks")


def _widened(mask: Tensor) -> dict[int, Tensor]:
    """The mask for leaves of two, three and four dims: made once, used for all."""
    return {2: mask, 3: mask[..., None], 4: mask[..., None, None]}


def _fill_in_place(data: Data, mask: Tensor) -> Data:
    _fill_(data, _widened(mask))
    return data


def _mask_and_other(side: Side, tree: Tree) -> tuple[Any, ...]:
    return (MASK, side.container(tree), side.container(tree, seed=1))


WORKLOADS: tuple[Workload, ...] = (
    bulk(
        "mask/where",
        lambda mask, data, other: _where_td(data, other, _widened(mask)),
        lambda mask, td, other: td.where(mask, other),
        _mask_and_other,
        trees=(*TREES, *LOCKED),
    ),
    bulk(
        "mask/torch.where",
        lambda mask, data, other: _where_td(data, other, _widened(mask)),
        torch.where,
        _mask_and_other,
        trees=TREES,
    ),
    bulk(
        "mask/where-number",
        lambda data, mask: _where_number(data, _widened(mask)),
        lambda td, mask: td.where(mask, 0.0),
        beside(MASK),
        trees=TREES,
    ),
    bulk(
        "mask/masked_select",
        per_leaf("leaf[mask]", "mask"),
        lambda td, mask: td.masked_select(mask),
        beside(MASK),
        trees=TREES,
    ),
    bulk(
        "mask/masked_fill",
        lambda data, mask: _fill(data, _widened(mask)),
        lambda td, mask: td.masked_fill(mask, 0.0),
        beside(MASK),
        trees=TREES,
    ),
    bulk("mask/masked_fill_", _fill_in_place, lambda td, mask: td.masked_fill_(mask, 0.0), beside(MASK), trees=TREES),
)
