"""Locks: a locked tree refuses structural change at every depth and allows in-place writes of values.

A node remembers, weakly, the locked containers that hold it. Whether a tree may be unlocked is a question about its
nodes: none may be held by a live locked container outside the tree.
"""

from __future__ import annotations

from weakref import ref

from typing_extensions import Self

from ..abc import Capability
from ..errors import LockedError, TDRuntimeError
from .kernel import Kernel


class LockMethods(Kernel):
    """`lock_`, `unlock_`, `is_locked`, and the context managers made of them."""

    @property
    def is_locked(self) -> bool:
        """Whether structural changes are refused. Assigning calls `lock_` or `unlock_`."""
        return self._locked

    @is_locked.setter
    def is_locked(self, value: bool) -> None:
        if value:
            self.lock_()
        else:
            self.unlock_()

    def lock_(self) -> Self:
        """Refuse structural changes from now on, at every depth.

        In-place writes of values stay legal, as do changes of batch size and names. Used as a context manager, the
        previous state comes back at the end.

        Returns:
            This container.
        """
        self._origin = ("lock", self._locked)
        if not self._locked:
            self._require(Capability.LOCK, "lock_()")
            _lock_tree(self)
        return self

    def unlock_(self) -> Self:
        """Allow structural changes again, at every depth. Shared and memory-mapped flags are dropped.

        Returns:
            This container.

        Raises:
            TDRuntimeError: a locked container outside this tree holds this one or one of its nodes.
        """
        self._origin = ("lock", self._locked)
        if self._locked:
            self._require(Capability.LOCK, "unlock_()")
            _unlock_tree(self)
        return self

    def _require_unlocked(self, action: str) -> None:
        if self._locked:
            raise LockedError(action)

    def _locked_like(self, other: Kernel) -> Self:
        """Lock this fresh result if `other` is locked."""
        if other._locked:
            _lock_tree(self)
        return self


def _lock_tree(root: Kernel) -> None:
    root._locked = True
    children = root._children()
    if children:
        parent = ref(root)
        for node in children:
            if node._parents is None:
                node._parents = [parent]
            else:
                node._parents = [*live_refs(node), parent]
            if not node._locked:
                _lock_tree(node)


def live_refs(node: Kernel) -> list[ref[Kernel]]:
    """The references to locked containers that still hold `node`."""
    live = []
    for parent_ref in node._parents or ():
        parent = parent_ref()
        if parent is not None and parent._locked:
            live.append(parent_ref)
    return live


def _unlock_tree(root: Kernel) -> None:
    tree: list[Kernel] = []
    _gather(root, tree)
    inside = {id(node) for node in tree}
    for node in tree:
        for parent_ref in live_refs(node):
            parent = parent_ref()
            if parent is not None and id(parent) not in inside:
                raise TDRuntimeError(
                    "Cannot unlock a tensordict that is part of a locked one. Unlock the root of that tree first, or "
                    "work on a clone()."
                )
    for node in tree:
        node._locked = False
        node._cache = None
        node._parents = None
        node._sharing = None


def set_locked(node: Kernel, locked: bool) -> None:
    """Bring a tree to a lock state, without touching what a context manager will restore.

    Raises:
        TDRuntimeError: it is to be unlocked and a locked container outside holds it.
    """
    if locked and not node._locked:
        _lock_tree(node)
    elif not locked and node._locked:
        _unlock_tree(node)


def _gather(root: Kernel, tree: list[Kernel]) -> None:
    tree.append(root)
    for node in root._children():
        _gather(node, tree)
