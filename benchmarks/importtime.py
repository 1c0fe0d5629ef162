"""The command ``importtime``: what importing a library adds to ``import torch``, in fresh processes."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

PROGRAM = """
import json, sys, time
start = time.perf_counter()
import torch
between = time.perf_counter()
before = set(sys.modules)
if {name!r} != "torch":
    import {name}
end = time.perf_counter()
added = len(set(sys.modules) - before)
print(json.dumps({{"torch": between - start, "seconds": end - between, "modules": added}}))
"""


def import_once(name: str) -> dict[str, float]:
    """Import torch, then a library, in a process of its own, and time both.

    Raises:
        RuntimeError: if the import fails.
    """
    process = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(name=name)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parent.parent,
    )
    if process.returncode:
        raise RuntimeError(f"import {name} failed in a fresh process:\n{process.stderr}")
    measured: dict[str, float] = json.loads(process.stdout)
    return measured


def import_times(names: list[str], rounds: int) -> dict[str, Any]:
    """Time the imports round-robin, after one round that warms the disk cache."""
    for name in names:
        import_once(name)
    samples: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            samples[name].append(import_once(name))
    return {
        "rounds": rounds,
        "torch": statistics.median(sample["torch"] for entries in samples.values() for sample in entries),
        "libraries": {
            name: {
                "seconds": statistics.median(sample["seconds"] for sample in entries),
                "least": min(sample["seconds"] for sample in entries),
                "modules": int(entries[0]["modules"]),
            }
            for name, entries in samples.items()
        },
    }
