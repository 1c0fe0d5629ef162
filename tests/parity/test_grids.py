"""Directed parity: a grid of arguments for each method, on a few trees."""

from __future__ import annotations

import pytest

from .arena import Libraries, replay
from .grids import GRIDS, programs
from .report import failure_report
from .shrink import shrink


@pytest.mark.parametrize("grid", sorted(GRIDS))
def test_grid(libraries: Libraries, grid: str) -> None:
    unexplained = []
    agreed = 0
    for program in programs(grid):
        _, finding = replay(libraries, program)
        agreed += finding is None
        if finding is not None and finding.row is None:
            unexplained.append(finding)
    assert agreed > 0, "no cell of the grid agrees: the grid compares nothing"
    assert not unexplained, failure_report(libraries, shrink(libraries, unexplained[0]), len(unexplained))
