"""Timing, averages, and the way of the figures into tables, files and plots."""

import gc
import json
import math

import pytest
from benchmarks.__main__ import main
from benchmarks.report import document, duration, figures, markdown
from benchmarks.results import Row, load_sections, rows_from_json, rows_to_json, save_section
from benchmarks.sides import FLOOR, OURS, PEER
from benchmarks.summary import geometric_mean, summarize
from benchmarks.timing import Effort, Timing, interleaved


def row(name, tag, floor, ours, peer=None, tree="flat-10"):
    times = {FLOOR: floor, OURS: ours, PEER: peer}
    return Row(name, tree, tag, {side: Timing(time, time) for side, time in times.items() if time is not None})


ROWS = [
    row("get/item", "access", 1e-6, 3e-6, 9e-6),
    row("set/item", "access", 1e-6, 1e-6, 2e-6),
    row("shape/view", "bulk", 1e-6, 2e-6, 1e-6),
    row("shape/view", "bulk", 1e-6, 8e-6, tree="deep-10"),
]


def test_geometric_mean():
    assert geometric_mean([1.0, 4.0]) == pytest.approx(2.0)
    assert geometric_mean([0.5, 2.0]) == pytest.approx(1.0)
    assert geometric_mean([]) is None


def test_summary_of_known_figures():
    summary = summarize(ROWS)
    assert summary.bulk == pytest.approx(4.0)
    assert summary.access == pytest.approx(math.sqrt(3))
    assert summary.peer == pytest.approx((3 * 2 * 0.5) ** (1 / 3))
    assert [entry.name for entry in summary.slower_than_peer] == ["shape/view[flat-10]"]
    assert [entry.ratio(OURS, FLOOR) for entry in summary.slowest] == pytest.approx([8.0, 3.0, 2.0, 1.0])
    shape = next(group for group in summary.topics if group.name == "shape")
    assert (shape.count, shape.ours_to_floor, shape.peer_to_floor) == (2, pytest.approx(4.0), pytest.approx(1.0))


def test_without_the_peer_nothing_is_claimed_about_it():
    summary = summarize([row("get/item", "access", 1e-6, 3e-6)])
    assert summary.peer is None
    assert summary.slower_than_peer == []
    assert "met" not in figures(summary).splitlines()[-1]


def test_figures_say_met_and_missed():
    lines = figures(summarize(ROWS)).splitlines()
    assert [line.split("|")[-2].strip() for line in lines[-4:]] == ["missed", "met", "missed", "missed"]


def test_interleaved_calls_every_function_and_restores_the_collector():
    calls = {"left": 0, "right": 0}

    def count(name):
        def call():
            assert not gc.isenabled()
            calls[name] += 1

        return call

    assert gc.isenabled()
    timings = interleaved([count("left"), count("right")], Effort(rounds=3, seconds=1e-5))
    assert gc.isenabled()
    assert all(calls.values())
    assert all(0 < timing.best <= timing.median for timing in timings)


def test_sections_are_kept_and_rows_come_back_equal(tmp_path):
    path = tmp_path / "out" / "results.json"
    save_section(path, "run", {"machine": {"cores": "2"}, "rows": rows_to_json(ROWS)})
    save_section(path, "importtime", {"rounds": 1})
    assert rows_from_json(load_sections(path)["run"]["rows"]) == ROWS
    assert json.loads(path.read_text())["importtime"] == {"rounds": 1}


@pytest.mark.parametrize(
    ("seconds", "text"), [(None, ""), (2.5, "2.5 s"), (0.0123, "12.3 ms"), (4.56e-6, "4.56 µs"), (7.1e-8, "71 ns")]
)
def test_duration(seconds, text):
    assert duration(seconds) == text


def test_markdown_aligns_columns():
    assert markdown(("case", "x"), [("a", "1.00"), ("long name", "12.00")]).splitlines() == [
        "| case      |     x |",
        "| --------- | ----: |",
        "| a         |  1.00 |",
        "| long name | 12.00 |",
    ]


def test_document_has_every_section_that_was_measured():
    text = document(
        {
            "run": {"machine": {"cores": "2"}, "rows": rows_to_json(ROWS)},
            "importtime": {
                "rounds": 3,
                "torch": 1.0,
                "libraries": {"td_core": {"seconds": 0.05, "least": 0.04, "modules": 60}},
            },
            "compile": {
                "backends": {
                    "eager": {
                        "arithmetic": {
                            "floor": {"compile": 0.5, "call": 1e-5, "graphs": 1},
                            "ours": {"compile": 1.0, "call": 2e-5, "graphs": 1},
                            "peer": {"problem": "Unsupported: a | b"},
                        }
                    }
                }
            },
        }
    )
    assert "- cores: 2" in text
    assert "| shape/view[deep-10] | " in text
    assert "| td_core |  50 ms | 40 ms |            60 |" in text
    assert "Unsupported: a \\| b" in text
    assert "2.00" in next(line for line in text.splitlines() if line.startswith("| arithmetic, compile"))


def test_the_plot_is_drawn_in_both_formats(tmp_path):
    pytest.importorskip("matplotlib")
    results = tmp_path / "results.json"
    save_section(results, "run", {"machine": {}, "rows": rows_to_json(ROWS)})
    png, svg = tmp_path / "ratios.png", tmp_path / "ratios.svg"
    assert main(["plot", "--json", str(results), "--output", str(png), "--output", str(svg)]) == 0
    assert png.read_bytes().startswith(b"\x89PNG")
    assert "<svg" in svg.read_text()
