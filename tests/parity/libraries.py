"""The two libraries under comparison, found by import name."""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import Any

PEER_NAME = "tensordict"
PEER_VERSION = "0.15.3"


@dataclass(frozen=True)
class Library:
    """An importable library with the peer's public names."""

    name: str
    module: ModuleType

    def is_container(self, value: object) -> bool:
        """Tell whether `value` is a tensordict of this library."""
        container: type[Any] = self.module.TensorDictBase
        return isinstance(value, container) and not self.is_non_tensor(value)

    def is_non_tensor(self, value: object) -> bool:
        """Tell whether `value` is the wrapper of a non-tensor entry of this library."""
        return bool(self.module.is_non_tensor(value))


def load(name: str) -> Library:
    """Import a library by name."""
    return Library(name, importlib.import_module(name))


def why_unavailable() -> str | None:
    """Say why the comparison cannot run here, or return None if it can."""
    try:
        found = version(PEER_NAME)
    except PackageNotFoundError:
        return f"{PEER_NAME}=={PEER_VERSION} is not installed (nox -s parity installs it)"
    if found != PEER_VERSION:
        return f"the reference is {PEER_NAME}=={PEER_VERSION}, found {found}"
    return None


def load_peer() -> Library:
    """Import the reference."""
    return load(PEER_NAME)


def load_ours() -> Library:
    """Import the library under test: td_core, or the module named by `TD_PARITY_OURS`.

    `TD_PARITY_OURS=tensordict` puts the peer on both sides, which must give no difference: it checks the harness.
    """
    return load(os.environ.get("TD_PARITY_OURS", "td_core"))
