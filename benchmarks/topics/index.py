"""Reading and writing rows with every kind of index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import getitem
from typing import Any

import numpy as np
import torch

from ..floors import each_leaf, per_leaf
from ..sides import Side
from ..trees import DEEP, FLAT, LOCKED, Tree
from ..workload import Arguments, Workload, access, beside, bulk

ROWS = [0, 3, 5]
LONG = torch.tensor(ROWS)
COLUMNS = torch.tensor([1, 3, 0])
MASK = torch.tensor([True, False, False, True, False, True, True, False])
MASK_2D = torch.tensor([[True, False, False, True], [False, True, True, False]] * 4)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of index.

    Attributes:
        label: its name.
        index: what the container is indexed with.
        by_hand: what a leaf is indexed with, where a leaf (which has dims of its own on the right) needs another form.
        prepared: what one does by hand once per call, before the leaves, with a form that is slow to use as it is.
    """

    label: str
    index: Any
    by_hand: Any = None
    prepared: Callable[[Any], Any] | None = None

    @property
    def leaf_index(self) -> Any:
        """What the floor is given."""
        return self.index if self.by_hand is None else self.by_hand


ALL = slice(None)
KINDS = (
    Kind("int", 3),
    Kind("negative-int", -2),
    Kind("slice", slice(2, 6)),
    Kind("negative-slice", slice(-3, None)),
    Kind("step", slice(0, None, 2)),
    Kind("none", None, by_hand=(None,)),
    Kind("ellipsis", ...),
    Kind("mask", MASK),
    Kind("mask-2d", MASK_2D),
    Kind("mask-numpy", MASK.numpy(), prepared=torch.from_numpy),
    Kind("long", LONG),
    Kind("list", ROWS, prepared=torch.tensor),
    Kind("range", range(0, 6, 2), prepared=torch.tensor),
    Kind("numpy", np.array(ROWS), prepared=torch.from_numpy),
    Kind("int-int", (3, 1)),
    Kind("int-slice", (3, slice(1, 3))),
    Kind("slice-int", (ALL, 1)),
    Kind("slice-slice", (slice(2, 6), slice(1, None))),
    Kind("ellipsis-int", (..., 1), by_hand=(ALL, 1)),
    Kind("none-slice", (None, slice(2, 6))),
    Kind("long-int", (LONG, 1)),
    Kind("slice-long", (ALL, COLUMNS)),
    Kind("long-long", (LONG, COLUMNS)),
    Kind("none-mask", (None, MASK)),
    Kind("mask-int", (MASK, 1)),
)
READ = tuple(kind for kind in KINDS if kind.label != "ellipsis")  # td[...] is td itself: nothing to do by hand
WRITTEN = tuple(kind for kind in KINDS if kind.label not in {"none", "none-slice", "none-mask"})
WITH_NUMBER = tuple(kind for kind in KINDS if kind.label in {"int", "slice", "mask", "long", "slice-int"})

_read = per_leaf("leaf[index]", "index")
_write = each_leaf("leaf[index] = value[key]", "index", zipped=("value",))
_write_number = each_leaf("leaf[index] = 0.0", "index")

TREES = (*FLAT, DEEP[1], DEEP[2])


def _prepare(kind: Kind) -> Callable[[Any], Any]:
    return kind.prepared if kind.prepared is not None else lambda index: index


def _reading(kind: Kind) -> Workload:
    def by_hand(data: Any, index: Any) -> Any:
        return _read(data, prepare(index))

    prepare = _prepare(kind)
    floor = by_hand if kind.prepared is not None else _read
    trees = (*TREES, *LOCKED) if kind.label in {"int", "slice", "mask", "long"} else TREES
    return bulk(f"index/{kind.label}", floor, getitem, _indexed(kind), trees=trees)


def _indexed(kind: Kind) -> Arguments:
    def arguments(side: Side, tree: Tree) -> tuple[Any, ...]:
        return (side.container(tree), kind.leaf_index if side.library is None else kind.index)

    return arguments


def _indexed_with_value(kind: Kind) -> Arguments:
    def arguments(side: Side, tree: Tree) -> tuple[Any, ...]:
        source = side.container(tree, seed=1)
        if side.library is None:
            return (side.container(tree), _read(source, _prepare(kind)(kind.leaf_index)), kind.leaf_index)
        return (side.container(tree), source[kind.index], kind.index)

    return arguments


def _write_container(td: Any, value: Any, index: Any) -> None:
    td[index] = value


def _writing(kind: Kind) -> Workload:
    def by_hand(data: Any, value: Any, index: Any) -> None:
        _write(data, value, prepare(index))

    prepare = _prepare(kind)
    floor = by_hand if kind.prepared is not None else _write
    return bulk(f"index-write/{kind.label}", floor, _write_container, _indexed_with_value(kind), trees=TREES)


def _set_number(td: Any, index: Any) -> None:
    td[index] = 0.0


def _writing_number(kind: Kind) -> Workload:
    return bulk(f"index-write/{kind.label}-number", _write_number, _set_number, _indexed(kind), trees=TREES)


WORKLOADS: tuple[Workload, ...] = (
    *(_reading(kind) for kind in READ),
    access("index/ellipsis", lambda data, index: data if index is ... else _read(data, index), getitem, beside(...)),
    *(_writing(kind) for kind in WRITTEN),
    *(_writing_number(kind) for kind in WITH_NUMBER),
    bulk(
        "index/gather",
        per_leaf("leaf.gather(0, index[(...,) + (None,) * (leaf.ndim - 2)].expand(2, *leaf.shape[1:]))", "index"),
        lambda td, index: td.gather(0, index),
        beside(torch.tensor([[0, 1, 2, 3], [7, 6, 5, 4]])),
        trees=TREES,
    ),
    bulk("index/narrow", per_leaf("leaf.narrow(0, 2, 3)"), lambda td: td.narrow(0, 2, 3), trees=TREES),
)
