"""Dividing a container by keys, and renaming several at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from typing_extensions import Self

from ..errors import TDKeyError, missing_key
from ..keys import join_key, unravel_key
from ..leaves import kind_of
from ..typing import NO_DEFAULT, NestedKey
from .update import UpdateMethods


class ChooseMethods(UpdateMethods):
    """`split_keys`, `separates`, `rename_keys`, `sorted_keys`, `filter_empty_`."""

    @property
    def sorted_keys(self) -> list[str]:
        """The keys of this level, sorted."""
        return sorted(self._storage)

    def split_keys(
        self, *key_sets: Sequence[NestedKey], inplace: bool = False, default: Any = NO_DEFAULT, strict: bool = True
    ) -> tuple[Self, ...]:
        """Divide the entries among several containers, sharing the leaves.

        Args:
            key_sets: the keys of each container but the last, which gets the rest.
            inplace: make this container the last one.
            default: stands for missing keys.
            strict: refuse missing keys; otherwise they are left out.

        Returns:
            As many containers as key sets, and one more.

        Raises:
            TDKeyError: a key is missing, there is no default, and `strict`; or a key is in two sets.
            LockedError: `inplace` on a locked container.
        """
        if inplace:
            self._require_unlocked("split the keys in place of")
        rest = self._shallow_copy()  # also in place, so that an error leaves this container as it was
        moved: list[NestedKey] = []
        parts = []
        taken: set[Any] = set()
        for keys in key_sets:
            part = self._like({})
            for key in keys:
                if unravel_key(key) in taken:
                    raise TDKeyError(f"split_keys: the key {key!r} is in more than one set.")
                taken.add(unravel_key(key))
                value = rest.get(key, None)
                if value is not None:
                    part.set(key, value)
                    rest.del_(key)
                    moved.append(key)
                elif default is not NO_DEFAULT:
                    part.set(key, default)
                elif strict:
                    rest._at(key)  # raises: it says where the path ends
            parts.append(part)
        if inplace:
            for key in moved:
                self.del_(key)
            rest = self
        rest._drop_empty()
        return (*parts, rest)

    def separates(
        self, *keys: NestedKey, default: Any = NO_DEFAULT, strict: bool = True, filter_empty: bool = True
    ) -> Self:
        """Move some entries to a new container.

        Args:
            keys: the keys to move.
            default: stands for missing keys.
            strict: refuse missing keys.
            filter_empty: drop nodes left without entries.

        Returns:
            The new container.

        Raises:
            TDKeyError: a key is missing, there is no default, and `strict`.
            LockedError: this container is locked.
        """
        self._require_unlocked("separate entries from")
        if strict and default is NO_DEFAULT:
            for key in keys:
                if key not in self:
                    raise missing_key(key, self._storage)
        out = self._like({})
        for key in keys:
            value = self.pop(key, None) if key in self else (None if default is NO_DEFAULT else default)
            if value is not None:
                out.set(key, value)
        if filter_empty:
            self._drop_empty()
        return out

    def rename_keys(self, mapping: Mapping[NestedKey, NestedKey], *, strict: bool = True) -> Self:
        """Return a shallow copy in which several entries have other keys.

        Args:
            mapping: old key to new key.
            strict: refuse missing keys; otherwise they are left out.

        Raises:
            TDKeyError: a key is missing and `strict`.
        """
        out = self._shallow_copy()
        values = {}
        for old, new in mapping.items():
            if old in out:
                values[unravel_key(new)] = out.pop(old)
            elif strict:
                raise missing_key(old, sorted(map(join_key, self.keys(True))))
        for new, value in values.items():
            out.set(new, value)
        return out

    def filter_empty_(self) -> Self:
        """Drop, in place, every node that holds no leaf at any depth.

        Returns:
            This container.

        Raises:
            LockedError: this container is locked.
        """
        self._require_unlocked("drop empty nodes of")
        self._drop_empty()
        return self

    def _drop_empty(self) -> None:
        for key, value in list(self._storage.items()):
            node: Any = kind_of(value).node(value)
            if node is None:
                continue
            node._drop_empty()
            if node.is_empty():
                del self._storage[key]
