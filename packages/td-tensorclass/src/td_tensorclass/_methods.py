"""The functions behind `TensorDict.from_dataclass` and `TensorDict.to_dataclass`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar, get_type_hints

from td_core import TensorDict, TensorDictBase
from td_core.errors import TDKeyError, TDTypeError
from td_core.typing import DeviceLike

T = TypeVar("T")


def from_dataclass(
    obj: object, *, batch_size: Sequence[int] | None = None, device: DeviceLike | None = None
) -> TensorDictBase:
    """Make a tensordict of the fields of a dataclass instance; fields that are dataclasses become nested ones.

    Args:
        obj: The instance.
        batch_size: The batch size of the result and of what is nested in it; empty by default.
        device: Where to put the tensors.

    Raises:
        TDTypeError: `obj` is a class, or not a dataclass.
    """
    if isinstance(obj, type) or not is_dataclass(obj):
        raise TDTypeError(f"from_dataclass() takes an instance of a dataclass, got {obj!r}.")
    sizes = () if batch_size is None else tuple(batch_size)
    values: dict[str, Any] = {}
    for field in fields(obj):
        value = getattr(obj, field.name)
        nested = is_dataclass(value) and not isinstance(value, type)
        values[field.name] = from_dataclass(value, batch_size=sizes, device=device) if nested else value
    return TensorDict(values, batch_size=sizes, device=device)


def to_dataclass(td: TensorDictBase, cls: type[T]) -> T:
    """Make an instance of a dataclass from the entries that its fields name.

    Args:
        cls: The dataclass. A field annotated with a dataclass takes a nested tensordict.

    Raises:
        TDTypeError: `cls` is not a dataclass.
        TDKeyError: There is an entry without a field.
    """
    if not isinstance(cls, type) or not is_dataclass(cls):
        raise TDTypeError(f"to_dataclass() takes a dataclass, got {cls!r}.")
    hints = get_type_hints(cls)
    names = [field.name for field in fields(cls) if field.init]
    extra = sorted(set(td.keys()) - set(names))
    if extra:
        raise TDKeyError(f"{cls.__name__} has no fields for the entries {extra}. Its fields are: {names}.")
    values: dict[str, Any] = {}
    for name in td.keys():  # noqa: SIM118  # iterating over a tensordict goes over its batch
        value, kind = td[name], hints[name]
        nested = isinstance(value, TensorDictBase) and isinstance(kind, type) and is_dataclass(kind)
        values[name] = to_dataclass(value, kind) if nested else value
    return cls(**values)
