"""The leaf kinds that plugins add, looked up once for each type that a container meets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .registry import registry
from .resolve import load_from

if TYPE_CHECKING:
    from ..leaves import LeafKind

_OWN: Final = frozenset({"builtins", "numpy", "td_core", "torch"})
"""Packages whose types td-core knows itself: to store them, nobody looks for plugins."""


def plugin_kind(type_: type) -> LeafKind | None:
    """Return the kind that a plugin declares for a type or the nearest of its bases, or None.

    Raises:
        PluginConflictError: Two plugins claim the type.
        MissingBackendError: The handler could not be imported.
    """
    if type_.__module__.partition(".")[0] in _OWN:
        return None
    table = registry().leaf_types
    found = table.serving(type_)
    return None if found is None else load_from(table, found.name, found.handler, f"Storing a {type_.__qualname__}")()
