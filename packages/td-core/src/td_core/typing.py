"""Type aliases that appear in public signatures, and the `NO_DEFAULT` sentinel."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from enum import Enum
from types import EllipsisType
from typing import Any, Final, Literal, TypeAlias, Union

import numpy as np
import torch

NestedKey: TypeAlias = Union[str, "tuple[NestedKey, ...]"]
"""A string, or a non-empty (possibly nested) tuple of strings."""

IndexType: TypeAlias = Union[
    None, int, bool, slice, range, EllipsisType, torch.Tensor, "np.ndarray[Any, Any]", "Sequence[Any]"
]
"""Whatever a tensor accepts between square brackets."""

DeviceLike: TypeAlias = torch.device | str | int
"""What `torch.device` accepts."""

LeafPredicate: TypeAlias = Callable[[type], bool]
"""Tells from the *type* of a value whether it is a leaf."""

StrPath: TypeAlias = Union[str, "os.PathLike[str]"]
"""A path of the file system."""


class NoDefault(Enum):
    """Type of the sentinel for "no argument given". It is falsy."""

    NO_DEFAULT = 0

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "NO_DEFAULT"


NO_DEFAULT: Final[Literal[NoDefault.NO_DEFAULT]] = NoDefault.NO_DEFAULT
