"""What the author of a storage writes to run the conformance suites on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import torch

from td_core import TensorDict, TensorDictBase
from td_core.abc import Capability
from td_core.errors import TDTypeError
from td_core.typing import NestedKey

TContainer = TypeVar("TContainer", bound=TensorDictBase)


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeSpec:
    """Describes a tree of entries without building it.

    A value is a tensor, a Python value, a mapping (a node with the batch size of its parent), or another `TreeSpec`
    (a node with a batch size of its own).
    """

    entries: Mapping[str, Any]
    batch_size: Sequence[int] = ()
    names: Sequence[str | None] | None = None
    device: torch.device | None = None

    def to_dense(self) -> TensorDict:
        """Build the tree as a dense tensordict, the model that other storages are compared with."""
        entries = {key: value.to_dense() if isinstance(value, TreeSpec) else value for key, value in self._nodes()}
        names = None if self.names is None else list(self.names)
        return TensorDict(entries, batch_size=self.batch_size, device=self.device, names=names)

    def _nodes(self) -> list[tuple[str, Any]]:
        """Entries in order, with the mappings turned into specs of the parent's batch size."""
        return [
            (key, TreeSpec(entries=value, batch_size=self.batch_size) if isinstance(value, Mapping) else value)
            for key, value in self.entries.items()
        ]


class StorageCase(Generic[TContainer]):
    """How the suites build and inspect containers over one storage.

    A subclass names itself and its powers, and defines `make` and the two back doors. The back doors must not go
    through the container: they show whether a write arrived where the data live.
    """

    name: ClassVar[str]
    capabilities: ClassVar[Capability]
    min_batch_dims: ClassVar[int] = 0
    """The fewest batch dims a container of this storage can have (a lazy stack has at least one)."""
    resizable: ClassVar[bool] = True
    """Whether `batch_size` can be assigned."""
    shares_values: ClassVar[bool] = True
    """Whether a Python value set for the whole batch reads back as that value (a lazy stack gives a list)."""

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        missing = [name for name in ("name", "capabilities") if not hasattr(cls, name)]
        missing += [name for name in ("make", "raw_read", "raw_write") if getattr(cls, name) is _BASE[name]]
        if missing:
            raise TDTypeError(f"{cls.__name__} must define {', '.join(missing)} to be a StorageCase.")

    def make(self, spec: TreeSpec) -> TContainer:
        """Build a container with the entries that `spec` describes."""
        raise NotImplementedError

    def raw_read(self, container: TContainer, key: NestedKey) -> torch.Tensor:
        """Read one tensor from where the storage keeps it, without the container."""
        raise NotImplementedError

    def raw_write(self, container: TContainer, key: NestedKey, value: torch.Tensor) -> None:
        """Overwrite one tensor where the storage keeps it, without the container."""
        raise NotImplementedError

    def rounds(self, container: TContainer) -> int:
        """How often a function of leaves is called for each key (a lazy stack: once a member)."""
        return 1

    def reopen(self, container: TContainer) -> TContainer:
        """Open the same data anew. A storage that is not persistent returns the container itself."""
        return container


_BASE = {name: getattr(StorageCase, name) for name in ("make", "raw_read", "raw_write")}
