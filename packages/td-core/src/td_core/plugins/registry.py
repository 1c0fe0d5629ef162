"""What the installed plugins provide, one typed table a hook. Filled at the first look-up, never at import."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

from .errors import PluginConflictError
from .loader import Contribution, LoadedPlugins, load_plugins, selected_plugins
from .record import PluginRecord
from .table import ClassTable, Table
from .types import (
    ConformanceTarget,
    Converter,
    ExecutionBackend,
    LeafType,
    MethodProvider,
    StorageBackend,
    TorchFunction,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    """The tables, and the records of the plugins that filled them.

    Example:
        >>> from td_core.plugins import registry
        >>> registry().execution_backends["eager"].availability().ok
        True
    """

    plugins: tuple[PluginRecord, ...]
    absent: tuple[str, ...]
    storage_backends: Table[StorageBackend]
    execution_backends: Table[ExecutionBackend]
    methods: Table[MethodProvider]
    leaf_types: ClassTable[LeafType]
    converters: ClassTable[Converter]
    torch_functions: Table[TorchFunction]
    conformance_targets: Table[ConformanceTarget]

    @property
    def tables(self) -> dict[str, Table[Any]]:
        """All tables, by hook."""
        return {
            "td_storage_backends": self.storage_backends,
            "td_execution_backends": self.execution_backends,
            "td_methods": self.methods,
            "td_leaf_types": self.leaf_types,
            "td_converters": self.converters,
            "td_torch_functions": self.torch_functions,
            "td_conformance_targets": self.conformance_targets,
        }

    @property
    def conflicts(self) -> tuple[PluginConflictError, ...]:
        """All names that two plugins claim."""
        return tuple(conflict for table in self.tables.values() for conflict in table.conflicts)

    def plugins_of(self, distribution: str) -> tuple[PluginRecord, ...]:
        """Return the records of one distribution; none if it is not installed."""
        return tuple(record for record in self.plugins if record.distribution == distribution)


def _build(loaded: LoadedPlugins) -> Registry:
    def contributions(hook: str) -> list[Contribution]:
        return [contribution for contribution in loaded.contributions if contribution.hook == hook]

    return Registry(
        plugins=loaded.records,
        absent=loaded.absent,
        storage_backends=Table(StorageBackend, contributions("td_storage_backends")),
        execution_backends=Table(ExecutionBackend, contributions("td_execution_backends")),
        methods=Table(MethodProvider, contributions("td_methods")),
        leaf_types=ClassTable(LeafType, contributions("td_leaf_types")),
        converters=ClassTable(Converter, contributions("td_converters")),
        torch_functions=Table(TorchFunction, contributions("td_torch_functions")),
        conformance_targets=Table(ConformanceTarget, contributions("td_conformance_targets")),
    )


resolved_methods: Final[dict[str, Callable[..., Any]]] = {}
"""The plugin methods called so far; filled by `plugin_method`, emptied with the registry."""

_lock = Lock()
_current: Registry | None = None


def registry() -> Registry:
    """Return the registry, filling it at the first call by a scan of the installed plugins."""
    global _current
    if _current is None:
        with _lock:
            if _current is None:
                _current = _build(load_plugins(selected_plugins()))
    return _current


def reset_registry() -> None:
    """Forget what was found, so that the next look-up scans again. For tests, and after installing in a notebook."""
    global _current
    with _lock:
        _current = None
        resolved_methods.clear()
