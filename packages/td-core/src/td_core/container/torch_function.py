"""`__torch_function__`: containers as arguments of torch's functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..ops.torch_functions import HANDLERS
from ..plugins.torch_functions import plugin_torch_function
from .kernel import Kernel


class TorchFunctionMethods(Kernel):
    """Answers the functions of torch that td-core or a plugin handles; torch raises TypeError for the others."""

    @classmethod
    def __torch_function__(
        cls, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        handler = HANDLERS.get(func)
        if handler is None and not torch.compiler.is_compiling():
            handler = plugin_torch_function(func)
        if handler is None:
            return NotImplemented
        return handler(*args, **kwargs) if kwargs else handler(*args)
