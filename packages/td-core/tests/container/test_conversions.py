"""Builders of dense tensordicts from other things (rows CORE-205, CORE-209, CORE-210, CORE-212, CORE-214)."""

from __future__ import annotations

import collections

import numpy as np
import pytest
import torch

import td_core
from td_core import TensorDict

Pair = collections.namedtuple("Pair", "p q")


class TestFromDict:
    ENTRIES = {"a": torch.ones(3, 2), "n": {"b": torch.ones(3, 2, 4)}}  # noqa: RUF012  # read only

    @pytest.mark.parametrize("build", [TensorDict.from_dict, td_core.from_dict])
    def test_batch_size_is_empty_by_default(self, build):
        """CORE-205"""
        td = build(self.ENTRIES)
        assert td.batch_size == torch.Size([])
        assert torch.equal(td["n", "b"], torch.ones(3, 2, 4))

    def test_auto_batch_size(self):
        """CORE-205"""
        td = TensorDict.from_dict(self.ENTRIES, auto_batch_size=True)
        assert td.batch_size == torch.Size([3, 2])
        assert td["n"].batch_size == torch.Size([3, 2, 4])

    def test_batch_dims(self):
        """CORE-205"""
        td = TensorDict.from_dict(self.ENTRIES, batch_dims=1)
        assert td.batch_size == td["n"].batch_size == torch.Size([3])

    def test_batch_size_device_names(self):
        """CORE-205"""
        td = TensorDict.from_dict(self.ENTRIES, batch_size=[3], device="cpu", names=["x"])
        assert (td.batch_size, td.device, td.names) == (torch.Size([3]), torch.device("cpu"), ["x"])

    def test_batch_size_and_batch_dims_raises(self):
        """CORE-205"""
        with pytest.raises(ValueError):
            TensorDict.from_dict(self.ENTRIES, batch_size=[3], batch_dims=1)

    def test_input_is_not_touched(self):
        """CORE-205"""
        source = {"a": torch.ones(2), "n": {"b": torch.ones(2)}}
        td = TensorDict.from_dict(source, auto_batch_size=True)
        td["n", "c"] = torch.zeros(2)
        td["new"] = torch.zeros(2)
        assert set(source) == {"a", "n"}
        assert set(source["n"]) == {"b"}


class TestNamedTuple:
    def test_from_namedtuple(self):
        """CORE-209"""
        td = TensorDict.from_namedtuple(Pair(p=torch.ones(2, 3), q=Pair(p=torch.zeros(2), q="text")))
        assert torch.equal(td["p"], torch.ones(2, 3))
        assert torch.equal(td["q", "p"], torch.zeros(2))
        assert td["q", "q"] == "text"

    def test_auto_batch_size(self):
        """CORE-209"""
        value = Pair(p=torch.ones(2, 3), q=torch.zeros(2, 4))
        for build in (TensorDict.from_namedtuple, td_core.from_namedtuple):
            assert build(value, auto_batch_size=True).batch_size == torch.Size([2])


class TestStructArray:
    def test_numbers_and_strings(self):
        """CORE-210"""
        array = np.array([(1, 2.5, "x"), (3, 4.5, "y")], dtype=[("i", "i4"), ("f", "f8"), ("s", "U3")])
        td = TensorDict.from_struct_array(array)
        assert td.batch_size == torch.Size([2])
        assert torch.equal(td["i"], torch.tensor([1, 3], dtype=torch.int32))
        assert torch.equal(td["f"], torch.tensor([2.5, 4.5], dtype=torch.float64))
        assert list(td["s"]) == ["x", "y"]

    def test_memory_is_shared(self):
        """CORE-210"""
        array = np.zeros(2, dtype=[("i", "i4")])
        td = TensorDict.from_struct_array(array)
        array["i"][0] = 9
        assert td["i"].tolist() == [9, 0]

    @pytest.mark.parametrize(
        "dtype",
        [
            [("i", "i4"), ("f", "f8")],
            [("n", [("x", "f4"), ("y", "i8")]), ("b", "?")],
            [("m", "f4", (3,)), ("i", "u1")],
        ],
    )
    @pytest.mark.parametrize("shape", [(2,), (2, 3)])
    def test_round_trip(self, dtype, shape):
        """CORE-210"""
        array = np.zeros(shape, dtype=dtype)
        for number, name in enumerate(array.dtype.names):
            if array.dtype[name].names is None:
                array[name] = number + 1
        td = TensorDict.from_struct_array(array)
        assert td.batch_size == torch.Size(shape)
        back = td.to_struct_array()
        assert back.dtype == array.dtype
        assert back.shape == array.shape
        np.testing.assert_array_equal(back, array)

    def test_round_trip_of_strings(self):
        """CORE-210: the width of a string field is kept."""
        array = np.array([("x", 1), ("yz", 2)], dtype=[("s", "U3"), ("i", "i8")])
        back = TensorDict.from_struct_array(array).to_struct_array()
        assert back.dtype == array.dtype
        assert back.tolist() == array.tolist()

    def test_device(self):
        """CORE-210"""
        array = np.zeros(2, dtype=[("i", "i4")])
        assert TensorDict.from_struct_array(array, device="cpu").device == torch.device("cpu")


class TestPytree:
    def test_round_trip(self):
        """CORE-212"""
        one = torch.ones(2)
        tree = {"a": [one, (one * 2, Pair(one * 3, one * 4))], 3: one * 5, "k": 6}
        back = TensorDict.from_pytree(tree).to_pytree()
        assert list(back) == ["a", 3, "k"]
        assert type(back["a"]) is list
        assert type(back["a"][1]) is tuple
        assert type(back["a"][1][1]) is Pair
        assert back["a"][1][1].q.tolist() == [4.0, 4.0]
        assert back[3].tolist() == [5.0, 5.0]
        assert isinstance(back["k"], torch.Tensor)
        assert back["k"].item() == 6

    def test_sequence_keys(self):
        """CORE-212"""
        td = td_core.from_pytree([torch.ones(2), torch.zeros(2)])
        assert torch.equal(td["0"], torch.ones(2))
        assert torch.equal(td["1"], torch.zeros(2))

    def test_bare_leaf(self):
        """CORE-212"""
        value = torch.ones(2)
        assert torch.equal(TensorDict.from_pytree(value), value)

    def test_batch_size(self):
        """CORE-212"""
        tree = {"a": torch.ones(3, 2)}
        assert TensorDict.from_pytree(tree).batch_size == torch.Size([])
        assert TensorDict.from_pytree(tree, batch_size=[3]).batch_size == torch.Size([3])
        assert TensorDict.from_pytree(tree, auto_batch_size=True).batch_size == torch.Size([3, 2])
        assert TensorDict.from_pytree(tree, auto_batch_size=True, batch_dims=1).batch_size == torch.Size([3])


class TestStateDict:
    def test_assign(self):
        """CORE-214"""
        td = TensorDict({"a": torch.ones(2)}, batch_size=[2])
        other = td.clone().zero_()
        before = other["a"]
        other.load_state_dict(td.state_dict(), assign=True)
        assert torch.equal(other["a"], torch.ones(2))
        assert torch.equal(before, torch.zeros(2))

    def test_copies_by_default(self):
        """CORE-214"""
        td = TensorDict({"a": torch.ones(2)}, batch_size=[2])
        other = td.clone().zero_()
        before = other["a"]
        other.load_state_dict(td.state_dict())
        assert torch.equal(before, torch.ones(2))

    def test_extra_keys_raise(self):
        """CORE-214"""
        td = TensorDict({"a": torch.ones(2)}, batch_size=[2])
        with pytest.raises(RuntimeError, match="extra"):
            td.load_state_dict({"a": torch.ones(2), "extra": torch.ones(2)})

    @pytest.mark.parametrize("flatten", [True, False])
    def test_empty_nodes(self, flatten):
        """CORE-214"""
        td = TensorDict({"n": {}})
        td.load_state_dict(td.state_dict(flatten=flatten))
        assert list(td.keys()) in (["n"], [])

    def test_into_a_torch_save_file(self, tmp_path):
        """CORE-214"""
        td = TensorDict({"a": torch.ones(2), "n": {"b": torch.zeros(2)}}, batch_size=[2])
        torch.save(td.state_dict(), tmp_path / "state.pt")
        other = td.clone().zero_()
        other.load_state_dict(torch.load(tmp_path / "state.pt", weights_only=True))
        assert (other == td).all()


def test_from_dict_instance_of_a_tensordict_keeps_its_batch() -> None:
    td = TensorDict({"a": torch.ones(2, 3)}, [2], names=["x"])
    new = td.from_dict_instance(td)
    assert new is not td
    assert new.batch_size == torch.Size([2])
    assert new.names == ["x"]
    assert td.from_dict_instance(td, auto_batch_size=True).batch_size == torch.Size([2, 3])
