"""Handwritten digits, end to end: from arrays to a trained network, a printed tree, a plot and a file.

The 1797 digits that come with scikit-learn become one TensorDict: the images, some figures about each, its label as a
number and in words. A fifth is held out. A small network learns from the rest, and what it makes of the held-out digits
is counted with the operations that shuffled, split and batched them.

    python examples/digits_demo.py --out DIR

writes `digits.png` and `digits.h5` to DIR. The exit status is 1 unless the accuracy is above 95 %.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import torch
from digits_plot import plot_report
from sklearn.datasets import load_digits
from torch import nn

import td_core
from td_core import NestedKey, TensorDict, TensorDictBase
from td_nn import TensorDictModule, TensorDictSequential

NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
WANTED_ACCURACY = 0.95
PREDICTION = [("prediction", "confidence"), ("prediction", "class")]


def digits() -> TensorDict:
    """Return the digits, a row each: 8 x 8 pixels from 0 to 1, figures about them, and the label."""
    data = load_digits()
    pixels = torch.as_tensor(data.images, dtype=torch.float32) / 16
    stats = {"rows": pixels.mean(2), "columns": pixels.mean(1), "ink": pixels.mean((1, 2))}
    label = {"class": torch.as_tensor(data.target), "name": [NAMES[number] for number in data.target]}
    return TensorDict(image={"pixels": pixels, "stats": stats}, label=label, batch_size=[len(pixels)])


def shuffle(rows: TensorDictBase) -> TensorDictBase:
    """Return the rows in random order."""
    return rows[torch.randperm(len(rows))]


def standardise(rows: TensorDictBase, training: TensorDictBase) -> TensorDictBase:
    """Add `input`: everything under `image`, with the mean 0 and the deviation 1 that it has in the training rows."""
    mean, deviation = training["image"].mean(0), training["image"].std(0)
    return rows.set("input", (rows["image"] - mean) / deviation.clamp_min(0.05))


def build_network() -> TensorDictSequential:
    """Return a network that reads `input` and writes `logits` and `prediction`."""
    convolve = nn.Sequential(
        nn.Unflatten(1, (1, 8)),
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
    )
    classify = nn.Sequential(nn.Dropout(0.3), nn.LazyLinear(64), nn.ReLU(), nn.Linear(64, len(NAMES)))
    parts: list[NestedKey] = ["seen", ("input", "stats", "rows"), ("input", "stats", "columns")]
    return TensorDictSequential(
        TensorDictModule(convolve, [("input", "pixels")], ["seen"]),
        TensorDictModule(lambda *tensors: torch.cat(tensors, -1), parts, ["features"]),
        TensorDictModule(classify, ["features"], ["logits"]),
        TensorDictModule(lambda logits: logits.softmax(-1).max(-1), ["logits"], PREDICTION),
        selected_out_keys=["logits", *PREDICTION],
    )


def train(network: TensorDictSequential, rows: TensorDictBase, epochs: int, batch_rows: int = 32) -> None:
    """Fit the network to the rows, and print how it goes."""
    network(rows[:2].copy())  # gives the lazy layer its shape
    optimizer = torch.optim.AdamW(network.parameters(), lr=2e-3, weight_decay=1e-2)
    for epoch in range(1, epochs + 1):
        steps = []
        for batch in shuffle(rows).split(batch_rows):
            network(batch)
            loss = nn.functional.cross_entropy(batch["logits"], batch["label", "class"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            steps.append(TensorDict(loss=loss.detach(), accuracy=correct(batch).float().mean()))
        mean = td_core.stack(steps).mean(0)
        print(f"  epoch {epoch:2}  loss {mean['loss']:.3f}  accuracy {mean['accuracy']:.1%}")


def correct(rows: TensorDictBase) -> torch.Tensor:
    """Return a mask of the rows whose class is predicted."""
    return rows["prediction", "class"] == rows["label", "class"]


def summary(rows: TensorDictBase) -> TensorDict:
    """Return what the network makes of the rows of one class; it has no batch dimension."""
    return TensorDict(
        name=rows[0]["label", "name"],
        count=torch.tensor(len(rows)),
        correct=correct(rows).sum(),
        accuracy=correct(rows).float().mean(),
        mean=rows.select(("image", "pixels"), ("prediction", "confidence")).mean(0),
        predicted=torch.bincount(rows["prediction", "class"], minlength=len(NAMES)),
    )


def print_report(tested: TensorDictBase, per_class: TensorDictBase) -> None:
    """Print the trees, and a line for each class."""
    print(f"\nHeld-out digits, {tested.bytes() / 1024:.0f} KiB:\n{tested}")
    print(f"\nA row for each class, {per_class.bytes() / 1024:.1f} KiB:\n{per_class}\n")
    for row in per_class:
        bar = "█" * round(30 * row["accuracy"].item())
        print(f"  {row['name']:<6} {row['accuracy']:7.1%}  {row['correct']} of {row['count']}  {bar}")


def save(tested: TensorDictBase, file: Path) -> int:
    """Write labels and predictions to an HDF5 file, read them back and compare; return the size of the file."""
    saved = tested.select(("label", "class"), *PREDICTION)
    saved.to_h5(file)
    if not (TensorDict.from_h5(file) == saved).all():
        raise RuntimeError(f"{file} does not hold what was written to it.")
    return file.stat().st_size


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo; return the exit status."""
    parser = argparse.ArgumentParser(description="Train a small network on a TensorDict of handwritten digits.")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for digits.png and digits.h5")
    parser.add_argument("--epochs", type=int, default=10, help="how often to see the training rows")
    parser.add_argument("--seed", type=int, default=0, help="of the shuffling and the network")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)  # the batches are too small to share, and one thread always gives the same figures
    start = time.perf_counter()

    rows = shuffle(digits())
    print(f"All digits, {rows.bytes() / 1024:.0f} KiB:\n{rows}\n")
    training, held_out = rows.split([len(rows) * 4 // 5, -(-len(rows) // 5)])
    network = build_network()
    print(f"Training on {len(training)}, testing on {len(held_out)}:")
    train(network, standardise(training, training), options.epochs)
    with torch.no_grad():
        tested = network.eval()(standardise(held_out, training))

    of_class = [tested[tested["label", "class"] == number] for number in range(len(NAMES))]
    per_class = td_core.stack([summary(rows) for rows in of_class])
    print_report(tested, per_class)
    size = save(tested, options.out / "digits.h5")
    plot_report(per_class, tested[~correct(tested)], options.out / "digits.png")

    accuracy = correct(tested).float().mean().item()
    print(
        f"\nAccuracy {accuracy:.2%}: {correct(tested).sum()} of {len(tested)}, in {time.perf_counter() - start:.1f} s."
    )
    print(f"Wrote {options.out / 'digits.png'}, and {options.out / 'digits.h5'} ({size / 1024:.0f} KiB, read back).")
    if accuracy <= WANTED_ACCURACY:
        print(f"FAILED: the accuracy should be above {WANTED_ACCURACY:.0%}.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
