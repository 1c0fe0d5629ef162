"""Runs the text of a step in one library and keeps what came of it."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from types import CodeType
from typing import Any

import numpy as np
import torch

from .libraries import Library
from .snapshots import Camera, Shot, storages


@dataclass(frozen=True)
class Returned:
    """The operation returned; `out` is the result, `is_self` whether it is the current tensordict itself."""

    out: Shot
    is_self: bool


@dataclass(frozen=True)
class Raised:
    """The operation raised."""

    error: Exception


@dataclass(frozen=True)
class Outcome:
    """What an operation came to, and the tensordicts as it left them."""

    result: Returned | Raised
    td: Shot
    earlier: Shot
    before: Shot | None


class Side:
    """One library with its variables `td`, `out` and `earlier`."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.variables: dict[str, Any] = {
            "__name__": "parity_program",
            "lib": library.module,
            "torch": torch,
            "np": np,
            "copy": copy,
            "pickle": pickle,
            "namedtuple": namedtuple,
            "OrderedDict": OrderedDict,
            "td": None,
            "out": None,
            "earlier": None,
        }
        self.last: tuple[Shot, Shot] | None = None

    @property
    def td(self) -> Any:
        """The current tensordict."""
        return self.variables["td"]

    def run(self, code: CodeType, *, forget: bool = True) -> Outcome:
        """Execute the code of a step; `forget` clears `out` first."""
        known = storages(*self.last) if self.last else frozenset()
        camera = Camera(self.library, known)
        if forget:
            self.variables["out"] = None
        before = self.td
        error: Exception | None = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                exec(code, self.variables)
            except Exception as raised:  # any error is an outcome to compare
                error = raised
            out = self.variables["out"]
            td, earlier = camera.take(self.td), camera.take(self.variables["earlier"])
            result: Returned | Raised
            if error is not None:
                result = Raised(error)
            else:
                result = Returned(td if out is self.td else camera.take(out), out is before)
        previous, self.last = self.last, (td, earlier)
        return Outcome(result, td, earlier, previous[0] if previous else None)


def compile_step(text: str) -> CodeType:
    """Compile the text of a step once, for both sides."""
    return compile(text, "<step>", "exec")
