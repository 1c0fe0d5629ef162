"""The execution backend `compile`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def compile_callable(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """Compile a function or module over tensordicts.

    Args:
        function: What to compile. A compiled module keeps the attributes of the module, such as `in_keys`.
        options: Passed on to `torch.compile`, such as `fullgraph=True`.
    """
    compiled: Callable[..., Any] = torch.compile(function, **options)
    return compiled
