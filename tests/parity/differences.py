"""The known and deliberate differences from the peer: one table, each row with its reason.

A difference that no row explains fails the parity tests. `python -m tests.parity.survey` lists the unexplained ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .comparison import Difference
from .execution import Outcome, Raised
from .program import Step


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


@dataclass(frozen=True)
class Deliberate:
    """A difference that is meant: what it is, why, and how it is recognised."""

    id: str
    description: str
    reason: str
    matches: Callable[[Case], bool]


def peer_crashes(case: Case, *words: str) -> bool:
    """Tell whether the peer raised an error whose text holds one of these words, where we answered."""
    return case.our_error is None and case.peer_error is not None and any(w in str(case.peer_error) for w in words)


DIFFERENCES: tuple[Deliberate, ...] = (
    Deliberate(
        "get-missing-key",
        "get() of a missing key without a default raises KeyError; the peer returns None.",
        "A silent None hides misspelt keys. Pass a default to have one.",
        lambda case: (
            case.step.operation in ("get", "get_at", "get_non_tensor")
            and isinstance(case.our_error, KeyError)
            and case.peer_error is None
        ),
    ),
)


def explanation(case: Case) -> Deliberate | None:
    """Return the row of the table that explains a difference, or None."""
    return next((row for row in DIFFERENCES if row.matches(case)), None)
