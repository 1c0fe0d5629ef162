"""The torch functions that plugins give a meaning on tensordicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .registry import registry
from .resolve import load_from


def plugin_torch_function(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """Return what a plugin runs in place of a torch function, or None.

    Raises:
        MissingBackendError: The implementation could not be imported.
    """
    table = registry().torch_functions
    for name, descriptor in table.items():
        if _function_named(name) is function:
            return load_from(table, name, descriptor.impl, f"{name}()")
    return None


def _function_named(name: str) -> object:
    """Return the function at a dotted path such as `torch.special.erf`, or None in a torch that lacks it."""
    root, *parts = name.split(".")
    found: Any = torch if root == "torch" else None
    for part in parts:
        found = getattr(found, part, None)
    return found
