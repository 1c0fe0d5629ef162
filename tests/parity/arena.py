"""Runs programs on both libraries in step, and finds where they part."""

from __future__ import annotations

from dataclasses import dataclass

from .differences import Case, Deliberate, explanation
from .execution import Outcome, Raised, Side, compile_step
from .libraries import Library
from .outcomes import compare_outcomes
from .program import ADOPTION, Program, Step


@dataclass(frozen=True)
class Finding:
    """The last step of `program` is where the libraries differ; `row` explains it, if anything does."""

    program: Program
    case: Case
    row: Deliberate | None

    def group(self) -> str:
        """Return what is alike in similar findings."""
        difference = self.case.difference
        if difference.aspect == "ours lacks":
            return f"ours lacks {difference.place}"
        return f"{self.case.step.operation}: {difference.group()}"


@dataclass(frozen=True)
class Libraries:
    """The pair under comparison."""

    peer: Library
    ours: Library

    @property
    def names(self) -> tuple[str, str]:
        """The import names."""
        return self.peer.name, self.ours.name


class Arena:
    """The two libraries at the same point of the same program."""

    def __init__(self, libraries: Libraries) -> None:
        self.libraries = libraries
        self.peer = Side(libraries.peer)
        self.ours = Side(libraries.ours)

    def take(self, step: Step) -> Case | Outcome:
        """Run a step on both; return the case when they differ, the peer's outcome when they agree."""
        return self.run(step, step.text(), forget=True)

    def adopt(self, step: Step) -> Case | Outcome:
        """Take over the result of a step that was just run."""
        return self.run(step, ADOPTION, forget=False)

    def run(self, step: Step, text: str, *, forget: bool) -> Case | Outcome:
        code = compile_step(text)
        peer, ours = self.peer.run(code, forget=forget), self.ours.run(code, forget=forget)
        difference = compare_outcomes(peer, ours)
        return peer if difference is None else Case(step, peer, ours, difference)

    def replay(self, program: Program) -> Finding | None:
        """Run a program up to the first difference; stop too where the tree cannot be built."""
        for count, step in enumerate((program.construction(), *program.steps)):
            reached = self.take(step)
            if isinstance(reached, Case):
                return Finding(Program(program.source, program.steps[:count]), reached, explanation(reached))
            if count == 0 and isinstance(reached.result, Raised):
                return None
        return None


def replay(libraries: Libraries, program: Program) -> tuple[Arena, Finding | None]:
    """Run a program from the start."""
    arena = Arena(libraries)
    return arena, arena.replay(program)
