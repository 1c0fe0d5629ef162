"""Whether CUDA graphs can be used here."""

from __future__ import annotations

import torch

from td_core.plugins import Availability


def machine_support() -> Availability:
    """Tell whether this torch and this machine can capture CUDA graphs."""
    if torch.version.cuda is None:
        return Availability(False, f"torch {torch.__version__} is built without CUDA")
    if not torch.cuda.is_available():
        return Availability(False, "torch finds no usable CUDA device")
    return Availability(True)


def cuda_graph_availability() -> Availability:
    """Tell whether the execution backend `cuda-graph` can be used here."""
    machine = machine_support()
    if not machine.ok:
        return machine
    return Availability(False, "CUDA graphs work on this machine, but this td-cuda does not wrap functions yet")
