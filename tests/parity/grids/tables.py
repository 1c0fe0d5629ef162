"""All grids, and the programs they stand for."""

from __future__ import annotations

from collections.abc import Iterator

from ..program import Program, Step
from . import indices, keys, shapes, values, whole
from .trees import TREES

GRIDS: dict[str, tuple[str, ...]] = {}
for family in (indices, keys, shapes, values, whole):
    GRIDS.update(family.GRIDS)


def programs(grid: str) -> Iterator[Program]:
    """Yield the programs of one grid: every cell on every tree."""
    for tree in TREES.values():
        for code in GRIDS[grid]:
            yield Program(tree, (Step(grid, code),))
