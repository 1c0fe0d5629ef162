"""Pickling and copying.

A container is reduced to plain parts: its storage, batch size, device, names, lock and flag. The few names of
this package in a pickle (two functions and some classes of data) are registered with torch as safe, so that
`torch.load(weights_only=True)` reads it.
"""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import Size, Tensor
from typing_extensions import Self

from ..abc import Capability
from ..leaves import TENSOR, MetaData, NonTensorData, NonTensorStack, register_kind
from ..storage import LazyStack
from .consolidate import AnySlot, JaggedSlot, Slot, around_buffer, buffer_of
from .kernel import Kernel, normal_names
from .lock import LockMethods, set_locked


class PickleMethods(LockMethods):
    """`__reduce__`, `__copy__`, `__deepcopy__`."""

    def __reduce__(self) -> tuple[Any, ...]:
        self._require(Capability.PICKLE, "pickling")
        found = buffer_of(self)
        if found is not None:
            buffer, slots = found
            skeleton: Any = self._with_leaves([_HOLE] * len(slots))  # type: ignore[list-item]  # in the place of tensors
            return rebuild_consolidated, (skeleton, _compact(buffer), [_parts(slot) for slot in slots], self._sharing)
        storage = self._storage
        if type(storage) is dict:
            storage = {key: _compact(value) if type(value) is Tensor else value for key, value in storage.items()}
        size = tuple(self._batch_size)
        device = None if self._device is None else str(self._device)
        parts = (storage, size, device, self._names, self._locked, self._sharing)
        cls = type(self)
        return rebuild, parts if cls is Kernel._classes.get(type(storage)) else (*parts, cls)

    def __copy__(self) -> Self:
        """Return a new tree of containers that shares the leaves, unlocked."""
        return self.clone(False)  # type: ignore[attr-defined,no-any-return]  # defined by PieceMethods

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return an independent, unlocked copy; tensors that stand under several keys stay one."""
        if type(self._storage) is not dict:
            out = self._like(copy.deepcopy(self._storage, memo))
            memo[id(self)] = out
            return out
        storage: dict[str, Any] = {}
        out = self._like(storage)
        memo[id(self)] = out
        for key, value in self._storage.items():
            storage[key] = copy.deepcopy(value, memo)
        return out


def rebuild(
    storage: Any,
    batch_size: tuple[int, ...],
    device: str | None,
    names: list[str | None] | None,
    locked: bool,
    sharing: str | None,
    cls: type[Kernel] | None = None,
) -> Any:
    """Build a container from the parts in a pickle; `cls` is given for classes of users."""
    out = plain = Kernel._build(
        storage, Size(batch_size), None if device is None else torch.device(device), normal_names(names)
    )
    if cls is not None:
        out = object.__new__(cls)
        out.__dict__.update(plain.__dict__)
    if locked:
        set_locked(out, True)
        out._sharing = _still_true(out, sharing)
    return out


def rebuild_consolidated(skeleton: Any, buffer: Tensor, slots: list[Any], sharing: str | None) -> Any:
    """Build a consolidated container from the parts in a pickle."""
    out = around_buffer(skeleton, buffer, [_slot(parts) for parts in slots])
    out._sharing = _still_true(out, sharing)
    return out


class Hole:
    """Stands in a pickled tree where a tensor was; one object for all, so that it costs next to nothing."""

    __slots__ = ()


_HOLE = Hole()
register_kind(Hole, TENSOR)


def _parts(slot: AnySlot) -> tuple[Any, ...]:
    """Return a slot as plain tuples, which pickle many times faster than named ones."""
    return tuple(tuple(part) if isinstance(part, Slot) else part for part in slot)


def _slot(parts: tuple[Any, ...]) -> AnySlot:
    if len(parts) == len(Slot._fields):
        return Slot(*parts)
    values, offsets, lengths, ragged_dim = parts
    return JaggedSlot(Slot(*values), Slot(*offsets), None if lengths is None else Slot(*lengths), ragged_dim)


def _still_true(td: Kernel, sharing: str | None) -> str | None:
    """Keep the flag of shared memory only where the leaves did arrive in shared memory (through a process queue)."""
    if sharing == "shared" and not all(leaf.is_shared() for leaf in td._leaves() if not leaf.is_nested):
        return None
    return sharing


def _compact(tensor: Tensor) -> Tensor:
    """Return a copy of a view of a larger memory, so that only its own elements are pickled.

    Tensors in shared memory travel by a handle to it, and stay what they are.
    """
    if tensor.layout is not torch.strided or tensor.is_nested or tensor.device.type == "meta":
        return tensor
    size = tensor.numel() * tensor.element_size()
    if tensor.untyped_storage().nbytes() <= size or tensor.is_shared():
        return tensor
    return tensor.detach().clone().requires_grad_(tensor.requires_grad)


torch.serialization.add_safe_globals(
    [rebuild, rebuild_consolidated, Hole, LazyStack, NonTensorData, NonTensorStack, MetaData]
)
