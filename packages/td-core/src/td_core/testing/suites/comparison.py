"""Comparisons and truth over leaves (rows CORE-125 to CORE-128)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest
import torch

from td_core.abc import Capability
from td_core.testing.gates import needs
from td_core.testing.topic import TopicTests, check_leaves, leaves, mapped

COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
Comparison = Callable[[Any, Any], Any]


class ComparisonTests(TopicTests):
    """`== != < <= > >= ^ |`, `all`, `any`, `isnan` and its kin."""

    @pytest.mark.parametrize("compare", COMPARISONS)
    @pytest.mark.parametrize("other", [0, 0.5, True])
    def test_compare_with_number(self, compare: Comparison, other: Any) -> None:
        """CORE-125: a number is compared with every entry."""
        td = self.sample()
        check_leaves(compare(td, other), mapped(td, lambda value: compare(value, other)), batch_size=[4, 3])

    @pytest.mark.parametrize("compare", COMPARISONS)
    def test_compare_with_container(self, compare: Comparison) -> None:
        """CORE-125, TRAP-039: entry by entry, matched by key, nodes included; same batch size."""
        td = self.sample()
        other = td.apply(lambda value: value.flip(0)).select("node", "b", "a")
        theirs = leaves(other)
        expected = {key: compare(value, theirs[key]) for key, value in leaves(td).items()}
        new = compare(td, other)
        check_leaves(new, expected, batch_size=[4, 3])
        assert new["node", "deep"].batch_size == torch.Size([4, 3, 2])

    @pytest.mark.parametrize("compare", [operator.xor, operator.or_])
    def test_xor_and_or(self, compare: Comparison) -> None:
        """CORE-125: the logical pair, for boolean entries."""
        one = torch.tensor([True, True, False, False])
        two = torch.tensor([True, False, True, False])
        td = self.make({"a": one, "n": {"b": two}}, [4])
        other = self.make({"a": two, "n": {"b": two}}, [4])
        check_leaves(compare(td, other), {"a": compare(one, two), ("n", "b"): compare(two, two)}, batch_size=[4])
        check_leaves(compare(td, True), {"a": compare(one, True), ("n", "b"): compare(two, True)}, batch_size=[4])

    @pytest.mark.parametrize("compare", COMPARISONS)
    def test_compare_with_dict(self, compare: Comparison) -> None:
        """CORE-125: a dict is converted first."""
        td = self.make({"a": torch.arange(3.0), "n": {"b": torch.ones(3)}}, [3])
        other = {"a": torch.ones(3), "n": {"b": torch.zeros(3)}}
        expected = {
            "a": compare(torch.arange(3.0), torch.ones(3)),
            ("n", "b"): compare(torch.ones(3), torch.zeros(3)),
        }
        check_leaves(compare(td, other), expected, batch_size=[3])

    @pytest.mark.parametrize("compare", COMPARISONS)
    def test_compare_with_tensor(self, compare: Comparison) -> None:
        """CORE-125, TRAP-040: a tensor is aligned with the batch dims and expanded to the right."""
        td = self.make({"a": torch.arange(6.0).reshape(3, 2), "n": {"b": torch.ones(3)}}, [3])
        other = torch.tensor([0.0, 1.0, 4.0])
        expected = {
            "a": compare(torch.arange(6.0).reshape(3, 2), other[:, None]),
            ("n", "b"): compare(torch.ones(3), other),
        }
        check_leaves(compare(td, other), expected, batch_size=[3])

    @needs(Capability.NAMES | Capability.LOCK)
    def test_comparison_flags(self) -> None:
        """CORE-125, TRAP-034: no names, unlocked."""
        td = self.sample(names=["x", "y"]).lock_()
        for new in (td == td, td != 1, td < 1, td >= td):
            assert new.names == [None, None]
            assert not new.is_locked

    def test_comparison_device(self) -> None:
        """CORE-125: the device is kept."""
        td = self.make({"a": torch.zeros(2)}, [2], device="cpu")
        assert (td == td).device == torch.device("cpu")
        assert (td == 1).device == torch.device("cpu")

    @pytest.mark.parametrize("compare", COMPARISONS)
    def test_compare_other_keys_raises(self, compare: Comparison) -> None:
        """CORE-125: other key sets are a KeyError that lists the keys, in both directions."""
        td = self.sample()
        fewer = td.exclude("a")
        for one, two in ((td, fewer), (fewer, td)):
            with pytest.raises(KeyError, match="a"):
                compare(one, two)
        with pytest.raises(KeyError):
            compare(td, td.exclude(("node", "c")))

    @pytest.mark.parametrize("other", ["text", None, [1], object()])
    def test_compare_with_anything_else(self, other: Any) -> None:
        """CORE-125, TRAP-034: other operands compare as False, and as True for `!=` and `^`."""
        td = self.sample()
        assert (td == other) is False
        assert (td | other) is False
        assert (td < other) is False
        assert (td <= other) is False
        assert (td > other) is False
        assert (td >= other) is False
        assert (td != other) is True
        assert (td ^ other) is True

    @needs(Capability.NON_TENSOR)
    def test_compare_non_tensor(self) -> None:
        """CORE-126: equality of non-tensor entries is a boolean tensor of the batch shape."""
        one = self.make({"a": torch.zeros(2), "s": "p"}, [2])
        two = self.make({"a": torch.zeros(2), "s": "q"}, [2])
        assert (one == one)["s"].tolist() == [True, True]
        assert (one == two)["s"].tolist() == [False, False]
        assert (one == two)["a"].tolist() == [True, True]

    @needs(Capability.NON_TENSOR)
    def test_compare_non_tensor_with_number(self) -> None:
        """CORE-126: comparing with a number leaves the tensors' results."""
        new = self.make({"a": torch.zeros(2), "s": "p"}, [2]) == 0
        assert new["a"].tolist() == [True, True]

    def test_all_and_any(self) -> None:
        """CORE-127, TRAP-035: without a dim, a Python bool over all leaves."""
        td = self.make({"a": torch.ones(2, 3), "n": {"b": torch.ones(2)}}, [2])
        assert td.all() is True
        assert td.any() is True
        assert (td * 0).any() is False
        assert (td * 0).all() is False
        td = self.make({"a": torch.ones(2), "n": {"b": torch.tensor([0.0, 1.0])}}, [2])
        assert td.all() is False
        assert td.any() is True

    def test_all_and_any_of_nothing(self) -> None:
        """CORE-127: an empty container is all, and not any."""
        td = self.make({}, [2])
        assert td.all() is True
        assert td.any() is False

    @pytest.mark.parametrize("dim", [0, 1, -1, -2])
    def test_all_and_any_over_a_dim(self, dim: int) -> None:
        """CORE-127: with a dim, each leaf is reduced over that batch dim."""
        td = self.sample() > 0
        size = torch.empty(4, 3).select(dim, 0).shape
        check_leaves(td.all(dim=dim), mapped(td, lambda value: value.all(dim % 2)), batch_size=size)
        check_leaves(td.any(dim=dim), mapped(td, lambda value: value.any(dim % 2)), batch_size=size)

    @pytest.mark.parametrize("dim", [2, -3])
    def test_all_and_any_out_of_range_raises(self, dim: int) -> None:
        """CORE-127: the dim must be a batch dim."""
        td = self.sample()
        with pytest.raises((RuntimeError, IndexError)):
            td.all(dim=dim)
        with pytest.raises((RuntimeError, IndexError)):
            td.any(dim=dim)

    @pytest.mark.parametrize("name", ["isfinite", "isnan", "isreal", "isneginf", "isposinf"])
    def test_number_classes(self, name: str) -> None:
        """CORE-128: a boolean container."""
        value = torch.tensor([1.0, float("nan"), float("inf"), -float("inf")])
        td = self.make({"a": value, "n": {"b": torch.stack([value, value], -1)}}, [4])
        check_leaves(getattr(td, name)(), mapped(td, getattr(torch, name)), batch_size=[4])
