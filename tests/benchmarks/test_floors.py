"""The building blocks of the floors."""

import pytest
import torch
from benchmarks.floors import check, checked, distribute, each_leaf, foreach, foreach_, gather, per_leaf, store
from benchmarks.trees import DEPTH, NODE, Tree, leaves_of

ONE = torch.tensor([1.0, 2.0])
TWO = torch.tensor([3.0, 4.0])


def nested():
    return {"a": ONE.clone(), "node": {"b": TWO.clone()}}


def test_per_leaf_keeps_the_form_and_passes_operands():
    result = per_leaf("leaf * factor + other[key]", "factor", zipped=("other",))(nested(), nested(), 10)
    assert result["a"].tolist() == [11.0, 22.0]
    assert result["node"]["b"].tolist() == [33.0, 44.0]


def test_each_leaf_works_in_place():
    data = nested()
    each_leaf("leaf[index] = 0", "index")(data, 1)
    assert data["a"].tolist() == [1.0, 0.0]
    assert data["node"]["b"].tolist() == [3.0, 0.0]


def test_foreach_makes_new_tensors_and_foreach_changes_the_given():
    data = nested()
    result = foreach(torch._foreach_add)(data, nested())
    assert result["node"]["b"].tolist() == [6.0, 8.0]
    assert data["node"]["b"].tolist() == [3.0, 4.0]
    assert foreach_(torch._foreach_mul_)(data, 2) is data
    assert data["a"].tolist() == [2.0, 4.0]


def test_distribute_and_gather_are_inverse():
    data = nested()
    rows = distribute(per_leaf("leaf.unbind(0)")(data), 2)
    assert rows[1]["node"]["b"].item() == 4.0
    assert gather(rows, torch.stack)["a"].tolist() == [1.0, 2.0]


def test_the_careful_check():
    good, bad = torch.zeros(8, 4, 1), torch.zeros(4, 8)
    check(good)
    data = {"node": {}}
    store(data, ("node", "x"), good)
    assert data["node"]["x"] is good
    for refuse in (lambda: check(bad), lambda: checked({"node": {"x": bad}}), lambda: store(data, ("y",), bad)):
        with pytest.raises(ValueError, match=r"found shape \(4, 8\)"):
            refuse()


@pytest.mark.parametrize("leaves", [2, 10, 100])
@pytest.mark.parametrize("deep", [False, True])
def test_trees_have_the_leaves_and_the_depth_they_name(leaves, deep):
    tree = Tree(leaves, deep=deep)
    data = tree.data()
    assert len(leaves_of(data)) == leaves
    assert all(leaf.shape[:2] == (8, 4) for leaf in leaves_of(data))
    levels = 1
    node = data
    while NODE in node:
        node = node[NODE]
        levels += 1
    assert levels == (DEPTH if deep else 1)
    assert f"leaf{leaves - 1}" in node
    assert tree.name == f"{'deep' if deep else 'flat'}-{leaves}"
