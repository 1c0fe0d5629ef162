"""The demo runs as its users run it, and its figures and files are what it says."""

import re
from pathlib import Path

import matplotlib.image
import pytest
import torch

from td_core import load

DEMO = Path(__file__).resolve().parents[2] / "examples" / "digits_demo.py"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def printed(run_python, folder):
    return run_python(None, str(DEMO), "--out", str(folder), "--epochs", "6")


def test_the_accuracy_is_above_95_percent(printed):
    percent, right, total = re.search(r"^Accuracy ([\d.]+)%: (\d+) of (\d+)", printed, re.MULTILINE).groups()
    assert float(percent) > 95
    assert int(total) == 360
    assert float(percent) == pytest.approx(100 * int(right) / 360, abs=0.005)


def test_the_classes_add_up_to_the_whole(printed):
    lines = re.findall(r"^  (\w+) +([\d.]+)% +(\d+) of (\d+)", printed, re.MULTILINE)
    assert [line[0] for line in lines] == [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
    ]
    assert sum(int(line[3]) for line in lines) == 360
    assert f"{sum(int(line[2]) for line in lines)} of 360" in printed
    for _, percent, right, count in lines:
        assert float(percent) == pytest.approx(100 * int(right) / int(count), abs=0.05)


def test_the_trees_are_printed(printed):
    assert "All digits, 583 KiB:\nTensorDict(batch_size=[1797], fields={\n    image: {" in printed
    assert "prediction: {class: i64[], confidence: f32[]}})" in printed
    assert "TensorDict(batch_size=[10], fields={\n    accuracy: f32[]," in printed


@pytest.mark.usefixtures("printed")
def test_the_plot_is_an_image_with_something_on_it(folder):
    image = matplotlib.image.imread(folder / "digits.png")
    assert image.shape == (962, 1560, 4)
    assert image[..., :3].std() > 0.05


@pytest.mark.usefixtures("plugins")
def test_the_file_holds_the_predictions(printed, folder):
    saved = load(folder / "digits.h5")
    assert saved.batch_size == torch.Size([360])
    right = (saved["prediction", "class"] == saved["label", "class"]).sum().item()
    assert f": {right} of 360, in " in printed
    confidence = saved["prediction", "confidence"]
    assert ((confidence > 0.1) & (confidence <= 1)).all()


def test_the_exit_status_is_1_when_the_accuracy_is_too_low(run_python, tmp_path):
    printed = run_python(None, str(DEMO), "--out", str(tmp_path), "--epochs", "0", status=1)
    assert printed.endswith("FAILED: the accuracy should be above 95%.\n")
