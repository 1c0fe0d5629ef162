import h5py
import numpy as np
import pytest
import torch

from td_core import TensorDict
from td_core.errors import TDFileNotFoundError, TDKeyError, TDTypeError
from td_h5 import H5FormatError, from_h5, to_h5


def assert_same(found, expected):
    assert found.batch_size == expected.batch_size
    assert list(found.keys()) == list(expected.keys())
    for key, value in expected.items():
        if isinstance(value, TensorDict):
            assert_same(found[key], value)
        else:
            assert found[key].dtype == value.dtype
            assert torch.equal(found[key], value)


@pytest.fixture
def tree():
    torch.manual_seed(0)
    inner = TensorDict({"b": torch.arange(12).view(2, 3, 2), "a": torch.rand(2, 3)}, batch_size=[2, 3])
    return TensorDict({"z": torch.rand(2, 4), "nested": inner, "flag": torch.tensor([True, False])}, batch_size=[2])


def test_a_tree_comes_back_with_its_order_and_batch_sizes(tree, tmp_path):
    assert to_h5(tree, tmp_path / "tree.h5") is tree
    assert_same(from_h5(tmp_path / "tree.h5"), tree)


@pytest.mark.parametrize(
    "dtype",
    [
        torch.bool,
        torch.uint8,
        torch.int8,
        torch.int16,
        torch.int32,
        torch.int64,
        torch.float16,
        torch.float32,
        torch.float64,
        torch.complex64,
        torch.complex128,
    ],
    ids=str,
)
def test_dtypes(dtype, tmp_path):
    td = TensorDict({"x": torch.tensor([[0, 1], [2, 3]]).to(dtype)}, batch_size=[2])
    to_h5(td, tmp_path / "x.h5")
    assert_same(from_h5(tmp_path / "x.h5"), td)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2)])
def test_scalars_and_empty_tensors(shape, tmp_path):
    td = TensorDict({"x": torch.ones(shape)}, batch_size=[])
    to_h5(td, tmp_path / "x.h5", compression="gzip")
    assert_same(from_h5(tmp_path / "x.h5"), td)


def test_empty_nodes_keep_their_batch_size(tmp_path):
    td = TensorDict({"empty": TensorDict({}, batch_size=[2, 3])}, batch_size=[2])
    to_h5(td, tmp_path / "x.h5")
    assert_same(from_h5(tmp_path / "x.h5"), td)


def test_views_and_conjugates_are_written_as_their_values(tmp_path):
    x = torch.arange(6.0).view(2, 3)
    td = TensorDict({"t": x.T, "c": torch.complex(x.T, x.T).conj(), "g": x.T.clone().requires_grad_()}, batch_size=[3])
    to_h5(td, tmp_path / "x.h5")
    back = from_h5(tmp_path / "x.h5")
    assert torch.equal(back["t"], x.T)
    assert torch.equal(back["c"], td["c"].resolve_conj())
    assert torch.equal(back["g"], x.T)


def test_names(tmp_path):
    td = TensorDict({"x": torch.ones(2, 3)}, batch_size=[2, 3], names=["time", None])
    to_h5(td, tmp_path / "x.h5")
    assert from_h5(tmp_path / "x.h5").names == ["time", None]


KEYS = ["a/b", ".", "..", "100%", "a.b", "%2F", "schlüssel", " ", "nul\0", "A", "a"]


def test_keys_that_hdf5_would_take_apart(tmp_path):
    td = TensorDict({key: torch.tensor(i) for i, key in enumerate(KEYS)}, batch_size=[])
    to_h5(td, tmp_path / "x.h5")
    back = from_h5(tmp_path / "x.h5")
    assert {key: int(back[key]) for key in back.keys()} == {key: i for i, key in enumerate(KEYS)}  # noqa: SIM118


def test_the_empty_key_is_refused(tmp_path):
    with pytest.raises(TDKeyError, match="empty string"):
        to_h5(TensorDict({"": torch.ones(1)}, batch_size=[]), tmp_path / "x.h5")
    assert list(tmp_path.iterdir()) == []


def test_options_reach_the_datasets(tree, tmp_path):
    to_h5(tree, tmp_path / "x.h5", compression="gzip", compression_opts=9)
    with h5py.File(tmp_path / "x.h5") as file:
        assert file["z"].compression == "gzip"
        assert file["nested/b"].compression_opts == 9


def test_batch_size_and_device_can_be_asked_for(tree, tmp_path):
    to_h5(tree, tmp_path / "x.h5")
    back = from_h5(tmp_path / "x.h5", batch_size=[], device="cpu")
    assert back.batch_size == torch.Size([])
    assert back.device == torch.device("cpu")


def test_a_file_of_another_program(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["a"] = np.ones((3, 4), dtype=">f4")
        file["group/b"] = np.zeros((3, 2, 5))
        file["group/c%2F"] = np.zeros((3, 2))
    back = from_h5(tmp_path / "x.h5")
    assert back.batch_size == torch.Size([3])
    assert back["group"].batch_size == torch.Size([3, 2])
    assert set(back["group"].keys()) == {"b", "c%2F"}
    assert back["a"].dtype == torch.float32
    assert back["a"].sum() == 12


def test_a_failed_write_keeps_the_old_file(tree, tmp_path):
    to_h5(tree, tmp_path / "x.h5")
    bad = TensorDict({"x": torch.ones(2), "low": TensorDict({"y": torch.ones(2, dtype=torch.bfloat16)})}, batch_size=[])
    with pytest.raises(TDTypeError, match=r"\('low', 'y'\) of dtype torch.bfloat16"):
        to_h5(bad, tmp_path / "x.h5")
    assert [path.name for path in tmp_path.iterdir()] == ["x.h5"]
    assert_same(from_h5(tmp_path / "x.h5"), tree)


def test_a_new_file_replaces_the_old_one_and_keeps_its_permissions(tree, tmp_path):
    to_h5(TensorDict({"old": torch.ones(1)}, batch_size=[]), tmp_path / "x.h5")
    (tmp_path / "x.h5").chmod(0o640)
    to_h5(tree, tmp_path / "x.h5")
    assert_same(from_h5(tmp_path / "x.h5"), tree)
    assert (tmp_path / "x.h5").stat().st_mode & 0o777 == 0o640


def test_sparse_and_non_tensor_entries_are_refused(tmp_path):
    with pytest.raises(TDTypeError, match=r"\('s',\).*sparse"):
        to_h5(TensorDict({"s": torch.eye(3).to_sparse()}, batch_size=[]), tmp_path / "x.h5")
    with pytest.raises(TDTypeError, match=r"the entry \('word',\) is a"):
        to_h5(TensorDict({"word": "hello"}, batch_size=[]), tmp_path / "x.h5")


def test_no_file(tmp_path):
    with pytest.raises(TDFileNotFoundError, match=r"absent\.h5"):
        from_h5(tmp_path / "absent.h5")


def test_not_hdf5(tmp_path):
    (tmp_path / "x.h5").write_bytes(b"hello")
    with pytest.raises(H5FormatError, match="signature of HDF5") as caught:
        from_h5(tmp_path / "x.h5")
    assert isinstance(caught.value, OSError)
    assert caught.value.path == str(tmp_path / "x.h5")


@pytest.mark.parametrize("kept", [8, 100, 0.5, 0.9])
def test_a_truncated_file(tree, tmp_path, kept):
    to_h5(tree, tmp_path / "x.h5")
    whole = (tmp_path / "x.h5").read_bytes()
    (tmp_path / "x.h5").write_bytes(whole[: kept if isinstance(kept, int) else int(len(whole) * kept)])
    with pytest.raises(H5FormatError, match="it is damaged"):
        from_h5(tmp_path / "x.h5")


def test_an_entry_that_is_no_tensor(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["group/word"] = "hello"
    with pytest.raises(H5FormatError, match="entry '/group/word': its type is object"):
        from_h5(tmp_path / "x.h5")


def test_a_later_format(tree, tmp_path):
    to_h5(tree, tmp_path / "x.h5")
    with h5py.File(tmp_path / "x.h5", "a") as file:
        file.attrs["td_format"] = 99
    with pytest.raises(H5FormatError, match="its format is 99, this td-h5 reads up to 1"):
        from_h5(tmp_path / "x.h5")
