"""Random sequences of operations: generated on the peer's state, run on both libraries, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from .arena import Arena, Finding, Libraries, replay
from .differences import Case, explanation
from .draw import Draw
from .execution import Outcome, Raised, Returned
from .operations import OPERATIONS, Operation
from .program import Program, Step
from .snapshots import NodeShot
from .state import State, read_state
from .trees import random_tree

LARGEST = 3000
"""Elements beyond which results are no longer taken over, so that repeats and stacks do not pile up."""

CHOICES = list(OPERATIONS.values())
WEIGHTS = [operation.weight for operation in CHOICES]


@dataclass
class Statistics:
    """What was executed and what came of it."""

    sequences: int = 0
    succeeded: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    explained: Counter[str] = field(default_factory=Counter)

    def count(self, operation: str, outcome: Outcome) -> None:
        """Count a step on which the libraries agreed."""
        if isinstance(outcome.result, Raised):
            self.failed[operation] += 1
            self.errors[type(outcome.result.error).__name__] += 1
        else:
            self.succeeded[operation] += 1

    @property
    def steps(self) -> int:
        """Number of steps on which the libraries agreed."""
        return self.succeeded.total() + self.failed.total()

    def report(self) -> str:
        """Return the counts as text: sequences, operations, error outcomes, deliberate differences."""
        share = self.succeeded.total() / max(1, self.steps)
        lines = [
            f"{self.sequences} sequences, {self.steps} operations on which both agree; {share:.0%} of them succeed",
            "",
            f"{'operation':34}{'succeeded':>10}{'raised':>8}",
        ]
        names = sorted({"construct", *OPERATIONS})
        lines += [f"{name:34}{self.succeeded[name]:10}{self.failed[name]:8}" for name in names]
        lines += ["", "errors raised by both (the peer's class):"]
        lines += [f"  {name:32}{count:10}" for name, count in self.errors.most_common()]
        lines += ["", "deliberate differences met:"]
        lines += [f"  {name:32}{count:10}" for name, count in self.explained.most_common()]
        return "\n".join(lines)


class Generator:
    """Generates one sequence while running it. A step on which the libraries differ is yielded and then left out."""

    def __init__(self, libraries: Libraries, random: Random, statistics: Statistics) -> None:
        self.libraries = libraries
        self.draw = Draw(random)
        self.statistics = statistics
        self.program = Program(random_tree(self.draw))
        self.arena = Arena(libraries)

    def findings(self, length: int) -> Iterator[Finding]:
        """Run a sequence of about this many operations, yielding each difference that nothing explains."""
        self.statistics.sequences += 1
        finding = self.arena.replay(self.program)
        if finding is not None:
            self.statistics.explained.update([finding.row.id] if finding.row else [])
            if finding.row is None:
                yield finding
            return
        if self.arena.peer.td is None:
            self.statistics.failed["construct"] += 1
            return
        self.statistics.succeeded["construct"] += 1
        for _ in range(length):
            state = read_state(self.libraries.peer, self.arena.peer.td)
            drawn = self.next_step(state)
            if drawn is None:
                continue
            operation, step = drawn
            reached = self.arena.take(step)
            if isinstance(reached, Case):
                found = Finding(self.program.then(step), reached, None)
                found = self.explain(found)
                if found.row is None:
                    yield found
                if not self.rewind():
                    return
                continue
            self.statistics.count(operation.name, reached)
            if self.wants(operation, reached, state):
                step = Step(step.operation, step.code, adopt=True)
                adoption = self.arena.adopt(step)
                if isinstance(adoption, Case):
                    found = self.explain(Finding(self.program.then(step), adoption, None))
                    if found.row is None:
                        yield found
                    return
            self.program = self.program.then(step)

    def explain(self, finding: Finding) -> Finding:
        """Look the finding up in the table of deliberate differences, and count it if it is there."""
        row = explanation(finding.case)
        if row is not None:
            self.statistics.explained[row.id] += 1
        return Finding(finding.program, finding.case, row)

    def rewind(self) -> bool:
        """Start both libraries again and run the program as it was before the step that differed."""
        self.arena, finding = replay(self.libraries, self.program)
        return finding is None

    def next_step(self, state: State) -> tuple[Operation, Step] | None:
        """Draw the next operation and write its text."""
        operation = self.draw.weighted(CHOICES, WEIGHTS)
        code = operation.generate(self.draw, state)
        return None if code is None else (operation, Step(operation.name, code))

    def wants(self, operation: Operation, outcome: Outcome, state: State) -> bool:
        """Decide whether the result becomes the current tensordict."""
        result = outcome.result
        if (
            not isinstance(result, Returned)
            or not isinstance(result.out, NodeShot)
            or result.out.lazy
            or result.is_self
        ):
            return False
        if len(result.out.batch_size) > 4 or state.elements() > LARGEST:
            return False
        return operation.adopt > 0 and self.draw.chance(operation.adopt)


def run_sequence(libraries: Libraries, random: Random, statistics: Statistics, length: int = 12) -> Iterator[Finding]:
    """Generate and run one sequence; yield the differences that nothing explains."""
    return Generator(libraries, random, statistics).findings(length)


def seeded(seed: int, number: int) -> Random:
    """Return the random generator of the sequence with this number."""
    return Random(f"{seed}:{number}")
