"""Builders as functions: `make_tensordict`, and the `from_*` methods of `TensorDict`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..container.tensordict import TensorDict
from ..errors import TDValueError
from ..typing import DeviceLike

from_any = TensorDict.from_any
from_consolidated = TensorDict.from_consolidated
from_dataclass = TensorDict.from_dataclass
from_dict = TensorDict.from_dict
from_namedtuple = TensorDict.from_namedtuple
from_pytree = TensorDict.from_pytree
from_struct_array = TensorDict.from_struct_array
from_tuple = TensorDict.from_tuple
fromkeys = TensorDict.fromkeys


def make_tensordict(
    input_dict: Mapping[Any, Any] | None = None,
    batch_size: Sequence[int] | int | None = None,
    device: DeviceLike | None = None,
    auto_batch_size: bool | None = None,
    **entries: Any,
) -> Any:
    """Build a tensordict from a dict, from keywords, or from both.

    Args:
        input_dict: entries; tuple keys and nested dicts create nodes.
        batch_size: the batch size. Default: empty.
        device: where to move every entry.
        auto_batch_size: find the largest batch size, in every node.
        **entries: further entries.

    Raises:
        TDValueError: an entry is given twice.
    """
    source = {} if input_dict is None else dict(input_dict.items())
    for key in entries:
        if key in source:
            raise TDValueError(f"make_tensordict() got the entry {key!r} twice: in the dict, and by keyword.")
    return TensorDict.from_dict({**source, **entries}, batch_size, device, auto_batch_size=auto_batch_size)
