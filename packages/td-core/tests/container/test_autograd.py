"""Autograd, leaf by leaf."""

import pytest
import torch

from td_core import TensorDict
from td_core.errors import TDKeyError, TDRuntimeError, TDTypeError


@pytest.fixture
def param():
    return torch.ones(3, requires_grad=True)


def test_detach_shares_memory(param):
    td = TensorDict({"p": param, "n": {"q": param * 2}, "s": "hi"}, [3], names=["t"])
    out = td.detach()
    assert td.requires_grad
    assert not out.requires_grad
    assert out["p"].data_ptr() == param.data_ptr()
    assert out.names == ["t"]
    assert out["s"] == "hi"
    assert td.lock_().detach().is_locked
    assert td.data.is_locked
    assert not td.data.requires_grad


def test_detach_in_place(param):
    td = TensorDict({"p": param * 2, "n": {"q": param * 3}}).lock_()
    leaf = td["p"]
    assert td.detach_() is td
    assert td["p"] is leaf
    assert not td.requires_grad


def test_grad_has_only_existing_gradients(param):
    td = TensorDict({"p": param, "n": {"q": torch.ones(3)}, "middle": param * 2, "s": "hi"}, [3], names=["t"])
    assert td.grad is None
    param.grad = torch.full((3,), 2.0)
    grads = td.grad
    assert list(grads.keys(True, True)) == ["p"]
    assert grads["p"].tolist() == [2, 2, 2]
    assert grads["s"] == "hi"
    assert grads.names == ["t"]
    assert td.lock_().grad.is_locked


def test_zero_grad(param):
    td = TensorDict({"p": param})
    param.grad = torch.full((3,), 2.0)
    assert td.zero_grad(set_to_none=False) is td
    assert param.grad.tolist() == [0, 0, 0]
    td.zero_grad()
    assert param.grad is None


def test_requires_grad_in_place():
    td = TensorDict({"a": torch.ones(3), "n": {"b": torch.ones(3)}}).lock_()
    assert td.requires_grad_() is td
    assert td["n", "b"].requires_grad
    assert not td.requires_grad_(False).requires_grad


def test_requires_grad_of_integers_changes_nothing():
    td = TensorDict({"a": torch.ones(3), "i": torch.arange(3)})
    with pytest.raises(TDRuntimeError, match=r"'i'.*int64"):
        td.requires_grad_()
    assert not td["a"].requires_grad
    td.requires_grad_(False)


class TestBackward:
    def test_accumulates_over_all_leaves(self, param):
        TensorDict({"l1": (param * 2).sum(), "n": {"l2": (param * 3).sum()}, "count": torch.tensor(1)}).backward()
        assert param.grad.tolist() == [5, 5, 5]

    def test_with_gradients(self, param):
        td = TensorDict({"x": param * 2}, [3])
        td.backward(TensorDict({"x": torch.tensor([1.0, 2.0, 3.0])}, [3]))
        assert param.grad.tolist() == [2, 4, 6]

    def test_only_for_given_inputs(self, param):
        other = torch.ones(3, requires_grad=True)
        TensorDict({"x": (param * other * 4).sum()}).backward(inputs=TensorDict({"p": param}))
        assert param.grad.tolist() == [4, 4, 4]
        assert other.grad is None

    def test_errors(self, param):
        with pytest.raises(TDRuntimeError, match="none"):
            TensorDict({"a": torch.ones(1)}).backward()
        td = TensorDict({"x": param * 2}, [3])
        with pytest.raises(TDRuntimeError, match="'x'"):
            td.backward()
        with pytest.raises(TDTypeError, match="dict"):
            td.backward({"x": torch.ones(3)})
        with pytest.raises(TDKeyError, match="'x'"):
            td.backward(TensorDict({"y": torch.ones(3)}, [3]))
