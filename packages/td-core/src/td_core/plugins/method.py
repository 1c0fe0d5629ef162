"""From the name of a plugin's method to the function behind the generated delegate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .errors import MissingBackendError, PluginConflictError
from .known import KNOWN_METHODS
from .registry import registry, resolved_methods
from .resolve import load_from, method_provider


def plugin_method(name: str) -> Callable[..., Any]:
    """Return the function behind a delegate; after the first call this is a dict look-up.

    Raises:
        MissingBackendError: The plugin is absent, left out, broken, or short of a requirement.
        PluginConflictError: Two plugins claim the method.
    """
    _resolve(name)
    return resolved_methods[name]


def _resolve(name: str) -> None:
    if name not in resolved_methods:
        call = f"TensorDict.{name}()"
        target = method_provider(name, call).target
        resolved_methods[name] = load_from(registry().methods, name, target, call)


# torch.compile runs this as it is instead of tracing the scan and the import. The public decorator,
# torch.compiler.assume_constant_result, sets the same mark, but imports torch._dynamo to do so.
_resolve._dynamo_marked_constant = True  # type: ignore[attr-defined]  # functions take any attribute


def available_methods() -> tuple[str, ...]:
    """Return the sorted names of the plugin methods that can be used here. Nothing they need is imported."""
    return tuple(sorted(name for name in KNOWN_METHODS if _is_usable(name)))


def _is_usable(name: str) -> bool:
    try:
        method_provider(name, name)
    except (MissingBackendError, PluginConflictError):
        return False
    return True
