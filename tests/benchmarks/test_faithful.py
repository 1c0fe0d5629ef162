"""The check that catches a side which does other work than the floor."""

import pytest
import torch
from benchmarks.faithful import UnfaithfulError, check_faithful, difference
from benchmarks.floors import per_leaf
from benchmarks.sides import FLOOR, OURS, Side
from benchmarks.trees import Tree
from benchmarks.workload import Case, access, bulk, pair

import td_core

FLOOR_SIDE = Side(FLOOR)
OUR_SIDE = Side(OURS, td_core)
SMALL = Tree(3)


def check(workload, tree=SMALL):
    check_faithful(Case(workload, tree), FLOOR_SIDE, OUR_SIDE)


def test_equal_work_passes_flat_and_deep():
    workload = bulk("x/double", per_leaf("leaf * 2"), lambda td: td.apply(lambda leaf: leaf * 2))
    check(workload)
    check(workload, Tree(3, deep=True))


def test_other_values_are_caught():
    workload = bulk("x/double", per_leaf("leaf * 2"), lambda td: td.apply(lambda leaf: leaf * 3))
    with pytest.raises(UnfaithfulError, match=r"x/double\[flat-3\]: result of ours differs.*leaf0"):
        check(workload)


def test_a_missing_entry_is_caught():
    with pytest.raises(UnfaithfulError, match="keys"):
        check(access("x/select", lambda data: dict(data), lambda td: td.select("leaf0")))


def test_other_work_in_place_is_caught_though_the_result_is_equal():
    def add_in_place(td):
        td["leaf0"].add_(1)

    with pytest.raises(UnfaithfulError, match="arguments of ours"):
        check(bulk("x/nothing", lambda data: None, add_in_place))


def test_a_view_against_a_copy_is_caught():
    with pytest.raises(UnfaithfulError, match="one returns views, the other copies"):
        check(bulk("x/clone", per_leaf("leaf[:]"), lambda td: td.apply(torch.clone)))


def test_the_second_tree_has_other_values():
    first, second = pair(FLOOR_SIDE, Tree(2))
    assert not torch.equal(first["leaf0"], second["leaf0"])
    assert difference(first, second) is not None


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        ({"a": torch.ones(2)}, {"a": torch.ones(2, dtype=torch.float64)}),
        ({"a": torch.ones(2)}, {"a": torch.ones(1, 2)}),
        ([torch.ones(2)], [torch.ones(2), torch.ones(2)]),
        ({"a": torch.ones(2)}, {"a": {"b": torch.ones(2)}}),
        (True, 1),
        ("a", "b"),
        (torch.tensor(True), True),
    ],
)
def test_difference_sees_dtype_shape_length_structure_and_type(expected, found):
    assert difference(expected, found) is not None
    assert difference(expected, expected) is None
    assert difference(found, found) is None


def test_unordered_listings_may_differ_in_order_only():
    reverse = access("x/keys", list, lambda td: sorted(td.keys(), reverse=True), unordered=True)
    check(reverse)
    with pytest.raises(UnfaithfulError, match="2 items"):
        check(access("x/keys", list, lambda td: sorted(td.keys())[:2], unordered=True))
