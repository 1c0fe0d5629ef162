"""Selecting by a condition (rows CORE-135 to CORE-138)."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from td_core import TensorDict
from td_core.abc import Capability
from td_core.testing.gates import needs, shares_values
from td_core.testing.topic import TopicTests, check_leaves, leaves, mapped

CONDITION = torch.tensor([True, False, True, False])


def right(condition: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """Expand a condition to the right, by hand."""
    return condition.reshape(*condition.shape, *[1] * (value.ndim - condition.ndim)).expand(value.shape)


class WhereTests(TopicTests):
    """`where`, `masked_fill` and their conditions."""

    @pytest.mark.parametrize("condition", [CONDITION, torch.arange(12).reshape(4, 3) % 2 == 0])
    def test_where_number(self, condition: torch.Tensor) -> None:
        """CORE-135, TRAP-040: the condition is expanded to the right of each leaf."""
        td = self.sample().exclude(("node", "deep"))
        expected = mapped(td, lambda value: torch.where(right(condition, value), value, 0))
        check_leaves(td.where(condition, 0), expected, batch_size=[4, 3])

    def other(self) -> Any:
        """The sample with other values."""
        return self.sample().apply(lambda value: value.flip(0))

    def test_where_container(self) -> None:
        """CORE-135: entry by entry; `torch.where` is the same."""
        td, other = self.sample(), self.other()
        theirs = leaves(other)
        expected = {key: torch.where(right(CONDITION, value), value, theirs[key]) for key, value in leaves(td).items()}
        check_leaves(td.where(CONDITION, other), expected, batch_size=[4, 3])
        check_leaves(torch.where(CONDITION, td, other), expected, batch_size=[4, 3])
        check_leaves(td.where(CONDITION, other.select("node", "b", "a")), expected)

    @needs(Capability.NAMES | Capability.LOCK)
    def test_where_flags(self) -> None:
        """CORE-074, CORE-135: names are kept; the lock goes on for a scalar `other` only."""
        td = self.sample(names=["x", "y"]).lock_()
        assert td.where(CONDITION, 0).names == ["x", "y"]
        assert td.where(CONDITION, 0).is_locked
        assert td.where(CONDITION, self.other()).names == ["x", "y"]
        assert not td.where(CONDITION, self.other()).is_locked

    @pytest.mark.parametrize("condition", [torch.ones(3, dtype=torch.bool), torch.ones(4, 3, 2, 1, dtype=torch.bool)])
    def test_where_condition_that_does_not_fit_raises(self, condition: torch.Tensor) -> None:
        """CORE-135: longer than a leaf, or of another shape."""
        td = self.sample()
        with pytest.raises(RuntimeError):
            td.where(condition, 0)
        with pytest.raises(RuntimeError):
            td.where(condition, self.other())

    def test_where_missing_key_raises(self) -> None:
        """CORE-136: without `pad`, a key that one side lacks is a KeyError naming it."""
        td = self.sample()
        with pytest.raises(KeyError, match="b"):
            td.where(CONDITION, self.other().exclude("b"))
        with pytest.raises(KeyError, match="b"):
            td.exclude("b").where(CONDITION, self.other())

    def test_where_pad(self) -> None:
        """CORE-136, TRAP-041: the pad stands for the missing value, in the dtype of the present one."""
        td = self.make({"mine": torch.arange(4), "both": torch.ones(4)}, [4])
        other = TensorDict({"theirs": torch.arange(4), "both": torch.zeros(4)}, batch_size=[4])
        expected = {
            "mine": torch.tensor([0, 9, 2, 9]),
            "theirs": torch.tensor([9, 1, 9, 3]),
            "both": torch.tensor([1.0, 0.0, 1.0, 0.0]),
        }
        check_leaves(td.where(CONDITION, other, pad=9), expected, batch_size=[4])

    def test_where_pad_nodes(self) -> None:
        """CORE-136: the same for whole nodes on one side."""
        td = self.make({"mine": {"x": torch.ones(4)}}, [4])
        other = TensorDict({"theirs": {"x": torch.ones(4)}}, batch_size=[4])
        expected = {
            ("mine", "x"): torch.tensor([1.0, 9.0, 1.0, 9.0]),
            ("theirs", "x"): torch.tensor([9.0, 1.0, 9.0, 1.0]),
        }
        check_leaves(td.where(CONDITION, other, pad=9), expected, batch_size=[4])

    @needs(Capability.WRITE | Capability.VIEWS)
    def test_where_out(self) -> None:
        """CORE-137, TRAP-042: entries of `out` are rebound, and `out` is returned; it may be self."""
        td, other = self.sample().exclude("b", ("node", "deep")), self.other().exclude("b", ("node", "deep"))
        for argument in (other, 0):
            expected = leaves(td.where(CONDITION, argument))
            out = td.clone()
            before = out["a"]
            assert td.where(CONDITION, argument, out=out) is out
            check_leaves(out, expected)
            assert torch.equal(before, td["a"])
        expected = leaves(td.where(CONDITION, other))
        assert td.where(CONDITION, other, out=td) is td
        check_leaves(td, expected)

    @needs(Capability.NON_TENSOR)
    def test_where_non_tensor_stack(self) -> None:
        """CORE-137: per-row values are not collapsed."""
        td = self.make({"s": ["p", "q", "r", "t"], "x": torch.ones(4)}, [4])
        other = self.make({"s": ["p", "q", "r", "t"], "x": torch.zeros(4)}, [4])
        new = td.where(CONDITION, other)
        assert list(new["s"]) == ["p", "q", "r", "t"]
        assert new["x"].tolist() == [1.0, 0.0, 1.0, 0.0]

    @pytest.mark.parametrize("mask", [CONDITION, torch.arange(12).reshape(4, 3) % 2 == 0])
    def test_masked_fill(self, mask: torch.Tensor) -> None:
        """CORE-138: the mask is expanded to the right of each leaf; the original stays."""
        td = self.sample()
        expected = mapped(td, lambda value: value.masked_fill(right(mask, value), 1))
        before = td["a"].clone()
        check_leaves(td.masked_fill(mask, 1), expected, batch_size=[4, 3])
        assert torch.equal(td["a"], before)

    @needs(Capability.INPLACE)
    def test_masked_fill_underscore(self) -> None:
        """CORE-138: in place."""
        td = self.sample()
        before = td["a"]
        expected = mapped(td, lambda value: value.masked_fill(right(CONDITION, value), 1))
        assert td.masked_fill_(CONDITION, 1) is td
        check_leaves(td, expected)
        if Capability.VIEWS in self.case.capabilities:
            assert torch.equal(before, expected["a"])

    def test_masked_fill_mask_too_long_raises(self) -> None:
        """CORE-138: a mask with more dims than a leaf is a RuntimeError."""
        with pytest.raises(RuntimeError):
            self.sample().masked_fill(torch.ones(4, 3, 2, dtype=torch.bool), 1)

    @needs(Capability.LOCK)
    def test_masked_fill_is_unlocked(self) -> None:
        """CORE-074: the result of a locked container is unlocked."""
        assert not self.sample().lock_().masked_fill(CONDITION, 1).is_locked

    @needs(Capability.NON_TENSOR)
    @shares_values
    def test_where_selects_non_tensor_data_by_row(self) -> None:
        """CORE-131: rows of columns, and of values that all rows share, are selected like those of tensors."""
        mask = torch.tensor([True, False, True])
        td = self.make({"a": torch.zeros(3), "c": ["x", "y", "z"], "s": "same", "t": "left"}, [3])
        other = self.make({"a": torch.ones(3), "c": ["u", "v", "w"], "s": "same", "t": "right"}, [3])
        new = td.where(mask, other)
        assert new["a"].tolist() == [0, 1, 0]
        assert new.get("c").tolist() == ["x", "v", "z"]
        assert new["s"] == "same"
        assert new.get("t").tolist() == ["left", "right", "left"]
        assert td.get("t").tolist() == ["left"] * 3
        assert other.get("c").tolist() == ["u", "v", "w"]
