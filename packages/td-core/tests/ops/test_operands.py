"""Alignment of operands: numbers, tensors, containers matched by key, defaults."""

from __future__ import annotations

import gc
import operator
import weakref
from typing import Any

import numpy as np
import pytest
import torch

from td_core import NonTensorStack, TensorDict
from td_core.errors import TDKeyError, TDNotImplementedError, TDRuntimeError, TDTypeError


@pytest.fixture
def td() -> TensorDict:
    node = TensorDict({"b": torch.ones(3, dtype=torch.int64)}, [3])
    return TensorDict({"a": torch.arange(6.0).reshape(3, 2), "n": node}, [3], names=["x"])


def test_keys_not_order(td: TensorDict) -> None:
    swapped = TensorDict({"n": td["n"] * 10, "a": td["a"] * 10}, [3])
    result = td + swapped
    assert result["a"].tolist() == [[0, 11], [22, 33], [44, 55]]
    assert result["n", "b"].tolist() == [11, 11, 11]
    assert list(result.keys()) == ["a", "n"]
    assert result.names == ["x"]


def test_key_mismatch_lists_both_sides(td: TensorDict) -> None:
    other = TensorDict({"a": torch.ones(3, 2), "z": torch.ones(3)}, [3])
    with pytest.raises(TDKeyError, match=r"first \['n.b'\].*second \['z'\]"):
        td + other
    with pytest.raises(KeyError):
        td.add_(other)
    with pytest.raises(KeyError):
        td == other  # noqa: B015  # the comparison itself raises


def test_default_intersection(td: TensorDict) -> None:
    other = TensorDict({"a": torch.ones(3, 2), "z": torch.ones(3)}, [3])
    result = td.mul(other, default="intersection")
    assert list(result.keys(True, True)) == ["a"]
    torch.testing.assert_close(result["a"], td["a"])


@pytest.mark.parametrize("default", [2.0, torch.tensor(2.0), torch.full((3,), 2.0)])
def test_default_value_fills_both_sides(td: TensorDict, default: Any) -> None:
    other = TensorDict({"a": torch.ones(3, 2), "z": torch.full((3,), 5.0)}, [3])
    result = td.sub(other, default=default)
    torch.testing.assert_close(result["a"], td["a"] - 1)
    torch.testing.assert_close(result["n", "b"], torch.full((3,), -1.0))
    torch.testing.assert_close(result["z"], torch.full((3,), -3.0))


def test_default_of_another_kind(td: TensorDict) -> None:
    with pytest.raises(TDTypeError, match="intersection"):
        td.add(td, default="union")


def test_tensor_is_aligned_with_the_batch(td: TensorDict) -> None:
    result = td * torch.tensor([1.0, 2.0, 3.0])
    torch.testing.assert_close(result["a"], td["a"] * torch.tensor([[1.0], [2.0], [3.0]]))
    assert result.names == ["x"]


def test_tensor_enlarges_the_batch(td: TensorDict) -> None:
    result = td + torch.tensor([[1.0], [2.0]]).expand(2, 3)
    assert result.batch_size == (2, 3)
    assert result.names == [None, "x"]
    torch.testing.assert_close(result["a"], torch.stack([td["a"] + 1, td["a"] + 2]))
    with pytest.raises(TDRuntimeError, match="in place"):
        td.add_(torch.ones(2, 3))


def test_stretched_batch_is_refused() -> None:
    one = TensorDict({"a": torch.ones(3, 1, 4)}, [3, 1])
    other = TensorDict({"a": torch.ones(3, 1, 3, 4)}, [3, 1])
    with pytest.raises(TDRuntimeError, match="batch size"):
        one + other


def test_batches_broadcast_together() -> None:
    one = TensorDict({"a": torch.ones(3, 1)}, [3, 1])
    other = TensorDict({"a": torch.arange(12.0).reshape(3, 4)}, [3, 4])
    result = one + other
    assert result.batch_size == (3, 4)
    torch.testing.assert_close(result["a"], other["a"] + 1)


def test_alpha(td: TensorDict) -> None:
    torch.testing.assert_close(td.add(td, alpha=2)["a"], td["a"] * 3)
    torch.testing.assert_close(td.add(1, alpha=2)["a"], td["a"] + 2)
    torch.testing.assert_close(td.rsub(1, alpha=2)["a"], 1 - 2 * td["a"])
    torch.testing.assert_close(td.clone().sub_(1, alpha=2)["a"], td["a"] - 2)


@pytest.mark.parametrize("function", [operator.add, operator.mul, operator.sub, operator.truediv, operator.mod])
def test_reflected(td: TensorDict, function: Any) -> None:
    td = td + 1
    left = torch.tensor([1.0, 2.0, 3.0])
    for first in (5, left):
        result = function(first, td)
        wide = first if isinstance(first, int) else left[:, None]
        torch.testing.assert_close(result["a"], function(wide, td["a"]))
        torch.testing.assert_close(result["n", "b"], function(first, td["n", "b"]))


def test_number_to_the_power_of_a_container(td: TensorDict) -> None:
    with pytest.raises(TDNotImplementedError):
        2**td


@pytest.mark.parametrize("other", ["x", None, [1], {"a": 1}])
def test_unknown_operand(td: TensorDict, other: Any) -> None:
    with pytest.raises(TypeError):
        td + other
    with pytest.raises(TDTypeError, match="add takes a number"):
        td.add(other)


def test_numpy_number(td: TensorDict) -> None:
    torch.testing.assert_close((td + np.float32(2))["a"], td["a"] + 2)


def test_clamp(td: TensorDict) -> None:
    torch.testing.assert_close(td.clamp(1, 3)["a"], td["a"].clamp(1, 3))
    torch.testing.assert_close(td.clamp(3, 1)["a"], td["a"].clamp(3, 1))
    torch.testing.assert_close(td.clamp(max=td - 1)["a"], td["a"] - 1)
    with pytest.raises(TDTypeError, match="min or max"):
        td.clamp()
    out = td.clone()
    assert td.clamp(1, 3, out=out) is out
    torch.testing.assert_close(out["a"], td["a"].clamp(1, 3))


def test_non_tensor_data_pass_through() -> None:
    td = TensorDict({"a": torch.ones(2, 3), "s": NonTensorStack("x", "y"), "k": "v"}, [2])
    for result in (td + 1, td + td, td.exp(), td.float(), td + td.select("a"), td.sum(), td.sum(0), td.norm()):
        assert result["s"] == ["x", "y"]
        assert result["k"] == "v"
    mask = td == td
    assert mask["s"].tolist() == [True, True]
    assert (td == 1)["k"].is_empty()


def test_lock_propagates(td: TensorDict) -> None:
    td.lock_()
    for result in (td + 1, td + td, td.exp(), -td, td.double(), td.where(torch.ones(3, dtype=torch.bool), 0)):
        assert result.is_locked
        assert result["n"].is_locked
    for result in (
        td == td,
        td < 1,
        td.sum(),
        td.sum(0),
        td.float().norm(),
        td.masked_fill(torch.ones(3, dtype=torch.bool), 0),
    ):
        assert not result.is_locked


def test_mixed_classes_of_tensors() -> None:
    """A list that foreach refuses is computed one by one."""
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)
    td = TensorDict({"a": torch.ones(2), "j": nested}, [2])
    result = (td + 1) * 2
    assert result["a"].tolist() == [4, 4]
    assert [part.tolist() for part in result["j"].unbind()] == [[4, 4], [4, 4, 4]]
    td.add_(1)
    assert td["a"].tolist() == [2, 2]
    assert td["j"].values().tolist() == [2] * 5


def test_no_reference_cycles(td: TensorDict) -> None:
    """Results die with their last reference, without the garbage collector."""
    gc.collect()
    gc.disable()
    try:
        for make in (
            lambda: td + td,
            lambda: td == td,
            lambda: td.sum(0),
            lambda: td.float().mean(reduce=True),
            lambda: td.max(0).values,
            lambda: td.where(torch.ones(3, dtype=torch.bool), td),
            lambda: td.add(td.select("a"), default=0.0),
        ):
            result = make()
            alive = weakref.ref(result)
            del result
            assert alive() is None
    finally:
        gc.enable()
