"""Lists the differences from the peer: `python -m tests.parity.survey [sequences] [--grids] [--output FILE]`.

Alike differences are grouped, with a count and the smallest program found for each.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

from .arena import Finding, Libraries, replay
from .comparison import error_text
from .grids import GRIDS, programs
from .libraries import load_ours, load_peer, why_unavailable
from .sequences import Statistics, run_sequence, seeded
from .shrink import shrink

SHRINKING = 120.0
"""Seconds after which examples are printed as they were found."""


class Survey:
    """Groups of alike findings."""

    def __init__(self, libraries: Libraries) -> None:
        self.libraries = libraries
        self.counts: Counter[str] = Counter()
        self.examples: dict[str, Finding] = {}
        self.statistics = Statistics()

    def run(self, numbers: range, seed: int, seconds: float) -> None:
        """Run the sequences with these numbers, or until the time is over."""
        deadline = time.monotonic() + seconds
        for number in numbers:
            for finding in run_sequence(self.libraries, seeded(seed, number), self.statistics):
                self.note(finding)
            if time.monotonic() > deadline:
                break

    def run_grids(self, seconds: float) -> None:
        """Run every directed grid, or until the time is over."""
        deadline = time.monotonic() + seconds
        for grid in GRIDS:
            if time.monotonic() > deadline:
                break
            for program in programs(grid):
                _, finding = replay(self.libraries, program)
                if finding is not None and finding.row is None:
                    self.note(finding)

    def note(self, finding: Finding) -> None:
        """Count a finding; keep it as the example of its group if it is the smallest."""
        group = finding.group()
        self.counts[group] += 1
        known = self.examples.get(group)
        if known is None or size(finding) < size(known):
            self.examples[group] = finding

    def report(self, shown: int) -> str:
        """Return the groups, the most frequent first, and then the counts of operations."""
        parts = [f"{len(self.counts)} groups of unexplained differences, {self.counts.total()} in all", ""]
        deadline = time.monotonic() + SHRINKING
        for position, (group, count) in enumerate(self.counts.most_common(shown), 1):
            finding = self.examples[group]
            if time.monotonic() < deadline:
                finding = shrink(self.libraries, finding, attempts=60)
            parts.append(f"[{position}] x{count}  {group}")
            parts.append(f"    {finding.case.difference.place}: {finding.case.difference.detail[:300]}")
            if finding.case.our_error is not None:
                parts.append(
                    f"    ours raised at {origin(finding.case.our_error)}: {error_text(finding.case.our_error)}"
                )
            steps = (finding.program.construction(), *finding.program.steps)
            parts += ["    " + line for step in steps for line in step.text().splitlines()]
            parts.append("")
        return "\n".join([*parts, self.statistics.report(), ""])


def size(finding: Finding) -> int:
    """Return the length of the program's text."""
    return sum(len(step.text()) for step in (finding.program.construction(), *finding.program.steps))


def origin(error: BaseException) -> str:
    """Return the file and line where an error was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace is not None else "?"


def main() -> int:
    """Run a survey from the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.parity.survey", description=__doc__)
    parser.add_argument("sequences", type=int, nargs="?", default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="the number of the first sequence")
    parser.add_argument("--seconds", type=float, default=240.0, help="stop after this time")
    parser.add_argument("--groups", type=int, default=200, help="how many groups to print")
    parser.add_argument("--grids", action="store_true", help="run the directed grids too")
    parser.add_argument("--output", type=Path, default=None)
    options = parser.parse_args()
    reason = why_unavailable()
    if reason is not None:
        print(reason, file=sys.stderr)
        return 1
    survey = Survey(Libraries(load_peer(), load_ours()))
    survey.run(range(options.start, options.start + options.sequences), options.seed, options.seconds)
    if options.grids:
        survey.run_grids(options.seconds)
    text = survey.report(options.groups)
    if options.output is not None:
        options.output.write_text(text)
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
