"""What the arguments of `to` ask for: the forms that `torch.Tensor.to` accepts, and those that tensordicts add."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Size, Tensor

from .._generated.casts import CastFilter
from ..devices import normal_device
from ..errors import TDTypeError, TDValueError
from ..leaves import kind_of, kind_of_type


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """Where `to` sends a tensordict, and how. None means "as it is"."""

    device: torch.device | None = None
    dtype: torch.dtype | None = None
    non_blocking: bool | None = None
    memory_format: torch.memory_format | None = None
    batch_size: Size | None = None
    pin: bool = False
    num_threads: int | None = None
    cast_filter: CastFilter | None = None
    inplace: bool = False


def parse_destination(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Destination:
    """Read the arguments of `to`: `([device], [dtype], [non_blocking])` or `(other, [non_blocking])`, and keywords.

    Raises:
        TDTypeError: an argument has no meaning at its place, or is not known.
        TDValueError: one thing is asked for twice.
    """
    fields: dict[str, Any] = {}
    for arg in args:
        name = _role(arg, fields)
        if name == "other":
            fields.update(_of_other(arg), other=arg)
        elif name is not None:
            fields[name] = arg
    for name, value in kwargs.items():
        _take_keyword(fields, name, value)
    fields.pop("other", None)
    if fields.get("device") is not None:
        fields["device"] = normal_device(fields["device"])
    if fields.get("batch_size") is not None:
        size = fields["batch_size"]
        fields["batch_size"] = Size((size,)) if isinstance(size, int) else Size(size)
    return Destination(**fields)


def _role(arg: Any, seen: dict[str, Any]) -> str | None:
    """Tell which field a positional argument fills, by its type and by what came before it."""
    if isinstance(arg, bool):
        if seen and "non_blocking" not in seen:
            return "non_blocking"
    elif isinstance(arg, torch.dtype):
        if "dtype" not in seen and "non_blocking" not in seen:
            return "dtype"
    elif isinstance(arg, (str, torch.device, int)):
        if not seen:
            return "device"
    elif arg is None:
        if not seen:
            return None
    elif not seen:
        kind = kind_of_type(type(arg))
        if kind is not None and (kind.is_tensor or kind.node(arg) is not None):
            return "other"
    raise TDTypeError(
        f"to() got {arg!r} of type {type(arg).__name__} where it has no meaning. Positional arguments are [device], "
        "[dtype], [non_blocking], or a tensor or tensordict to follow and [non_blocking]."
    )


def _take_keyword(fields: dict[str, Any], name: str, value: Any) -> None:
    if name == "other":
        if "device" in fields or "dtype" in fields:
            raise TDValueError(
                "to() takes either another tensor or tensordict to follow, or a device and dtype, not both."
            )
        fields.update(_of_other(value), other=value)
    elif name == "non_blocking_pin":
        fields["pin"] = bool(value)
    elif name in (
        "device",
        "dtype",
        "non_blocking",
        "memory_format",
        "batch_size",
        "num_threads",
        "cast_filter",
        "inplace",
    ):
        if fields.get(name) is not None or ("other" in fields and name in ("device", "dtype")):
            raise TDValueError(f"to() got {name} twice, or together with another tensor or tensordict to follow.")
        fields[name] = value
    else:
        raise TDTypeError(
            f"to() has no argument {name!r}. Its keywords are batch_size, cast_filter, device, dtype, inplace, "
            "memory_format, non_blocking, non_blocking_pin, num_threads and other."
        )


def _of_other(other: Any) -> dict[str, Any]:
    """The device and dtype of a tensor, or of a tensordict: what all its entries share, None where they differ."""
    if isinstance(other, Tensor):
        return {"device": other.device, "dtype": other.dtype}
    node = kind_of(other).node(other)
    if node is None:
        raise TDTypeError(f"to(other=...) follows a tensor or a tensordict, got a {type(other).__name__}.")
    dtypes = {leaf.dtype for leaf in node._leaves()}
    return {"device": node._device, "dtype": dtypes.pop() if len(dtypes) == 1 else None}
