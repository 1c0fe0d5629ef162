"""State dicts."""

from collections import OrderedDict

import pytest
import torch

from td_core import TensorDict
from td_core.errors import InplaceWriteError, LockedError, TDRuntimeError, TDValueError


def make(value=1.0):
    return TensorDict({"a": torch.full((3,), value), "n": {"b": torch.full((3, 2), value), "e": {}}, "s": "hi"}, [3])


def zeros():
    td = make(0.0)
    td["s"] = "old"
    return td


def test_flat_form():
    state = make().state_dict()
    assert type(state) is OrderedDict
    assert list(state) == ["a", "n.b"]
    assert state["n.b"].tolist() == [[1, 1]] * 3
    assert list(make().state_dict(prefix="p.")) == ["p.a", "p.n.b"]


def test_nested_form():
    state = make().state_dict(flatten=False)
    assert list(state) == ["a", "n"]
    assert list(state["n"]) == ["b", "e"]
    assert state["n"]["e"] == OrderedDict()


def test_destination_and_keep_vars():
    given = {"z": 1}
    x = torch.ones(1, requires_grad=True)
    assert TensorDict(x=x).state_dict(destination=given, keep_vars=True) is given
    assert given["x"] is x
    assert given["z"] == 1
    assert not TensorDict(x=x).state_dict()["x"].requires_grad


@pytest.mark.parametrize("flatten", [True, False])
def test_round_trip_writes_in_place(flatten):
    target = zeros()
    leaf, node = target["a"], target["n"]
    assert target.load_state_dict(make().state_dict(flatten=flatten)) is target
    assert target["a"] is leaf
    assert target["n"] is node
    assert leaf.tolist() == [1, 1, 1]
    assert target["n", "b"].tolist() == [[1, 1]] * 3
    assert target["s"] == "hi"


def test_through_a_file(tmp_path):
    torch.save(make().state_dict(), tmp_path / "f")
    target = zeros().load_state_dict(torch.load(tmp_path / "f", weights_only=True))
    assert target["n", "b"].sum() == 6
    assert target["s"] == "hi"


def test_plain_dicts_load_too():
    target = zeros().load_state_dict({"a": torch.full((3,), 2.0), "n.b": torch.full((3, 2), 3.0)})
    assert target["a"].tolist() == [2, 2, 2]
    assert target["n", "b"].tolist() == [[3, 3]] * 3
    target.load_state_dict({"a": torch.zeros(3), "n": {"b": torch.zeros(3, 2)}})
    assert target["n", "b"].sum() == 0


def test_assign_takes_the_tensors_over():
    state = make().state_dict()
    target = zeros().load_state_dict(state, assign=True)
    assert target["n", "b"] is state["n.b"]
    with pytest.raises(LockedError):
        zeros().lock_().load_state_dict(state, assign=True)


def test_batch_size_comes_back():
    state = make().state_dict()
    flat = TensorDict({"a": torch.zeros(3), "n": {"b": torch.zeros(3, 2), "e": {}}})
    assert flat.load_state_dict(state).batch_size == (3,)
    assert flat["n"].batch_size == (3,)
    other = TensorDict({"a": torch.zeros(5), "n": {"b": torch.zeros(5, 2), "e": {}}}, [5])
    other.load_state_dict(state, assign=True)
    assert other.batch_size == (3,)
    assert other["a"].tolist() == [1, 1, 1]


def test_strict_names_the_keys():
    state = make().state_dict()
    del state["n.b"]
    state["extra"] = torch.ones(3)
    with pytest.raises(TDRuntimeError, match=r"Missing keys: \['n.b'\]. Unexpected keys: \['extra'\]"):
        zeros().load_state_dict(state)
    target = zeros().load_state_dict(state, strict=False)
    assert target["n", "b"].sum() == 0
    assert target["extra"].tolist() == [1, 1, 1]
    assert target["a"].tolist() == [1, 1, 1]


def test_new_nodes_are_made_when_not_strict():
    target = TensorDict().load_state_dict(make().state_dict(), strict=False)
    assert target["n", "b"].tolist() == [[1, 1]] * 3
    assert target["n"].batch_size == target.batch_size == (3,)


def test_empty_nodes_load():
    assert list(TensorDict({"n": {}}).load_state_dict(OrderedDict()).keys()) == ["n"]
    assert TensorDict().load_state_dict(OrderedDict(n=OrderedDict())).is_empty()


def test_keys_with_dots():
    td = TensorDict({"a.b": torch.ones(1)})
    target = TensorDict({"a.b": torch.zeros(1)})
    assert target.load_state_dict(td.state_dict())["a.b"] == 1
    with pytest.raises(TDValueError, match=r"'a\.b'"):
        TensorDict({"a.b": torch.ones(1), "a": {"b": torch.ones(1)}}).state_dict()
    with pytest.raises(TDRuntimeError, match="Unexpected"):
        zeros().load_state_dict(make().state_dict(), from_flatten=False)


def test_locked_and_misfits():
    assert zeros().lock_().load_state_dict(make().state_dict())["a"].tolist() == [1, 1, 1]
    with pytest.raises(InplaceWriteError):
        TensorDict(a=torch.zeros(2)).load_state_dict({"a": torch.ones(3)})
