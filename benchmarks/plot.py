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
    sides = [side for side in (PEER, OURS) if any(side in row.timings for row in rows)]
    style: dict[Any, Any] = {
        "font.family": "DejaVu Sans",
        "font.size": 10,
        "svg.fonttype": "none",
        "svg.hashsalt": "benchmarks",
    }
    with mpl.rc_context(style):
        figure, axes = plt.subplots(figsize=(10, 1.6 + 0.52 * len(topics)))
        _frame(axes, topics)
        for side in sides:
            _dots(axes, rows, topics, side)
            _means(axes, topics, side, (labels or LABELS)[side])
        axes.legend(
            loc="upper center",
            bbox_to_anchor=(0.5, -0.5 / len(topics) - 0.06),
            ncols=2,
            frameon=False,
            handletextpad=0.2,
        )
        figure.suptitle("Time over hand-written code", x=0.01, ha="left", fontsize=15, fontweight="bold", color=INK)
        figure.text(0.01, 1 - 0.62 / figure.get_figheight(), _caption(summary), fontsize=10, color="#5b6570", va="top")
        figure.tight_layout(rect=(0, 0, 1, 1 - 0.75 / figure.get_figheight()))
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
    return "Geometric means: " + ",   ".join(parts) + ".   A dot is a workload on a tree, a bar the mean of its topic."


def _frame(axes: Any, topics: Sequence[Group]) -> None:
    axes.set_xscale("log")
    axes.set_yticks(range(len(topics)), [f"{group.name}  ({group.count})" for group in topics], color=INK)
    axes.set_ylim(-0.6, len(topics) - 0.4)
    axes.set_xlabel("× hand-written code over plain dicts (logarithmic)", color=INK)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.tick_params(length=0)
    for position in range(len(topics)):
        axes.axhspan(position - 0.45, position + 0.45, color="#f5f7f9", zorder=0, linewidth=0)
    axes.axvline(1, color=INK, linewidth=1.2, zorder=1)
    ticks = [0.5, 1, 1.25, 2, 3, 5, 10, 20, 50, 100]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks], color=INK)
    axes.minorticks_off()
    axes.grid(axis="x", color=FAINT, linewidth=0.7, zorder=1)
    axes.set_axisbelow(True)


def _dots(axes: Any, rows: Sequence[Row], topics: Sequence[Group], side: str) -> None:
    scatter = random.Random(0)
    positions = {group.name: number for number, group in enumerate(topics)}
    points = [(row.ratio(side, FLOOR), positions[row.topic]) for row in rows]
    across = [value for value, _ in points if value is not None]
    down = [row + OFFSETS[side] + scatter.uniform(-0.12, 0.12) for value, row in points if value is not None]
    axes.scatter(across, down, s=13, color=COLORS[side], alpha=0.35, linewidths=0, zorder=3)


def _means(axes: Any, topics: Sequence[Group], side: str, label: str) -> None:
    means = [group.ours_to_floor if side == OURS else group.peer_to_floor for group in topics]
    found = [(mean, number) for number, mean in enumerate(means) if mean is not None]
    across = [mean for mean, _ in found]
    down = [number + OFFSETS[side] for _, number in found]
    axes.scatter(across, down, marker="|", s=260, linewidths=3, color=COLORS[side], label=label, zorder=4)
    for mean, height in zip(across, down, strict=True):
        axes.annotate(
            f"{mean:.2f}",
            (mean, height),
            (7, 0),
            textcoords="offset points",
            va="center",
            fontsize=8.5,
            color=COLORS[side],
            fontweight="bold",
            zorder=5,
            bbox={"facecolor": "#f5f7f9", "edgecolor": "none", "pad": 0.6, "alpha": 0.8},
        )
