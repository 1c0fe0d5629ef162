"""What is shown of a value: its kind, dtype, shape, device and size. Nothing here raises, whatever the value."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ..abc import LeafSpec
from ..leaves import kind_of_type
from .kernel import Kernel

_ABBREVIATIONS = (("bfloat", "bf"), ("float", "f"), ("complex", "c"), ("uint", "u"), ("int", "i"))


@dataclass(frozen=True)
class Unreadable:
    """Stands for an entry that its storage cannot give as one value."""

    reason: str


def entries(node: Kernel, sort: bool) -> Iterator[tuple[str, Any]]:
    """Yield the entries of one level, by name or in insertion order."""
    storage = node._storage
    for key in sorted(storage) if sort else list(storage):
        try:
            yield key, _shown(storage[key] if type(storage) is dict else storage.peek(key))  # type: ignore[union-attr]
        except Exception as error:  # a repr must show what it can
            yield key, Unreadable(f"{type(error).__name__}")


def _shown(value: Any) -> Any:
    """Describe a strided nested tensor, which has no shape to ask for; other values are shown as they are."""
    if not (isinstance(value, Tensor) and value.is_nested and value.layout is torch.strided):
        return value
    sizes = {tuple(row.shape) for row in value.unbind()}
    rest = [dims[0] if len(set(dims)) == 1 else -1 for dims in zip(*sizes, strict=True)]
    return LeafSpec("NestedTensor", (value.size(0), *rest), value.dtype, value.device, value.requires_grad)


def node_of(value: Any) -> Any:
    """Return the container behind a value, None when it is a leaf."""
    kind = kind_of_type(type(value))
    return None if kind is None else kind.node(value)


def is_python_data(value: Any) -> bool:
    """Whether a value is non-tensor data."""
    kind = kind_of_type(type(value))
    return kind is not None and kind.is_non_tensor


def type_name(value: Any) -> str:
    """Return the name a leaf is shown under: "Tensor", "Parameter", "NestedTensor"..."""
    return value.type_name if isinstance(value, LeafSpec) else type(value).__name__


def short_dtype(dtype: torch.dtype) -> str:
    """Abbreviate a dtype: "f32", "i64", "bool"..."""
    name = str(dtype).removeprefix("torch.")
    for long, short in _ABBREVIATIONS:
        if name.startswith(long):
            return short + name[len(long) :]
    return name


def dims(sizes: Sequence[Any]) -> str:
    """Return sizes in brackets without spaces: "[2,3]"."""
    return "[" + ",".join(str(n) for n in sizes) + "]"


def feature_dims(shape: Sequence[Any], batch_dims: int) -> str:
    """Return the sizes after the batch dims."""
    return dims(list(shape)[batch_dims:])


def is_shared(value: Any) -> bool:
    """Whether a tensor lies in shared memory; False where the question has no answer (fake or sparse tensors)."""
    try:
        return bool(value.is_shared())
    except (RuntimeError, NotImplementedError, AttributeError):
        return False


def node_is_shared(node: Kernel) -> bool:
    """Whether a container is flagged as lying in shared memory."""
    return node._sharing == "shared"


def value_bytes(value: Any) -> int:
    """Return the bytes of the elements of a leaf, or of all tensors below a node."""
    if isinstance(value, Tensor):
        try:
            return value.numel() * value.element_size()
        except (RuntimeError, NotImplementedError):
            return 0
    if isinstance(value, LeafSpec):
        return 0 if -1 in value.shape else math.prod(value.shape) * value.dtype.itemsize
    node = node_of(value)
    if node is None:
        return 0
    return sum(value_bytes(child) for _, child in entries(node, False))


def human_bytes(n: int) -> str:
    """Write a number of bytes for people: "512 B", "1.5 KiB"."""
    if n < 1024:
        return f"{n} B"
    size = float(n)
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        size /= 1024
        if size < 1024 or unit == "TiB":
            break
    return f"{size:.1f} {unit}"
