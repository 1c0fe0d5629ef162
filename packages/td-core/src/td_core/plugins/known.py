"""Where first-party names come from, as strings, so that a missing plugin can be named without being there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from .known_methods import KNOWN_METHODS as _METHODS


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSource:
    """The distribution that provides a name.

    Args:
        distribution: For instance `td-h5`.
        suffixes: File name endings of a storage backend, to recognise a file whose plugin is absent.
    """

    distribution: str
    suffixes: tuple[str, ...] = ()

    @property
    def extra(self) -> str:
        """The extra of td-core that installs it."""
        return self.distribution.removeprefix("td-")

    @property
    def install(self) -> str:
        """What to give to `pip install`."""
        return f"td-core[{self.extra}]"


KNOWN_METHODS: Final[Mapping[str, KnownSource]] = MappingProxyType(
    {name: KnownSource(distribution=distribution) for name, distribution in _METHODS.items()}
)
"""The methods with a generated delegate."""

KNOWN_STORAGE_BACKENDS: Final[Mapping[str, KnownSource]] = MappingProxyType(
    {"h5": KnownSource(distribution="td-h5", suffixes=(".h5", ".hdf5"))}
)
"""The storage backends of our own plugins."""

KNOWN_EXECUTION_BACKENDS: Final[Mapping[str, KnownSource]] = MappingProxyType(
    {"compile": KnownSource(distribution="td-nn"), "cuda-graph": KnownSource(distribution="td-cuda")}
)
"""The execution backends of our own plugins."""
