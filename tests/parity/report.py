"""The text of a failure: what differs, and a script that shows it on both libraries."""

from __future__ import annotations

from .arena import Finding, Libraries


def failure_report(libraries: Libraries, finding: Finding, count: int = 1) -> str:
    """Return what differs in words, and the smallest script found that shows it."""
    difference = finding.case.difference
    lines = [
        f"{count} unexplained difference(s); the first: {finding.case.step.operation}: {difference.aspect}",
        f"at {difference.place}: {difference.detail}",
        "",
        finding.program.script(libraries.names),
        "Fix td_core, or, where the peer is wrong, add a row with the reason to tests/parity/differences.py.",
    ]
    return "\n".join(lines)
