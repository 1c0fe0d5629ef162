"""Building containers from Python objects: dicts, tuples, named tuples, dataclasses, and what nests in them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from operator import index
from typing import Any

import numpy as np
import torch
from torch import Size, Tensor

from ..devices import normal_device
from ..errors import TDTypeError, TDValueError
from ..leaves import kind_of_type
from ..leaves.normalise import as_leaf
from ..plugins.registry import registry
from ..typing import DeviceLike
from .kernel import Kernel
from .struct_array import fields_of

BatchSize = Sequence[int] | int | None


@dataclasses.dataclass(frozen=True, slots=True)
class Sizing:
    """How the batch size and device of a conversion are found.

    Args:
        method: the name of the method, for messages.
        batch_size: the batch size. Default: empty.
        auto: take the largest leading shape that all entries share, in every node.
        batch_dims: the most dims to take; implies `auto` unless `auto` is False.
        device: where to move every entry. Default: nowhere.
        names: the names of the dims of the finished batch size.

    Raises:
        TDValueError: a batch size is both given and to be found.
    """

    method: str
    batch_size: BatchSize = None
    auto: bool | None = None
    batch_dims: int | None = None
    device: DeviceLike | None = None
    names: Sequence[str | None] | None = None

    def __post_init__(self) -> None:
        if self.batch_size is not None and (self.batch_dims is not None or self.auto):
            asked = "batch_dims" if self.batch_dims is not None else "auto_batch_size=True"
            raise TDValueError(
                f"{self.method}() takes either batch_size, or auto_batch_size and batch_dims to find it, not both: got "
                f"batch_size={self.batch_size!r} and {asked}."
            )

    def build(self, items: Iterable[tuple[Any, Any]]) -> Any:
        """Build a dense container of the items."""
        device = None if self.device is None else normal_device(self.device)
        out = Kernel._build({}, as_size(self.batch_size), device)
        out._take(items)
        return self.finish(out)

    def finish(self, out: Any) -> Any:
        """Find the batch size of a finished container if that is asked, and name its dims."""
        if self.auto or (self.auto is None and self.batch_dims is not None):
            out.auto_batch_size_(self.batch_dims)
        if self.names is not None:
            out.names = self.names
        return out


def as_size(size: Any) -> Size:
    """Read a batch size: a sequence, a number, or None for the empty one.

    Raises:
        TDValueError: it is nothing of these.
    """
    if size is None:
        return Size(())
    if type(size) is Size:
        return size
    try:
        if type(size) in (list, tuple) or isinstance(size, Iterable):
            return Size(size)
        if isinstance(size, torch.SymInt):  # index() would turn a dynamic size to a constant
            return Size((size,))  # type: ignore[arg-type]  # torch takes it
        return Size((index(size),))
    except TypeError as error:
        raise TDValueError(f"batch_size must be a sequence of ints or an int, got {size!r}.") from error


def container_of(value: Any) -> Any:
    """Return the container behind a value (itself, or that of a tensorclass), None for anything else."""
    kind = kind_of_type(type(value))
    return None if kind is None else kind.node(value)


def from_mapping(source: Any, sizing: Sizing) -> Any:
    """Build from a dict, or copy a container shallowly; the source is not changed.

    Raises:
        TDTypeError: `source` is neither.
    """
    node = container_of(source)
    if node is not None:
        copy = node._shallow_copy()
        if sizing.device is not None:
            copy = copy.to(sizing.device)
        if sizing.batch_size is not None:
            copy.batch_size = as_size(sizing.batch_size)
        return sizing.finish(copy)
    if not isinstance(source, Mapping):
        raise TDTypeError(f"{sizing.method}() takes a dict or a tensordict, got a {type(source).__name__}: {source!r}.")
    return sizing.build(source.items())


def from_mapping_like(model: Any, source: Any, sizing: Sizing) -> Any:
    """Build from a dict whose sub-dicts take the class of the entry of `model` under the same key."""
    if container_of(source) is not None:
        return from_mapping(source, sizing)
    items = []
    for key, value in source.items():
        old = model.get(key) if isinstance(value, Mapping) else None
        node = None if old is None else container_of(old)
        if node is not None:
            kind = kind_of_type(type(old))
            assert kind is not None, "container_of found one"
            value = kind.wrap(old, node.from_dict_instance(value))
        items.append((key, value))
    return sizing.build(items)


def from_sequence(source: Any, sizing: Sizing) -> Any:
    """Build from a tuple or list, with the position of each item as its key; items are converted by `from_any`.

    Raises:
        TDTypeError: `source` is something else.
    """
    if not isinstance(source, (tuple, list)):
        raise TDTypeError(f"{sizing.method}() takes a tuple or a list, got a {type(source).__name__}: {source!r}.")
    return sizing.build((str(i), from_object(item)) for i, item in enumerate(source))


def is_named_tuple(value: object) -> bool:
    """Tell whether a value is a named tuple, from `collections` or `typing`."""
    return isinstance(value, tuple) and hasattr(value, "_fields")


def from_named_tuple(source: Any, sizing: Sizing) -> Any:
    """Build from a named tuple; values are converted by `from_any`.

    Raises:
        TDTypeError: `source` is something else.
    """
    if not is_named_tuple(source):
        raise TDTypeError(f"{sizing.method}() takes a named tuple, got a {type(source).__name__}: {source!r}.")
    return sizing.build((field, from_object(value)) for field, value in zip(source._fields, source, strict=True))


def from_dataclass_fields(source: Any, sizing: Sizing) -> Any:
    """Build from a dataclass instance, an entry a field; values are converted by `from_any`.

    Raises:
        TDTypeError: `source` is something else, or a dataclass type.
    """
    if not dataclasses.is_dataclass(source) or isinstance(source, type):
        raise TDTypeError(f"{sizing.method}() takes an instance of a dataclass, got {source!r}.")
    return sizing.build((field.name, from_object(getattr(source, field.name))) for field in dataclasses.fields(source))


def from_structured(source: Any, sizing: Sizing) -> Any:
    """Build from a numpy structured array; its shape is the batch size unless the sizing says otherwise.

    Raises:
        TDTypeError: `source` is not a structured array.
    """
    if not isinstance(source, (np.ndarray, np.void)) or source.dtype.names is None:
        raise TDTypeError(f"{sizing.method}() takes a numpy structured array, got {source!r}.")
    array = np.asarray(source)
    if sizing.batch_size is None and not sizing.auto and sizing.batch_dims is None:
        sizing = dataclasses.replace(sizing, batch_size=array.shape)
    return sizing.build(fields_of(array))


def from_object(value: Any, sizing: Sizing | None = None) -> Any:
    """Convert any nest of Python objects; what has no conversion is returned as it is.

    Dicts, tuples, named tuples, dataclasses and structured arrays become containers, number lists tensors, other lists
    columns of non-tensor data. Containers and tensors are returned as they are.
    """
    sizing = sizing or _PLAIN
    node = container_of(value)
    if node is not None or isinstance(value, (Tensor, str)):
        return value
    if isinstance(value, Mapping):
        return sizing.build((key, from_object(item)) for key, item in value.items())
    if is_named_tuple(value):
        return from_named_tuple(value, sizing)
    if isinstance(value, tuple):
        return from_sequence(value, sizing)
    if isinstance(value, list):
        return as_leaf(value, torch.Size(()), None)
    if isinstance(value, (np.ndarray, np.void)) and value.dtype.names is not None:
        return from_structured(value, sizing)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return from_dataclass_fields(value, sizing)
    converter = None if type(value).__module__ == "builtins" else registry().converters.serving(type(value))
    return value if converter is None else converter.to_td.load()(value)


_PLAIN = Sizing("from_any")
