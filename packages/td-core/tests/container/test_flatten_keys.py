"""flatten_keys and unflatten_keys."""

import pytest
import torch

from td_core import TensorDict
from td_core.errors import LockedError, TDKeyError, TDTypeError, TDValueError


@pytest.fixture
def td():
    return TensorDict(
        {
            "z": torch.zeros(2),
            "n": TensorDict({"b": torch.ones(2, 3), "m": {"c": torch.ones(2, 3)}, "s": "x"}, [2, 3]),
            "e": {},
        },
        batch_size=[2],
        names=["x"],
        device="cpu",
    )


class TestFlatten:
    def test_joins_paths_in_order(self, td):
        flat = td.flatten_keys()
        assert list(flat.keys()) == ["z", "n.b", "n.m.c", "n.s"]
        assert list(td.flatten_keys("__").keys()) == ["z", "n__b", "n__m__c", "n__s"]
        assert flat["n.b"] is td["n", "b"]
        assert flat["n.s"] == "x"
        assert (flat.batch_size, flat.names, flat.device) == ((2,), ["x"], torch.device("cpu"))
        assert "n" in td

    def test_is_leaf(self, td):
        assert list(td.flatten_keys(is_leaf=lambda cls: issubclass(cls, torch.Tensor)).keys()) == ["z", "n.b", "n.m.c"]
        assert list(td.flatten_keys(is_leaf=lambda cls: True).keys()) == ["z", "n", "e"]

    def test_in_place(self, td):
        leaf = td["n", "b"]
        assert td.flatten_keys(inplace=True) is td
        assert list(td.keys()) == ["z", "n.b", "n.m.c", "n.s"]
        assert td["n.b"] is leaf

    @pytest.mark.parametrize("inplace", [False, True])
    @pytest.mark.parametrize("source", [{"a.b": 1, "a": {"b": 2}}, {"a": {"b": 2}, "a.b": 1}])
    def test_collision(self, source, inplace):
        td = TensorDict(source)
        with pytest.raises(TDKeyError, match=r"a\.b"):
            td.flatten_keys(inplace=inplace)
        assert list(td.keys()) == list(source)

    def test_empty(self):
        assert list(TensorDict({"e": {}}).flatten_keys().keys()) == []

    def test_lock(self, td):
        td.lock_()
        assert not td.flatten_keys().is_locked
        with pytest.raises(LockedError):
            td.flatten_keys(inplace=True)
        with pytest.raises(LockedError):
            td.unflatten_keys(inplace=True)

    def test_separator_must_be_a_string(self, td):
        with pytest.raises(TDTypeError):
            td.flatten_keys(3)
        with pytest.raises(TDValueError):
            td.unflatten_keys("")


class TestUnflatten:
    def test_is_the_inverse(self, td):
        back = td.flatten_keys().unflatten_keys()
        assert set(back.keys(True, True)) == set(td.keys(True, True))
        assert back["n", "m", "c"] is td["n", "m", "c"]
        assert back["n", "s"] == "x"
        assert back["n"].batch_size == (2,)  # nodes get the batch size of the root
        assert back["n"].names == ["x"]
        assert back["n"].device == torch.device("cpu")

    def test_order(self):
        td = TensorDict({"a.b": 1, "z": 2, "a.c": 3}).unflatten_keys()
        assert list(td.keys()) == ["z", "a"]
        assert list(td["a"].keys()) == ["b", "c"]

    def test_adds_to_existing_nodes_without_touching_the_source(self):
        td = TensorDict({"a": {"c": 1}, "a.b": 2})
        out = td.unflatten_keys()
        assert set(out["a"].keys()) == {"b", "c"}
        assert set(td["a"].keys()) == {"c"}

    def test_in_place(self):
        td = TensorDict({"a.b": 1, "c": 2, "n": {"x": 1}})
        node = td["n"]
        assert td.unflatten_keys(inplace=True) is td
        assert set(td.keys()) == {"c", "a", "n"}
        assert td["n"] is node
        assert td["a", "b"].item() == 1

    @pytest.mark.parametrize("inplace", [False, True])
    @pytest.mark.parametrize("source", [{"a": 1, "a.b": 2}, {"a.b": 2, "a": 1}, {"a": {"b": 1}, "a.b": 2}])
    def test_clash(self, source, inplace):
        td = TensorDict(source)
        with pytest.raises(TDKeyError, match=r"a\.b"):
            td.unflatten_keys(inplace=inplace)
        assert list(td.keys()) == list(source)

    def test_only_this_level(self):
        assert list(TensorDict({"n": {"a.b": 1}}).unflatten_keys()["n"].keys()) == ["a.b"]


class TestContextManagers:
    def test_flatten_writes_back(self, td):
        with td.flatten_keys(".") as flat:
            flat["n.new"] = torch.full((2, 3), 7.0)
        assert td["n", "new"].tolist() == [[7.0] * 3] * 2
        assert td["n", "b"].tolist() == [[1.0] * 3] * 2

    def test_unflatten_writes_back(self):
        td = TensorDict({"a.b": torch.zeros(2)}, [2])
        with td.unflatten_keys(".") as nested:
            nested["a", "c"] = torch.ones(2)
        assert set(td.keys()) == {"a.b", "a.c"}
