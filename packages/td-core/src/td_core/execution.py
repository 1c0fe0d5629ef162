"""Run a callable through an execution backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .plugins.errors import MissingBackendError
from .plugins.registry import registry
from .plugins.resolve import execution_backend, load_from


def with_backend(function: Callable[..., Any], backend: str = "eager", /, **options: object) -> Callable[..., Any]:
    """Return a callable that does what `function` does, run by an execution backend.

    Args:
        function: A function or module over tensordicts.
        backend: The name of the backend, such as `"eager"`, or `"compile"` of td-nn.
        options: Passed on to the backend.

    Raises:
        MissingBackendError: The plugin of the backend cannot be used here.
        PluginLookupError: There is no such backend.
    """
    call = f"with_backend({backend!r})"
    found = execution_backend(backend, call)
    table = registry().execution_backends
    if found.wrap is None:
        provider = table.provider(backend)
        raise MissingBackendError.outdated(call, provider.distribution, provider.version, provider.distribution)
    return load_from(table, backend, found.wrap, call)(function, **options)
