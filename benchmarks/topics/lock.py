"""Locking and unlocking, and using what is locked."""

from __future__ import annotations

from typing import Any

from ..sides import Side
from ..trees import TREES, Data, Tree
from ..workload import Workload, access


class Flagged(dict[str, Any]):
    """A hand-written tree with a lock: one flag for each of its dicts."""

    def __init__(self, data: Data) -> None:
        super().__init__(data)
        self.locked: dict[int, bool] = {}

    def mark(self, locked: bool) -> None:
        """Visit every dict of the tree."""
        self._mark(self, locked)

    def _mark(self, data: Data, locked: bool) -> None:
        self.locked[id(data)] = locked
        for value in data.values():
            if type(value) is dict:
                self._mark(value, locked)


def _flagged(side: Side, tree: Tree) -> tuple[Any, ...]:
    return (Flagged(tree.data()) if side.library is None else side.container(tree),)


def _lock_and_unlock(td: Any) -> bool:
    td.lock_()
    locked: bool = td.is_locked
    td.unlock_()
    return locked


def _mark_and_unmark(tree: Flagged) -> bool:
    tree.mark(True)
    locked = tree.locked[id(tree)]
    tree.mark(False)
    return locked


def _temporarily_unlocked(td: Any) -> bool:
    with td.unlock_():
        unlocked: bool = not td.is_locked
    return unlocked


def _temporarily_unmarked(tree: Flagged) -> bool:
    tree.mark(False)
    try:
        return not tree.locked[id(tree)]
    finally:
        tree.mark(True)


def _locked(side: Side, tree: Tree) -> tuple[Any, ...]:
    if side.library is not None:
        return (side.container(tree).lock_(),)
    flagged = Flagged(tree.data())
    flagged.mark(True)
    return (flagged,)


WORKLOADS: tuple[Workload, ...] = (
    access("lock/lock_-unlock_", _mark_and_unmark, _lock_and_unlock, _flagged, trees=TREES),
    access("lock/unlocked-block", _temporarily_unmarked, _temporarily_unlocked, _locked, trees=TREES),
)
