"""The command ``run``: check each case, then time its sides side by side."""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Iterable, Sequence
from functools import partial

import torch

from .faithful import UnfaithfulError, check_faithful
from .results import Row
from .sides import FLOOR, Side
from .timing import Effort, interleaved
from .topics import WORKLOADS
from .trees import QUICK
from .workload import Case, Workload


def choose(workloads: Iterable[Workload] = WORKLOADS, *, quick: bool = False, only: str | None = None) -> list[Case]:
    """List the cases to run.

    Args:
        workloads: where to choose from.
        quick: keep one flat and one deep tree for each workload.
        only: keep the cases whose name matches this regular expression somewhere.
    """
    pattern = re.compile(only or "")
    cases: list[Case] = []
    for workload in workloads:
        trees = workload.trees
        if quick:
            trees = tuple(tree for tree in trees if tree.name in QUICK) or trees[:1]
        cases += [Case(workload, tree) for tree in trees]
    return [case for case in cases if pattern.search(case.name)]


def run(cases: Sequence[Case], sides: Sequence[Side], effort: Effort, *, progress: bool = False) -> list[Row]:
    """Run the cases one after the other, each on all sides."""
    torch.set_num_threads(1)
    gc.collect()
    gc.freeze()  # the libraries' own objects: the collections between cases need not visit them
    rows: list[Row] = []
    for number, case in enumerate(cases, 1):
        if progress:
            print(f"\r{number}/{len(cases)} {case.name:60.60}", end="", file=sys.stderr, flush=True)
        rows.append(run_case(case, sides, effort))
    gc.unfreeze()
    if progress:
        print(file=sys.stderr)
    return rows


def run_case(case: Case, sides: Sequence[Side], effort: Effort) -> Row:
    """Time the sides that do the floor's work; report those that do not."""
    floor = next(side for side in sides if side.name == FLOOR)
    sound: list[Side] = [floor]
    problems: dict[str, str] = {}
    for side in sides:
        if side is not floor:
            problem = _problem(case, floor, side)
            if problem is None:
                sound.append(side)
            else:
                problems[side.name] = problem
    calls = [partial(case.workload.function(side), *case.workload.arguments(side, case.tree)) for side in sound]
    timings = interleaved(calls, effort)
    by_side = {side.name: timing for side, timing in zip(sound, timings, strict=True)}
    return Row(case.workload.name, case.tree.name, case.workload.tag, by_side, problems)


def _problem(case: Case, floor: Side, side: Side) -> str | None:
    try:
        check_faithful(case, floor, side)
    except UnfaithfulError as error:
        return str(error)
    except Exception as error:  # whatever a library raises costs it one figure, not the run
        return f"{type(error).__name__}: {error}".splitlines()[0]
    return None
