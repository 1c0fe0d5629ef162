"""The known and deliberate differences from the peer: one table, each row with its reason, in one module a topic.

A difference that no row explains fails the parity tests. `python -m tests.parity.survey` lists the unexplained ones.
"""

from __future__ import annotations

from . import (
    arithmetic,
    combining,
    conversions,
    indices,
    keys,
    metadata,
    names,
    non_tensors,
    shapes,
    writes,
)
from .rows import Case as Case
from .rows import Deliberate as Deliberate

TOPICS = (keys, writes, indices, shapes, names, non_tensors, arithmetic, combining, conversions, metadata)

DIFFERENCES: tuple[Deliberate, ...] = tuple(row for topic in TOPICS for row in topic.ROWS)


def explanation(case: Case) -> Deliberate | None:
    """Return the row of the table that explains a difference, or None."""
    return next((row for row in DIFFERENCES if row.matches(case)), None)
