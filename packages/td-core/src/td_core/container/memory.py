"""Memory: sharing it between processes, measuring it, and packing it into one buffer."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import torch
from torch import Size, Tensor
from typing_extensions import Self

from ..abc import Capability
from ..devices import normal_device
from ..errors import TDRuntimeError, TDValueError
from ..leaves import kind_of
from ..typing import DeviceLike, StrPath
from .consolidate import buffer_of, fill, keep_buffer, plan, views
from .consolidated_file import describe, read_file, write_file
from .device import adopt, record_device
from .kernel import Kernel
from .lock import set_locked
from .sizes import SizeMethods


class MemoryMethods(SizeMethods):
    """`share_memory_`, `bytes`, `consolidate` and the like."""

    # -- sharing ------------------------------------------------------------------------------------------------------

    def share_memory_(self) -> Self:
        """Move every leaf to shared memory, flag the container as shared, and lock it.

        Non-tensor data stays in this process. On a CUDA device nothing happens, as its memory is shared already.

        Returns:
            This container.

        Raises:
            TDRuntimeError: the container is memory-mapped.
        """
        self._require(Capability.SHARED, "share_memory_()")
        if self._sharing == "shared" or (self._device is not None and self._device.type == "cuda"):
            return self
        if self._sharing is not None:
            raise TDRuntimeError(
                "A memory-mapped tensordict cannot move to shared memory: other processes see its files already."
            )
        for leaf in self._leaves():
            _share(leaf)
        set_locked(self, True)
        _flag(self, "shared")
        return self

    def is_shared(self) -> bool:
        """Whether the container was moved to shared memory as a whole, and has not been unlocked since."""
        return self._sharing == "shared"

    def is_memmap(self) -> bool:
        """Whether the container was memory-mapped as a whole, and has not been unlocked since."""
        return self._sharing == "memmap"

    # -- measuring ----------------------------------------------------------------------------------------------------

    def data_ptr(self, *, storage: bool = False) -> Any:
        """Return a container of the address of each leaf.

        Args:
            storage: the address of the storage instead of that of the first element.

        Returns:
            A container of empty batch size with an integer tensor a leaf.
        """
        return _pointers(self, storage)

    def bytes(self, *, count_duplicates: bool = True) -> int:
        """Return the number of bytes of all leaves and of their gradients; non-tensor data does not count.

        Args:
            count_duplicates: count a tensor that stands under several keys each time.
        """
        return sum(_bytes(leaf) for leaf in self._counted(count_duplicates))

    def param_count(self, *, count_duplicates: bool = True) -> int:
        """Return the number of elements of all leaves; non-tensor data does not count.

        Args:
            count_duplicates: count a tensor that stands under several keys each time.
        """
        return sum(leaf.numel() for leaf in self._counted(count_duplicates))

    def _counted(self, count_duplicates: bool) -> list[Tensor]:
        leaves = self._leaves()
        return leaves if count_duplicates else list({id(leaf): leaf for leaf in leaves}.values())

    # -- packing ------------------------------------------------------------------------------------------------------

    def consolidate(
        self,
        filename: StrPath | None = None,
        *,
        num_threads: int = 0,
        device: DeviceLike | None = None,
        non_blocking: bool = False,
        inplace: bool = False,
        return_early: bool = False,
        use_buffer: bool = False,
        share_memory: bool = False,
        pin_memory: bool = False,
        metadata: bool = False,
    ) -> Any:
        """Copy all leaves into one buffer, and return a locked container of views of it.

        Moving, pickling or saving it then costs one copy of the buffer. Unlocking it, casting it or cloning it gives an
        ordinary container.

        Args:
            filename: map the buffer from this file, which `from_consolidated` reads; later writes into the leaves
                reach it. The file is written beside its place and then renamed.
            num_threads: how many threads copy the leaves. Default: the calling one.
            device: the device of the buffer. Default: that of the container, or of its leaves.
            non_blocking: let copies between devices run asynchronously.
            inplace: replace the leaves of this container, lock it, and return it.
            return_early: with `num_threads > 1`, return a future of the result at once.
            use_buffer: with a file, assemble the data in memory and write them at the end.
            share_memory: allocate the buffer in shared memory.
            pin_memory: allocate the buffer in page-locked memory.
            metadata: append the description of the tree to the buffer, in the format of the file.

        Returns:
            The consolidated container; this one when it is consolidated already and nothing else is asked.

        Raises:
            LockedError: `inplace`, and the container is locked.
            TDNotImplementedError: a leaf is sparse, or a strided nested tensor.
            TDValueError: `filename` together with a device other than the CPU.
        """
        target = None if device is None else normal_device(device)
        if filename is not None and target is not None and target.type != "cpu":
            raise TDValueError(
                f"A file is on the CPU: consolidate() cannot take filename and device={device!r} together."
            )
        plain = filename is None and target is None and not (share_memory or pin_memory or metadata)
        if plain and buffer_of(self) is not None:
            return self
        if inplace:
            self._require_unlocked("consolidate")

        def run() -> Any:
            if filename is not None:
                return self._consolidated_file(filename, use_buffer, inplace)
            allocation = {"share_memory": share_memory, "pin_memory": pin_memory, "metadata": metadata}
            return self._consolidated(target, num_threads, non_blocking, inplace, allocation)

        if return_early and num_threads > 1:
            return _in_background(run)
        return run()

    def _consolidated(
        self,
        device: torch.device | None,
        num_threads: int,
        non_blocking: bool,
        inplace: bool,
        allocation: dict[str, bool],
    ) -> Self:
        leaves = self._leaves()
        slots, size = plan(leaves)
        footer = describe(self, slots) if allocation["metadata"] else b""
        whole = _allocate(size + len(footer), device or _device_of(self, leaves), allocation)
        if footer:
            whole[size:] = torch.frombuffer(bytearray(footer), dtype=torch.uint8)
        buffer = whole[:size]
        fill(buffer, leaves, slots, num_threads, non_blocking)
        out = self._around(buffer, slots, device or self._device, inplace)
        if allocation["share_memory"]:
            _flag(out, "shared")
        return out

    def _consolidated_file(self, filename: StrPath, use_buffer: bool, inplace: bool) -> Self:
        leaves = self._leaves()
        slots, size = plan(leaves)
        buffer = write_file(filename, self, leaves, slots, size, use_buffer)
        return self._around(buffer, slots, torch.device("cpu"), inplace)

    def _around(self, buffer: Tensor, slots: Any, device: torch.device | None, inplace: bool) -> Self:
        fresh = self._with_leaves(views(buffer, slots))
        if device != self._device:
            record_device(fresh, device)
        if not inplace:
            set_locked(fresh, True)
            keep_buffer(fresh, buffer, slots)
            return fresh
        adopt(self, fresh)
        if device != self._device:
            record_device(self, device)
        set_locked(self, True)
        keep_buffer(self, buffer, slots)
        return self

    def is_consolidated(self) -> bool:
        """Whether all leaves are views of one buffer, which `consolidate` made."""
        return buffer_of(self) is not None

    @classmethod
    def from_consolidated(cls, filename: StrPath) -> Any:
        """Read a file that `consolidate` wrote, mapping it into memory.

        Returns:
            A consolidated, locked container. Writes into its leaves do not reach the file.

        Raises:
            TDValueError: the file is something else, or damaged.
        """
        return read_file(filename)


def _share(leaf: Any) -> None:
    if leaf.is_nested:
        for part in (leaf._values, leaf._offsets, leaf._lengths):
            if part is not None:
                part.share_memory_()
    elif leaf.device.type == "cpu":
        leaf.share_memory_()


def _flag(node: Kernel, sharing: str) -> None:
    node._sharing = sharing
    for _, child in node._nodes():
        _flag(child, sharing)


def _pointers(node: Kernel, storage: bool) -> Any:
    pointers: dict[str, Any] = {}
    for key, value in node._storage.items():
        kind = kind_of(value)
        child = kind.node(value)
        if child is not None:
            pointers[key] = _pointers(child, storage)
            continue
        leaves: list[Tensor] = []
        kind.collect(value, leaves)
        for leaf in leaves:
            pointers[key] = torch.tensor(
                leaf.untyped_storage().data_ptr() if storage else leaf.data_ptr(), device="cpu"
            )
    return Kernel._build(pointers, Size(()), torch.device("cpu"))


def _bytes(leaf: Any) -> int:
    if leaf.is_nested and leaf.layout is torch.jagged:
        parts = (leaf._values, leaf._offsets, leaf._lengths)
        return sum(part.numel() * part.dtype.itemsize for part in parts if part is not None)
    size: int = leaf.numel() * leaf.dtype.itemsize
    if leaf.is_leaf and leaf.grad is not None:
        size += _bytes(leaf.grad)
    return size


def _device_of(td: Kernel, leaves: list[Tensor]) -> torch.device:
    """The device for the buffer: the one recorded, or shared by all leaves, or the CPU."""
    if td._device is not None:
        return td._device
    devices = {leaf.device for leaf in leaves}
    return devices.pop() if len(devices) == 1 else torch.device("cpu")


def _allocate(size: int, device: torch.device, allocation: dict[str, bool]) -> Tensor:
    if allocation["pin_memory"] and not torch.accelerator.is_available():
        raise TDRuntimeError(
            "consolidate(pin_memory=True) needs an accelerator such as CUDA for page-locked memory, and none is "
            "available."
        )
    buffer = torch.empty(size, dtype=torch.uint8, device=device, pin_memory=allocation["pin_memory"])
    if allocation["share_memory"] and buffer.device.type == "cpu":
        buffer.share_memory_()
    return buffer


def _in_background(run: Any) -> Future[Any]:
    pool = ThreadPoolExecutor(1)
    future = pool.submit(run)
    pool.shutdown(wait=False)
    return future
