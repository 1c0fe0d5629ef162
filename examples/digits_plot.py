"""The plot of the digits demo: accuracy by class, what is taken for what, and the digits that were misread."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")  # draws to files, without a screen; to be said before pyplot is imported

import matplotlib.pyplot as plt
import torch
from matplotlib.axes import Axes
from matplotlib.figure import SubFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from td_core import TensorDictBase

INK, BLUE, ORANGE, GREY = "#22303c", "#3b75af", "#d9662b", "#8a949e"


def plot_report(per_class: TensorDictBase, misread: TensorDictBase, file: Path) -> None:
    """Draw the report.

    Args:
        per_class: A row for each class: `name`, `count`, `correct`, `accuracy`, `predicted` and the mean image.
        misread: The rows of the held-out digits whose class was not predicted.
        file: The PNG to write.
    """
    total = per_class.select("count").sum(0)["count"]
    with plt.rc_context({"font.size": 10, "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": GREY}):
        figure = plt.figure(figsize=(12, 7.4), layout=ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.08))
        upper, lower = figure.subfigures(2, 1, height_ratios=[2.1, 1])
        right = total - len(misread)
        upper.suptitle(f"Held-out digits: {right} of {total} read correctly ({right / total:.1%})", fontsize=14)
        bars, matrix = upper.subplots(1, 2, width_ratios=[1.15, 1])
        draw_accuracy(bars, per_class)
        draw_confusion(matrix, per_class)
        draw_misread(lower, misread, list(per_class["name"]))
        figure.savefig(file, dpi=130)
        plt.close(figure)


def draw_accuracy(axes: Axes, per_class: TensorDictBase) -> None:
    """Draw a bar for each class, with the mean image of the class at its foot."""
    positions = range(len(per_class))
    axes.barh(positions, per_class["accuracy"].mul(100).tolist(), color=BLUE, height=0.7)
    for position, row in enumerate(per_class):
        share = row["accuracy"].item()
        text = f"{share:.1%}   {row['correct']} of {row['count']}"
        inside = share > 0.4
        place = {"x": 100 * share - 1, "ha": "right"} if inside else {"x": 100 * share + 1, "ha": "left"}
        axes.text(y=position, s=text, color="white" if inside else INK, va="center", **place)
        image = axes.inset_axes((-0.075, position - 0.42, 0.065, 0.84), transform=axes.get_yaxis_transform())
        draw_digit(image, row["mean", "image", "pixels"])
    axes.set(xlim=(0, 100), xlabel="accuracy, %", title="Accuracy by class, and the mean image of each")
    axes.set_yticks(positions, list(per_class["name"]))
    axes.tick_params(axis="y", length=0, pad=34)
    axes.invert_yaxis()
    axes.spines[["top", "right", "left"]].set_visible(False)


def draw_confusion(axes: Axes, per_class: TensorDictBase) -> None:
    """Draw how often each class is taken for each."""
    counts = per_class["predicted"]
    shades = counts.float().fill_diagonal_(0)
    shades /= shades.max().clamp_min(3) * 1.5
    shades.fill_diagonal_(-0.3)  # what is right is pale blue; mistakes are the redder the more there are
    axes.imshow(shades.numpy(), cmap="RdBu_r", vmin=-1, vmax=1)
    for row, column in counts.nonzero().tolist():
        weight = "normal" if row == column else "bold"
        axes.text(column, row, str(counts[row, column].item()), ha="center", va="center", weight=weight)
    axes.set_xticks(range(len(per_class)), list(per_class["name"]), rotation=45, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(per_class)), list(per_class["name"]))
    axes.tick_params(length=0)
    axes.set(xlabel="read as", ylabel="is", title="What is taken for what")


def draw_misread(figure: SubFigure, misread: TensorDictBase, names: list[str], most: int = 12) -> None:
    """Draw the misread digits, those first that the network was surest of."""
    shown = misread[misread["prediction", "confidence"].argsort(descending=True)[:most]]
    more = f" ({len(shown)} of {len(misread)})" if len(misread) > len(shown) else ""
    figure.suptitle(f"Misread digits{more}, the surest first" if len(misread) else "No digit was misread")
    panels = figure.subplots(1, max(len(shown), 9))
    for axes in panels:
        axes.axis("off")
    for axes, row in zip(panels, shown, strict=False):
        draw_digit(axes, row["image", "pixels"])
        axes.set_title(f"is {row['label', 'name']}", color=INK, fontsize=10)
        read_as = f"read as {names[row['prediction', 'class']]}\n{row['prediction', 'confidence']:.0%} sure"
        axes.text(0.5, -0.08, read_as, color=ORANGE, transform=axes.transAxes, ha="center", va="top")


def draw_digit(axes: Axes, pixels: torch.Tensor) -> None:
    """Draw one image, black on white, without axes."""
    axes.imshow(pixels.numpy(), cmap="Greys", vmin=0, vmax=1)
    axes.axis("off")
