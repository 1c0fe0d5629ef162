"""The printed form of a container: compact by default, detailed by `set_printoptions(compact=False)`."""

from __future__ import annotations

import textwrap
from typing import Any

import torch

from ..abc import LeafSpec
from .describe import (
    Unreadable,
    dims,
    entries,
    feature_dims,
    is_python_data,
    is_shared,
    node_is_shared,
    node_of,
    short_dtype,
    type_name,
)
from .html import html_tree
from .kernel import Kernel
from .printoptions import get_printoptions

_WIDTH = 80
_INDENT = " " * 4


class ReprMethods(Kernel):
    """`__repr__` and `_repr_html_`."""

    def __repr__(self) -> str:
        options = get_printoptions()
        return _compact(self, options) if options["compact"] else _detailed(self, options)

    def _repr_html_(self) -> str | None:
        """Return the tree for notebooks; None when the options turn it off."""
        options = get_printoptions()
        if not (options["html"] and options["compact"]):
            return None
        return html_tree(self, sort=options["sort_keys"] == "alphabetical")


# -- compact ----------------------------------------------------------------------------------------------------------


def _compact(root: Kernel, options: dict[str, Any]) -> str:
    attributes = _attributes(root, options)
    head = f"{type(root).__name__}({attributes}, " if attributes else f"{type(root).__name__}("
    fields = _Fields(options, root._device)
    exclusive = _exclusive(root, fields.any)
    tail = f", exclusive_fields={exclusive})" if exclusive else ")"
    line = fields.inline(root)
    if line is not None and len(head) + len(f"fields={line}{tail}") <= _WIDTH:
        return f"{head}fields={line}{tail}"
    return f"{head}fields={fields.block(root, 1)}{tail}"


def _exclusive(node: Any, written: Any) -> str:
    """Return the entries that only some members of a lazy stack have, by member: "{0: {b: f32[2]}}"; "" for none."""
    storage = node._storage
    if type(storage) is dict or storage.parts is None:
        return ""
    members = []
    for i, own in enumerate(storage.exclusive()):
        if own:
            fields = ", ".join(f"{key}: {written(value, storage.parts[i])}" for key, value in own.items())
            members.append(f"{i}: {{{fields}}}")
    return "{" + ", ".join(members) + "}" if members else ""


def _attributes(root: Any, options: dict[str, Any]) -> str:
    """What stands before the fields: batch size, device, names, and what the storage has to say."""
    parts = []
    if options["show_batch_size"]:
        parts.append(f"batch_size={dims(root._batch_size)}")
    if root._names is not None:
        parts.append(f"names={dims(root._names)}")
    if options["show_device"] and root._device is not None:
        parts.append(f"device={root._device}")
    stack_dim = getattr(root, "stack_dim", None)
    if stack_dim is not None:
        parts.append(f"stack_dim={stack_dim}")
    return ", ".join(parts)


class _Fields:
    """Writes `{key: f32[3], ...}`, on one line where that fits and else an entry a line."""

    def __init__(self, options: dict[str, Any], device: torch.device | None) -> None:
        self.options = options
        self.sort = options["sort_keys"] == "alphabetical"
        self.device = torch.device("cpu") if device is None else device
        self._lines: dict[int, tuple[Kernel, str | None]] = {}

    def inline(self, node: Kernel) -> str | None:
        """Return the fields on one line; None when they are longer than a line."""
        if id(node) not in self._lines:
            self._lines[id(node)] = (node, self._inline(node))  # the node is kept: another one may not get its id
        return self._lines[id(node)][1]

    def _inline(self, node: Kernel) -> str | None:
        parts: list[str] = []
        length = 2
        for key, value in entries(node, self.sort):
            child = node_of(value)
            text = self.leaf(value, node) if child is None else self.inline(child)
            if text is None:
                return None
            if child is not None:
                text = self.extra(child, node) + text
            parts.append(f"{key}: {text}")
            length += len(parts[-1]) + 2
            if length > _WIDTH + 2:
                return None
        return "{" + ", ".join(parts) + "}"

    def block(self, node: Kernel, depth: int) -> str:
        """Return the fields with an entry a line, indented by `depth`."""
        lines = []
        for key, value in entries(node, self.sort):
            child = node_of(value)
            if child is None:
                lines.append(f"{key}: {self.leaf(value, node)}")
                continue
            text = self.inline(child)
            if text is None or len(_INDENT * depth) + len(f"{key}: {self.extra(child, node)}{text},") > _WIDTH:
                text = self.block(child, depth + 1)
            lines.append(f"{key}: {self.extra(child, node)}{text}")
        indent = "\n" + _INDENT * depth
        return "{" + indent + f",{indent}".join(lines) + "}"

    def any(self, value: Any, node: Kernel) -> str:
        """Return an entry of any kind on one line."""
        child = node_of(value)
        if child is None:
            return self.leaf(value, node)
        return self.extra(child, node) + (self.inline(child) or "{...}")

    def extra(self, child: Kernel, parent: Kernel) -> str:
        """The batch dims a node has beyond those of its parent."""
        more = child._batch_size[len(parent._batch_size) :]
        return dims(more) if more else ""

    def leaf(self, value: Any, node: Kernel) -> str:
        """Return the dtype and the dims after the batch dims, or the type of a Python value."""
        if isinstance(value, Unreadable):
            return f"<{value.reason}>"
        if is_python_data(value):
            return type(value.data).__name__ if value.is_shared_value else type_name(value)
        dtype = short_dtype(value.dtype) if self.options["show_dtype"] else ""
        text = dtype + feature_dims(value.shape, len(node._batch_size))
        if self.options["show_device"] and value.device != self.device:
            text += f"@{value.device}"
        return text


# -- detailed ---------------------------------------------------------------------------------------------------------


def _detailed(node: Any, options: dict[str, Any]) -> str:
    """Return the form with a `Tensor(...)` line an entry."""
    lines = []
    for key, value in entries(node, options["sort_keys"] == "alphabetical"):
        lines.append(f"{key}: {_detailed_entry(value, options)}")
    fields = ",\n".join(textwrap.indent(line, _INDENT) for line in lines)
    parts = [f"fields={{\n{fields}}}"]
    if options["show_batch_size"]:
        parts.append(f"batch_size={torch.Size(node._batch_size)}")
    if options["show_device"]:
        parts.append(f"device={node._device}")
    if options["show_is_shared"]:
        parts.append(f"is_shared={node_is_shared(node)}")
    stack_dim = getattr(node, "stack_dim", None)
    exclusive = _exclusive(node, lambda value, member: _detailed_entry(value, options))
    if exclusive:
        parts.insert(1, f"exclusive_fields={exclusive}")
    if stack_dim is not None:
        parts.append(f"stack_dim={stack_dim}")
    return f"{type(node).__name__}(\n" + textwrap.indent(",\n".join(parts), _INDENT) + ")"


def _detailed_entry(value: Any, options: dict[str, Any]) -> str:
    child = node_of(value)
    if child is not None:
        return _detailed(child, options)
    if is_python_data(value) or isinstance(value, Unreadable):
        return repr(value)
    return f"{type_name(value)}({', '.join(_leaf_details(value, options))})"


def _leaf_details(value: Any, options: dict[str, Any]) -> list[str]:
    shown = []
    if options["show_shape"]:
        shape = ", ".join(str(n) for n in value.shape)
        shown.append(f"shape=torch.Size([{shape}])")
    if options["show_field_device"]:
        shown.append(f"device={value.device}")
    if options["show_dtype"]:
        shown.append(f"dtype={value.dtype}")
    if options["show_field_is_shared"]:
        shown.append(f"is_shared={is_shared(value)}")
    if options["show_grad"]:
        shown.append(f"requires_grad={value.requires_grad}")
    if isinstance(value, LeafSpec):
        return shown
    if options["show_is_contiguous"]:
        shown.append(f"is_contiguous={value.is_contiguous()}")
    if options["show_is_view"]:
        shown.append(f"is_view={value._is_view()}")
    if options["show_storage_size"]:
        shown.append(f"storage_size={value.untyped_storage().nbytes()}")
    if options["plain"] and value.numel():
        shown.extend(_statistics(value))
    return shown


def _statistics(value: Any) -> list[str]:
    """Return mean and std of numbers with a fraction, min and max of others."""
    try:
        if value.is_floating_point() or value.is_complex():
            std = value.std(correction=0).item()
            return [f"mean={value.mean().item():.4g}", f"std={std:.4g}"]
        return [f"min={value.min().item()}", f"max={value.max().item()}"]
    except (RuntimeError, NotImplementedError):
        return []  # no values to look at (meta, fake), or no such reduction for this kind of tensor
