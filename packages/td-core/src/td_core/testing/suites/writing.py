"""Writing single entries: set, set_, set_at_, fill_ (rows CORE-008 to CORE-010, CORE-043 to CORE-049, CORE-054)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from td_core import is_tensor_collection
from td_core.abc import Capability
from td_core.testing.case import TreeSpec
from td_core.testing.gates import needs, shares_values
from td_core.testing.topic import TopicTests, check_leaves, leaves
from td_core.typing import NestedKey


class WriteTests(TopicTests):
    """What a write accepts, normalises and refuses, and where the value lands."""

    @needs(Capability.WRITE)
    def test_set_returns_the_container(self) -> None:
        """CORE-043: `set` inserts or replaces, and returns the container."""
        td = self.sample()
        assert td.set("new", torch.ones(4, 3)) is td
        assert torch.equal(td["new"], torch.ones(4, 3))
        td.set("a", torch.zeros(4, 3, 2, dtype=torch.int64))
        assert torch.equal(td["a"], torch.zeros(4, 3, 2, dtype=torch.int64))

    @needs(Capability.WRITE)
    def test_set_arrives_in_the_storage(self) -> None:
        """CORE-043: the back door sees what was set."""
        td = self.sample()
        td.set("new", torch.full((4, 3), 5.0))
        td["node", "new"] = torch.full((4, 3), 6.0)
        assert torch.equal(self.case.raw_read(td, "new"), torch.full((4, 3), 5.0))
        assert torch.equal(self.case.raw_read(td, ("node", "new")), torch.full((4, 3), 6.0))

    @needs(Capability.WRITE)
    def test_setitem_key(self) -> None:
        """CORE-047: a string, or a tuple of strings between brackets is a key."""
        td = self.sample()
        td["new"] = torch.ones(4, 3)
        td["node", "new"] = torch.zeros(4, 3)
        td[("node", ("deep", "new"))] = torch.ones(4, 3, 2)
        assert torch.equal(td.get("new"), torch.ones(4, 3))
        assert torch.equal(td.get(("node", "new")), torch.zeros(4, 3))
        assert torch.equal(td.get(("node", "deep", "new")), torch.ones(4, 3, 2))

    @needs(Capability.WRITE)
    @pytest.mark.parametrize(
        "value",
        [[1, 2], [[1.0, 2.0], [3.0, 4.0]], np.arange(2), np.ones((2, 3), dtype=np.float32), np.array([True, False])],
    )
    def test_set_converts_arrays_and_lists(self, value: Any) -> None:
        """CORE-008: numpy arrays and numeric lists become tensors, with the dtype torch gives them."""
        td = self.make({}, [2])
        td["x"] = value
        torch.testing.assert_close(td["x"], torch.as_tensor(value), rtol=0, atol=0)

    @needs(Capability.WRITE)
    @pytest.mark.parametrize("value", [1, 2.5, True, np.float64(1.5), np.int64(3), np.bool_(True)])
    def test_set_converts_numbers(self, value: Any) -> None:
        """CORE-008: numbers become tensors where there are no batch dims."""
        td = self.make({})
        td["x"] = value
        assert isinstance(td["x"], torch.Tensor)
        assert td["x"].shape == torch.Size([])
        assert td["x"].item() == value

    @needs(Capability.WRITE)
    def test_set_number_into_a_batch_raises(self) -> None:
        """CORE-008: a number is a tensor without dims, so a batched container refuses it."""
        td = self.make({}, [2])
        with pytest.raises(RuntimeError):
            td["x"] = 1

    @needs(Capability.WRITE)
    def test_set_wrong_shape_raises(self) -> None:
        """CORE-001, CORE-008: a value must start with the batch size; a refused write changes nothing."""
        td = self.sample()
        before = td["a"].clone()
        for value in (torch.zeros(3, 4), torch.zeros(4), torch.zeros(())):
            with pytest.raises(RuntimeError):
                td.set("a", value)
            with pytest.raises(RuntimeError):
                td["node", "new"] = value
        assert torch.equal(td["a"], before)
        assert ("node", "new") not in td

    @needs(Capability.WRITE)
    @pytest.mark.parametrize("wrong", [1, 1.5, None, (1, "a")])
    def test_set_non_key_raises(self, wrong: Any) -> None:
        """CORE-016: only nested keys can be written."""
        td = self.sample()
        with pytest.raises(KeyError):
            td.set(wrong, torch.zeros(4, 3))

    @needs(Capability.WRITE)
    def test_set_dict_becomes_a_node(self) -> None:
        """CORE-009: a dict becomes a node with the batch size and device of its parent."""
        td = self.sample()
        td["d"] = {"x": torch.ones(4, 3), "y": {"z": torch.zeros(4, 3, 2)}}
        assert is_tensor_collection(td["d"])
        assert td["d"].batch_size == td["d", "y"].batch_size == torch.Size([4, 3])
        assert torch.equal(td["d", "y", "z"], torch.zeros(4, 3, 2))
        with pytest.raises(RuntimeError):
            td["e"] = {"x": torch.ones(4)}

    @needs(Capability.WRITE | Capability.NAMES)
    def test_set_dict_inherits_names(self) -> None:
        """CORE-009: a dict written as a value gets the names of its parent."""
        td = self.sample(names=["x", "y"])
        td["d"] = {"z": torch.ones(4, 3)}
        assert td["d"].names == ["x", "y"]

    @needs(Capability.WRITE)
    def test_set_node_with_more_batch_dims(self) -> None:
        """CORE-010: a node may have more batch dims than its parent."""
        td = self.sample()
        td["finer"] = TreeSpec(entries={"x": torch.ones(4, 3, 2)}, batch_size=(4, 3, 2)).to_dense()
        assert td["finer"].batch_size == torch.Size([4, 3, 2])

    @needs(Capability.WRITE)
    def test_set_node_with_smaller_batch_size(self) -> None:
        """CORE-010, TRAP-015: a node with a shorter batch size gets the parent's; the source is not touched."""
        td = self.sample()
        node = TreeSpec(entries={"x": torch.ones(4, 3, 2), "deep": {"y": torch.ones(4, 3)}}, batch_size=(4,)).to_dense()
        td["n"] = node
        assert td["n"].batch_size == torch.Size([4, 3])
        assert td["n", "deep"].batch_size == torch.Size([4, 3])
        assert node.batch_size == torch.Size([4])
        assert node["deep"].batch_size == torch.Size([4])

    @needs(Capability.WRITE)
    def test_set_node_that_does_not_fit_raises(self) -> None:
        """CORE-010: a node whose leaves do not start with the parent's batch size is refused."""
        td = self.sample()
        for shape in ((4,), (3, 4)):
            node = TreeSpec(entries={"x": torch.ones(shape)}, batch_size=shape).to_dense()
            with pytest.raises(RuntimeError):
                td["n"] = node
            assert node.batch_size == torch.Size(shape)

    @shares_values
    @needs(Capability.WRITE | Capability.NON_TENSOR)
    @pytest.mark.parametrize("value", ["text", {1, 2}, {"a", "b"}, len, object(), b"bytes", ["x", "y"], ("x", 1)])
    def test_set_other_objects_as_non_tensor_data(self, value: Any) -> None:
        """CORE-008, CORE-154: what is no number, array or mapping goes in and comes out as it was."""
        td = self.make({"a": torch.zeros(2)}, [2])
        td["x"] = value
        assert td["x"] == value
        assert td.is_non_tensor("x")

    @needs(Capability.WRITE)
    def test_set_inplace_keeps_the_memory(self) -> None:
        """CORE-043, CORE-044: `inplace=True` copies into the entry that is there, keeping its dtype."""
        td = self.sample()
        before = td["a"]
        td.set("a", torch.full((4, 3), 7, dtype=torch.int64), inplace=True)
        assert torch.equal(td["a"], torch.full((4, 3), 7.0))
        assert torch.equal(self.case.raw_read(td, "a"), torch.full((4, 3), 7.0))
        if Capability.VIEWS in self.case.capabilities:
            assert torch.equal(before, torch.full((4, 3), 7.0))

    @needs(Capability.WRITE)
    def test_set_inplace_inserts_a_missing_key(self) -> None:
        """CORE-043, TRAP-012: best attempt: a key that is not there is inserted."""
        td = self.sample()
        td.set("new", torch.ones(4, 3), inplace=True)
        td.set(("fresh", "new"), torch.ones(4, 3), inplace=True)
        assert torch.equal(td["new"], torch.ones(4, 3))
        assert torch.equal(td["fresh", "new"], torch.ones(4, 3))

    @needs(Capability.WRITE | Capability.INPLACE)
    def test_set_inplace_node_updates_it(self) -> None:
        """CORE-044: a node written in place over a node updates its entries in place."""
        td = self.sample()
        before = td["node", "c"]
        td.set("node", {"c": torch.full((4, 3, 5), 2.0), "new": torch.ones(4, 3)}, inplace=True)
        assert torch.equal(td["node", "c"], torch.full((4, 3, 5), 2.0))
        assert torch.equal(td["node", "new"], torch.ones(4, 3))
        assert ("node", "deep", "d") in td
        if Capability.VIEWS in self.case.capabilities:
            assert torch.equal(before, torch.full((4, 3, 5), 2.0))

    @needs(Capability.INPLACE)
    def test_set_underscore(self) -> None:
        """CORE-045: `set_` writes values in place, keeps dtype and broadcasts trailing dims, at any depth."""
        td = self.sample()
        before = td["a"]
        assert td.set_("a", torch.full((4, 3), 7, dtype=torch.int64)) is td
        assert torch.equal(td["a"], torch.full((4, 3), 7.0))
        td.set_(("node", "c"), torch.full((4, 3, 1), 3.0))
        assert torch.equal(self.case.raw_read(td, ("node", "c")), torch.full((4, 3, 5), 3.0))
        if Capability.VIEWS in self.case.capabilities:
            assert torch.equal(before, torch.full((4, 3), 7.0))

    @needs(Capability.INPLACE)
    @pytest.mark.parametrize("key", ["x", ("node", "x"), ("x", "y")])
    def test_set_underscore_missing_raises(self, key: NestedKey) -> None:
        """CORE-045, TRAP-012: `set_` of a missing key is a KeyError."""
        td = self.sample()
        with pytest.raises(KeyError):
            td.set_(key, torch.zeros(4, 3))

    @needs(Capability.INPLACE)
    def test_set_underscore_checks_the_batch_size(self) -> None:
        """CORE-045: the value is checked against the batch size: a number is refused."""
        td = self.sample()
        with pytest.raises(RuntimeError):
            td.set_("a", 1.0)
        with pytest.raises(RuntimeError):
            td.set_("a", torch.zeros(3))

    @needs(Capability.INPLACE)
    def test_set_underscore_that_cannot_copy_raises(self) -> None:
        """CORE-044, TRAP-011: a failed copy names the key, and is both a ValueError and a RuntimeError."""
        td = self.sample()
        for expected in (ValueError, RuntimeError):
            with pytest.raises(expected, match="b"):
                td.set_("b", torch.zeros(4, 3, 7, dtype=torch.int64))

    @needs(Capability.INPLACE)
    def test_set_same_object_in_place(self) -> None:
        """CORE-044: writing an entry onto itself changes nothing."""
        td = self.sample()
        before = td["a"].clone()
        td.set_("a", td["a"])
        assert torch.equal(td["a"], before)

    @needs(Capability.INPLACE | Capability.GRAD | Capability.VIEWS)
    def test_set_in_place_over_a_leaf_that_requires_grad(self) -> None:
        """CORE-044, TRAP-010: torch refuses the copy; that is no error where both are the same memory."""
        td = self.make({"a": torch.ones(2)}, [2]).requires_grad_()
        td.set_("a", td["a"].data)
        assert td["a"].requires_grad
        assert td["a"].tolist() == [1.0, 1.0]
        with pytest.raises(ValueError, match="a"):
            td.set_("a", torch.zeros(2))

    @needs(Capability.WRITE)
    def test_nested_write_creates_nodes(self) -> None:
        """CORE-046: missing nodes on the way are created, with the parent's batch size."""
        td = self.sample()
        td.set(("x", "y", "z"), torch.ones(4, 3))
        assert td["x"].batch_size == td["x", "y"].batch_size == torch.Size([4, 3])
        assert torch.equal(td["x", "y", "z"], torch.ones(4, 3))

    @needs(Capability.WRITE)
    def test_nested_write_through_a_leaf_raises(self) -> None:
        """CORE-046: a path through a tensor is a KeyError saying that the entry exists."""
        td = self.sample()
        with pytest.raises(KeyError, match=r"exist|present"):
            td.set(("a", "x"), torch.ones(4, 3))
        assert torch.equal(td["a"], torch.arange(12.0).reshape(4, 3))

    @needs(Capability.INPLACE)
    def test_set_at(self) -> None:
        """CORE-048: `set_at_` writes into an indexed part of one entry, in place, and returns the container."""
        td = self.sample()
        expected = td["a"].clone()
        assert td.set_at_("a", torch.full((3,), 9.0), 1) is td
        expected[1] = 9.0
        td.set_at_("a", -1.0, (slice(2, 4), 0))
        expected[2:4, 0] = -1.0
        td.set_at_("a", 0.5, torch.tensor([[True, False, False]] + [[False] * 3] * 3))
        expected[0, 0] = 0.5
        assert torch.equal(td["a"], expected)
        assert torch.equal(self.case.raw_read(td, "a"), expected)

    @needs(Capability.INPLACE)
    def test_set_at_nested(self) -> None:
        """CORE-048: nested keys work too."""
        td = self.sample()
        expected = td["node", "c"].clone()
        expected[:, 1] = 4.0
        td.set_at_(("node", "c"), 4.0, (slice(None), 1))
        assert torch.equal(td["node", "c"], expected)

    @needs(Capability.INPLACE)
    @pytest.mark.parametrize("key", ["x", ("node", "x"), ("x", "y")])
    def test_set_at_missing_raises(self, key: NestedKey) -> None:
        """CORE-048: a missing key is a KeyError."""
        with pytest.raises(KeyError):
            self.sample().set_at_(key, 1.0, 0)

    @needs(Capability.INPLACE)
    def test_set_at_nested_index_warns(self) -> None:
        """CORE-048, TRAP-020: an index tuple that starts with a tuple means "index twice": it warns and writes."""
        td = self.sample()
        expected = td["a"].clone()
        expected[1:][0] = 5.0
        with pytest.warns(UserWarning, match="[Mm]ultiple"):
            td.set_at_("a", 5.0, ((slice(1, None),), 0))
        assert torch.equal(td["a"], expected)

    @needs(Capability.NON_TENSOR | Capability.WRITE)
    def test_set_at_non_tensor(self) -> None:
        """CORE-049: writing one position of non-tensor data makes a stack of the values."""
        td = self.make({"s": "text"}, [3])
        td.set_at_("s", "other", 1)
        assert td["s"] == ["text", "other", "text"]

    @needs(Capability.NON_TENSOR | Capability.WRITE)
    def test_set_at_non_tensor_equal_value(self) -> None:
        """CORE-049: writing the value that is there changes nothing."""
        td = self.make({"s": "text"}, [3])
        td.set_at_("s", "text", 1)
        assert td.get("s").tolist() == ["text"] * 3

    @needs(Capability.NON_TENSOR | Capability.LOCK)
    def test_set_at_non_tensor_locked(self) -> None:
        """CORE-049, TRAP-019: the write is allowed on a locked container, and returns the container."""
        td = self.make({"s": "text"}, [3]).lock_()
        assert td.set_at_("s", "other", 1) is td
        assert td["s"] == ["text", "other", "text"]
        assert td.is_locked

    @needs(Capability.INPLACE)
    def test_fill(self) -> None:
        """CORE-054: `fill_` fills one entry in place, or every leaf of a node."""
        td = self.sample(finer=False)
        others = {key: value.clone() for key, value in leaves(td).items()}
        assert td.fill_("a", 2.0) is td
        others["a"] = torch.full((4, 3), 2.0)
        check_leaves(td, others)
        td.fill_("node", 1.0)
        others["node", "c"] = torch.ones(4, 3, 5)
        others["node", "deep", "d"] = torch.ones(4, 3, 2, dtype=torch.bool)
        check_leaves(td, others)
        td.fill_(("node", "c"), -1.0)
        assert td["node", "c"].unique().tolist() == [-1.0]

    @needs(Capability.INPLACE)
    def test_fill_missing_raises(self) -> None:
        """CORE-054: filling a missing key is a KeyError."""
        with pytest.raises(KeyError):
            self.sample().fill_("x", 1.0)

    @needs(Capability.INPLACE)
    def test_zero(self) -> None:
        """CORE-054: `zero_` zeroes everything in place."""
        td = self.sample()
        before = td["a"]
        assert td.zero_() is td
        check_leaves(td, {key: torch.zeros_like(value) for key, value in leaves(self.sample()).items()})
        if Capability.VIEWS in self.case.capabilities:
            assert before.unique().tolist() == [0.0]

    @needs(Capability.WRITE)
    def test_set_leaves_no_node_behind(self) -> None:
        """CORE-043: a nested item that does not fit leaves nothing on its way."""
        td = self.make({"a": torch.ones(2)}, [2])
        with pytest.raises(RuntimeError):
            td.set(("n", "m", "b"), torch.ones(3))
        assert list(td.keys(True)) == ["a"]

    @needs(Capability.INPLACE)
    def test_set_underscore_of_a_mapping(self) -> None:
        """CORE-045: a mapping overwrites the entries of a node; a key that the node lacks is a KeyError."""
        td = self.make({"n": {"a": torch.zeros(2), "b": torch.zeros(2)}}, [2])
        td.set_("n", {"a": torch.ones(2)})
        check_leaves(td, {("n", "a"): torch.ones(2), ("n", "b"): torch.zeros(2)})
        with pytest.raises(KeyError):
            td.set_("n", {"z": torch.ones(2)})
        assert list(td.get("n").keys()) == ["a", "b"]

    @needs(Capability.INPLACE)
    def test_overwriting_a_node_by_a_tensor_raises(self) -> None:
        """CORE-044: in place, a node stays a node."""
        td = self.make({"n": {"a": torch.zeros(2)}}, [2])
        writes: list[Callable[[], Any]] = [
            lambda: td.set_("n", torch.ones(2)),
            lambda: td.set("n", torch.ones(2), inplace=True),
            lambda: td.update_({"n": torch.ones(2)}),
        ]
        for write in writes:
            with pytest.raises(ValueError, match="Failed to write 'n' in place"):
                write()
        check_leaves(td, {("n", "a"): torch.zeros(2)})
