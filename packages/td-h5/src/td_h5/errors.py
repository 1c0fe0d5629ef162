"""What can be wrong with a file."""

from __future__ import annotations

from td_core.errors import TDValueError
from td_core.typing import StrPath


class H5FormatError(TDValueError, OSError):
    """A file is not HDF5, is damaged, or holds something that is not a tensordict."""

    def __init__(self, filename: StrPath, entry: str, reason: str) -> None:
        self.path, self.entry, self.reason = str(filename), entry, reason  # OSError owns the attribute `filename`
        where = f", entry {entry!r}" if entry else ""
        super().__init__(f"Cannot read {self.path!r}{where}: {reason}.")
