"""Shared memory, and the size of things."""

import pytest
import torch

from td_core import TensorDict
from td_core.errors import TDRuntimeError


def make():
    return TensorDict({"a": torch.arange(3.0), "n": {"b": torch.ones(3, 2)}, "s": "hi"}, [3])


def test_share_memory_flags_and_locks():
    td = make()
    assert not td.is_shared()
    assert td.share_memory_() is td
    assert td.is_shared()
    assert td["n"].is_shared()
    assert td["a"].is_shared()
    assert td.is_locked
    assert not td.is_memmap()
    assert td.share_memory_() is td


def test_what_keeps_the_flag():
    td = make().share_memory_()
    assert td[0].is_shared()
    assert not td[torch.tensor([0])].is_shared()
    assert not td.clone().is_shared()
    td.unlock_()
    assert not td.is_shared()
    assert not td["n"].is_shared()


def test_memory_mapped_cannot_be_shared():
    td = make().lock_()
    td._sharing = "memmap"
    with pytest.raises(TDRuntimeError, match="memory-mapped"):
        td.share_memory_()


def test_jagged_tensors_are_shared():
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)
    td = TensorDict({"x": nested}, [2]).share_memory_()
    assert td["x"].values().is_shared()
    assert td["x"].offsets().is_shared()


def test_writes_are_seen_by_another_process(tmp_path):
    td = make().share_memory_()
    process = torch.multiprocessing.get_context("fork").Process(target=td.fill_, args=("a", 7.0))
    process.start()
    process.join(60)
    assert process.exitcode == 0
    assert td["a"].tolist() == [7, 7, 7]


def test_data_ptr():
    td = make()
    view = TensorDict({"v": td["a"][1:]})
    assert td.data_ptr()["n", "b"] == td["n", "b"].data_ptr()
    assert view.data_ptr()["v"] == td["a"].data_ptr() + 4
    assert view.data_ptr(storage=True)["v"] == td["a"].data_ptr()
    assert "s" not in td.data_ptr()


def test_bytes_and_param_count():
    x = torch.zeros(6)
    td = TensorDict(a=x, b=x, c=torch.zeros(2, 3), view=x[:2], s="text")
    assert td.bytes() == 24 * 3 + 8
    assert td.bytes(count_duplicates=False) == 24 * 2 + 8
    assert td.param_count() == 20
    assert td.param_count(count_duplicates=False) == 14
    assert TensorDict().bytes() == TensorDict().param_count() == 0


def test_bytes_count_gradients_and_the_parts_of_jagged_tensors():
    param = torch.ones(4, requires_grad=True)
    param.grad = torch.ones(4)
    assert TensorDict(p=param).bytes() == 32
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)
    assert TensorDict(x=nested).bytes() == 5 * 4 + 3 * 8
