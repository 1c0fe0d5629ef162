"""Read a tensordict from an HDF5 file."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import h5py
import numpy as np
import torch

from td_core import TensorDict, TensorDictBase
from td_core.errors import TDFileNotFoundError
from td_core.typing import DeviceLike, StrPath

from ._names import key_of
from ._signature import is_hdf5
from ._write import BATCH_SIZE_ATTRIBUTE, FORMAT_ATTRIBUTE, FORMAT_VERSION, NAMES_ATTRIBUTE
from .errors import H5FormatError


def read_file(filename: StrPath, batch_size: Sequence[int] | None, device: DeviceLike | None) -> TensorDictBase:
    """Read a whole file."""
    path = Path(filename)
    if not path.exists():
        raise TDFileNotFoundError(f"from_h5() found nothing at {str(path)!r}.")
    if not is_hdf5(path):
        raise H5FormatError(path, "", "it does not carry the signature of HDF5")
    try:
        with h5py.File(path, "r") as file:
            version = file.attrs.get(FORMAT_ATTRIBUTE)
            if version is not None and version > FORMAT_VERSION:
                raise H5FormatError(path, "", f"its format is {version}, this td-h5 reads up to {FORMAT_VERSION}")
            decode = key_of if version is not None else str
            return _read_node(file, path, batch_size, device, decode)
    except H5FormatError:
        raise
    except OSError as error:  # h5py's only word for truncated and damaged files
        raise H5FormatError(path, "", f"it is damaged: {error}") from error


def _read_node(
    group: h5py.Group,
    path: Path,
    batch_size: Sequence[int] | None,
    device: DeviceLike | None,
    decode: Callable[[str], str],
) -> TensorDictBase:
    values: dict[str, TensorDictBase | torch.Tensor] = {}
    for name, item in group.items():
        if isinstance(item, h5py.Group):
            values[decode(name)] = _read_node(item, path, None, device, decode)
        else:
            values[decode(name)] = _tensor(item, path)
    if batch_size is None:
        saved = group.attrs.get(BATCH_SIZE_ATTRIBUTE)
        batch_size = _shared_sizes(values) if saved is None else [int(size) for size in saved]
    names = group.attrs.get(NAMES_ATTRIBUTE)
    return TensorDict(values, batch_size=batch_size, device=device, names=None if names is None else json.loads(names))


def _tensor(dataset: h5py.Dataset, path: Path) -> torch.Tensor:
    array = np.asarray(dataset[()])
    try:
        return torch.from_numpy(array.astype(array.dtype.newbyteorder("="), copy=False))
    except TypeError as error:
        raise H5FormatError(path, str(dataset.name), f"its type is {dataset.dtype}, which no tensor holds") from error


def _shared_sizes(values: dict[str, TensorDictBase | torch.Tensor]) -> list[int]:
    """Return the leading sizes that all values have in common."""
    shared: list[int] = []
    for sizes in zip(*(value.shape for value in values.values()), strict=False):
        if len(set(sizes)) > 1:
            break
        shared.append(sizes[0])
    return shared
