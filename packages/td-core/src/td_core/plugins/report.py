"""The text of `python -m td_core plugins`: the first thing to ask for in a bug report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .loader import SELECTION_VARIABLE
from .registry import Registry
from .table import Table


def plugin_report(found: Registry) -> str:
    """Describe the plugins, what they provide, and what went wrong."""
    return "\n".join([*_plugins(found), "", *_tables(found), *_problems(found)])


def is_healthy(found: Registry) -> bool:
    """Tell whether every selected plugin loaded, without a failing hook and without a name claimed twice."""
    return not (found.absent or found.conflicts or any(record.errors for record in found.plugins))


def _plugins(found: Registry) -> Iterator[str]:
    yield "Plugins"
    for record in found.plugins:
        yield f"  {record.label:32s} {record.status:9s} {record.target}"


def _tables(found: Registry) -> Iterator[str]:
    for hook, table in found.tables.items():
        if table or table.conflicts:
            yield hook
            yield from (_row(table, name) for name in table)


def _row(table: Table[Any], name: str) -> str:
    availability = table[name].availability()
    state = "ok" if availability.ok else f"not usable: {availability.reason}"
    return f"  {name:20s} {table.provider(name).distribution:16s} {state}"


def _problems(found: Registry) -> Iterator[str]:
    problems = [f"{record.label}: {error}" for record in found.plugins for error in record.errors]
    problems += [str(conflict) for conflict in found.conflicts]
    problems += [f"{SELECTION_VARIABLE} names {name!r}, which no installed plugin is called." for name in found.absent]
    if problems:
        yield ""
        yield "Problems"
        yield from (f"  {problem}" for problem in problems)
