"""The function behind `TensorDict.to_dataclass`."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any, TypeVar, get_type_hints

from td_core import TensorDictBase
from td_core.errors import TDKeyError, TDTypeError

T = TypeVar("T")


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
