"""Elementwise operations, comparisons and reductions under torch.compile, vmap and autograd."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from td_core import TensorDict


def make(seed: int = 0) -> TensorDict:
    generator = torch.Generator().manual_seed(seed)
    node = TensorDict({"b": torch.rand(3, generator=generator)}, [3])
    return TensorDict({"a": torch.rand(3, 2, generator=generator), "n": node}, [3], names=["x"])


MASK = torch.tensor([True, False, True])
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "arithmetic": lambda td: (td * 2 + td).exp() - 1 / (td + 1),
    "tensor": lambda td: torch.arange(3.0) - td.mul(torch.arange(3.0)),
    "ternary": lambda td: td.lerp(td + 1, 0.5).addcmul(td, td, value=2.0),
    "in place": lambda td: td.clone().mul_(2).add_(td, alpha=3),
    "clamp": lambda td: td.clamp(0.2, 0.5),
    "where number": lambda td: td.where(MASK, 0.0),
    "where container": lambda td: td.where(MASK, td + 1),
    "masked_fill": lambda td: td.masked_fill(MASK, 1.0),
    "sum": lambda td: td.sum(0) + td.sum(),
    "mean keepdim": lambda td: td.mean(0, keepdim=True),
    "feature": lambda td: td.sum(dim="feature"),
    "max": lambda td: td.max(0).values,
    "softmax": lambda td: td.softmax(0),
    "norm": lambda td: td.norm(),
    "cast": lambda td: td.double().float(),
    "torch functions": lambda td: torch.exp(torch.add(td, torch.ones_like(td))),
}
MASKS: dict[str, Callable[[Any], Any]] = {
    "number": lambda td: td > 0.5,
    "container": lambda td: td == td + 0,
    "tensor": lambda td: td < torch.arange(3.0),
    "tensor on the left": lambda td: torch.arange(3.0) < td,
    "reduced": lambda td: (td < 2).all(0),
    "isnan": lambda td: td.isnan(),
}


def check(actual: TensorDict, expected: TensorDict) -> None:
    assert actual.batch_size == expected.batch_size
    assert actual.names == expected.names
    for key, value in expected.items(True, True):
        torch.testing.assert_close(actual[key], value)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_compiles_to_one_graph(name: str) -> None:
    compiled = torch.compile(FUNCTIONS[name], backend="eager", fullgraph=True)
    for seed in (0, 1):
        check(compiled(make(seed)), FUNCTIONS[name](make(seed)))


@pytest.mark.parametrize("name", sorted(MASKS))
def test_masks_compile_to_one_graph(name: str) -> None:
    compiled = torch.compile(MASKS[name], backend="eager", fullgraph=True)
    check(compiled(make()), MASKS[name](make()))


@pytest.mark.parametrize("name", ["arithmetic", "tensor", "ternary", "in place", "clamp", "sum", "softmax", "norm"])
def test_vmap_over_leaves(name: str) -> None:
    """Inside vmap the leaves are batched tensors, which torch's list functions refuse."""
    a, b = torch.rand(4, 3, 2), torch.rand(4, 3)

    def function(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        result = FUNCTIONS[name](TensorDict({"a": a, "n": TensorDict({"b": b}, [3])}, [3]))
        return result["a"].sum() + result["n", "b"].sum()

    expected = torch.stack([function(x, y) for x, y in zip(a, b, strict=True)])
    torch.testing.assert_close(torch.func.vmap(function)(a, b), expected)


@pytest.mark.parametrize("name", ["arithmetic", "ternary", "sum", "softmax", "norm", "where container"])
def test_gradients(name: str) -> None:
    def function(a: torch.Tensor) -> torch.Tensor:
        result = FUNCTIONS[name](TensorDict({"a": a, "n": TensorDict({"b": a[:, 0]}, [3])}, [3]))
        return result["a"].sum() + result["n", "b"].sum()

    a = torch.rand(3, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(function, a)
    (expected,) = torch.autograd.grad(function(a), a)
    torch.testing.assert_close(torch.func.grad(function)(a.detach()), expected)
