from pathlib import Path

import h5py
import pytest

from td_core.plugins import LazyRef


@pytest.fixture
def is_hdf5():
    return LazyRef("td_h5._signature:is_hdf5").load()  # as the registry gets it


@pytest.mark.parametrize("block", [0, 512, 2048])
def test_files_with_and_without_a_user_block(tmp_path: Path, is_hdf5, block):
    h5py.File(tmp_path / "x", "w", userblock_size=block).close()
    assert is_hdf5(tmp_path / "x")


@pytest.mark.parametrize("content", [b"", b"\x89HDF", b"x" * 5000, b"x" + b"\x89HDF\r\n\x1a\n"])
def test_other_files(tmp_path: Path, is_hdf5, content):
    (tmp_path / "x").write_bytes(content)
    assert not is_hdf5(tmp_path / "x")


def test_folders_and_absent_files(tmp_path: Path, is_hdf5):
    assert not is_hdf5(tmp_path)
    assert not is_hdf5(tmp_path / "absent")
