"""Every workload does the floor's work on ours; commands run end to end."""

import pytest
from benchmarks.__main__ import main
from benchmarks.faithful import check_faithful
from benchmarks.importtime import import_once
from benchmarks.results import load_sections
from benchmarks.run import choose, run_case
from benchmarks.sides import FLOOR, OURS, PEER, Side, load_sides
from benchmarks.timing import Effort
from benchmarks.topics import WORKLOADS
from benchmarks.trees import Tree
from benchmarks.workload import Case, bulk

import td_core

FLOOR_SIDE = Side(FLOOR)
OUR_SIDE = Side(OURS, td_core)
SMALL_TREES = {"flat-10", "deep-10", "flat-10-locked"}


def smallest(workload):
    """The quick trees, or the first where a workload has none of them."""
    return [tree for tree in workload.trees if tree.name in SMALL_TREES] or list(workload.trees[:1])


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.name)
def test_ours_does_the_work_of_the_floor(workload):
    for tree in smallest(workload):
        check_faithful(Case(workload, tree), FLOOR_SIDE, OUR_SIDE)


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.name)
def test_work_can_be_repeated_on_the_same_arguments(workload):
    for side in (FLOOR_SIDE, OUR_SIDE):
        function = workload.function(side)
        arguments = workload.arguments(side, smallest(workload)[0])
        for _ in range(3):
            function(*arguments)


def test_names_are_unique_and_start_with_a_topic():
    names = [workload.name for workload in WORKLOADS]
    assert len(set(names)) == len(names)
    assert all("/" in name for name in names)


def test_choose_by_name_and_quick():
    assert [case.name for case in choose(only=r"^shape/view\[flat")] == [
        "shape/view[flat-2]",
        "shape/view[flat-10]",
        "shape/view[flat-100]",
    ]
    quick = choose(quick=True)
    assert {case.workload.name for case in quick} == {workload.name for workload in WORKLOADS}
    assert len(quick) < len(choose()) / 2


def test_a_side_that_fails_loses_its_figure_and_says_why():
    def broken(td):
        raise NotImplementedError("not yet")

    row = run_case(
        Case(bulk("x/broken", lambda data: None, broken), Tree(2)),
        [FLOOR_SIDE, OUR_SIDE],
        Effort(rounds=1, seconds=1e-6),
    )
    assert row.problems == {OURS: "NotImplementedError: not yet"}
    assert list(row.timings) == [FLOOR]


def test_the_peer_is_optional():
    assert [side.name for side in load_sides("td_core", None)] == [FLOOR, OURS]
    assert [side.name for side in load_sides("td_core", "no_such_module")] == [FLOOR, OURS]
    assert [side.name for side in load_sides("td_core", "td_core")] == [FLOOR, OURS, PEER]


def test_run_then_table(tmp_path, capsys):
    results, page = tmp_path / "results.json", tmp_path / "RESULTS.md"
    command = ["run", "--quick", "--only", r"get/item\[flat-2\]|get/item\[flat-10\]", "--json", str(results)]
    assert main([*command, "--peer", "none_installed"]) == 0
    assert "| ours / floor, access" in capsys.readouterr().out
    (row,) = load_sections(results)["run"]["rows"]
    assert (row["workload"], row["tree"], row["problems"]) == ("get/item", "flat-10", {})
    assert main(["table", "--json", str(results), "--output", str(page)]) == 0
    assert "| get/item[flat-10] | access |" in page.read_text()


def test_an_unknown_case_is_reported(capsys):
    assert main(["run", "--only", "no such case"]) == 2
    assert main(["profile", "no/such"]) == 2
    assert "'list' prints their names" in capsys.readouterr().err


def test_profile_prints_times_and_functions(capsys):
    from benchmarks.profiling import profile

    (case,) = choose(only=r"^get/item\[flat-2\]$")
    profile(case, [FLOOR_SIDE, OUR_SIDE], seconds=0.01)
    printed = capsys.readouterr().out
    assert "ours / floor" in printed
    assert "function calls" in printed


@pytest.mark.slow
def test_an_import_is_timed_in_a_fresh_process():
    measured = import_once("json")
    assert measured["torch"] > 0
    assert measured["seconds"] >= 0


@pytest.mark.slow
def test_a_failing_import_is_reported():
    with pytest.raises(RuntimeError, match="no_such_module"):
        import_once("no_such_module")
