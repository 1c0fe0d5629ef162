"""The kernel of the container: its fields, and the few walks over the tree that every operation is made of.

The storage of one level is either a builtin dict (dense) or a `Storage`. The kernel has one branch for it,
`type(storage) is dict`, and no other file asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, TypeVar
from weakref import ReferenceType

import torch
from torch import Size, Tensor

from ..abc import Capability, Storage
from ..errors import BatchSizeError, UnsupportedOperationError
from ..leaves import NODE, kind_of, map_value, register_kind, transform
from ..structural import Names, StructuralOp

K = TypeVar("K", bound="Kernel")

StorageLike = dict[str, Any] | Storage


class Kernel:
    """Fields and tree walks; the public methods are in the classes built on it.

    Every field but the first two has a class-level default, so that building a result costs four assignments.
    """

    _storage: dict[str, Any] | Storage
    _batch_size: Size
    _device: torch.device | None = None
    _names: Names | None = None  # None when no dim is named
    _locked: bool = False
    _parents: list[ReferenceType[Kernel]] | None = None  # locked containers that hold this one
    _cache: dict[Any, Any] | None = None  # results kept while locked
    _origin: Any = None  # (weak reference, op): what a context manager writes back to
    _sharing: str | None = None  # "shared" or "memmap" when the leaves live in such memory

    _classes: ClassVar[dict[type, type[Kernel]]] = {}
    """The container class for each type of storage."""

    # -- building -----------------------------------------------------------------------------------------------------

    @staticmethod
    def _build(storage: Any, batch_size: Size, device: torch.device | None = None, names: Names | None = None) -> Any:
        """Build a container of the class that goes with the storage, unchecked."""
        self = object.__new__(_class_for(storage))
        self._storage = storage
        self._batch_size = batch_size
        self._device = device
        self._names = names
        return self

    def _derive(self: K, storage: Any, batch_size: Size, device: torch.device | None, names: Names | None) -> K:
        """Build the result of an operation on this container; the class stays when the kind of storage does."""
        cls = type(self) if type(storage) is type(self._storage) else _class_for(storage)
        out: Any = object.__new__(cls)
        out._storage = storage
        out._batch_size = batch_size
        if device is not None:
            out._device = device
        if names is not None:
            out._names = names
        return out  # type: ignore[no-any-return]

    def _like(self: K, storage: Any) -> K:
        """Build a container with the metadata of this one around another storage."""
        return self._derive(storage, self._batch_size, self._device, self._names)

    # -- walks --------------------------------------------------------------------------------------------------------

    def _transform(self: K, op: StructuralOp) -> K:
        """Apply a structural operation to the whole tree. The result is unlocked and not flagged."""
        return self._walk(op, op.tensor, self._batch_size, op.size(self._batch_size))

    def _walk(self: K, op: StructuralOp, fn: Callable[[Tensor], Any], before: Size, after: Size) -> K:
        """`_transform` for one node: most nodes have the batch size of the root, whose result is at hand."""
        storage = self._storage
        if type(storage) is dict:
            storage = {
                k: fn(v)
                if type(v) is Tensor
                else v._walk(op, fn, before, after)
                if isinstance(v, Kernel)
                else transform(v, op)
                for k, v in storage.items()
            }
        else:
            storage = storage.transform(op)  # type: ignore[union-attr]  # narrowed by the branch
            if isinstance(storage, Kernel):
                return storage  # type: ignore[return-value]
            if type(storage) is not dict and storage.parts is not None:
                out = self._derive(storage, op.size(self._batch_size), self._device, _after(op, self._names))
                out._locked = bool(storage.parts) and all(part._locked for part in storage.parts)
                return out
        size = after if self._batch_size == before else op.size(self._batch_size)
        names = self._names
        if names is not None:
            names = normal_names(op.names(names))
        return self._derive(storage, size, self._device, names)

    def _leaves(self) -> list[Tensor]:
        """Return every tensor of the tree, depth first in insertion order (cached while locked)."""
        return self._gather()[0]

    def _gather(self) -> tuple[list[Tensor], bool]:
        """Return every tensor of the tree, and whether they are the stored ones: writing into them is enough then."""
        cache = self._cache
        if cache is not None and "leaves" in cache:
            return cache["leaves"], True
        leaves: list[Tensor] = []
        stored = self._collect(leaves)
        if stored and self._locked and not torch.compiler.is_compiling():
            self._cached()["leaves"] = leaves
        return leaves, stored

    def _collect(self, leaves: list[Tensor]) -> bool:
        """Append every tensor of the tree.

        Returns:
            Whether they are the stored tensors themselves: every level of the tree keeps its values in a dict.
        """
        storage = self._storage
        dense = type(storage) is dict
        if not dense and storage.parts is not None:  # type: ignore[union-attr]  # narrowed by the branch
            for part in storage.parts:  # type: ignore[union-attr]
                part._collect(leaves)
            return False
        for value in storage.values():
            if type(value) is Tensor:
                leaves.append(value)
            elif isinstance(value, Kernel):
                dense &= value._collect(leaves)
            else:
                dense &= kind_of(value).collect(value, leaves)
        return dense

    def _leaf_pairs(self, other: Kernel) -> tuple[list[Tensor], list[Tensor]] | None:
        """Pair the tensors of two trees by key; None unless keys are equal, and all values tensors of one shape."""
        mine: list[Tensor] = []
        theirs: list[Tensor] = []
        return (mine, theirs) if self._collect_pairs(other, mine, theirs) else None

    def _collect_pairs(self, other: Kernel, mine: list[Tensor], theirs: list[Tensor]) -> bool:
        storage, others = self._storage, other._storage
        if type(storage) is not dict or type(others) is not dict or len(storage) != len(others):
            return False
        for key, value in storage.items():
            right = others.get(key)
            if type(value) is Tensor:
                if type(right) is not Tensor or value.shape != right.shape:
                    return False
                mine.append(value)
                theirs.append(right)
            elif not (
                isinstance(value, Kernel) and isinstance(right, Kernel) and value._collect_pairs(right, mine, theirs)
            ):
                return False
        return True

    def _rebuild(self: K, leaves: Iterator[Tensor]) -> K:
        """Return the same tree around the next tensors of `leaves`, in the order of `_leaves`."""
        if type(self._storage) is not dict and self._storage.parts is not None:  # type: ignore[union-attr]
            return self._by_part(lambda part: part._rebuild(leaves))
        storage = {
            k: next(leaves)
            if type(v) is Tensor
            else v._rebuild(leaves)
            if isinstance(v, Kernel)
            else kind_of(v).rebuild(v, leaves)
            for k, v in self._storage.items()
        }
        return self._derive(storage, self._batch_size, self._device, self._names)

    def _write_back(self, leaves: Iterator[Tensor]) -> None:
        """Write the next leaves back through the storages that make up values on reading."""
        storage: Any = self._storage
        dense = type(storage) is dict
        if not dense and storage.parts is not None:
            for part in storage.parts:
                part._write_back(leaves)
            return
        for key, value in storage.items():
            kind = kind_of(value)
            node = kind.node(value)
            if node is not None:
                node._write_back(leaves)
            elif kind.is_tensor:
                leaf = next(leaves)
                if not dense:
                    storage.overwrite(key, leaf)

    def _with_leaves(self: K, leaves: Iterable[Tensor]) -> K:
        """Return the same tree (batch sizes, names, device) around other tensors, one for each of `_leaves`."""
        return self._rebuild(iter(leaves))

    def _map_tensors(self: K, fn: Callable[[Tensor], Tensor]) -> K:
        """Apply a function to every tensor of the tree; shapes keep starting with the batch size."""
        if type(self._storage) is not dict and self._storage.parts is not None:  # type: ignore[union-attr]
            return self._by_part(lambda part: part._map_tensors(fn))
        storage = {
            k: fn(v) if type(v) is Tensor else v._map_tensors(fn) if isinstance(v, Kernel) else map_value(v, fn)
            for k, v in self._storage.items()
        }
        return self._derive(storage, self._batch_size, self._device, self._names)

    def _by_part(self: K, fn: Callable[..., Any], *operands: Any) -> K:
        """Call `fn` on each part of a storage made of containers, with its share of the operands; join the results."""
        storage: Any = self._storage
        return self._like(storage.join(list(map(fn, storage.parts, *map(storage.cut, operands)))))

    def _stacked(self: K) -> K:
        """Return this tree with values that start with the batch size everywhere: lazy stacks are read."""
        storage = self._storage
        if type(storage) is dict and not self._children():
            return self
        whole = {}
        for key, value in storage.items():
            node = None if type(value) is Tensor else kind_of(value).node(value)
            whole[key] = value if node is None else kind_of(value).wrap(value, node._stacked())
        return self._like(whole)

    def _nodes(self) -> list[tuple[str, Kernel]]:
        """Return the child containers of this level."""
        storage = self._storage
        if type(storage) is not dict:
            return storage.nodes()  # type: ignore[union-attr]  # narrowed by the branch
        nodes = []
        for key, value in storage.items():
            if type(value) is not Tensor:
                node = kind_of(value).node(value)
                if node is not None:
                    nodes.append((key, node))
        return nodes

    def _children(self) -> list[Kernel]:
        """Return the containers a lock of this one has to reach."""
        storage = self._storage
        if type(storage) is not dict:
            return [node for _, node in storage.nodes()]  # type: ignore[union-attr]  # narrowed by the branch
        children: list[Kernel] = []
        for value in storage.values():
            if type(value) is Tensor:
                continue
            node = value if isinstance(value, Kernel) else kind_of(value).node(value)
            if node is not None:
                children.append(node)
        return children

    # -- insertion ----------------------------------------------------------------------------------------------------

    def _fit(self: K, batch_size: Size, device: torch.device | None) -> K:
        """Return this container, or a shallow copy, with a batch size that starts with `batch_size`, on `device`.

        Raises:
            BatchSizeError: a leaf does not start with `batch_size`.
        """
        node = self
        if node._batch_size[: len(batch_size)] != batch_size:
            node = node._rebatched(batch_size)
        if device is not None and node._device != device:
            node = node._to_device(device)
        return node

    def _rebatched(self: K, batch_size: Size) -> K:
        """Return a shallow copy with another batch size; nodes that do not start with it are enlarged likewise.

        Raises:
            BatchSizeError: a value does not start with `batch_size`.
        """
        n = len(batch_size)
        storage: Any = self._storage
        if type(storage) is not dict and storage.parts is not None:
            resized = storage.rebatched(batch_size)
            if resized is not None:
                names = None if self._names is None else normal_names([*self._names, *[None] * n][:n])
                return self._derive(resized, batch_size, self._device, names)
        storage = {}
        for key, value in self._storage.items():
            kind = kind_of(value)
            if kind.shape(value)[:n] == batch_size:
                storage[key] = value if kind.is_tensor else kind.fit(value, batch_size, None)
            elif kind.is_collection:
                storage[key] = kind.fit(value, batch_size, None)
            else:
                raise BatchSizeError(key, kind.shape(value), batch_size)
        names = None if self._names is None else normal_names([*self._names, *[None] * n][:n])
        return self._derive(storage, batch_size, self._device, names)

    def _to_device(self: K, device: torch.device) -> K:
        """Return a copy whose tensors are on `device`, which is recorded on every node."""
        if type(self._storage) is not dict and self._storage.parts is not None:  # type: ignore[union-attr]
            out = self._by_part(lambda part: part._to_device(device))
            out._device = device
            return out
        storage = {
            k: (v if v.device == device else v.to(device))
            if type(v) is Tensor
            else kind_of(v).fit(v, self._batch_size, device)
            for k, v in self._storage.items()
        }
        return self._derive(storage, self._batch_size, device, self._names)

    def _require(self, capability: Capability, operation: str) -> None:
        """Refuse what the storage declines.

        Raises:
            UnsupportedOperationError: the storage does not declare the capability.
        """
        storage = self._storage
        if type(storage) is not dict and not capability & storage.capabilities:  # type: ignore[union-attr]
            name = str(capability.name)
            raise UnsupportedOperationError(operation, storage.name, name)  # type: ignore[union-attr]

    def _require_writable(self, operation: str) -> None:
        """Refuse an in-place operation on the tensors of a tree if the storage of any level declines it."""
        self._require(Capability.INPLACE, operation)
        for child in self._children():
            child._require_writable(operation)

    # -- caching ------------------------------------------------------------------------------------------------------

    def _cached(self) -> dict[Any, Any]:
        """Return the dictionary of results that are valid while this container is locked."""
        cache = self._cache
        if cache is None:
            cache = self._cache = {}
        return cache

    # -- combination hooks, defined by CombineMethods ------------------------------------------------------------------

    @classmethod
    def _stack(cls, containers: Sequence[Any], dim: int) -> Any:
        raise NotImplementedError

    @classmethod
    def _cat(cls, containers: Sequence[Any], dim: int) -> Any:
        raise NotImplementedError


def _after(op: StructuralOp, names: Names | None) -> Names | None:
    return None if names is None else normal_names(op.names(names))


def _class_for(storage: Any) -> type[Kernel]:
    return Kernel._classes.get(type(storage)) or Kernel._classes[dict]


def normal_names(names: Names | None) -> Names | None:
    """Store "no dim is named" as None."""
    if names is None or all(name is None for name in names):
        return None
    return names


register_kind(Kernel, NODE)
