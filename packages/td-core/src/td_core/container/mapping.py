"""The container as a mutable mapping: removing and renaming entries, on top of reading and writing them."""

from __future__ import annotations

from typing import Any

from typing_extensions import Self

from ..abc import Capability
from ..errors import (
    TDKeyError,
    TDTypeError,
    missing_key,
)
from ..keys import require_parts
from ..typing import NO_DEFAULT, NestedKey
from .views import contains
from .writing import WriteMethods


class MappingMethods(WriteMethods):
    """`pop`, `popitem`, `del_`, `clear`, `rename_key_`."""

    def pop(self, key: NestedKey, default: Any = NO_DEFAULT) -> Any:
        """Remove an entry and return it.

        Raises:
            LockedError: the container is locked.
            TDKeyError: the key is missing and no default was given.
        """
        self._require_unlocked(f"pop {key!r} from")
        parts = require_parts(key)
        if not contains(self, parts):
            return self._at(parts) if default is NO_DEFAULT else default  # raises: it says where the path ends
        owner = self._owner(parts)
        owner._require_unlocked(f"pop {key!r} from")
        owner._require(Capability.DELETE, "pop()")
        value = owner._storage[parts[-1]]
        del owner._storage[parts[-1]]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Remove and return the last inserted (key, value) pair.

        Raises:
            LockedError: the container is locked.
            TDKeyError: the container is empty.
        """
        self._require_unlocked("pop from")
        self._require(Capability.DELETE, "popitem()")
        if not len(self._storage):
            raise TDKeyError("popitem(): the tensordict is empty.")
        key = list(self._storage)[-1]
        value = self._storage[key]
        del self._storage[key]
        return key, value

    def del_(self, key: NestedKey) -> Self:
        """Remove an entry; a node left empty stays.

        Raises:
            LockedError: the container is locked.
            TDKeyError: the key is missing.
        """
        self._require_unlocked(f"delete {key!r} from")
        parts = require_parts(key)
        owner = self._owner(parts)
        owner._require_unlocked(f"delete {key!r} from")
        owner._require(Capability.DELETE, "del_()")
        if parts[-1] not in owner._storage:
            raise missing_key(key, owner._storage)
        del owner._storage[parts[-1]]
        return self

    def __delitem__(self, key: NestedKey) -> None:
        self.del_(key)

    def clear(self) -> Self:
        """Remove every entry.

        Raises:
            LockedError: the container is locked.
        """
        self._require_unlocked("clear")
        self._require(Capability.DELETE, "clear()")
        self._storage.clear()
        return self

    def rename_key_(self, old_key: NestedKey, new_key: NestedKey, safe: bool = False) -> Self:
        """Move an entry to another key; it becomes the last one.

        Args:
            old_key: the present key.
            new_key: the new key; missing nodes are created.
            safe: refuse to overwrite an entry.

        Returns:
            This container.

        Raises:
            LockedError: the container is locked.
            TDTypeError: a key is neither str nor tuple.
            TDKeyError: the old key is missing, or `safe` and the new one is taken.
        """
        self._require_unlocked("rename a key of")
        self._require(Capability.RENAME, "rename_key_()")
        for key in (old_key, new_key):
            if not isinstance(key, (str, tuple)):
                raise TDTypeError(
                    f"A key must be a string or a tuple of strings, got {key!r} of type {type(key).__name__}."
                )
        old, new = require_parts(old_key), require_parts(new_key)
        source = self._owner(old)
        if old[-1] not in source._storage:
            raise missing_key(old_key, source._storage)
        if old == new:
            return self
        below = new[: len(old)] == old  # the entry goes to below itself: a node takes its place
        if safe and not below and contains(self, new):
            raise TDKeyError(f"Cannot rename {old_key!r} to {new_key!r}: the key {new_key!r} is already present.")
        storage = source._storage
        if old[:-1] == new[:-1]:
            if type(storage) is dict:
                value = storage.pop(old[-1])
                storage.pop(new[-1], None)
                storage[new[-1]] = value
            else:
                storage.rename(old[-1], new[-1])
            return self
        value = storage[old[-1]]
        if below:
            node = source._empty_node()
            node.set(new[len(old) :], value)
            del source._storage[old[-1]]
            source._storage[old[-1]] = node
            return self
        target = self._make_path(new)
        target._require_unlocked("rename a key of")
        fitted = target._as_value(new[-1], value)  # may refuse: before anything is taken away
        del source._storage[old[-1]]
        target._storage.pop(new[-1], None)
        target._storage[new[-1]] = fitted
        return self
