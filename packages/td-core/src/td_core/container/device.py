"""Devices and dtypes: where the entries are, and `to` with its shorthands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from weakref import ref

import torch
from torch import Tensor
from typing_extensions import Self

from ..devices import normal_device
from ..errors import TDRuntimeError
from ..leaves import kind_of
from ..typing import DeviceLike
from .cast import leaf_paths
from .consolidate import buffer_of, moved_buffer
from .destination import Destination, parse_destination
from .kernel import Kernel
from .sizes import SizeMethods
from .transfer import Transfer, pinned


class DeviceMethods(SizeMethods):
    """`device`, `to`, `cpu`, `cuda`, pinning and streams."""

    @property
    def device(self) -> torch.device | None:
        """The device all entries share, None when they may differ. It is set by `to`, never by assignment."""
        return self._device

    @device.setter
    def device(self, value: Any) -> None:
        raise TDRuntimeError(
            f"The device of a tensordict cannot be assigned (to {value!r}), as that would move no entry. "
            "Use td.to(device), which returns a tensordict on the new device."
        )

    @property
    def is_cpu(self) -> bool:
        """Whether the device is set, and is a CPU."""
        return self._device is not None and self._device.type == "cpu"

    @property
    def is_cuda(self) -> bool:
        """Whether the device is set, and is a CUDA device."""
        return self._device is not None and self._device.type == "cuda"

    @property
    def is_meta(self) -> bool:
        """Whether the device is set, and is the meta device."""
        return self._device is not None and self._device.type == "meta"

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Move or cast every entry; the forms of `torch.Tensor.to`, and more.

        As a context manager, what the block wrote comes back to this container, on its own device and dtypes.

        Args:
            args: `([device], [dtype], [non_blocking])`, or a tensor or tensordict to follow and `[non_blocking]`.
            kwargs: the same by keyword (`device`, `dtype`, `other`, `non_blocking`), and `memory_format`;
                `batch_size`, the batch size of the result; `cast_filter`, asked with the full key and the tensor
                which ones are cast; `inplace` to replace the entries of this container; `non_blocking_pin` to pin
                each tensor before it is sent, by `num_threads` threads. `non_blocking` is None by default: the copies
                are asynchronous, and the call waits for them where the result could otherwise be read too early. True
                never waits; False blocks.

        Returns:
            This container when it is on that device already and nothing else is asked; else a new one, which shares the
            tensors that did not change and is locked if this one is.

        Raises:
            TDTypeError: an argument has no meaning.
            TDValueError: one thing is asked for twice.
            LockedError: `inplace`, and the container is locked.
        """
        out: Any
        cast = False
        if len(args) == 1 and type(args[0]) is torch.dtype and not kwargs:
            dtype, cast = args[0], True
            out = self._with_leaves([leaf.to(dtype) for leaf in self._leaves()])
        elif len(args) == 1 and type(args[0]) in (str, torch.device) and not kwargs and self._is_on(args[0]):
            if self._device is not None:
                self._origin = None
                return self
            out = self._to_device(normal_device(args[0]))
        else:
            destination = parse_destination(args, kwargs)
            if _changes_nothing(self, destination):
                self._origin = None
                return self
            if destination.inplace:
                _receive(self, destination)
                return self
            out = _sent(self, destination)
            cast = destination.dtype is not None
        if self._locked and not out._locked:
            out._locked_like(self)
        out._origin = (ref(self), _back_to(self, cast))
        return out  # type: ignore[no-any-return]  # the class of this container

    def _is_on(self, device: DeviceLike) -> bool:
        """Whether going to a device moves nothing: it is that of this container, or of every leaf of a plain one."""
        wanted = normal_device(device)
        if self._device is not None or buffer_of(self) is not None:
            return self._device == wanted
        return all(leaf.device == wanted for leaf in self._leaves())

    def cpu(self, **kwargs: Any) -> Self:
        """Move to the CPU; keywords as in `to`."""
        return self.to("cpu", **kwargs)

    def cuda(self, device: DeviceLike | None = None, **kwargs: Any) -> Self:
        """Move to a CUDA device, by default the first.

        Raises:
            TDRuntimeError: `device` is not a CUDA device.
        """
        target = torch.device("cuda", device) if isinstance(device, int) else torch.device(device or "cuda")
        if target.type != "cuda":
            raise TDRuntimeError(f"cuda() needs a CUDA device, got {device!r}. Use to({device!r}) instead.")
        return self.to(target, **kwargs)

    def pin_memory(self, num_threads: int | None = None, inplace: bool = False) -> Self:
        """Return a copy in page-locked memory, from which copies to an accelerator run asynchronously.

        Args:
            num_threads: how many threads pin the tensors. Default: the calling one.
            inplace: replace the tensors of this container, and return it.

        Raises:
            LockedError: `inplace`, and the container is locked.
            TDRuntimeError: there is no accelerator.
        """
        if inplace:
            self._require_unlocked("pin")
        out = self._with_leaves(pinned(self._leaves(), num_threads))
        if inplace:
            adopt(self, out)
            return self
        return out._locked_like(self)

    def pin_memory_(self, num_threads: int | None = None) -> Self:
        """Call `pin_memory` with `inplace=True`."""
        return self.pin_memory(num_threads, inplace=True)

    def record_stream(self, stream: Any) -> Self:
        """Tell the allocator that a stream uses the entries, so that their memory is not reused before it is done.

        Returns:
            This container.
        """
        for leaf in self._leaves():
            leaf.record_stream(stream)
        return self

    def clear_device_(self) -> Self:
        """Forget the device, here and in every node; the entries stay where they are.

        Returns:
            This container.
        """
        self._device = None
        for _, node in self._nodes():
            node.clear_device_()  # type: ignore[attr-defined]  # every container has it
        return self

    def auto_device_(self) -> Self:
        """Record the device that all entries share, here and in every node, or each node its own if they differ.

        Returns:
            This container.
        """
        devices = {leaf.device for leaf in self._leaves()}
        if len(devices) == 1:
            record_device(self, devices.pop())
            return self
        self._device = None
        for _, node in self._nodes():
            node.auto_device_()  # type: ignore[attr-defined]  # every container has it
        return self


def adopt(node: Kernel, source: Kernel) -> None:
    """Replace the tensors of a tree by those of another one of the same structure; the containers stay."""
    storage: Any = node._storage
    if type(storage) is not dict and storage.parts is not None:
        for part, new in zip(storage.parts, storage.cut(source), strict=True):
            adopt(part, new)
        return
    for key, new in source._storage.items():
        old = node._storage[key]
        child = kind_of(old).node(old)
        if child is None:
            node._storage[key] = new
        else:
            source_child = kind_of(new).node(new)
            assert source_child is not None, "both trees have the same structure"
            adopt(child, source_child)


def record_device(node: Kernel, device: torch.device | None) -> None:
    """Set the device of a freshly built tree, whose tensors are there already."""
    node._device = device
    storage: Any = node._storage
    if type(storage) is not dict and storage.parts is not None:
        for part in storage.parts:
            record_device(part, device)
        return
    for key, value in node._storage.items():
        if type(value) is Tensor:
            continue
        kind = kind_of(value)
        child = kind.node(value)
        if child is not None:
            record_device(child, device)
        elif kind.is_non_tensor and device is not None:
            node._storage[key] = kind.fit(value, node._batch_size, device)


def _changes_nothing(td: Kernel, destination: Destination) -> bool:
    if destination.dtype is not None or destination.memory_format is not None:
        return False
    if destination.batch_size is not None and destination.batch_size != td._batch_size:
        return False
    return destination.device is None or (destination.device == td._device and not destination.pin)


def _sent(td: Any, destination: Destination) -> Any:
    """Build the tree on the destination, unlocked unless it is consolidated."""
    device, dtype = destination.device, destination.dtype
    if dtype is None and device is not None and destination.batch_size is None and destination.memory_format is None:
        consolidated = moved_buffer(td, Transfer(device, destination.non_blocking), destination.pin)
        if consolidated is not None:
            return consolidated
    leaves: Iterable[Tensor] = td._leaves()
    if destination.pin:
        leaves = pinned(leaves, destination.num_threads)
    transfer = Transfer(device, destination.non_blocking)
    memory_format = destination.memory_format
    try:
        if destination.cast_filter is None or dtype is None:
            sent = [transfer.send(leaf, dtype, memory_format) for leaf in leaves]
        else:
            cast = destination.cast_filter
            sent = [
                transfer.send(leaf, dtype if cast(path, leaf) else None, memory_format)
                for path, leaf in zip(leaf_paths(td, ()), leaves, strict=True)
            ]
        out = td._with_leaves(sent)
    finally:
        transfer.finish()
    if device is not None:
        record_device(out, device)
    if destination.batch_size is not None:
        if type(out._storage) is dict:
            out.batch_size = destination.batch_size
        else:
            out = out._rebatched(destination.batch_size)
    return out


def _receive(td: Any, destination: Destination) -> None:
    """Replace the entries of a tree by what `to` would return; the containers stay."""
    td._require_unlocked("move")
    adopt(td, _sent(td, destination))
    if destination.device is not None:
        record_device(td, destination.device)
    if destination.batch_size is not None:
        td.batch_size = destination.batch_size
    td._origin = None


def _back_to(td: Any, cast: bool) -> Any:
    """Return what the end of `with td.to(...)` does: entries return to their device, and to their dtype if it changed.

    Args:
        td: the container that was moved.
        cast: whether it was cast, so that a new value of an entry has to be cast back.
    """

    def back(result: Any) -> Any:
        home = td._device
        returned = result._with_leaves(
            [leaf if home is None else leaf.to(home) for leaf in result._leaves()],
        )
        if home is None:
            record_device(returned, None)
        else:
            record_device(returned, normal_device(home))
        returned = returned._rebatched(td._batch_size)
        for key in returned.keys(True, True):
            old, new = td.get(key), returned.get(key)
            if isinstance(old, Tensor) and isinstance(new, Tensor):
                returned.set(key, new.to(old.device, old.dtype if cast else None))
        return returned

    return back
