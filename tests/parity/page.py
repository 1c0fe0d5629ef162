"""Write docs/differences.md from the table of differences: `python -m tests.parity.page`."""

from __future__ import annotations

from pathlib import Path

from .differences import TOPICS

PAGE = Path(__file__).parents[2] / "docs" / "differences.md"
HEAD = """\
# Differences from tensordict

The reference is tensordict 0.15.3. What is not listed here is meant to behave as it does there; anything else is a bug
of ours.

"The peer" is tensordict. The first part is made by `python -m tests.parity.page` from the table that the parity tests
use (`tests/parity/differences`): a difference that they meet and that no row of it explains fails them. The second part
is written by hand: what random programs do not reach, or what shows in a sentence better than in a row.
"""
MARK = "## Beyond the parity tests\n"


def part_from_table() -> str:
    """Return one section a topic, one row a difference."""
    sections = []
    for topic in TOPICS:
        title = (topic.__doc__ or "").strip().splitlines()[0].rstrip(".")
        rows = [f"| `{row.id}` | {_cell(row.description)} | {_cell(row.reason)} |" for row in topic.ROWS]
        sections.append("\n".join([f"## {title}", "", "| row | difference | why |", "| --- | --- | --- |", *rows, ""]))
    return "\n".join(sections)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def render(present: str) -> str:
    """Return the page with its first part made anew and what stands behind the mark as it was."""
    _, found, rest = present.partition(MARK)
    return HEAD + "\n" + part_from_table() + "\n" + (found + rest if found else MARK)


if __name__ == "__main__":
    PAGE.write_text(render(PAGE.read_text()))
