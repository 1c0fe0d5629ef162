"""Compares what one step came to in the two libraries."""

from __future__ import annotations

from .comparison import Difference, compare, describe, error_text, first, same_error_class
from .execution import Outcome, Raised, Returned


def compare_outcomes(peer: Outcome, ours: Outcome) -> Difference | None:
    """Return the first difference: in the result, then in the current tensordict, then in the one before it."""
    found = compare_results(peer, ours)
    if found is not None:
        return found
    late = compare(peer.td, ours.td, "td") or compare(peer.earlier, ours.earlier, "earlier")
    if late is not None and isinstance(peer.result, Raised):
        return Difference(
            f"after the error: {late.aspect}", late.place, f"{late.detail} ({error_text(peer.result.error)})"
        )
    return late


def compare_results(peer: Outcome, ours: Outcome) -> Difference | None:
    """Return the difference in what was returned or raised."""
    a, b = peer.result, ours.result
    name = missing_name(b)
    if name is not None and missing_name(a) != name:
        return Difference("ours lacks", name, f"ours has no {name}")
    if isinstance(a, Raised) and isinstance(b, Raised):
        if same_error_class(a.error, b.error):
            return None
        return Difference("error class", "outcome", f"peer {error_text(a.error)} | ours {error_text(b.error)}")
    if isinstance(a, Raised):
        assert isinstance(b, Returned)
        return Difference("peer raises", "outcome", f"peer {error_text(a.error)} | ours returns {describe(b.out)}")
    assert isinstance(a, Returned)
    if isinstance(b, Raised):
        return Difference("ours raises", "outcome", f"ours {error_text(b.error)} | peer returns {describe(a.out)}")
    identity = None
    if a.is_self != b.is_self:
        words = {True: "returns the tensordict itself", False: "returns another object"}
        identity = Difference("identity", "out", f"peer {words[a.is_self]}, ours {words[b.is_self]}")
    return first((compare(a.out, b.out, "out"), identity))


def missing_name(result: Returned | Raised) -> str | None:
    """Return the attribute that a library does not have, where that is the error."""
    error = result.error if isinstance(result, Raised) else None
    return error.name if isinstance(error, AttributeError) and "has no attribute" in str(error) else None
