"""The descriptors of one hook, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar, cast

from .errors import PluginConflictError, PluginLookupError
from .loader import Contribution
from .record import PluginRecord
from .types import ClassDescriptor, Descriptor

D = TypeVar("D", bound=Descriptor)
C = TypeVar("C", bound=ClassDescriptor)


class Table(Mapping[str, D], Generic[D]):
    """A read-only mapping from name to descriptor.

    A name that two plugins claim is no key of it: looking it up raises `PluginConflictError`, and the other names go on
    working. Any other unknown name raises `PluginLookupError`, which is a `KeyError`.
    """

    def __init__(self, kind: type[D], contributions: list[Contribution]) -> None:
        self._kind = kind.kind
        self._found: dict[str, D] = {}
        self._providers: dict[str, PluginRecord] = {}
        self._conflicts: dict[str, PluginConflictError] = {}
        claims: dict[str, list[Contribution]] = {}
        for contribution in contributions:
            claims.setdefault(contribution.descriptor.name, []).append(contribution)
        for name, claim in sorted(claims.items()):
            if len(claim) > 1:
                labels = [contribution.plugin.label for contribution in claim]
                self._conflicts[name] = PluginConflictError(self._kind, name, labels)
            else:
                self._found[name] = cast("D", claim[0].descriptor)
                self._providers[name] = claim[0].plugin

    def __getitem__(self, name: str) -> D:
        found = self._found.get(name)
        if found is not None:
            return found
        if name in self._conflicts:
            raise self._conflicts[name]
        raise PluginLookupError(self._kind, name, self._found)

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __contains__(self, name: object) -> bool:
        return name in self._found

    def __repr__(self) -> str:
        return f"Table({self._kind}: {', '.join(self._found) or 'none'})"

    def is_claimed(self, name: str) -> bool:
        """Tell whether any plugin, or more than one, provides a name."""
        return name in self._found or name in self._conflicts

    def provider(self, name: str) -> PluginRecord:
        """Return the record of the plugin that provides a name.

        Raises:
            PluginLookupError: There is no such name.
            PluginConflictError: Two plugins claim it.
        """
        self[name]
        return self._providers[name]

    @property
    def conflicts(self) -> tuple[PluginConflictError, ...]:
        """The names claimed twice, as the errors that looking them up raises."""
        return tuple(self._conflicts.values())


class ClassTable(Table[C], Generic[C]):
    """A table whose descriptors can also be found by the class of a value."""

    def __init__(self, kind: type[C], contributions: list[Contribution]) -> None:
        super().__init__(kind, contributions)
        claims: dict[str, list[C]] = {}
        for descriptor in self._found.values():
            for name in descriptor.types:
                claims.setdefault(name, []).append(descriptor)
        self._by_class = {name: claim[0] for name, claim in claims.items()}
        for name, claim in claims.items():
            if len(claim) > 1:
                labels = [f"{self._providers[descriptor.name].label} as {descriptor.name!r}" for descriptor in claim]
                self._conflicts[name] = PluginConflictError(f"{self._kind} of class", name, labels)

    def serving(self, cls: type) -> C | None:
        """Return the descriptor for a class or the nearest of its bases, or None.

        Raises:
            PluginConflictError: Two descriptors claim that class.
        """
        if not self._by_class:
            return None
        for base in cls.__mro__:
            name = f"{base.__module__}.{base.__qualname__}"
            if name in self._by_class:
                if name in self._conflicts:
                    raise self._conflicts[name]
                return self._by_class[name]
        return None
