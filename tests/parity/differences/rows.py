"""What a row of the table of differences is, and the matchers that recognise one."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass

from ..comparison import Difference, compare
from ..execution import Outcome, Raised, Returned
from ..program import Step
from ..relaxations import chained, without_details, without_non_tensors, without_sharing
from ..snapshots import Shot


@dataclass(frozen=True)
class Case:
    """A step on which the libraries differ, and what each came to."""

    step: Step
    peer: Outcome
    ours: Outcome
    difference: Difference

    @property
    def peer_error(self) -> Exception | None:
        """The error the peer raised."""
        return self.peer.result.error if isinstance(self.peer.result, Raised) else None

    @property
    def our_error(self) -> Exception | None:
        """The error we raised."""
        return self.ours.result.error if isinstance(self.ours.result, Raised) else None

    def during(self, *operations: str) -> bool:
        """Tell whether the step is one of these operations."""
        return self.step.operation in operations

    def equal_but(self, change: Callable[[Shot], Shot | None]) -> bool:
        """Tell whether the results are equal once both are changed in this way.

        One step may show several deliberate differences, so names, locks, widths, empty nodes and non-tensor
        entries may differ as well.
        """
        peer, ours = self.peer.result, self.ours.result
        if not isinstance(peer, Returned) or not isinstance(ours, Returned):
            return False
        relaxed = (change, chained(change, without_details), chained(change, without_non_tensors, without_details))
        return any(same_but(peer.out, ours.out, one) for one in relaxed)

    def we_have_more(self) -> bool:
        """Tell whether the difference is that a node of ours has all the keys of the peer's, and others."""
        found = re.fullmatch(r"peer (\[.*\]), ours (\[.*\])", self.difference.detail)
        return found is not None and set(ast.literal_eval(found[1])) < set(ast.literal_eval(found[2]))

    def we_left_no_trace(self) -> bool:
        """Tell whether the operation raised in both, and ours left the tensordict as it was."""
        if self.our_error is None or self.peer_error is None or self.ours.before is None:
            return False
        before, after = without_sharing(self.ours.before), without_sharing(self.ours.td)
        return before is not None and after is not None and compare(before, after, "td") is None


def same_but(peer: Shot, ours: Shot, change: Callable[[Shot], Shot | None]) -> bool:
    """Tell whether two results are equal once both are changed in this way."""
    left, right = change(peer), change(ours)
    if left is None or right is None:
        return left is right
    return compare(left, right, "out") is None


Matcher = Callable[[Case], bool]


@dataclass(frozen=True)
class Deliberate:
    """A difference that is meant: what it is, why, and how it is recognised."""

    id: str
    description: str
    reason: str
    matches: Matcher


def peer_raises(*words: str, operations: tuple[str, ...] = ()) -> Matcher:
    """Match an error of the peer that has one of these texts in it, where we return."""

    def matches(case: Case) -> bool:
        if case.peer_error is None or case.our_error is not None or (operations and not case.during(*operations)):
            return False
        return any(word in str(case.peer_error) for word in words)

    return matches


def we_raise(*words: str, operations: tuple[str, ...] = ()) -> Matcher:
    """Match an error of ours that has one of these texts in it, where the peer returns."""

    def matches(case: Case) -> bool:
        if case.our_error is None or case.peer_error is not None or (operations and not case.during(*operations)):
            return False
        return any(word in str(case.our_error) for word in words)

    return matches


def error_classes(*words: str, operations: tuple[str, ...] = ()) -> Matcher:
    """Match two errors of different classes, where the peer's has one of these texts in it."""

    def matches(case: Case) -> bool:
        if case.difference.aspect != "error class" or (operations and not case.during(*operations)):
            return False
        return any(word in str(case.peer_error) for word in words)

    return matches


def differs(
    *aspects: str,
    during: tuple[str, ...] = (),
    code: str = "",
    detail: str = "",
    but: Callable[[Shot], Shot | None] | None = None,
) -> Matcher:
    """Match a difference of one of these aspects.

    Args:
        aspects: what differs.
        during: the operations in which it may.
        code: a pattern that the text of the step has in it.
        detail: a pattern that the difference in words has in it.
        but: a change after which the results must be equal.
    """

    def matches(case: Case) -> bool:
        return (
            case.difference.aspect in aspects
            and (not during or case.during(*during))
            and re.search(code, case.step.text()) is not None
            and re.search(detail, case.difference.detail) is not None
            and (but is None or case.equal_but(but))
        )

    return matches


def any_of(*matchers: Matcher) -> Matcher:
    """Match what one of these matches."""
    return lambda case: any(matches(case) for matches in matchers)
