"""The functions behind `TensorDict.to_h5` and `TensorDict.from_h5`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from td_core import TensorDictBase
from td_core.typing import DeviceLike, StrPath

from ._read import read_file
from ._write import write_file


def to_h5(td: TensorDictBase, filename: StrPath, **dataset_options: Any) -> TensorDictBase:
    """Write to an HDF5 file: a group for each node, a dataset for each tensor.

    The file appears under its name when it is complete; a file that was there before is replaced then, and kept if
    anything fails.

    Args:
        filename: The file to write.
        dataset_options: Passed on to h5py's `create_dataset`, such as `compression="gzip"`.

    Returns:
        The tensordict itself.

    Raises:
        TDTypeError: An entry is not a tensor of a dtype that HDF5 can hold.
    """
    write_file(td, filename, dataset_options)
    return td


def from_h5(
    filename: StrPath, *, batch_size: Sequence[int] | None = None, device: DeviceLike | None = None
) -> TensorDictBase:
    """Read an HDF5 file into memory.

    Args:
        filename: A file of `to_h5`, or of any program that writes groups and numeric datasets.
        batch_size: The batch size of the root. By default each node has the one that was saved with it; in files that
            carry none, the leading sizes that all its entries share.
        device: Where to put the tensors.

    Raises:
        H5FormatError: The file is not HDF5, is damaged, or has an entry that is not numeric.
    """
    return read_file(filename, batch_size, device)
