"""What can be wrong with a mapped file."""

from __future__ import annotations

from td_core.errors import TDRuntimeError
from td_core.typing import StrPath


class MemmapFileError(TDRuntimeError, OSError):
    """A file cannot be mapped or written as asked."""

    def __init__(self, filename: StrPath, reason: str) -> None:
        self.path, self.reason = str(filename), reason  # OSError owns the attribute `filename`
        super().__init__(f"Cannot map {self.path!r}: {reason}.")
