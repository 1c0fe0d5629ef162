"""Applying a function to the leaves (rows CORE-140 to CORE-148)."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from td_core import TensorDict, is_leaf_nontensor, is_non_tensor, is_tensor_collection
from td_core.abc import Capability
from td_core.testing.case import TreeSpec
from td_core.testing.gates import needs, shares_values
from td_core.testing.topic import TopicTests, check_leaves, leaves, mapped


def record(seen: list[Any], what: Any, value: Any) -> Any:
    """Note what a function was called with, and return its value unchanged."""
    seen.append(what)
    return value


class ApplyTests(TopicTests):
    """`apply`, `apply_` and `named_apply`."""

    def test_apply(self) -> None:
        """CORE-140: the same tree around the results."""
        td = self.sample()
        new = td.apply(lambda value: value * 2)
        check_leaves(new, mapped(td, lambda value: value * 2), batch_size=[4, 3])
        assert new["node", "deep"].batch_size == torch.Size([4, 3, 2])
        assert list(new.keys(True)) == list(td.keys(True))

    def test_apply_others(self) -> None:
        """CORE-140: the leaves of others are matched by key; their extra keys are ignored."""
        td = self.sample()
        other = self.sample().apply(lambda value: value.flip(0)).select("node", "b", "a")
        other["extra"] = torch.ones(4, 3)
        theirs = leaves(other)
        expected = {key: value + 2 * theirs[key] for key, value in leaves(td).items()}
        check_leaves(td.apply(lambda one, two: one + 2 * two, other), expected)

    def test_apply_none_drops_the_entry(self) -> None:
        """CORE-140: a function that returns None drops the entry."""
        td = self.sample()
        new = td.apply(lambda value: value if value.is_floating_point() else None)
        assert set(new.keys(True, True)) == {"a", ("node", "c")}

    def test_apply_checks_the_batch_size(self) -> None:
        """CORE-140: results that do not fit the batch size are a RuntimeError."""
        td = self.sample()
        with pytest.raises(RuntimeError):
            td.apply(lambda value: value.sum())
        check_leaves(td.apply(lambda value: value.sum(), batch_size=[]), mapped(td, lambda value: value.sum()))

    def test_apply_unknown_keyword_raises(self) -> None:
        """CORE-140: keywords that are no parameters are refused."""
        with pytest.raises((TypeError, RuntimeError)):
            self.make({"a": torch.zeros(2)}, [2]).apply(lambda value: value, no_such_option=1)

    @needs(Capability.NAMES)
    def test_apply_batch_size_and_names(self) -> None:
        """CORE-141, TRAP-043: they hold for the root and every node; a batch size alone erases the names."""
        td = self.sample(names=["x", "y"])
        new = td.apply(lambda value: value, batch_size=[4])
        assert new.batch_size == new["node"].batch_size == new["node", "deep"].batch_size == torch.Size([4])
        assert new.names == [None]
        new = td.apply(lambda value: value, batch_size=[4], names=["z"])
        assert new.names == new["node"].names == ["z"]
        new = self.sample(names=["x", "y"], finer=False).apply(lambda value: value, names=["u", "v"])
        assert new.names == new["node"].names == ["u", "v"]
        assert td.names == ["x", "y"]

    def test_apply_device(self) -> None:
        """CORE-141: given, cleared by None, or inherited."""
        td = self.make({"a": torch.zeros(2), "n": {"b": torch.zeros(2)}}, [2], device="cpu")
        assert td.apply(lambda value: value).device == torch.device("cpu")
        new = td.apply(lambda value: value, device=None)
        assert new.device is None
        assert new["n"].device is None
        assert td.apply(lambda value: value.to("meta"), device="meta").device == torch.device("meta")

    @needs(Capability.INPLACE)
    def test_apply_inplace(self) -> None:
        """CORE-142: the results are written in place; the container is returned."""
        td = self.sample()
        before = td["a"]
        expected = mapped(td, lambda value: value.flip(-1))
        assert td.apply(lambda value: value.flip(-1), inplace=True) is td
        check_leaves(td, expected)
        if Capability.VIEWS in self.case.capabilities:
            assert torch.equal(before, expected["a"])

    @needs(Capability.INPLACE | Capability.LOCK)
    def test_apply_underscore_locked(self) -> None:
        """CORE-142: works on a locked container as long as shapes match."""
        td = self.sample().lock_()
        expected = mapped(td, torch.ones_like)
        assert td.apply_(torch.ones_like) is td
        check_leaves(td, expected)
        assert td.is_locked
        with pytest.raises(RuntimeError):
            td.apply_(lambda value: value[:1])

    @needs(Capability.INPLACE)
    def test_apply_underscore_forwards(self) -> None:
        """CORE-142: `apply_` takes the same arguments."""
        td = self.sample()
        other = self.sample().exclude("a")
        td.apply_(lambda one, two: one if two is None else two * 0, other, default=None)
        expected = {
            key: value if key == "a" else torch.zeros_like(value) for key, value in leaves(self.sample()).items()
        }
        check_leaves(td, expected)

    @needs(Capability.WRITE | Capability.VIEWS)
    def test_apply_out(self) -> None:
        """CORE-143: the results are stored into `out`, which is returned."""
        td = self.sample()
        out = td.clone()
        before = out["a"]
        assert td.apply(lambda value: value * 2, out=out) is out
        check_leaves(out, mapped(td, lambda value: value * 2))
        assert torch.equal(before, td["a"])

    @needs(Capability.LOCK)
    def test_apply_out_errors(self) -> None:
        """CORE-143: a locked `out`, or an explicit batch size that is not its own."""
        td = self.sample()
        with pytest.raises(RuntimeError):
            td.apply(lambda value: value, out=td.clone().lock_())
        with pytest.raises(RuntimeError):
            td.apply(lambda value: value, out=td.clone(), batch_size=[4])

    def test_apply_missing_raises(self) -> None:
        """CORE-144: an entry that another container lacks is a KeyError."""
        with pytest.raises(KeyError):
            self.sample().apply(lambda one, two: one, self.sample().exclude("a"))
        with pytest.raises(KeyError):
            self.sample().apply(lambda one, two: one, self.sample().exclude(("node", "c")))

    def test_apply_default(self) -> None:
        """CORE-144, TRAP-044: the default stands for missing leaves, and an empty tree for missing nodes."""
        td = self.sample()
        seen: list[Any] = []
        new = td.apply(lambda one, two: record(seen, two, one), td.exclude("a", "node"), default=None)
        assert [value is None for value in seen] == [True, False, True, True] * self.case.rounds(td)
        check_leaves(new, leaves(td))

    def test_apply_filter_empty(self) -> None:
        """CORE-145: True drops empty nodes, and the root; False keeps them."""
        td = self.make({"a": torch.zeros(2), "n": {"b": torch.zeros(2)}, "e": {}}, [2])

        def only_a(name: str, value: torch.Tensor) -> torch.Tensor | None:
            return value if name == "a" else None

        assert set(td.named_apply(only_a, filter_empty=True).keys()) == {"a"}
        assert set(td.named_apply(only_a, filter_empty=False).keys()) == {"a", "n", "e"}
        assert td.apply(lambda value: None, filter_empty=True) is None
        kept = td.apply(lambda value: None, filter_empty=False)
        assert set(kept.keys(True)) == {"n", "e"}
        assert kept.batch_size == torch.Size([2])

    @pytest.mark.filterwarnings("ignore::DeprecationWarning")
    def test_apply_filter_empty_default(self) -> None:
        """CORE-145, TRAP-046: by default nothing at all gives None; nodes that were empty stay."""
        td = self.make({"a": torch.zeros(2), "e": {}}, [2])
        assert td.select("a").apply(lambda value: None) is None
        assert set(td.apply(lambda value: value).keys()) == {"a", "e"}
        new = self.make({}, [2]).apply(lambda value: value)
        assert list(new.keys()) == []

    @needs(Capability.NON_TENSOR)
    def test_apply_filter_empty_non_tensor(self) -> None:
        """CORE-145: a node with only non-tensor data counts as set."""
        td = self.make({"a": torch.zeros(2), "n": {"s": "text"}}, [2])
        assert set(td.apply(lambda value: value, filter_empty=True).keys(True)) == {"a", "n", ("n", "s")}

    @needs(Capability.LOCK)
    def test_apply_propagate_lock(self) -> None:
        """CORE-140, CORE-074: the result is locked only when asked, and the source is."""
        td = self.sample().lock_()
        assert not td.apply(lambda value: value).is_locked
        assert td.apply(lambda value: value, propagate_lock=True).is_locked
        assert not self.sample().apply(lambda value: value, propagate_lock=True).is_locked

    def test_apply_call_on_nested(self) -> None:
        """CORE-146: the function gets nodes too, and they are not descended into."""
        td = self.sample()
        seen: list[bool] = []
        td.apply(lambda value: record(seen, is_tensor_collection(value), value), call_on_nested=True)
        assert seen == [False, False, True] * self.case.rounds(td)

    @shares_values
    @needs(Capability.NON_TENSOR)
    def test_apply_is_leaf(self) -> None:
        """CORE-147: non-tensor data passes by untouched, unless the predicate makes it a leaf."""
        td = self.make({"a": torch.zeros(2), "s": "text"}, [2])
        seen: list[str] = []
        new = td.named_apply(lambda name, value: record(seen, name, value))
        assert seen == ["a"]
        assert new["s"] == "text"
        wrappers: list[bool] = []
        td.named_apply(lambda name, value: record(wrappers, is_non_tensor(value), value), is_leaf=is_leaf_nontensor)
        assert wrappers == [False, True]

    def test_named_apply(self) -> None:
        """CORE-148: the function gets the last part of the key, or the whole key."""
        td = self.sample()
        short: list[Any] = []
        full: list[Any] = []
        td.named_apply(lambda name, value: record(short, name, value))
        new = td.named_apply(lambda name, value: record(full, name, value), nested_keys=True)
        assert short == ["a", "b", "c", "d"] * self.case.rounds(td)
        assert full == ["a", "b", ("node", "c"), ("node", "deep", "d")] * self.case.rounds(td)
        check_leaves(new, leaves(td), batch_size=[4, 3])

    def test_named_apply_others(self) -> None:
        """CORE-148: with other containers."""
        td = self.make({"a": torch.ones(2), "n": {"b": torch.zeros(2)}}, [2])
        other = TensorDict({"n": {"b": torch.full((2,), 3.0)}, "a": torch.full((2,), 2.0)}, batch_size=[2])
        new = td.named_apply(lambda name, one, two: one + two if name == "a" else two, other)
        check_leaves(new, {"a": torch.full((2,), 3.0), ("n", "b"): torch.full((2,), 3.0)})

    def test_apply_keeps_finer_nodes(self) -> None:
        """CORE-140: nodes keep their own batch size when none is given."""
        td = self.make({"n": TreeSpec(entries={"b": torch.zeros(2, 3)}, batch_size=(2, 3))}, [2])
        assert td.apply(lambda value: value + 1)["n"].batch_size == torch.Size([2, 3])

    def test_apply_exception_passes(self) -> None:
        """CORE-140: an error of the function reaches the caller."""

        def broken(value: torch.Tensor) -> torch.Tensor:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            self.sample().apply(broken)

    @needs(Capability.INPLACE)
    def test_apply_underscore_returns_the_container(self) -> None:
        """CORE-142: whatever the function returns."""
        td = self.sample()
        before = mapped(td, torch.clone)
        assert td.apply_(lambda value: None) is td
        check_leaves(td, before)

    @needs(Capability.NON_TENSOR)
    @shares_values
    def test_apply_with_a_batch_size_keeps_non_tensor_data(self) -> None:
        """CORE-140: a value that all rows share has the new batch size."""
        td = self.make({"a": torch.ones(2, 3), "s": "text", "c": ["x", "y"]}, [2])
        new = td.apply(lambda value: value, batch_size=[])
        assert new["s"] == "text"
        assert new.get("s").batch_size == torch.Size([])
        assert new.get("c").tolist() == ["x", "y"]
