"""The command ``profile``: where the time of one case goes."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Sequence
from functools import partial
from time import perf_counter

import torch

from .report import duration, ratio
from .results import Row
from .run import run_case
from .sides import FLOOR, OURS, PEER, Side
from .timing import FULL
from .workload import Case


def profile(case: Case, sides: Sequence[Side], *, of: str = OURS, seconds: float = 2.0, lines: int = 25) -> Row:
    """Time the case on all sides, then print cProfile's account of one side, by time spent in each function itself."""
    torch.set_num_threads(1)
    row = run_case(case, sides, FULL)
    times = ", ".join(f"{side} {duration(timing.best)}" for side, timing in row.timings.items())
    print(f"{case.name}: {times}")
    print(f"ours / floor {ratio(row.ratio(OURS, FLOOR))}, peer / ours {ratio(row.ratio(PEER, OURS))}")
    for side_name, problem in row.problems.items():
        print(f"{side_name}: {problem}")
    side = next(side for side in sides if side.name == of)
    call = partial(case.workload.function(side), *case.workload.arguments(side, case.tree))
    profiler = cProfile.Profile()
    end = perf_counter() + seconds
    calls = 0
    while perf_counter() < end:
        profiler.enable()
        for _ in range(100):
            call()
        profiler.disable()
        calls += 100
    print(f"{calls} calls of {of}:")
    pstats.Stats(profiler).sort_stats("tottime").print_stats(lines)
    return row
