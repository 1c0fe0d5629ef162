"""The tree that notebooks show: one row an entry, nodes that fold, colours taken from the page (dark or light)."""

from __future__ import annotations

from html import escape
from typing import Any

from .describe import (
    Unreadable,
    dims,
    entries,
    human_bytes,
    is_python_data,
    node_of,
    short_dtype,
    type_name,
    value_bytes,
)
from .kernel import Kernel

_OPEN_LEVELS = 2
_OPEN_ENTRIES = 30
_MAX_ENTRIES = 200
_MAX_VALUE = 60

_ROOT = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:0.9em;line-height:1.5;color:inherit"
_LIST = "list-style:none;margin:0;padding:0 0 0 1.2em;border-left:1px solid rgba(128,128,128,0.35)"
_KEY = "font-weight:600"
_KIND = "display:inline-block;padding:0 0.4em;border-radius:0.3em;background:rgba(128,128,128,0.18)"
_NOTE = "opacity:0.7"


def html_tree(root: Kernel, sort: bool) -> str:
    """Return the container as a fragment of HTML."""
    return f'<div style="{_ROOT}">{_node(None, root, None, 0, sort)}</div>'


def _node(key: str | None, node: Any, parent: Any, depth: int, sort: bool) -> str:
    """Return a node that folds; the upper levels are open."""
    items = list(entries(node, sort))
    rows = [_entry(name, value, node, depth, sort) for name, value in items[:_MAX_ENTRIES]]
    if len(items) > _MAX_ENTRIES:
        rows.append(f'<li style="{_NOTE}">… {len(items) - _MAX_ENTRIES:,} more entries</li>')
    body = f'<ul style="{_LIST}">{"".join(rows)}</ul>' if rows else ""
    opened = " open" if depth == 0 or (depth < _OPEN_LEVELS and len(items) <= _OPEN_ENTRIES) else ""
    title = "" if key is None else f'<span style="{_KEY}">{escape(key)}</span> '
    kind = f'<span style="{_KIND}">{escape(type(node).__name__)}</span>'
    notes = _note(", ".join(_node_notes(node, parent, len(items))))
    return f'<details{opened}><summary style="cursor:pointer">{title}{kind} {notes}</summary>{body}</details>'


def _node_notes(node: Any, parent: Any, n: int) -> list[str]:
    notes = [f"batch_size={dims(node._batch_size)}"]
    if node._names is not None and (parent is None or parent._names != node._names):
        notes.append(f"names={dims(node._names)}")
    if node._device is not None and (parent is None or parent._device != node._device):
        notes.append(f"device={node._device}")
    if node._locked and (parent is None or not parent._locked):
        notes.append("locked")
    notes.append("1 entry" if n == 1 else f"{n:,} entries")
    notes.append(human_bytes(value_bytes(node)))
    return notes


def _entry(key: str, value: Any, node: Any, depth: int, sort: bool) -> str:
    child = node_of(value)
    if child is not None:
        return f"<li>{_node(key, child, node, depth + 1, sort)}</li>"
    if isinstance(value, Unreadable):
        kind, notes = "unreadable", [value.reason]
    elif is_python_data(value):
        kind, notes = _python_data(value)
    else:
        kind = type_name(value)
        notes = [
            f"{short_dtype(value.dtype)}{dims(value.shape)}",
            str(value.device),
            human_bytes(value_bytes(value)),
        ]
        if value.requires_grad:
            notes.append("requires grad")
    shown = f'<span style="{_KEY}">{escape(key)}</span> <span style="{_KIND}">{escape(kind)}</span>'
    return f"<li>{shown} {_note(', '.join(notes))}</li>"


def _python_data(value: Any) -> tuple[str, list[str]]:
    """The kind and notes of non-tensor data: the value, or the first rows of a column."""
    if value.is_shared_value:
        return type(value.data).__name__, [_shortened(repr(value.data))]
    rows = value[:_MAX_VALUE].tolist() if value.batch_size else value.tolist()
    return "column", [dims(value.batch_size), _shortened(repr(rows))]


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_VALUE else text[: _MAX_VALUE - 1] + "…"


def _note(text: str) -> str:
    return f'<span style="{_NOTE}">{escape(text)}</span>'
