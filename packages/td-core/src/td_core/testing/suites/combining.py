"""Joining containers: stack, cat, pad_sequence (rows CORE-093 to CORE-101)."""

# torch types its functions for tensors only, and here they are given containers
# mypy: disable-error-code="attr-defined, index, arg-type"

from __future__ import annotations

from typing import Any

import pytest
import torch

import td_core
from td_core import TensorDict, dense_stack_tds, lazy_stack, maybe_dense_stack, pad_sequence
from td_core.abc import Capability
from td_core.testing.gates import needs
from td_core.testing.topic import TopicTests, check_leaves, leaves

STACKS: list[Any] = [torch.stack, td_core.stack, TensorDict.stack]
CATS: list[Any] = [torch.cat, td_core.cat, TensorDict.cat]


class CombineTests(TopicTests):
    """What `torch.stack` and `torch.cat` do to the leaves, they do to containers."""

    def pair(self) -> tuple[Any, Any]:
        """Two samples with different values, the second with its keys in another order."""
        one = self.sample()
        two = self.sample().apply(lambda value: value.flip(0))
        return one, two.select(*reversed(list(two.keys())))

    @pytest.mark.parametrize("stack", STACKS)
    @pytest.mark.parametrize("dim", [0, 1, 2, -1, -3])
    def test_stack(self, stack: Any, dim: int) -> None:
        """CORE-093: leaf by leaf, matched by key; negative dims count on the dims of the result."""
        one, two = self.pair()
        other = leaves(two)
        expected = {key: torch.stack([value, other[key]], dim % 3) for key, value in leaves(one).items()}
        size = torch.stack([torch.empty(4, 3)] * 2, dim).shape
        new = stack([one, two], dim)
        check_leaves(new, expected, batch_size=size)
        assert new["node", "deep"].batch_size == torch.Size([*size, 2])

    @needs(Capability.NAMES)
    def test_stack_names(self) -> None:
        """CORE-093, CORE-107: the new dim has no name."""
        td = self.sample(names=["x", "y"])
        assert torch.stack([td, td], 1).names == ["x", None, "y"]
        assert torch.cat([td, td], 1).names == ["x", "y"]

    @pytest.mark.parametrize("dim", [3, -4])
    def test_stack_dim_out_of_range_raises(self, dim: int) -> None:
        """CORE-093: a dim that the result would not have."""
        td = self.sample()
        with pytest.raises((IndexError, RuntimeError)):
            torch.stack([td, td], dim)

    def test_stack_batch_sizes_differ_raises(self) -> None:
        """CORE-093: all batch sizes must be equal."""
        with pytest.raises(RuntimeError):
            torch.stack([self.sample(), self.sample()[:2]])

    def test_stack_keys_differ_raises(self) -> None:
        """CORE-093: other key sets are refused, pointing at the lazy alternative."""
        with pytest.raises((RuntimeError, KeyError), match=r"[Ll]azy"):
            torch.stack([self.sample(), self.sample().exclude("a")])
        with pytest.raises((RuntimeError, KeyError)):
            torch.stack([self.sample(), self.sample().exclude(("node", "c"))])

    def test_stack_shapes_differ_raises(self) -> None:
        """CORE-093: other leaf shapes are refused, naming the key."""
        one = self.make({"good": torch.zeros(2), "odd_one": torch.zeros(2, 3)}, [2])
        two = self.make({"good": torch.zeros(2), "odd_one": torch.zeros(2, 4)}, [2])
        with pytest.raises(RuntimeError, match="odd_one"):
            torch.stack([one, two])

    def test_stack_nothing_raises(self) -> None:
        """CORE-093: an empty list is an error."""
        for stack in (td_core.stack, TensorDict.stack, td_core.cat, TensorDict.cat):
            with pytest.raises((RuntimeError, ValueError, IndexError)):
                stack([])

    def test_stack_device(self) -> None:
        """CORE-093: a common device is kept."""
        one = self.make({"a": torch.zeros(2)}, [2], device="cpu")
        assert torch.stack([one, one.clone()]).device == torch.device("cpu")
        assert torch.cat([one, one.clone()]).device == torch.device("cpu")

    @pytest.mark.parametrize("cat", CATS)
    @pytest.mark.parametrize("dim", [0, 1, -1, -2])
    def test_cat(self, cat: Any, dim: int) -> None:
        """CORE-094: leaf by leaf along a batch dim, matched by key."""
        one, two = self.pair()
        other = leaves(two)
        expected = {key: torch.cat([value, other[key]], dim % 2) for key, value in leaves(one).items()}
        check_leaves(cat([one, two], dim), expected, batch_size=torch.cat([torch.empty(4, 3)] * 2, dim).shape)

    def test_cat_of_different_lengths(self) -> None:
        """CORE-094: only the other dims must agree."""
        td = self.sample()
        new = torch.cat([td[:1], td[1:]])
        check_leaves(new, leaves(td), batch_size=[4, 3])
        with pytest.raises(RuntimeError):
            torch.cat([td, td[:, :2]])

    @pytest.mark.parametrize("dim", [2, -3])
    def test_cat_dim_out_of_range_raises(self, dim: int) -> None:
        """CORE-094: a dim outside the batch."""
        td = self.sample()
        with pytest.raises((RuntimeError, IndexError)):
            torch.cat([td, td], dim)

    def test_cat_keys_differ_raises(self) -> None:
        """CORE-094: other key sets are a KeyError."""
        with pytest.raises(KeyError):
            torch.cat([self.sample(), self.sample().exclude("a")])

    @needs(Capability.NON_TENSOR)
    def test_stack_and_cat_non_tensor(self) -> None:
        """CORE-094, CORE-156: non-tensor data is stacked and concatenated too."""
        one = self.make({"a": torch.zeros(2), "s": "p"}, [2])
        two = self.make({"a": torch.ones(2), "s": "q"}, [2])
        assert torch.stack([one, two]).get("s").tolist() == [["p", "p"], ["q", "q"]]
        assert torch.stack([one, two], 1).get("s").tolist() == [["p", "q"], ["p", "q"]]
        assert torch.cat([one, two]).get("s").tolist() == ["p", "p", "q", "q"]

    @needs(Capability.INPLACE)
    def test_stack_out(self) -> None:
        """CORE-095: `out` is written in place; only its keys are."""
        one, two = self.pair()
        out = torch.stack([one, one]).clone()
        before = out["a"]
        assert torch.stack([one, two], 0, out=out) is out
        other = leaves(two)
        check_leaves(out, {key: torch.stack([value, other[key]]) for key, value in leaves(one).items()})
        if Capability.VIEWS in self.case.capabilities:
            assert before is out["a"]

    @needs(Capability.INPLACE)
    def test_cat_out(self) -> None:
        """CORE-095: the same for `cat`."""
        one, two = self.pair()
        out = torch.cat([one, one]).clone()
        before = out["a"]
        assert torch.cat([one, two], 0, out=out) is out
        other = leaves(two)
        check_leaves(out, {key: torch.cat([value, other[key]]) for key, value in leaves(one).items()})
        if Capability.VIEWS in self.case.capabilities:
            assert before is out["a"]

    @needs(Capability.INPLACE | Capability.VIEWS)
    def test_stack_out_view(self) -> None:
        """CORE-095, TRAP-033: a view that starts anywhere is written through."""
        td = self.make({"a": torch.zeros(4, 3), "n": {"b": torch.zeros(4)}}, [4])
        parts = [self.make({"a": torch.full((3,), value), "n": {"b": torch.tensor(value)}}) for value in (1.0, 2.0)]
        torch.stack(parts, 0, out=td[1:3])
        assert td["a"][:, 0].tolist() == [0.0, 1.0, 2.0, 0.0]
        assert td["n", "b"].tolist() == [0.0, 1.0, 2.0, 0.0]

    @needs(Capability.INPLACE)
    def test_out_of_wrong_batch_size_raises(self) -> None:
        """CORE-095: the batch size of `out` must be that of the result."""
        td = self.sample()
        with pytest.raises(RuntimeError):
            torch.stack([td, td], 0, out=td.clone())
        with pytest.raises(RuntimeError):
            torch.cat([td, td], 0, out=td.clone())

    def test_maybe_dense_stack(self) -> None:
        """CORE-097: a dense stack where keys and shapes allow, else a lazy one."""
        one, two = self.pair()
        for stack in (maybe_dense_stack, TensorDict.maybe_dense_stack):
            check_leaves(stack([one, two], 1), leaves(torch.stack([one, two], 1)), batch_size=[4, 2, 3])
            ragged = stack([self.make({"a": torch.zeros(3, 2)}, [3]), self.make({"a": torch.zeros(3, 5)}, [3])])
            assert ragged.batch_size == torch.Size([2, 3])
            assert [part["a"].shape for part in ragged.unbind(0)] == [torch.Size([3, 2]), torch.Size([3, 5])]

    def test_lazy_stack(self) -> None:
        """CORE-096: a lazy stack reads like the dense one."""
        one, two = self.pair()
        for stack in (lazy_stack, TensorDict.lazy_stack):
            new = stack([one, two], 0)
            assert new.batch_size == torch.Size([2, 4, 3])
            assert torch.equal(new["a"], torch.stack([one["a"], two["a"]]))
            assert torch.equal(new[0]["a"], one["a"])

    def test_dense_stack_tds(self) -> None:
        """CORE-098: a dense stack of a list, or of a lazy stack along its own dim."""
        one, two = self.pair()
        expected = leaves(torch.stack([one, two], 1))
        check_leaves(dense_stack_tds([one, two], 1), expected, batch_size=[4, 2, 3])
        check_leaves(dense_stack_tds(lazy_stack([one, two], 1)), expected, batch_size=[4, 2, 3])

    def test_pad_sequence(self) -> None:
        """CORE-100: padded on the right, then stacked."""
        one = self.make({"a": torch.ones(2, 3), "n": {"b": torch.ones(2)}}, [2])
        two = self.make({"a": torch.full((4, 3), 2.0), "n": {"b": torch.full((4,), 2.0)}}, [4])
        new = pad_sequence([one, two], padding_value=-1.0)
        expected = torch.full((2, 4, 3), -1.0)
        expected[0, :2] = 1.0
        expected[1] = 2.0
        assert new.batch_size == torch.Size([2, 4])
        check_leaves(new, {"a": expected, ("n", "b"): expected[..., 0]})
        assert pad_sequence([one, two])["a"][0, 3].tolist() == [0.0] * 3

    @pytest.mark.parametrize(("argument", "entry"), [(True, "masks"), ("valid", "valid")])
    def test_pad_sequence_mask(self, argument: Any, entry: str) -> None:
        """CORE-100: a mask per leaf, under `masks` or the given name."""
        tds = [self.make({"a": torch.ones(size, 3), "n": {"b": torch.ones(size)}}, [size]) for size in (2, 4)]
        new = pad_sequence(tds, return_mask=argument)
        valid = torch.tensor([[True, True, False, False], [True] * 4])
        assert torch.equal(new[entry, "a"].reshape(2, 4, -1)[..., 0], valid)
        assert torch.equal(new[entry, "n", "b"], valid)

    @needs(Capability.NON_TENSOR)
    def test_pad_sequence_non_tensor(self) -> None:
        """CORE-100: non-tensor entries are stacked unpadded."""
        tds = [self.make({"a": torch.ones(size), "s": text}, [size]) for size, text in ((2, "p"), (4, "q"))]
        new = pad_sequence(tds)
        assert new["a"].tolist() == [[1.0, 1.0, 0.0, 0.0], [1.0] * 4]
        assert "s" in new

    def test_pad_sequence_errors(self) -> None:
        """CORE-100: an empty list, or other dims that differ, naming the key."""
        with pytest.raises(RuntimeError):
            pad_sequence([])
        one = self.make({"odd_one": torch.ones(2, 3)}, [2])
        two = self.make({"odd_one": torch.ones(4, 5)}, [4])
        with pytest.raises(RuntimeError, match="odd_one"):
            pad_sequence([one, two])

    def test_pad_sequence_common_keys(self) -> None:
        """CORE-100: only the keys that all have are kept."""
        one = self.make({"a": torch.ones(2), "x": torch.ones(2)}, [2])
        two = self.make({"a": torch.ones(4)}, [4])
        assert set(pad_sequence([one, two]).keys()) == {"a"}

    def test_to_padded_tensor(self) -> None:
        """CORE-101: nested tensors become padded ones."""
        nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)
        td = TensorDict({"a": nested, "b": torch.zeros(2)}, batch_size=[2])
        new = td.to_padded_tensor(padding=-1.0)
        assert new["a"].tolist() == [[1.0, 1.0, -1.0], [1.0, 1.0, 1.0]]
        assert new["b"].tolist() == [0.0, 0.0]

    @needs(Capability.NAMES)
    def test_cat_takes_the_names_of_the_first(self) -> None:
        """CORE-094: the names are those of the first container."""
        one = self.make({"a": torch.ones(2)}, [2], names=["x"])
        two = self.make({"a": torch.ones(3)}, [3])
        assert torch.cat([one, two]).names == ["x"]
        assert torch.cat([two, one]).names == [None]
