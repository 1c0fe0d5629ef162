"""The trees of tensors that workloads run on, as plain nested dicts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

Data = dict[str, Any]
"""A nested dict whose leaves are tensors."""

BATCH = (8, 4)
"""The dims that all leaves share. Small on purpose: overhead is what is measured."""

FEATURES = ((3,), (), (2, 2))
"""What follows the batch dims, leaf after leaf: a tree mixes leaves of 2, 3 and 4 dims, as real ones do."""

DEPTH = 20
NODE = "node"
"""The key under which each level of a deep tree holds the next."""


@dataclass(frozen=True, slots=True)
class Tree:
    """The form of a tree: how many leaves, on one level or spread over twenty, locked or not."""

    leaves: int
    deep: bool = False
    locked: bool = False

    @property
    def name(self) -> str:
        """The short name that the tables show."""
        return f"{'deep' if self.deep else 'flat'}-{self.leaves}{'-locked' if self.locked else ''}"

    def data(self, seed: int = 0) -> Data:
        """Make a fresh plain dict of this form; values lie in [0.5, 1.5), and the seed fixes them."""
        generator = torch.Generator().manual_seed(seed)
        levels: list[Data] = [{} for _ in range(DEPTH if self.deep else 1)]
        for number in range(self.leaves):
            shape = BATCH + FEATURES[number % len(FEATURES)]
            levels[_level(number, self.leaves, len(levels))][f"leaf{number}"] = (
                torch.rand(shape, generator=generator) + 0.5
            )
        for outer, inner in pairwise(levels):
            outer[NODE] = inner
        return levels[0]


def _level(number: int, leaves: int, levels: int) -> int:
    """Spread the leaves evenly, the last one at the bottom."""
    return number * (levels - 1) // max(leaves - 1, 1)


def leaves_of(data: Data) -> list[Tensor]:
    """List the tensors of a nested dict, in order."""
    found: list[Tensor] = []
    _collect(data, found)
    return found


def _collect(data: Data, found: list[Tensor]) -> None:
    for value in data.values():
        if type(value) is dict:
            _collect(value, found)
        else:
            found.append(value)


FLAT = tuple(Tree(leaves) for leaves in (2, 10, 100))
DEEP = tuple(Tree(leaves, deep=True) for leaves in (2, 10, 100))
TREES = FLAT + DEEP
LOCKED = (Tree(10, locked=True), Tree(100, deep=True, locked=True))
WITH_LOCKED = TREES + LOCKED
QUICK = frozenset({"flat-10", "deep-10", "flat-10-locked"})
"""The trees that ``run --quick`` keeps."""
