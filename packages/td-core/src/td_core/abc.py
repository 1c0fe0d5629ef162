"""The storage contract: where the values of one level of a container live.

The dense storage is a builtin `dict`, which the kernel knows; everything else subclasses `Storage`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from enum import Flag, auto
from typing import Any, ClassVar

import torch

from .leaves.kind import kind_of, transform
from .structural import Index, StructuralOp


class Capability(Flag):
    """What a storage can do. Declining a power is allowed, and must raise `UnsupportedOperationError`."""

    WRITE = auto()
    """Accepts new entries and replaces old ones."""
    DELETE = auto()
    """Removes entries."""
    RENAME = auto()
    """Renames entries."""
    INPLACE = auto()
    """Values are written into existing memory."""
    VIEWS = auto()
    """Reading gives the stored tensors or views of them, and so do structural operations."""
    NON_TENSOR = auto()
    """Holds Python values."""
    NAMES = auto()
    """Keeps dimension names."""
    LOCK = auto()
    """Can be locked and unlocked."""
    GRAD = auto()
    """Values take part in autograd."""
    HETEROGENEOUS = auto()
    """Entries may differ in shape along a batch dim."""
    COMPILE = auto()
    """Traced by torch.compile in one graph."""
    SHARED = auto()
    """Can move to shared memory."""
    PICKLE = auto()
    """Survives pickling."""
    PERSISTENT = auto()
    """Outlives the process."""


DENSE_CAPABILITIES = (
    Capability.WRITE
    | Capability.DELETE
    | Capability.RENAME
    | Capability.INPLACE
    | Capability.VIEWS
    | Capability.NON_TENSOR
    | Capability.NAMES
    | Capability.LOCK
    | Capability.GRAD
    | Capability.COMPILE
    | Capability.SHARED
    | Capability.PICKLE
)


@dataclass(frozen=True)
class LeafSpec:
    """What a tensor entry is, without its values: what a `repr` needs."""

    type_name: str
    """The name of its class."""
    shape: tuple[Any, ...]
    """Its sizes; -1 where they differ along a batch dim."""
    dtype: torch.dtype
    device: torch.device
    requires_grad: bool = False


class Storage(MutableMapping[str, Any]):
    """One level of values: a mutable mapping plus a few bulk operations.

    Values are leaves (tensors, non-tensor data) or containers; nesting is the container's business. A subclass must
    write the five methods of a mutable mapping and declare `name` and `capabilities`. The other methods have defaults
    that work through the mapping, and are there to be replaced by faster ones.
    """

    name: ClassVar[str]
    capabilities: ClassVar[Capability]

    parts: Sequence[Any] | None = None
    """The containers that the storage is made of, if it is: what changes no shape is then done part by part."""

    @abstractmethod
    def __getitem__(self, key: str) -> Any: ...

    @abstractmethod
    def __setitem__(self, key: str, value: Any) -> None: ...

    @abstractmethod
    def __delitem__(self, key: str) -> None: ...

    @abstractmethod
    def __iter__(self) -> Iterator[str]: ...

    @abstractmethod
    def __len__(self) -> int: ...

    def transform(self, op: StructuralOp) -> Any:
        """Apply a structural operation to every value.

        Returns:
            A storage, a plain dict (a dense result), or a container.
        """
        return {key: transform(value, op) for key, value in self.items()}

    def write(self, key: str, index: Index, value: Any) -> None:
        """Write `value` at `index` of an existing entry."""
        old = self[key]
        new = kind_of(old).write(old, index, value)
        if new is not old or not self.capabilities & Capability.INPLACE:
            self[key] = new

    def assign(self, index: Index, value: Any) -> bool:
        """Write a container into the region of all entries, where the storage has a way of its own to do that.

        Returns:
            False: nothing is done, the entries are to be written one by one.
        """
        return False

    def overwrite(self, key: str, value: Any, non_blocking: bool = False) -> None:
        """Overwrite a whole existing entry, keeping its memory and dtype where the storage can."""
        old = self[key]
        new = kind_of(old).copy_into(old, value, non_blocking)
        if new is not old or not self.capabilities & Capability.INPLACE:
            self[key] = new

    replaces: ClassVar[bool] = True
    """Whether `set` may replace an entry that is there; otherwise only its values can change."""

    def cut(self, operand: Any) -> Sequence[Any]:
        """Give each part its share of a number, a tensor aligned with the batch dims, or a container."""
        raise NotImplementedError(f"{self.name} is not made of parts")

    def join(self, parts: Sequence[Any], named: bool = True) -> Storage:
        """Return a storage of the same kind made of other parts, with the name of their dim or without."""
        raise NotImplementedError(f"{self.name} is not made of parts")

    def name_dims(self, names: list[str | None]) -> list[str | None]:
        """Keep the name of the dim along which the parts stand, and return the names of their own dims."""
        raise NotImplementedError(f"{self.name} is not made of parts")

    def rebatched(self, batch_size: torch.Size) -> Storage | None:
        """Return a shallow copy whose parts fit another batch size; None when they cannot."""
        return None

    def nodes(self) -> list[tuple[str, Any]]:
        """Return the containers that this storage holds, by key: what a lock has to reach."""
        found = []
        for key, value in self.items():
            node = kind_of(value).node(value)
            if node is not None:
                found.append((key, node))
        return found

    def shallow_copy(self) -> Any:
        """Return a storage of the same kind for a shallow copy of the container; None for a dense copy."""
        return None

    def rename(self, old: str, new: str) -> None:
        """Move an entry; it becomes the last one."""
        value = self[old]
        del self[old]
        if new in self:
            del self[new]  # so that the entry comes last
        self[new] = value

    def value_type(self, key: str) -> type:
        """Return the type of a value, without reading it where the storage can."""
        return type(self[key])

    def peek(self, key: str) -> Any:
        """Return what is to be shown of an entry: the value, or a `LeafSpec` where reading is slow or impossible."""
        return self[key]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self)})"

    def empty(self, batch_size: torch.Size) -> Any:
        """Return the storage of an empty child node: dense unless the storage says otherwise."""
        return {}
