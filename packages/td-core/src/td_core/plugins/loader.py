"""Find the plugins, register them with pluggy, and record how it went.

pluggy's own `load_setuptools_entrypoints` stops at the first plugin that raises; here each plugin stands for itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version
from typing import Final

import pluggy

from . import builtin
from .errors import PluginError, PluginLoadError, PluginTypeError
from .record import PluginRecord, normalized_distribution
from .specs import GROUP, HOOKS, PROJECT, TDSpecs
from .types import Descriptor

SELECTION_VARIABLE: Final = "TD_PLUGINS"
"""Environment variable that selects plugins by entry-point name: unset all, empty none, else a comma-separated list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """One descriptor and the plugin that yielded it."""

    hook: str
    descriptor: Descriptor
    plugin: PluginRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedPlugins:
    """The outcome of a scan.

    Args:
        records: All plugins, the built-in one first, the others by distribution and name.
        contributions: All descriptors, in the order of the records.
        absent: Names in `TD_PLUGINS` that no installed plugin has.
    """

    records: tuple[PluginRecord, ...]
    contributions: tuple[Contribution, ...]
    absent: tuple[str, ...]


def selected_plugins() -> frozenset[str] | None:
    """Read `TD_PLUGINS`: the names to load, or None for all."""
    text = os.environ.get(SELECTION_VARIABLE)
    return None if text is None else frozenset(name for name in map(str.strip, text.split(",")) if name)


def load_plugins(selection: frozenset[str] | None) -> LoadedPlugins:
    """Scan the entry points, import the selected plugins and collect what they yield."""
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(TDSpecs)
    records = [_register(manager, _builtin_record(), builtin)]
    for entry_point in sorted(entry_points(group=GROUP), key=lambda entry: (_distribution(entry), entry.name)):
        record = _record(entry_point)
        if selection is None or record.name in selection:
            records.append(_load(manager, record, entry_point))
        else:
            records.append(replace(record, status="left out"))
    contributions: list[Contribution] = []
    for position, record in enumerate(records):
        if record.status == "loaded":
            found, errors = _collect(manager, record)
            records[position] = replace(record, errors=record.errors + errors)
            contributions.extend(found)
    absent = sorted((selection or frozenset()) - {record.name for record in records})
    return LoadedPlugins(records=tuple(records), contributions=tuple(contributions), absent=tuple(absent))


def _builtin_record() -> PluginRecord:
    try:
        found = version("td-core")
    except PackageNotFoundError:  # run from a source tree
        found = "(not installed)"
    return PluginRecord(name="builtin", distribution="td-core", version=found, target=builtin.__name__)


def _record(entry_point: EntryPoint) -> PluginRecord:
    return PluginRecord(
        name=entry_point.name,
        distribution=_distribution(entry_point),
        version=entry_point.dist.version if entry_point.dist is not None else "unknown",
        target=entry_point.value,
    )


def _distribution(entry_point: EntryPoint) -> str:
    return normalized_distribution(entry_point.dist.name) if entry_point.dist is not None else "unknown"


def _load(manager: pluggy.PluginManager, record: PluginRecord, entry_point: EntryPoint) -> PluginRecord:
    try:
        plugin = entry_point.load()
    except Exception as error:  # whatever a third party's module raises while it is imported
        failure = PluginLoadError(record.target, f"{type(error).__name__}: {error}")
        failure.__cause__ = error
        return replace(record, status="failed", errors=(failure,))
    return _register(manager, record, plugin)


def _register(manager: pluggy.PluginManager, record: PluginRecord, plugin: object) -> PluginRecord:
    try:
        manager.register(plugin, name=record.key)
    except (pluggy.PluginValidationError, ValueError) as error:  # ValueError: the module is registered already
        failure = PluginTypeError(record.label, "registration", str(error))
        failure.__cause__ = error
        return replace(record, status="failed", errors=(failure,))
    unknown = sorted(caller.name for caller in manager.get_hookcallers(plugin) or () if not caller.has_spec())
    reason = f"there is no such hook; the hooks are {', '.join(HOOKS)}"
    return replace(record, errors=tuple(PluginTypeError(record.label, hook, reason) for hook in unknown))


def _collect(manager: pluggy.PluginManager, record: PluginRecord) -> tuple[list[Contribution], tuple[PluginError, ...]]:
    found: list[Contribution] = []
    errors: list[PluginError] = []
    for hook, expected in HOOKS.items():
        for implementation in getattr(manager.hook, hook).get_hookimpls():
            if implementation.plugin_name != record.key:
                continue
            try:
                descriptors = _checked(record, hook, expected, implementation.function())
            except Exception as error:  # a hook is third-party code too: one that raises costs its own descriptors only
                failure = error if isinstance(error, PluginError) else PluginTypeError(record.label, hook, repr(error))
                failure.__cause__ = None if failure is error else error
                errors.append(failure)
            else:
                found.extend(Contribution(hook=hook, descriptor=item, plugin=record) for item in descriptors)
    return found, tuple(errors)


def _checked(record: PluginRecord, hook: str, expected: type[Descriptor], answer: object) -> list[Descriptor]:
    if not isinstance(answer, Iterable):
        raise PluginTypeError(record.label, hook, f"it must yield {expected.__name__} objects, got {answer!r}")
    descriptors: list[Descriptor] = []
    for item in answer:
        if not isinstance(item, expected):
            raise PluginTypeError(record.label, hook, f"it must yield {expected.__name__} objects, got {item!r}")
        descriptors.append(item)
    return descriptors
