"""The command ``plot``: how far ours and the peer are above hand-written code, topic by topic."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .results import Row
from .sides import FLOOR, OURS, PEER
from .summary import Group, Summary, summarize

INK = "#22272e"
FAINT = "#d5dae0"
BAND = "#f5f7f9"
TICKS = (0.1, 0.2, 0.5, 1, 1.5, 2, 3, 5, 10, 20, 50, 100, 200)
COLORS = {OURS: "#0b7a75", PEER: "#e07a3f"}
LABELS = {OURS: "td_core", PEER: "peer"}
OFFSETS = {OURS: 0.17, PEER: -0.17}


def draw(rows: Sequence[Row], paths: Sequence[Path], labels: dict[str, str] | None = None) -> None:
    """Draw one dot for each case and one mark for each topic's geometric mean, on a logarithmic axis.

    Args:
        rows: a run.
        paths: where to save; the suffix chooses the format.
        labels: how to name the sides in the legend.
    """
    import matplotlib as mpl  # optional: only this command needs it

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    summary = summarize(rows)
    topics = sorted(summary.topics, key=lambda group: group.ours_to_floor or group.peer_to_floor or 1, reverse=True)
    sides = [side for side in (OURS, PEER) if any(side in row.timings for row in rows)]
    height = 1.9 + 0.5 * len(topics)
    style: dict[Any, Any] = {"font.family": "DejaVu Sans", "font.size": 10, "svg.hashsalt": "benchmarks"}
    with mpl.rc_context(style):
        figure, axes = plt.subplots(figsize=(10, height))
        _frame(axes, topics, rows, sides)
        for side in sides:
            _dots(axes, rows, topics, side)
            _means(axes, topics, side, (labels or LABELS)[side], sides.index(side))
        axes.legend(
            loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, frameon=False, handletextpad=0.1, borderaxespad=0.2
        )
        figure.text(
            0.012, 1 - 0.2 / height, "Time over hand-written code", fontsize=15, fontweight="bold", color=INK, va="top"
        )
        figure.text(0.012, 1 - 0.55 / height, _caption(summary), fontsize=9.5, color="#5b6570", va="top")
        figure.tight_layout(rect=(0, 0, 1, 1 - 0.75 / height))
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True)
            figure.savefig(path, dpi=160, metadata={"Date": None} if path.suffix == ".svg" else None)
        plt.close(figure)


def _caption(summary: Summary) -> str:
    """State the figures in a line."""
    parts = [
        f"{name} {value:.2f} ×"
        for name, value in (
            ("bulk: ours / floor", summary.bulk),
            ("access: ours / floor", summary.access),
            ("peer / ours", summary.peer),
        )
        if value is not None
    ]
    return "Geometric means: " + ",   ".join(parts) + "."


def _frame(axes: Any, topics: Sequence[Group], rows: Sequence[Row], sides: Sequence[str]) -> None:
    axes.set_xscale("log")
    axes.set_yticks(range(len(topics)), [f"{group.name}  ({group.count})" for group in topics], color=INK)
    axes.set_ylim(-0.6, len(topics) - 0.4)
    axes.set_xlabel(
        "times the hand-written code (further left is faster); a dot is a case, a bar the mean of its topic",
        color=INK,
    )
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.tick_params(length=0)
    for position in range(len(topics)):
        axes.axhspan(position - 0.45, position + 0.45, color=BAND, zorder=0, linewidth=0)
    axes.axvline(1, color=INK, linewidth=1.2, zorder=2)
    ratios = [ratio for row in rows for side in sides if (ratio := row.ratio(side, FLOOR)) is not None]
    least, most = min([*ratios, 0.8]) * 0.9, max([*ratios, 3.0]) * 1.1
    axes.set_xlim(least, most)
    ticks = [tick for tick in TICKS if least <= tick <= most]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks], color=INK)
    axes.minorticks_off()
    axes.grid(axis="x", color=FAINT, linewidth=0.7)
    axes.set_axisbelow(True)


def _dots(axes: Any, rows: Sequence[Row], topics: Sequence[Group], side: str) -> None:
    scatter = random.Random(0)
    positions = {group.name: number for number, group in enumerate(topics)}
    points = [(row.ratio(side, FLOOR), positions[row.topic]) for row in rows]
    across = [value for value, _ in points if value is not None]
    down = [row + OFFSETS[side] + scatter.uniform(-0.12, 0.12) for value, row in points if value is not None]
    axes.scatter(across, down, s=13, color=COLORS[side], alpha=0.35, linewidths=0, zorder=3)


def _means(axes: Any, topics: Sequence[Group], side: str, label: str, column: int) -> None:
    """Mark the mean of each topic, and write it into a column on the right."""
    means = [group.ours_to_floor if side == OURS else group.peer_to_floor for group in topics]
    found = [(mean, number) for number, mean in enumerate(means) if mean is not None]
    across = [mean for mean, _ in found]
    down = [number + OFFSETS[side] for _, number in found]
    axes.scatter(across, down, marker="|", s=200, linewidths=3, color=COLORS[side], label=label, zorder=4)
    for mean, number in found:
        axes.annotate(
            f"{mean:.2f}",
            (1.06 + 0.07 * column, number),
            xycoords=("axes fraction", "data"),
            ha="right",
            va="center",
            color=COLORS[side],
            fontweight="bold",
        )
