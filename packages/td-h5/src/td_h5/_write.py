"""Write a tensordict to an HDF5 file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from shutil import copymode
from typing import Any, Final
from uuid import uuid4

import h5py
import numpy as np
import torch

from td_core import TensorDictBase
from td_core.errors import TDTypeError
from td_core.typing import StrPath

from ._names import link_name

FORMAT_ATTRIBUTE: Final = "td_format"
FORMAT_VERSION: Final = 1
BATCH_SIZE_ATTRIBUTE: Final = "batch_size"
NAMES_ATTRIBUTE: Final = "names"


def write_file(td: TensorDictBase, filename: StrPath, dataset_options: Mapping[str, Any]) -> None:
    """Write beside the target, sync, then rename: a reader sees the old file or the new one, never a part."""
    target = Path(filename)
    temporary = target.with_name(f".{target.name}.{uuid4().hex}.tmp")
    try:
        with h5py.File(temporary, "x", track_order=True) as file:
            file.attrs[FORMAT_ATTRIBUTE] = FORMAT_VERSION
            _write_node(file, td, dataset_options, ())
        _sync(temporary)
        if target.exists():
            copymode(target, temporary)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if os.name == "posix":  # a folder cannot be synced elsewhere
        _sync(target.parent)


def _write_node(group: h5py.Group, td: TensorDictBase, options: Mapping[str, Any], path: tuple[str, ...]) -> None:
    group.attrs[BATCH_SIZE_ATTRIBUTE] = np.asarray(td.batch_size, dtype=np.int64)
    if any(name is not None for name in td.names):
        group.attrs[NAMES_ATTRIBUTE] = json.dumps(list(td.names))
    for key, value in td.items():
        name, where = link_name(key), (*path, key)
        if isinstance(value, TensorDictBase):
            _write_node(group.create_group(name, track_order=True), value, options, where)
        else:
            array = _array(value, where)
            # a scalar dataset takes neither chunks nor filters
            group.create_dataset(name, data=array, **(options if array.ndim else {}))


def _array(value: object, path: tuple[str, ...]) -> np.ndarray[Any, Any]:
    if not isinstance(value, torch.Tensor):
        raise TDTypeError(
            f"to_h5() writes tensors; the entry {path!r} is a {type(value).__name__}. Leave it out with exclude()."
        )
    try:
        return value.detach().cpu().resolve_conj().resolve_neg().numpy()
    except (TypeError, RuntimeError) as error:  # bfloat16, sparse, ...: what numpy does not know, HDF5 does not either
        raise TDTypeError(
            f"to_h5() cannot write the entry {path!r} of dtype {value.dtype} and layout {value.layout}: {error}. "
            "Convert it first."
        ) from error


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
