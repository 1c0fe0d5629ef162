"""Changing the batch dims of every leaf."""

from __future__ import annotations

from typing import Any

import torch

from ..floors import per_leaf
from ..sides import Side
from ..trees import Tree
from ..workload import Workload, bulk


def _row_in_front(side: Side, tree: Tree) -> tuple[Any, ...]:
    """A container of batch size [1, 4]."""
    if side.library is None:
        return (per_leaf("leaf[:1]")(tree.data()),)
    return (side.container(tree)[:1],)


WORKLOADS: tuple[Workload, ...] = (
    bulk("shape/view", per_leaf("leaf.view(32, *leaf.shape[2:])"), lambda td: td.view(-1)),
    bulk("shape/view-2d", per_leaf("leaf.view(4, 8, *leaf.shape[2:])"), lambda td: td.view(4, 8)),
    bulk("shape/reshape", per_leaf("leaf.reshape(32, *leaf.shape[2:])"), lambda td: td.reshape(-1)),
    bulk("shape/permute", per_leaf("leaf.permute(1, 0, *range(2, leaf.ndim))"), lambda td: td.permute(1, 0)),
    bulk("shape/transpose", per_leaf("leaf.transpose(0, 1)"), lambda td: td.transpose(0, 1)),
    bulk("shape/swapaxes", per_leaf("leaf.swapaxes(0, 1)"), lambda td: td.swapaxes(0, 1)),
    bulk("shape/moveaxis", per_leaf("leaf.moveaxis(0, 1)"), lambda td: td.moveaxis(0, 1)),
    bulk("shape/unsqueeze", per_leaf("leaf.unsqueeze(0)"), lambda td: td.unsqueeze(0)),
    bulk("shape/unsqueeze-last", per_leaf("leaf.unsqueeze(2)"), lambda td: td.unsqueeze(-1)),
    bulk("shape/squeeze", per_leaf("leaf.squeeze(0)"), lambda td: td.squeeze(0), _row_in_front),
    bulk("shape/squeeze-all", per_leaf("leaf.squeeze(0)"), lambda td: td.squeeze(), _row_in_front),
    bulk("shape/expand", per_leaf("leaf.expand(3, *leaf.shape)"), lambda td: td.expand(3, 8, 4)),
    bulk("shape/flatten", per_leaf("leaf.flatten(0, 1)"), lambda td: td.flatten(0, 1)),
    bulk("shape/unflatten", per_leaf("leaf.unflatten(0, (2, 4))"), lambda td: td.unflatten(0, (2, 4))),
    bulk("shape/flip", per_leaf("leaf.flip(0)"), lambda td: td.flip(0)),
    bulk("shape/roll", per_leaf("leaf.roll(1, 0)"), lambda td: td.roll(1, 0)),
    bulk("shape/repeat", per_leaf("leaf.repeat(2, 1, *(1,) * (leaf.ndim - 2))"), lambda td: td.repeat(2, 1)),
    bulk(
        "shape/repeat_interleave",
        per_leaf("leaf.repeat_interleave(2, dim=0)"),
        lambda td: td.repeat_interleave(2, dim=0),
    ),
    bulk(
        "shape/torch.permute",
        per_leaf("leaf.permute(1, 0, *range(2, leaf.ndim))"),
        lambda td: torch.permute(td, (1, 0)),
    ),
    bulk("shape/torch.flatten", per_leaf("torch.flatten(leaf, 0, 1)"), lambda td: torch.flatten(td, 0, 1)),
    bulk("shape/torch.unsqueeze", per_leaf("torch.unsqueeze(leaf, 0)"), lambda td: torch.unsqueeze(td, 0)),
)
