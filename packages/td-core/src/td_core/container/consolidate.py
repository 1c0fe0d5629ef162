"""Consolidation: all leaves of a tree as views of one flat buffer, so that one copy moves or saves them all.

A `Slot` says where in the buffer a tensor lies. A tree whose tensors are replaced by their slots, the skeleton,
together with the buffer is all there is to rebuild it, in another process or on another device. A consolidated tree
is locked, so that its leaves stay the views they are; unlocking it forgets the buffer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ..errors import TDNotImplementedError
from ..leaves import TENSOR, register_kind
from .kernel import Kernel
from .lock import set_locked
from .transfer import Transfer

ALIGNMENT = 8
"""Every tensor starts at a multiple of this many bytes (or of its own item size, if that is larger)."""


class Slot(NamedTuple):
    """Where a strided tensor lies in the buffer: bytes `start` to `stop`, of which the last `pad` are unused."""

    start: int
    stop: int
    pad: int
    dtype: torch.dtype
    shape: tuple[int, ...]


class JaggedSlot(NamedTuple):
    """Where the parts of a nested tensor of jagged layout lie."""

    values: Slot
    offsets: Slot
    lengths: Slot | None
    ragged_dim: int

    @property
    def parts(self) -> list[Slot]:
        """The slots of the parts, in the order of the buffer."""
        return [part for part in (self.values, self.lengths, self.offsets) if part is not None]


AnySlot = Slot | JaggedSlot

# A skeleton is a container whose values are slots where the tensors were: the walks of the kernel treat both alike.
register_kind(Slot, TENSOR)
register_kind(JaggedSlot, TENSOR)


def plan(leaves: Iterable[Tensor]) -> tuple[list[AnySlot], int]:
    """Lay tensors out one after the other.

    Returns:
        A slot for each tensor, and the size of the buffer.

    Raises:
        TDNotImplementedError: a tensor has a layout that is not a block of memory (sparse, strided nested).
    """
    layout = _Layout()
    return [layout.add(leaf) for leaf in leaves], layout.end


class _Layout:
    """A running position in the buffer."""

    __slots__ = ("end",)

    def __init__(self) -> None:
        self.end = 0

    def add(self, leaf: Tensor) -> AnySlot:
        if leaf.is_nested:
            if leaf.layout is not torch.jagged:
                raise TDNotImplementedError(
                    "Nested tensors of strided layout cannot be consolidated. Build them with layout=torch.jagged."
                )
            values, lengths, offsets, ragged_dim = _parts(leaf)
            # the buffer holds values, lengths, offsets in this order, as the files do
            slots = [None if part is None else self._strided(part) for part in (values, lengths, offsets)]
            assert slots[0] is not None
            assert slots[2] is not None
            return JaggedSlot(slots[0], slots[2], slots[1], ragged_dim)
        return self._strided(leaf)

    def _strided(self, leaf: Tensor) -> Slot:
        if leaf.layout is not torch.strided:
            raise TDNotImplementedError(
                f"Tensors of layout {leaf.layout} cannot be consolidated. Call to_dense() on them first."
            )
        size = leaf.numel() * leaf.dtype.itemsize
        start = _aligned(self.end, max(ALIGNMENT, leaf.dtype.itemsize))
        self.end = _aligned(start + size, ALIGNMENT)
        return Slot(start, self.end, self.end - start - size, leaf.dtype, tuple(leaf.shape))


def views(buffer: Tensor, slots: Sequence[AnySlot]) -> list[Tensor]:
    """Return the tensor of each slot, as a view of the buffer."""
    typed: dict[torch.dtype, Tensor] = {}
    found = []
    for slot in slots:
        if isinstance(slot, JaggedSlot):
            values, offsets = (_view(buffer, typed, part) for part in (slot.values, slot.offsets))
            lengths = None if slot.lengths is None else _view(buffer, typed, slot.lengths)
            found.append(_jagged(values, offsets, lengths, slot.ragged_dim))
        else:
            found.append(_view(buffer, typed, slot))
    return found


def fill(
    buffer: Tensor,
    leaves: Sequence[Tensor],
    slots: Sequence[AnySlot],
    num_threads: int = 0,
    non_blocking: bool = False,
) -> None:
    """Copy the leaves to their slots, and zeros to the bytes between them."""
    typed: dict[torch.dtype, Tensor] = {}
    targets: list[Tensor] = []
    sources: list[Tensor] = []
    for leaf, slot in zip(leaves, slots, strict=True):
        if isinstance(slot, JaggedSlot):
            values, lengths, offsets, _ = _parts(leaf)
            sources += [part for part in (values, lengths, offsets) if part is not None]
            targets += [_view(buffer, typed, part) for part in slot.parts]
        else:
            sources.append(leaf)
            targets.append(_view(buffer, typed, slot))
    if not targets or buffer.is_meta:
        return
    unused = _unused(slots)
    if unused:
        buffer[torch.tensor(unused, device=buffer.device)] = 0
    if num_threads > 1:
        with ThreadPoolExecutor(num_threads) as pool:
            chunks = [(targets[i::num_threads], sources[i::num_threads]) for i in range(num_threads)]
            list(pool.map(lambda chunk: _copy(chunk[0], chunk[1], non_blocking), chunks))
    else:
        _copy(targets, sources, non_blocking)


def _unused(slots: Sequence[AnySlot]) -> list[int]:
    """The positions of the bytes that belong to no tensor."""
    unused: list[int] = []
    end = 0
    for slot in slots:
        for part in slot.parts if isinstance(slot, JaggedSlot) else (slot,):
            unused += range(end, part.start)
            end = part.stop - part.pad
    last = slots[-1]
    unused += range(end, last.offsets.stop if isinstance(last, JaggedSlot) else last.stop)
    return unused


def _copy(targets: list[Tensor], sources: list[Tensor], non_blocking: bool) -> None:
    if targets:
        with torch.no_grad():
            torch._foreach_copy_(targets, [source.detach() for source in sources], non_blocking=non_blocking)


def keep_buffer(td: Kernel, buffer: Tensor, slots: Sequence[AnySlot]) -> None:
    """Record the buffer of a locked tree whose leaves are views of it; unlocking forgets it."""
    td._cached()["consolidated"] = (buffer, list(slots))


def buffer_of(td: Kernel) -> tuple[Tensor, list[AnySlot]] | None:
    """Return the buffer and the slots of a consolidated tree, None for another one."""
    cache = td._cache
    return None if cache is None else cache.get("consolidated")


def around_buffer(skeleton: Any, buffer: Tensor, slots: Sequence[AnySlot]) -> Any:
    """Return the consolidated tree of a buffer; `skeleton` is any tree of the same structure."""
    out = skeleton._with_leaves(views(buffer, slots))
    set_locked(out, True)
    keep_buffer(out, buffer, slots)
    return out


def moved_buffer(td: Any, transfer: Transfer, pin: bool = False) -> Any:
    """Move a consolidated tree by its buffer alone; None if it is not consolidated.

    The result is consolidated, with the device of the transfer recorded on every node.
    """
    found = buffer_of(td)
    device = transfer.device
    if found is None or device is None:
        return None
    buffer, slots = found
    try:
        moved = transfer.send(buffer.pin_memory() if pin else buffer)
    finally:
        transfer.finish()
    out = td._with_leaves(views(moved, slots))
    _record(out, device)
    set_locked(out, True)
    keep_buffer(out, moved, slots)
    return out


def _record(node: Kernel, device: torch.device) -> None:
    node._device = device
    for _, child in node._nodes():
        _record(child, device)


def _view(buffer: Tensor, typed: dict[torch.dtype, Tensor], slot: Slot) -> Tensor:
    itemsize = slot.dtype.itemsize
    base = typed.get(slot.dtype)
    if base is None:
        usable = buffer.numel() // itemsize * itemsize
        base = typed[slot.dtype] = buffer[:usable].view(slot.dtype)
    return base.as_strided(slot.shape, _strides(slot.shape), base.storage_offset() + slot.start // itemsize)


def _strides(shape: tuple[int, ...]) -> list[int]:
    strides = [1] * len(shape)
    for dim in range(len(shape) - 2, -1, -1):
        strides[dim] = strides[dim + 1] * max(shape[dim + 1], 1)
    return strides


def _aligned(position: int, alignment: int) -> int:
    return -(-position // alignment) * alignment


def _parts(leaf: Any) -> tuple[Tensor, Tensor | None, Tensor, int]:
    """Return values, lengths, offsets and the ragged dim of a jagged tensor."""
    return leaf._values, leaf._lengths, leaf._offsets, leaf._ragged_idx


def _jagged(values: Tensor, offsets: Tensor, lengths: Tensor | None, ragged_dim: int) -> Tensor:
    return torch.nested.nested_tensor_from_jagged(values, offsets, lengths, jagged_dim=ragged_dim)
