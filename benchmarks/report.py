"""Results as text: the same Markdown for the terminal and for RESULTS.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from .results import Row, rows_from_json
from .sides import FLOOR, OURS, PEER
from .summary import ACCESS_TARGET, BULK_TARGET, PEER_TARGET, Group, Summary, summarize

RESULTS = Path(__file__).parent / "RESULTS.md"


def document(sections: dict[str, Any]) -> str:
    """Write RESULTS.md from the sections of a results file."""
    parts = [
        "# Benchmark results",
        "Written by `python -m benchmarks table`; how to read it is in [README.md](README.md).",
    ]
    if "run" in sections:
        rows = rows_from_json(sections["run"]["rows"])
        summary = summarize(rows)
        parts += [machine(sections["run"]["machine"]), figures(summary), "![Ratios by topic](ratios.svg)"]
        parts += [overview(summary), all_rows(rows)]
    if "importtime" in sections:
        parts.append(import_times(sections["importtime"]))
    if "compile" in sections:
        parts.append(compilation(sections["compile"]))
    return "\n\n".join(parts) + "\n"


def markdown(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Draw a table: the first column to the left, the others to the right, aligned for reading as text too."""
    table = [list(header), *(list(line) for line in lines)]
    widths = [max(3, *(len(line[column]) for line in table)) for column in range(len(header))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    aligned = [
        [
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        for line in table
    ]
    return "\n".join("| " + " | ".join(line) + " |" for line in [aligned[0], rule, *aligned[1:]])


def ratio(value: float | None) -> str:
    """Format a ratio."""
    return "" if value is None else f"{value:.2f}"


def duration(seconds: float | None) -> str:
    """Format a time with a fitting unit."""
    if seconds is None:
        return ""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.0f} ns"


def machine(facts: dict[str, str]) -> str:
    """Describe the machine in a list."""
    return "## Machine\n\n" + "\n".join(f"- {name}: {fact}" for name, fact in facts.items())


def figures(summary: Summary) -> str:
    """Show the figures with their targets."""
    lines = [
        ("ours / floor, bulk", ratio(summary.bulk), f"≤ {BULK_TARGET:.2f}", _verdict(summary.bulk, most=BULK_TARGET)),
        (
            "ours / floor, access",
            ratio(summary.access),
            f"≤ {ACCESS_TARGET:.2f}",
            _verdict(summary.access, most=ACCESS_TARGET),
        ),
        ("peer / ours, all", ratio(summary.peer), f"≥ {PEER_TARGET:.2f}", _verdict(summary.peer, least=PEER_TARGET)),
        (
            "cases slower than the peer",
            "" if summary.peer is None else str(len(summary.slower_than_peer)),
            "0",
            "" if summary.peer is None else ("missed" if summary.slower_than_peer else "met"),
        ),
    ]
    return "## Figures\n\nGeometric means.\n\n" + markdown(("figure", "measured", "target", ""), lines)


def _verdict(value: float | None, *, most: float | None = None, least: float | None = None) -> str:
    if value is None:
        return ""
    return "met" if (most is None or value <= most) and (least is None or value >= least) else "missed"


def overview(summary: Summary) -> str:
    """Show averages by topic and by tree, what is slower than the peer, what is slowest, and what failed."""
    parts = [
        "## By topic",
        _groups(summary.topics),
        "## By tree",
        _groups(summary.trees),
        "## Slower than the peer",
        _rows(summary.slower_than_peer) if summary.slower_than_peer else "None.",
        "## Furthest above the floor",
        _rows(summary.slowest),
    ]
    if summary.problems:
        lines = [
            (row.name, side, problem.replace("|", "\\|"))
            for row in summary.problems
            for side, problem in row.problems.items()
        ]
        parts += ["## Not measured", markdown(("case", "side", "why"), lines)]
    return "\n\n".join(parts)


def _groups(groups: list[Group]) -> str:
    header = ("", "cases", "ours / floor", "peer / floor", "peer / ours")
    lines = (
        (
            group.name,
            str(group.count),
            ratio(group.ours_to_floor),
            ratio(group.peer_to_floor),
            ratio(group.peer_to_ours),
        )
        for group in groups
    )
    return markdown(header, lines)


def _rows(rows: Iterable[Row]) -> str:
    header = ("case", "tag", "floor", "ours", "peer", "ours / floor", "peer / ours")
    return markdown(header, (_cells(row) for row in rows))


def _cells(row: Row) -> tuple[str, ...]:
    times = (row.timings[side].best if side in row.timings else None for side in (FLOOR, OURS, PEER))
    return (row.name, row.tag, *map(duration, times), ratio(row.ratio(OURS, FLOOR)), ratio(row.ratio(PEER, OURS)))


def all_rows(rows: Sequence[Row]) -> str:
    """Show every case."""
    return "## All cases\n\n" + _rows(rows)


def import_times(section: dict[str, Any]) -> str:
    """Show what importing each library adds to ``import torch``."""
    lines = [
        (name, duration(entry["seconds"]), duration(entry["least"]), str(entry["modules"]))
        for name, entry in section["libraries"].items()
    ]
    text = (
        "## Import\n\nOn top of `import torch`, in fresh processes "
        f"({section['rounds']} rounds, interleaved); `import torch` itself takes {duration(section['torch'])}.\n\n"
    )
    return text + markdown(("library", "median", "least", "modules added"), lines)


def compilation(section: dict[str, Any]) -> str:
    """Show compile times and the cost of a compiled call."""
    parts = [
        "## torch.compile",
        "`fullgraph=True`; best of the rounds. The floor is the same function over plain dicts.",
    ]
    for backend, functions in section["backends"].items():
        lines: list[tuple[str, ...]] = []
        for function, by_side in functions.items():
            for measure, label in (("compile", "compile"), ("call", "call")):
                times = [by_side.get(side, {}).get(measure) for side in (FLOOR, OURS, PEER)]
                lines.append(
                    (
                        f"{function}, {label}",
                        *map(duration, times),
                        _over(times[1], times[0]),
                        _over(times[2], times[1]),
                    )
                )
            graphs = [by_side.get(side, {}).get("graphs") for side in (FLOOR, OURS, PEER)]
            lines.append(
                (
                    f"{function}, graphs after two calls",
                    *("" if count is None else str(count) for count in graphs),
                    "",
                    "",
                )
            )
        parts += [
            f"### Backend {backend}",
            markdown(("function", "floor", "ours", "peer", "ours / floor", "peer / ours"), lines),
        ]
        problems = [
            (function, side, entry["problem"].replace("|", "\\|"))
            for function, by_side in functions.items()
            for side, entry in by_side.items()
            if "problem" in entry
        ]
        if problems:
            parts.append(markdown(("function", "side", "why not measured"), problems))
    return "\n\n".join(parts)


def _over(above: float | None, below: float | None) -> str:
    return ratio(above / below) if above is not None and below is not None else ""
