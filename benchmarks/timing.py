"""Timing of several functions side by side, so that whatever disturbs the machine disturbs them all."""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import repeat
from time import perf_counter
from typing import Any

Call = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds a call over the rounds: the best is compared, the median shows how quiet the machine was."""

    best: float
    median: float


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to measure: rounds, and about how many seconds each function runs in each of them.

    Many short turns beat few long ones: the shorter a turn, the likelier that nothing interrupts it.
    """

    rounds: int
    seconds: float


FULL = Effort(rounds=60, seconds=0.0015)
QUICK = Effort(rounds=15, seconds=0.001)


@contextmanager
def collector_off() -> Iterator[None]:
    """Collect garbage now, and not again before the block ends."""
    enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def interleaved(calls: Sequence[Call], effort: Effort) -> list[Timing]:
    """Time the calls round-robin; each round starts with another one."""
    with collector_off():
        loops = [_fitting_loops(call, effort.seconds) for call in calls]
        samples: list[list[float]] = [[] for _ in calls]
        for number in range(effort.rounds):
            for position in range(len(calls)):
                which = (number + position) % len(calls)
                samples[which].append(_run(calls[which], loops[which]) / loops[which])
    return [Timing(min(times), statistics.median(times)) for times in samples]


def _run(call: Call, loops: int) -> float:
    iterations = repeat(None, loops)
    start = perf_counter()
    for _ in iterations:
        call()
    return perf_counter() - start


def _fitting_loops(call: Call, seconds: float) -> int:
    """Find how many calls fill the time; this warms up as well."""
    loops = 1
    while True:
        spent = _run(call, loops)
        if spent >= seconds / 4:
            return max(1, round(loops * seconds / spent))
        loops *= 4
