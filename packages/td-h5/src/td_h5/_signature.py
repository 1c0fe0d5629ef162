"""Recognise an HDF5 file by its first bytes, without h5py."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

SIGNATURE: Final = b"\x89HDF\r\n\x1a\n"
_FIRST_OFFSET: Final = 512  # a user block may precede the signature: its length is 512 times a power of two


def is_hdf5(path: Path) -> bool:
    """Tell whether a file carries the signature of HDF5 at one of the places where it may stand."""
    if not path.is_file():
        return False
    size, offset = os.path.getsize(path), 0
    with path.open("rb") as file:
        while offset + len(SIGNATURE) <= size:
            file.seek(offset)
            if file.read(len(SIGNATURE)) == SIGNATURE:
                return True
            offset = offset * 2 or _FIRST_OFFSET
    return False
