"""One storage for all leaves, and its file (rows CORE-203, CORE-204, trap TRAP-081)."""

from __future__ import annotations

import json

import pytest
import torch

from td_core import TensorDict, from_consolidated


def sample():
    return TensorDict(
        {"a": torch.arange(6.0).reshape(2, 3), "n": {"b": torch.ones(2, dtype=torch.int8), "s": "text"}},
        batch_size=[2],
        names=["x"],
    )


def assert_same(new, td):
    assert new.batch_size == td.batch_size
    for key, value in td.items(True, True):
        torch.testing.assert_close(new[key], value, rtol=0, atol=0)
    assert new["n", "s"] == td["n", "s"]


@pytest.mark.parametrize("load", [TensorDict.from_consolidated, from_consolidated])
def test_file_round_trip(tmp_path, load):
    """CORE-204"""
    td = sample()
    td.consolidate(filename=tmp_path / "data.td")
    new = load(tmp_path / "data.td")
    assert_same(new, td)
    assert new.names == ["x"]
    assert new.is_consolidated()


def test_file_layout(tmp_path):
    """CORE-204, TRAP-081: padded leaves, the description, its length."""
    path = tmp_path / "data.td"
    sample().consolidate(filename=path)
    raw = path.read_bytes()
    length = int.from_bytes(raw[-8:], "little")
    description = json.loads(raw[-8 - length : -8])
    assert len(raw) - 8 - length == 32
    assert description["leaves"] == {"a": ["torch.float32", [2, 3], 0, 24, 0]}
    assert description["n"]["leaves"]["b"] == ["torch.int8", [2], 24, 32, 6]
    assert description["n"]["non_tensors"]["s"][:2] == ["text", [2]]
    assert description["cls_metadata"]["batch_size"] == [2]
    assert description["cls_metadata"]["names"] == ["x"]
    assert torch.frombuffer(bytearray(raw[:24]), dtype=torch.float32).tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


@pytest.mark.parametrize(
    "dtype", [torch.float64, torch.bfloat16, torch.complex64, torch.bool, torch.uint8, torch.int16]
)
def test_dtypes(dtype):
    """CORE-203"""
    td = TensorDict({"a": torch.ones(3, dtype=torch.int8), "b": torch.ones(3).to(dtype)}, batch_size=[3])
    new = td.consolidate()
    assert torch.equal(new["b"], td["b"])
    assert new["b"].dtype == dtype


def test_empty_and_strided_leaves():
    """CORE-203"""
    td = TensorDict({"none": torch.zeros(2, 0), "t": torch.arange(6).reshape(3, 2).T}, batch_size=[2])
    new = td.consolidate()
    assert new["none"].shape == torch.Size([2, 0])
    assert torch.equal(new["t"], td["t"])


def test_nested_jagged():
    """CORE-203"""
    ragged = torch.nested.nested_tensor([torch.ones(2), torch.full((3,), 2.0)], layout=torch.jagged)
    new = TensorDict({"r": ragged, "b": torch.ones(2)}, batch_size=[2]).consolidate()
    assert [row.tolist() for row in new["r"].unbind()] == [[1.0, 1.0], [2.0, 2.0, 2.0]]


@pytest.mark.filterwarnings("ignore")  # torch warns that strided nested tensors are a prototype
def test_nested_strided_raises():
    """CORE-203"""
    ragged = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.strided)
    with pytest.raises(NotImplementedError):
        TensorDict({"r": ragged}, batch_size=[2]).consolidate()


def test_writes_reach_the_storage():
    """CORE-203"""
    new = sample().consolidate()
    new["a"].fill_(7.0)
    assert new["a"].unique().tolist() == [7.0]
    new.set_("a", torch.zeros(2, 3))
    assert new["a"].unique().tolist() == [0.0]
    assert new["n", "b"].tolist() == [1, 1]


def test_inplace():
    """CORE-203"""
    td = sample()
    assert td.consolidate(inplace=True) is td
    assert td.is_consolidated()
    assert td["a"].untyped_storage().data_ptr() == td["n", "b"].untyped_storage().data_ptr()


def test_truncated_file_raises(tmp_path):
    """CORE-204: a corrupt file is refused."""
    path = tmp_path / "data.td"
    sample().consolidate(filename=path)
    raw = path.read_bytes()
    for damaged in (raw[: len(raw) // 2], b"", raw[:-1], raw[:4]):
        path.write_bytes(damaged)
        with pytest.raises((ValueError, RuntimeError, OSError)):
            TensorDict.from_consolidated(path)
