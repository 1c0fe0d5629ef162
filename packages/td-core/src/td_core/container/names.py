"""Dimension names: a list as long as the batch size, stored only when some dim has a name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor
from typing_extensions import Self

from ..abc import Capability
from ..errors import TDRuntimeError, TDValueError
from ..leaves import kind_of
from ..structural import Names
from .kernel import Kernel, normal_names
from .lock import LockMethods


class NamesMethods(LockMethods):
    """`names`, `rename`, `rename_`, `refine_names`."""

    @property
    def names(self) -> Names:
        """The name of each batch dim, None where it has none. Assigning renames the nodes' leading dims too."""
        names = self._names
        return [None] * len(self._batch_size) if names is None else list(names)

    @names.setter
    def names(self, names: Sequence[str | None] | None) -> None:
        self._require(Capability.NAMES, "naming dims")
        if names is None:
            erase_names(self, len(self._batch_size))
            return
        checked = check_names(names, len(self._batch_size))
        if checked is None:
            erase_names(self, len(self._batch_size))
        else:
            assign_names(self, checked)

    def _has_names(self) -> bool:
        return self._names is not None

    def rename_(self, *names: str | None, **renames: str) -> Self:
        """Rename dims in place.

        Args:
            names: the full list of names.
            renames: old name to new name.

        Returns:
            This container.

        Raises:
            TDValueError: both forms at once, an unknown old name, a wrong number of names or a duplicate.
        """
        self.names = self._renamed(names, renames)
        return self

    def rename(self, *names: str | None, **renames: str) -> Self:
        """Return a shallow copy with other dim names; arguments and errors as `rename_`."""
        new = self._renamed(names, renames)
        out = self._shallow_copy()
        out.names = new
        return out

    def refine_names(self, *names: Any) -> Self:
        """Name dims that have no name yet, in place; `...` stands for the dims left as they are.

        Returns:
            This container.

        Raises:
            TDRuntimeError: a dim has another name already.
            TDValueError: a wrong number of names or a duplicate.
        """
        n = len(self._batch_size)
        if Ellipsis in names:
            at = names.index(Ellipsis)
            if Ellipsis in names[at + 1 :] or len(names) - 1 > n:
                raise TDValueError(f"refine_names takes at most one ellipsis and {n} names, got {names!r}.")
            kept = n - (len(names) - 1)
            names = (*names[:at], *self.names[at : at + kept], *names[at + 1 :])
        if len(names) != n:
            raise TDValueError(f"refine_names needs {n} names, one a batch dim, got {len(names)}: {list(names)}.")
        refined: Names = []
        for old, new in zip(self.names, names, strict=True):
            if old is not None and new != old:
                raise TDRuntimeError(
                    f"refine_names cannot change the name {old!r} to {new!r}, only name unnamed dims. Use rename_()."
                )
            refined.append(new)
        self.names = refined
        return self

    def _renamed(self, names: tuple[str | None, ...], renames: dict[str, str]) -> Names | None:
        if names and renames:
            raise TDValueError("rename takes either a full list of names or old=new pairs, not both.")
        if not renames:
            return None if names == (None,) else list(names)
        current = self.names
        for old in renames:
            if old not in current:
                raise TDValueError(f"There is no dim named {old!r} to rename: the names are {current}.")
        return [renames.get(name, name) if name is not None else None for name in current]

    def _shallow_copy(self) -> Self:
        """Return a new tree of containers that shares the leaves, unlocked."""
        return shallow_copy(self)  # type: ignore[no-any-return]  # the same class


def shallow_copy(node: Any) -> Any:
    """Return a new tree of containers that shares the leaves of `node`, unlocked."""
    if type(node._storage) is not dict and node._storage.parts is not None:
        return node._by_part(shallow_copy)
    if type(node._storage) is not dict:
        copied = node._storage.shallow_copy()
        if copied is not None:
            return node._like(copied)
    storage = {}
    for key, value in node._storage.items():
        if type(value) is not Tensor:
            kind = kind_of(value)
            inner = kind.node(value)
            if inner is not None:
                value = kind.wrap(value, shallow_copy(inner))
        storage[key] = value
    return node._like(storage)


def check_names(names: Sequence[str | None], batch_dims: int) -> Names | None:
    """Validate a list of dim names.

    Returns:
        The names, or None when no dim is named.

    Raises:
        TDValueError: a duplicate name, or not one name a batch dim.
    """
    named = [name for name in names if name is not None]
    if len(set(named)) != len(named):
        raise TDValueError(f"Some dimension names are not unique: {list(names)}.")
    if len(names) != batch_dims:
        raise TDValueError(f"{batch_dims} names are needed, one a batch dim, got {len(names)}: {list(names)}.")
    return normal_names(list(names))


def assign_names(node: Kernel, names: Names) -> None:
    """Name the leading dims of a node and of the nodes below; names of further dims stay."""
    n = len(names)
    extra = node._names[n:] if node._names is not None else [None] * (len(node._batch_size) - n)
    node._names = normal_names([*names, *extra])
    storage: Any = node._storage
    if type(storage) is not dict and storage.parts is not None:
        names = storage.name_dims([*names, *extra])
    for _, child in node._nodes():
        assign_names(child, names)


def erase_names(node: Kernel, n: int) -> None:
    """Take the names of the first `n` dims away, here and in the nodes below."""
    if node._names is not None:
        node._names = normal_names([*[None] * n, *node._names[n:]])
    storage: Any = node._storage
    if type(storage) is not dict and storage.parts is not None:
        rest = storage.name_dims([None] * len(node._batch_size) if node._names is None else node._names)
        for part in storage.parts:
            assign_names(part, rest)
        return
    for _, child in node._nodes():
        erase_names(child, n)
