"""Renaming an entry to a place that it does not fit."""

import pytest
import torch

from td_core import TensorDict


def test_a_refused_rename_loses_nothing():
    td = TensorDict({"a": torch.ones(2), "n": TensorDict({"b": torch.zeros(2, 3)}, [2, 3])}, [2])
    with pytest.raises(RuntimeError, match="batch size"):
        td.rename_key_("a", ("n", "c"))
    assert torch.equal(td["a"], torch.ones(2))
    assert ("n", "c") not in td


def test_a_locked_target_loses_nothing():
    inner = TensorDict({"b": torch.zeros(2)}, [2]).lock_()
    td = TensorDict({"a": torch.ones(2)}, [2])
    td["n"] = inner
    with pytest.raises(RuntimeError, match="locked"):
        td.rename_key_("a", ("n", "c"))
    assert torch.equal(td["a"], torch.ones(2))
    assert list(inner.keys()) == ["b"]
