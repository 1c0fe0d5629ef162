"""Copies between devices: asynchronous by default, with one wait at the end where it is needed.

A copy from an accelerator to the host returns before the data are there, so reading them at once reads garbage. A
`Transfer` notes which devices really sent something, and `finish` waits for those alone. It lives as long as one call:
there is no global state, so transfers of several threads do not see each other, and one that fails leaves nothing
behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import Tensor

from ..errors import TDRuntimeError

_PASSIVE = frozenset({"cpu", "meta"})
"""Device types whose own copies are done when the call returns."""

Wait = Callable[[torch.device], None]


class Transfer:
    """One run of copies to a device.

    Args:
        device: the destination; None leaves every tensor where it is.
        non_blocking: None copies asynchronously and waits in `finish` where that is needed; True never waits, which
            leaves it to the caller; False makes every copy blocking.
        wait: what `finish` calls with each device to wait for. Default: `torch.accelerator.synchronize`.
    """

    __slots__ = ("_sources", "_wait", "device", "non_blocking")

    def __init__(self, device: torch.device | None, non_blocking: bool | None = None, wait: Wait | None = None) -> None:
        self.device = device
        self.non_blocking = non_blocking
        self._wait = wait
        self._sources: set[torch.device] = set()

    def send(
        self, tensor: Tensor, dtype: torch.dtype | None = None, memory_format: torch.memory_format | None = None
    ) -> Tensor:
        """Return the tensor on the destination, with another dtype if one is given; itself if nothing changes."""
        device = self.device
        if tensor.device == device and memory_format is None:
            return tensor if dtype is None or tensor.dtype is dtype else tensor.to(dtype)
        blocking = self.non_blocking is False or torch.compiler.is_compiling()
        if memory_format is not None and tensor.dim() in (4, 5):
            moved = tensor.to(device, dtype, non_blocking=not blocking, memory_format=memory_format)
        else:
            moved = tensor.to(device, dtype, non_blocking=not blocking)
        if not blocking and device is not None and tensor.device != device:
            self._sources.add(tensor.device)
        return moved

    def finish(self) -> None:
        """Wait until what was sent can be read, if the policy asks for it and anything moved."""
        if self.non_blocking is None and self.device is not None and self._sources:
            wait = self._wait or torch.accelerator.synchronize
            for device in devices_to_wait_for(self._sources, self.device):
                wait(device)
        self._sources.clear()


def devices_to_wait_for(sources: Iterable[torch.device], destination: torch.device) -> list[torch.device]:
    """Tell which devices must be synchronised before data sent from `sources` can be read on `destination`.

    CUDA orders its own reads after the copy, so a CUDA destination never waits. Copies to the host wait for the device
    that sends; copies to other accelerators (MPS, XPU) wait for the one that receives too. Copies that involve no
    accelerator are done when the call returns.
    """
    if destination.type == "cuda":
        return []
    waits = {source for source in sources if source.type not in _PASSIVE}
    if destination.type not in _PASSIVE:
        waits.add(destination)
    return sorted(waits, key=str)


def pinned(tensors: Iterable[Tensor], num_threads: int | None = None) -> Iterator[Tensor]:
    """Yield each tensor in page-locked memory, in order.

    Args:
        tensors: the tensors; those that are not on the CPU are yielded as they are.
        num_threads: how many threads pin ahead of the consumer. Default: none, each is pinned when it is asked for.

    Raises:
        TDRuntimeError: there is no accelerator, and so no page-locked memory.
    """
    if not torch.accelerator.is_available():
        raise TDRuntimeError(
            "Tensors cannot be pinned: page-locked memory needs an accelerator such as CUDA, and none is available."
        )
    if not num_threads:
        return map(_pin, tensors)
    return _pinned_ahead(tensors, num_threads)


def _pinned_ahead(tensors: Iterable[Tensor], num_threads: int) -> Iterator[Tensor]:
    with ThreadPoolExecutor(num_threads) as pool:
        yield from pool.map(_pin, tensors)


def _pin(tensor: Tensor) -> Tensor:
    return tensor.pin_memory() if tensor.device.type == "cpu" else tensor
