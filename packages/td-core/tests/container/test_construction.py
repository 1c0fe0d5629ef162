"""Construction of dense tensordicts (rows CORE-001 to CORE-015)."""

from __future__ import annotations

import collections
import types
from typing import Any

import numpy as np
import pytest
import torch

from td_core import (
    NonTensorData,
    TensorDict,
    TensorDictBase,
    is_leaf_nontensor,
    is_tensor_collection,
    make_tensordict,
    parse_tensor_dict_string,
)


class TestConstructor:
    def test_all_arguments(self):
        """CORE-001"""
        value = torch.arange(6.0).reshape(2, 3)
        td = TensorDict({"a": value, "n": {"b": value}}, batch_size=[2, 3], device="cpu", names=["x", "y"], lock=True)
        assert torch.equal(td["a"], value)
        assert td.batch_size == td["n"].batch_size == torch.Size([2, 3])
        assert td.device == td["n"].device == torch.device("cpu")
        assert td.names == td["n"].names == ["x", "y"]
        assert td.is_locked

    def test_positional_arguments(self):
        """CORE-001"""
        td = TensorDict({"a": torch.ones(2)}, [2], "cpu", ["x"])
        assert (td.batch_size, td.device, td.names) == (torch.Size([2]), torch.device("cpu"), ["x"])

    def test_is_a_tensordict_base(self):
        """CORE-001"""
        assert isinstance(TensorDict(), TensorDictBase)

    def test_defaults(self):
        """CORE-001"""
        td = TensorDict()
        assert list(td.keys()) == []
        assert td.batch_size == torch.Size([])
        assert td.device is None
        assert td.names == []
        assert not td.is_locked

    @pytest.mark.parametrize("shape", [(3,), (), (3, 2)])
    def test_wrong_entry_shape_raises(self, shape):
        """CORE-001"""
        with pytest.raises(RuntimeError, match="a"):
            TensorDict({"a": torch.ones(shape)}, batch_size=[2])

    def test_wrong_nested_entry_shape_raises(self):
        """CORE-001"""
        with pytest.raises(RuntimeError):
            TensorDict({"n": {"a": torch.ones(3)}}, batch_size=[2])

    @pytest.mark.parametrize("names", [["x", "x"], ["x"]])
    def test_wrong_names_raise(self, names):
        """CORE-001, CORE-104"""
        with pytest.raises(ValueError):
            TensorDict({}, batch_size=[2, 2], names=names)

    def test_keyword_entries(self):
        """CORE-002"""
        td = TensorDict(a=torch.ones(2), b={"c": torch.zeros(2)}, batch_size=[2])
        assert list(td.keys()) == ["a", "b"]
        assert torch.equal(td["b", "c"], torch.zeros(2))

    def test_source_and_keyword_entries_raises(self):
        """CORE-002"""
        with pytest.raises(ValueError):
            TensorDict({"a": torch.ones(2)}, b=torch.ones(2))

    def test_parameter_names_are_no_entries(self):
        """CORE-002"""
        td = TensorDict({"device": torch.ones(2), "names": torch.ones(2)}, batch_size=[2])
        assert set(td.keys()) == {"device", "names"}
        assert td.device is None

    @pytest.mark.parametrize("source", [[1, 2], torch.ones(2), 1, "text", [("a", 1)]])
    def test_wrong_source_raises(self, source):
        """CORE-003"""
        with pytest.raises(ValueError):
            TensorDict(source)

    @pytest.mark.parametrize("kind", [dict, collections.OrderedDict, types.MappingProxyType, collections.ChainMap])
    def test_any_mapping_is_a_source(self, kind):
        """CORE-003"""
        assert torch.equal(TensorDict(kind({"a": torch.ones(2)}))["a"], torch.ones(2))

    def test_nested_tuple_keys(self):
        """CORE-003"""
        td = TensorDict({("a", "b"): torch.ones(2), ("a", ("c", "d")): torch.zeros(2)}, batch_size=[2])
        assert set(td.keys(True, True)) == {("a", "b"), ("a", "c", "d")}
        assert td["a", "c"].batch_size == torch.Size([2])

    def test_non_string_key_raises(self):
        """CORE-003, CORE-016"""
        with pytest.raises(KeyError):
            TensorDict({1: torch.ones(2)})

    @pytest.mark.parametrize("size", [3, [3], (3,), torch.Size([3]), torch.tensor([3]), np.int64(3)])
    def test_batch_size_spellings(self, size):
        """CORE-004"""
        td = TensorDict({"a": torch.ones(3, 2)}, batch_size=size)
        assert td.batch_size == torch.Size([3])
        assert isinstance(td.batch_size, torch.Size)

    def test_wrong_batch_size_raises(self):
        """CORE-004"""
        with pytest.raises(ValueError):
            TensorDict({}, batch_size="x")

    def test_copy_through_the_constructor(self):
        """CORE-004, TRAP-002"""
        td = TensorDict({"a": torch.ones(2, 3)}, batch_size=[2], names=["x"], device="cpu")
        new = TensorDict(td)
        assert new.batch_size == torch.Size([])
        assert torch.equal(new["a"], td["a"])
        assert TensorDict(td, batch_size=td.batch_size).batch_size == torch.Size([2])
        assert td.batch_size == torch.Size([2])

    def test_batch_size_is_not_inferred(self):
        """CORE-004"""
        assert TensorDict({"a": torch.ones(3, 2), "b": torch.ones(3)}).batch_size == torch.Size([])

    @pytest.mark.parametrize("device", ["cpu", torch.device("cpu")])
    def test_device_spellings(self, device):
        """CORE-005"""
        assert TensorDict({}, device=device).device == torch.device("cpu")

    def test_device_moves_entries(self):
        """CORE-005"""
        td = TensorDict({"a": torch.ones(2), "n": {"b": torch.ones(2)}}, device="meta")
        assert td["a"].device == td["n", "b"].device == td["n"].device == torch.device("meta")

    def test_wrong_device_raises(self):
        """CORE-005"""
        with pytest.raises(RuntimeError):
            TensorDict({}, device="nope")

    @pytest.mark.parametrize("non_blocking", [None, True, False])
    def test_non_blocking(self, non_blocking):
        """CORE-006: to the host, the values are there whichever way is asked."""
        td = TensorDict({"a": torch.arange(3.0)}, device="cpu", non_blocking=non_blocking)
        assert td["a"].tolist() == [0.0, 1.0, 2.0]

    def test_lock(self):
        """CORE-007"""
        td = TensorDict({"n": {"a": torch.ones(2)}}, lock=True)
        assert td["n"].is_locked
        with pytest.raises(RuntimeError):
            td["n", "b"] = torch.ones(2)

    def test_dict_entries_get_the_names(self):
        """CORE-009"""
        assert TensorDict({"n": {"a": torch.ones(2)}}, batch_size=[2], names=["x"])["n"].names == ["x"]

    def test_values_are_not_copied(self):
        """CORE-001"""
        value = torch.ones(2)
        td = TensorDict({"a": value})
        assert td["a"] is value

    def test_source_dict_is_not_touched(self):
        """CORE-001"""
        inner = {"b": 1}
        source = {"a": 1, "n": inner}
        TensorDict(source)["n", "c"] = 2
        assert source == {"a": 1, "n": {"b": 1}}

    def test_entry_that_is_a_tensordict_is_kept(self):
        """CORE-010"""
        node = TensorDict({"a": torch.ones(2, 3)}, batch_size=[2, 3])
        assert TensorDict({"n": node}, batch_size=[2])["n"] is node


class TestCollections:
    def test_is_tensor_collection(self):
        """CORE-012"""
        for yes in (TensorDict(), TensorDict, NonTensorData("x"), TensorDictBase):
            assert is_tensor_collection(yes)
        for no in (torch.ones(1), torch.Tensor, {}, dict, None, "x"):
            assert not is_tensor_collection(no)

    def test_leaf_predicates(self):
        """CORE-024"""
        assert is_leaf_nontensor(torch.Tensor)
        assert is_leaf_nontensor(NonTensorData)
        assert not is_leaf_nontensor(TensorDict)


class TestMakeTensordict:
    def test_from_dict_or_keywords(self):
        """CORE-014"""
        td = make_tensordict({"a": torch.ones(3), ("n", "b"): torch.ones(3)}, batch_size=[3], device="cpu")
        assert set(td.keys(True, True)) == {"a", ("n", "b")}
        assert td["n"].batch_size == torch.Size([3])
        assert td.device == torch.device("cpu")
        assert make_tensordict(a=torch.ones(3)).batch_size == torch.Size([])

    def test_auto_batch_size(self):
        """CORE-014"""
        assert make_tensordict(a=torch.ones(3, 2), b=torch.ones(3), auto_batch_size=True).batch_size == torch.Size([3])


class TestParseString:
    def test_round_trip(self):
        """CORE-015"""
        td = TensorDict(
            {"a": torch.zeros(3, 2), "n": {"b": torch.zeros(3, dtype=torch.int64), "m": {"c": torch.zeros(3, 1)}}}, [3]
        )
        new = parse_tensor_dict_string(str(td))
        assert new.batch_size == torch.Size([3])
        assert {key: (value.shape, value.dtype) for key, value in new.items(True, True)} == {
            key: (value.shape, value.dtype) for key, value in td.items(True, True)
        }

    def test_anything_else_raises(self):
        """CORE-015"""
        with pytest.raises(ValueError):
            parse_tensor_dict_string("not a tensordict")


class TestFromKeys:
    def test_fromkeys(self):
        """CORE-035"""
        td = TensorDict.fromkeys(["a", ("n", "b")])
        assert td.batch_size == torch.Size([])
        assert td["a"].item() == td["n", "b"].item() == 0
        assert TensorDict.fromkeys(["a"], 3)["a"].item() == 3


@pytest.mark.parametrize("build", [TensorDict, TensorDict.from_dict])
def test_a_plain_key_does_not_replace_what_a_tuple_key_made(build: Any) -> None:
    y, z = torch.zeros(2), torch.ones(2)
    merged = build({"x": {"z": z}, ("x", "y"): y}, [2])
    assert list(merged["x"].keys()) == ["z", "y"]
    with pytest.raises(KeyError, match="comes after an entry inside of it"):
        build({("x", "y"): y, "x": {"z": z}}, [2])


@pytest.mark.parametrize("size", [np.int64(3), 3, [3], (3,), torch.Size([3]), np.array([3]), torch.tensor([3])])
def test_batch_sizes_of_many_types(size: Any) -> None:
    assert TensorDict({}, size).batch_size == torch.Size([3])


@pytest.mark.parametrize("size", [3.5, "ab", object(), [None]])
def test_no_batch_sizes(size: Any) -> None:
    with pytest.raises(ValueError, match="batch_size must be a sequence of ints or an int"):
        TensorDict({}, size)


def test_values_of_a_source_follow_the_batch_size() -> None:
    source = TensorDict({"s": "text", "a": torch.ones(2, 3)}, [2, 3])
    td = TensorDict(source, [2])
    assert td.get("s").batch_size == torch.Size([2])
    assert source.get("s").batch_size == torch.Size([2, 3])


def test_fromkeys_does_not_replace_what_a_tuple_key_made() -> None:
    assert list(TensorDict.fromkeys(["b", ("n", "a"), "b"]).keys(True)) == ["b", ("n", "a"), "n"]
    with pytest.raises(KeyError, match="comes after an entry inside of it"):
        TensorDict.fromkeys([("n", "a"), "n"])
