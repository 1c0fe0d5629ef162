"""Making containers."""

from __future__ import annotations

from typing import Any

import torch

from ..floors import check, checked, per_leaf
from ..sides import Side
from ..trees import BATCH, Data, Tree
from ..workload import Workload, access, bulk


def _class_and_data(side: Side, tree: Tree) -> tuple[Any, ...]:
    data = tree.data()
    return (data,) if side.library is None else (side.library.TensorDict, data)


def _class_alone(side: Side, tree: Tree) -> tuple[Any, ...]:
    return () if side.library is None else (side.library.TensorDict,)


def _class_and_children(side: Side, tree: Tree) -> tuple[Any, ...]:
    """Ten children that are containers already."""
    children = {f"child{number}": side.container(tree, seed=number) for number in range(10)}
    return (children,) if side.library is None else (side.library.TensorDict, children)


def _inferred(data: Data) -> Data:
    """Find the dims all leaves share, then build: what ``auto_batch_size`` asks for."""
    shape = _shared(data, None)
    if shape is None or shape[:2] != BATCH:
        raise ValueError(f"expected leaves that share {BATCH}, found {shape}")
    return checked(data)


def _shared(data: Data, shape: torch.Size | None) -> torch.Size | None:
    for value in data.values():
        if type(value) is dict:
            shape = _shared(value, shape)
        elif shape is None:
            shape = value.shape
        elif shape != value.shape:
            common = 0
            for left, right in zip(shape, value.shape, strict=False):
                if left != right:
                    break
                common += 1
            shape = shape[:common]
    return shape


def _of_checked(children: Data) -> Data:
    """Gather trees that were checked when they were made: one leaf of each tells its batch."""
    for child in children.values():
        check(_first_leaf(child))
    return dict(children)


def _first_leaf(data: Data) -> torch.Tensor:
    value: torch.Tensor | Data = next(iter(data.values()))
    return _first_leaf(value) if isinstance(value, dict) else value


WORKLOADS: tuple[Workload, ...] = (
    access("construct/dict", checked, lambda cls, data: cls(data, batch_size=BATCH), _class_and_data),
    access(
        "construct/dict-device", checked, lambda cls, data: cls(data, batch_size=BATCH, device="cpu"), _class_and_data
    ),
    access("construct/from_dict", checked, lambda cls, data: cls.from_dict(data, batch_size=BATCH), _class_and_data),
    access(
        "construct/from_dict-inferred",
        _inferred,
        lambda cls, data: cls.from_dict(data, auto_batch_size=True),
        _class_and_data,
    ),
    access("construct/empty", dict, lambda cls: cls({}, batch_size=BATCH), _class_alone, trees=(Tree(2),)),
    access(
        "construct/of-containers",
        _of_checked,
        lambda cls, children: cls(children, batch_size=BATCH),
        _class_and_children,
        trees=(Tree(2), Tree(10)),
    ),
    bulk("construct/zeros_like", per_leaf("torch.zeros_like(leaf)"), torch.zeros_like),
    bulk("construct/ones_like", per_leaf("torch.ones_like(leaf)"), torch.ones_like),
    bulk("construct/new_zeros", per_leaf("leaf.new_zeros((5, *leaf.shape[2:]))"), lambda td: td.new_zeros(5)),
)
