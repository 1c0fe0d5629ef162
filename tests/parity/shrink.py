"""Makes the program of a finding as small as it goes while the finding stays the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .arena import Finding, Libraries, replay
from .program import Program


def shrink(libraries: Libraries, finding: Finding, attempts: int = 300) -> Finding:
    """Return the finding with the smallest program found in this many attempts."""
    group = finding.group()
    best = finding
    improved = True
    while improved and attempts > 0:
        improved = False
        for candidate in smaller(best.program):
            attempts -= 1
            _, found = replay(libraries, candidate)
            if found is not None and found.row is finding.row and found.group() == group:
                best, improved = found, True
                break
            if attempts <= 0:
                break
    return best


def smaller(program: Program) -> Iterator[Program]:
    """Yield simpler programs: without a step, without taking over a result, from a smaller tree."""
    for position in range(len(program.steps) - 1):
        yield replace(program, steps=program.steps[:position] + program.steps[position + 1 :])
    for position, step in enumerate(program.steps):
        if step.adopt:
            plain = replace(step, adopt=False)
            yield replace(program, steps=(*program.steps[:position], plain, *program.steps[position + 1 :]))
    for source in program.source.smaller():
        yield replace(program, source=source)
