"""A description of the machine and of what was measured on it."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path
from types import ModuleType

import torch

from .sides import Side


def describe(sides: list[Side]) -> dict[str, str]:
    """Name the processor, the cores, and the versions of Python, torch and the libraries."""
    facts = {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "torch threads": str(torch.get_num_threads()),
    }
    facts.update({side.name: f"{side.library.__name__} {_version(side.library)}" for side in sides if side.library})
    return facts


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def _version(library: ModuleType) -> str:
    """Read the version from the distribution, or from the module where it runs from a checkout."""
    try:
        return metadata.version(library.__name__.replace("_", "-"))
    except metadata.PackageNotFoundError:
        return str(getattr(library, "__version__", "(checkout)"))
