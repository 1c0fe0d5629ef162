"""The table of torch functions (row CORE-102)."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from td_core import TensorDict
from td_core.ops import torch_functions
from td_core.ops.torch_functions import HANDLERS


@pytest.fixture
def td() -> TensorDict:
    return TensorDict({"a": torch.rand(2, 3, 4), "n": TensorDict({"b": torch.rand(2, 3)}, [2, 3])}, [2, 3])


def check(actual: TensorDict, expected: dict[object, torch.Tensor]) -> None:
    for key, value in expected.items():
        torch.testing.assert_close(actual[key], value, equal_nan=True)


def test_methods_exist() -> None:
    """A row that names a method must name one that is there."""
    names = {*torch_functions._METHODS, *torch_functions._ALIASES.values(), *torch_functions._REFLECTED.values()}
    assert not [name for name in sorted(names) if not hasattr(TensorDict, name)]


def test_unknown_function(td: TensorDict) -> None:
    for function in (torch.matmul, torch.linalg.norm, torch.fft.fft):
        assert function not in HANDLERS
        with pytest.raises(TypeError):
            function(td, td)


@pytest.mark.parametrize("function", torch_functions._LEAFWISE)
def test_leafwise(td: TensorDict, function: object) -> None:
    arguments = {F.threshold: (0.5, 0.0), torch.threshold: (0.5, 0.0), torch.dropout: (0.0, False)}.get(function, ())
    if function is F.dropout:
        arguments = (0.0,)
    seeded = torch.random.manual_seed
    seeded(0)
    expected = {key: function(value, *arguments) for key, value in td.items(True, True)}
    seeded(0)
    check(function(td, *arguments), expected)


@pytest.mark.parametrize("function", torch_functions._PAIRWISE)
def test_pairwise(td: TensorDict, function: object) -> None:
    other = td + 0.25
    check(function(td, other), {key: function(value, other[key]) for key, value in td.items(True, True)})


@pytest.mark.parametrize("function", torch_functions._ALONG)
def test_along(td: TensorDict, function: object) -> None:
    check(function(td, dim=-1), {key: function(value, 1) for key, value in td.items(True, True)})
    with pytest.raises(IndexError):
        function(td, dim=2)


def test_like(td: TensorDict) -> None:
    td.names = ["x", "y"]
    for function, value in ((torch.zeros_like, 0.0), (torch.ones_like, 1.0)):
        result = function(td)
        assert result.names == ["x", "y"]
        check(result, {"a": torch.full((2, 3, 4), value), ("n", "b"): torch.full((2, 3), value)})
    assert torch.full_like(td, 3, dtype=torch.int32)["n", "b"].tolist() == [[3, 3, 3], [3, 3, 3]]
    assert torch.rand_like(td)["a"].shape == (2, 3, 4)
    assert torch.randint_like(td, 5)["a"].max() < 5
    meta = torch.empty_like(td, device="meta")
    assert meta["a"].is_meta
    assert meta.device == torch.device("meta")
    assert torch.zeros_like(td.lock_()).is_locked


def test_container_on_either_side(td: TensorDict) -> None:
    left = torch.arange(6.0).reshape(2, 3)
    wide = left[..., None]
    check(torch.mul(2, td), {"a": 2 * td["a"]})
    check(torch.sub(left, td, alpha=2), {"a": wide - 2 * td["a"], ("n", "b"): left - 2 * td["n", "b"]})
    check(torch.div(left, td), {"a": wide / td["a"]})
    check(torch.maximum(left, td), {"a": torch.maximum(wide, td["a"])})
    check(torch.lt(left, td), {"a": wide < td["a"]})
    check(torch.where(left > 2, left.sum(), td), {"a": torch.where(wide > 2, left.sum(), td["a"])})


def test_combining(td: TensorDict) -> None:
    check(torch.stack([td, td + 1], -1), {"a": torch.stack([td["a"], td["a"] + 1], 2)})
    check(torch.cat((td, td), 1), {("n", "b"): torch.cat([td["n", "b"]] * 2, 1)})
    with pytest.raises(TypeError, match="Tensor"):
        torch.stack([td, torch.ones(2, 3)])


def test_selection(td: TensorDict) -> None:
    check(torch.index_select(td, 1, torch.tensor([2, 0])), {"a": td["a"][:, [2, 0]]})
    check(torch.narrow(td, 1, 1, 2), {"a": td["a"][:, 1:3]})
    check(torch.unbind(td)[1], {"a": td["a"][1]})


def test_questions(td: TensorDict) -> None:
    assert torch.equal(td, td.clone())
    assert not torch.equal(td, td + 1)
    assert torch.allclose(td, td + 1e-9)
    assert not torch.allclose(td, td + 1)
    assert torch.numel(td) == 6
    assert torch.is_floating_point(td)


def test_extremes(td: TensorDict) -> None:
    values, indices = torch.max(td, 0)
    check(values, {"a": td["a"].amax(0)})
    check(indices, {"a": td["a"].argmax(0)})
    check(torch.max(td, td + 1), {"a": td["a"] + 1})
