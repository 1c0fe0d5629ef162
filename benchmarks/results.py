"""What a run leaves behind: figures for each case, a description of the machine, one JSON file for all commands."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .timing import Timing

DEFAULT_PATH = Path(__file__).parent / "out" / "results.json"


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one case.

    Attributes:
        workload: ``topic/what``.
        tree: the form of the tree.
        tag: ``bulk`` or ``access``.
        timings: by the name of the side; a side that failed is missing.
        problems: by the name of the side: why there is no figure.
    """

    workload: str
    tree: str
    tag: str
    timings: dict[str, Timing]
    problems: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Workload and tree."""
        return f"{self.workload}[{self.tree}]"

    @property
    def topic(self) -> str:
        """The part of the workload's name before the slash."""
        return self.workload.partition("/")[0]

    def ratio(self, above: str, below: str) -> float | None:
        """Divide the best time of one side by that of another; None where either has none."""
        numerator, denominator = self.timings.get(above), self.timings.get(below)
        return None if numerator is None or denominator is None else numerator.best / denominator.best


def save_section(path: Path, section: str, content: Any) -> None:
    """Write one command's section of the results file and keep the others."""
    sections = load_sections(path) if path.exists() else {}
    sections[section] = content
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(sections, indent=1, sort_keys=True) + "\n")


def load_sections(path: Path) -> dict[str, Any]:
    """Read a results file."""
    sections: dict[str, Any] = json.loads(path.read_text())
    return sections


def rows_to_json(rows: list[Row]) -> list[dict[str, Any]]:
    """Turn rows into plain data."""
    return [asdict(row) for row in rows]


def rows_from_json(entries: list[dict[str, Any]]) -> list[Row]:
    """Turn plain data back into rows."""
    return [
        Row(
            entry["workload"],
            entry["tree"],
            entry["tag"],
            {side: Timing(**timing) for side, timing in entry["timings"].items()},
            entry["problems"],
        )
        for entry in entries
    ]
