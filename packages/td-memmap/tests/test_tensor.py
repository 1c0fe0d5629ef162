import copy
import pickle

import pytest
import torch

from td_core.errors import TDFileNotFoundError, TDRuntimeError
from td_memmap import MemmapFileError, MemoryMappedTensor

DTYPES = [
    torch.bool,
    torch.uint8,
    torch.int64,
    torch.float16,
    torch.bfloat16,
    torch.float32,
    torch.complex64,
]


@pytest.fixture
def mapped(tmp_path):
    return MemoryMappedTensor.from_tensor(torch.arange(6).view(2, 3), filename=tmp_path / "x.memmap")


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_values_and_dtype(tmp_path, dtype):
    source = torch.tensor([[0, 1, 2], [3, 4, 5]]).to(dtype)
    mapped = MemoryMappedTensor.from_tensor(source, filename=tmp_path / "x")
    assert torch.equal(mapped, source)
    assert (mapped.dtype, mapped.shape) == (source.dtype, source.shape)
    assert torch.equal(MemoryMappedTensor.from_filename(tmp_path / "x", dtype, [2, 3]), source)
    assert (tmp_path / "x").stat().st_size == 6 * dtype.itemsize


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3)])
def test_scalars_and_empty_tensors(tmp_path, shape):
    mapped = MemoryMappedTensor.from_tensor(torch.ones(shape), filename=tmp_path / "x")
    assert mapped.shape == torch.Size(shape)
    assert torch.equal(mapped, torch.ones(shape))


def test_a_transposed_source_is_written_in_row_major_order(tmp_path):
    source = torch.arange(6).view(2, 3).T
    MemoryMappedTensor.from_tensor(source, filename=tmp_path / "x")
    assert MemoryMappedTensor.from_filename(tmp_path / "x", torch.int64, [6]).tolist() == [0, 3, 1, 4, 2, 5]


def test_writes_reach_the_file(mapped):
    again = MemoryMappedTensor.from_filename(mapped.filename, mapped.dtype, mapped.shape)
    mapped[0, 1] = 100
    mapped[1].fill_(-1)
    assert again.tolist() == [[0, 100, 2], [-1, -1, -1]]


def test_filename_is_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert MemoryMappedTensor.from_tensor(torch.ones(1), filename="x").filename == tmp_path / "x"


def test_operations_give_plain_tensors(mapped):
    for result in (mapped + 1, mapped[0], mapped.view(6), mapped.clone(), torch.stack([mapped, mapped])):
        assert type(result) is torch.Tensor


def test_pickling_passes_the_name(mapped):
    data = pickle.dumps(mapped)
    mapped.fill_(7)
    loaded = pickle.loads(data)
    assert type(loaded) is MemoryMappedTensor
    assert loaded.filename == mapped.filename
    assert loaded.eq(7).all()


def test_deep_copies_do_not_write_to_the_file(mapped):
    copied = copy.deepcopy(mapped)
    copied.fill_(9)
    assert type(copied) is torch.Tensor
    assert mapped.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_repr_names_class_and_file(mapped):
    assert repr(mapped).startswith("MemoryMappedTensor(tensor([[0, 1, 2],")
    assert repr(mapped).endswith(f"filename={str(mapped.filename)!r})")


def test_an_existing_file_is_kept_unless_told(mapped):
    with pytest.raises(MemmapFileError, match="existsok=True") as caught:
        MemoryMappedTensor.from_tensor(torch.ones(2), filename=mapped.filename)
    assert isinstance(caught.value, (RuntimeError, OSError))
    new = MemoryMappedTensor.from_tensor(torch.ones(2), filename=mapped.filename, existsok=True)
    assert new.tolist() == [1, 1]
    assert mapped.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert [path.name for path in mapped.filename.parent.iterdir()] == ["x.memmap"]


def test_a_short_file_is_refused_and_not_extended(mapped):
    with pytest.raises(MemmapFileError, match=r"shape \[7\] of torch.int64 needs 56 bytes, the file has 48"):
        MemoryMappedTensor.from_filename(mapped.filename, torch.int64, [7])
    assert mapped.filename.stat().st_size == 48


def test_an_absent_file_is_refused_and_not_created(tmp_path):
    with pytest.raises(TDFileNotFoundError, match="absent"):
        MemoryMappedTensor.from_filename(tmp_path / "absent", torch.int64, [7])
    assert not (tmp_path / "absent").exists()


def test_what_cannot_be_mapped(tmp_path):
    with pytest.raises(TDRuntimeError, match=r"detach\(\)"):
        MemoryMappedTensor.from_tensor(torch.ones(2, requires_grad=True), filename=tmp_path / "x")
    with pytest.raises(TDRuntimeError, match=r"to_dense\(\)"):
        MemoryMappedTensor.from_tensor(torch.eye(2).to_sparse(), filename=tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_nothing(mapped, monkeypatch):
    def fail(descriptor):
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        MemoryMappedTensor.from_tensor(torch.ones(2), filename=mapped.filename, existsok=True)
    assert [path.name for path in mapped.filename.parent.iterdir()] == ["x.memmap"]
    assert mapped.filename.stat().st_size == 48


def test_a_tensordict_keeps_it_as_an_entry(mapped):
    from td_core import TensorDict

    td = TensorDict({"x": mapped}, batch_size=[2])
    assert td["x"] is mapped
    assert td[0]["x"].tolist() == [0, 1, 2]
