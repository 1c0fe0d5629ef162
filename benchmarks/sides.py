"""The three columns of every table: plain dicts (the floor), our container, and the peer's."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from .trees import Data, Tree

FLOOR = "floor"
OURS = "ours"
PEER = "peer"


@dataclass(frozen=True, slots=True)
class Side:
    """One column: its name, and the library behind it (none for the floor, which works on plain dicts)."""

    name: str
    library: ModuleType | None = None

    def build(self, data: Data, *, locked: bool = False) -> Any:
        """Turn a plain dict into this side's container, locked if asked; the floor keeps the dict."""
        if self.library is None:
            return data
        container = self.library.TensorDict(data, batch_size=_batch_of(data))
        return container.lock_() if locked else container

    def container(self, tree: Tree, *, seed: int = 0) -> Any:
        """Make a fresh container with the tree's data."""
        return self.build(tree.data(seed), locked=tree.locked)


def _batch_of(data: Data) -> tuple[int, ...]:
    """Every tree has two batch dims; its leaves may have been indexed, so read their sizes off one."""
    value = next(iter(data.values()))
    return _batch_of(value) if isinstance(value, dict) else tuple(value.shape[:2])


def load_sides(ours: str = "td_core", peer: str | None = "tensordict") -> list[Side]:
    """Import both libraries.

    Args:
        ours: the module to fill the column "ours" with.
        peer: the module to compare with; left out when None or not installed.

    Returns:
        The floor, ours, and the peer where there is one.

    Raises:
        ImportError: if ``ours`` is not importable.
    """
    sides = [Side(FLOOR), Side(OURS, importlib.import_module(ours))]
    if peer is not None and importlib.util.find_spec(peer) is not None:
        sides.append(Side(PEER, importlib.import_module(peer)))
    return sides
