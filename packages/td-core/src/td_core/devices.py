"""Devices as users write them."""

from __future__ import annotations

import torch

from .typing import DeviceLike


def normal_device(device: DeviceLike) -> torch.device:
    """Convert to a `torch.device`; an accelerator without an index means index 0, not the current device."""
    result = torch.device(device)
    if result.index is None and result.type not in ("cpu", "meta"):
        return torch.device(result.type, 0)
    return result
