"""Reading entries whose shapes differ along a lazy stack: as a list, a nested tensor or a padded one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Size, Tensor

from ..errors import TDRuntimeError, missing_key
from ..keys import require_parts
from ..leaves import kind_of
from ..typing import NO_DEFAULT, NestedKey
from .form import Form
from .mapping import MappingMethods
from .views import contains


class RaggedMethods(MappingMethods):
    """`densify`, `get_nestedtensor`, `get_item_shape`."""

    def densify(self, layout: torch.layout = torch.strided) -> Any:
        """Return a dense container; entries whose shapes differ along a stack become nested tensors.

        Args:
            layout: of the nested tensors, `torch.strided` or `torch.jagged`.

        Raises:
            TDRuntimeError: an entry cannot be a nested tensor of that layout.
        """
        return _densified(self, layout)

    def _get_ragged(self, key: NestedKey, default: Any, form: Form) -> Any:
        """Return an entry in a form; `default` when it is missing, as in `get`."""
        parts = require_parts(key)
        if not contains(self, parts):
            return None if default is NO_DEFAULT else default
        rows = rows_of(self, parts)
        if rows is None:
            return self.get(key, default)
        if form.as_list:
            return rows
        if not all(isinstance(row, (Tensor, list)) for row in rows):
            return self.get(key, default)
        if form.as_nested_tensor:
            return nested(key, rows, torch.jagged if form.layout is None else form.layout)
        return padded(rows, self._owner(parts)._storage.dim, form.padding_side, form.padding_value)

    def get_nestedtensor(self, key: NestedKey, default: Any = NO_DEFAULT, *, layout: torch.layout | None = None) -> Any:
        """Return an entry of a lazy stack as a nested tensor with one item a member.

        Args:
            key: the key.
            default: what to return when the key is missing.
            layout: `torch.strided` by default, or `torch.jagged`.

        Raises:
            TDKeyError: the key is missing and no default was given.
            TDRuntimeError: the entry cannot be a nested tensor of that layout.
        """
        parts = require_parts(key)
        if not contains(self, parts):
            if default is NO_DEFAULT:
                raise missing_key(key, self._storage)
            return default
        rows = rows_of(self, parts)
        return self._at(key) if rows is None else nested(key, rows, torch.strided if layout is None else layout)

    def get_item_shape(self, key: NestedKey) -> Size:
        """Return the shape of an entry, -1 where it differs along a lazy stack.

        Raises:
            TDKeyError: the key is missing.
        """
        parts = require_parts(key)
        owner = self._owner(parts)
        storage = owner._storage
        if parts[-1] not in storage:
            raise missing_key(key, storage)
        value = storage[parts[-1]] if type(storage) is dict else storage.peek(parts[-1])
        return Size(value.shape)


def rows_of(td: Any, parts: tuple[str, ...]) -> list[Any] | None:
    """Return the values that the members of a lazy stack have under a key; None for another storage."""
    storage = td._owner(parts)._storage
    if type(storage) is dict or storage.parts is None:
        return None
    return [_value(part, parts[-1]) for part in storage.parts]


def _value(node: Any, key: str) -> Any:
    storage = node._storage
    if type(storage) is dict or storage.parts is None:
        return storage[key]
    return [_value(part, key) for part in storage.parts]


def nested(key: NestedKey, rows: Sequence[Any], layout: torch.layout) -> Tensor:
    """Return a nested tensor with one item a row.

    Raises:
        TDRuntimeError: the rows do not fit in one.
    """
    try:
        if layout is torch.jagged:
            return torch.nested.as_nested_tensor(list(rows), layout=layout)
        return torch.nested.as_nested_tensor(list(rows))
    except (RuntimeError, TypeError, AssertionError, ValueError) as error:
        shapes = [list(row.shape) if isinstance(row, Tensor) else type(row).__name__ for row in rows]
        raise TDRuntimeError(
            f"The entry {key!r}, of shapes {shapes}, cannot be a nested tensor of layout {layout}. Read it with "
            "get(key, as_list=True) or as_padded_tensor=True."
        ) from error


def padded(rows: Sequence[Any], dim: int, side: str, value: float) -> Tensor:
    """Stack tensors along a dim, those that are smaller padded to the size of the largest."""
    tensors = [row if isinstance(row, Tensor) else padded(row, 0, side, value) for row in rows]
    largest = [max(sizes) for sizes in zip(*(tensor.shape for tensor in tensors), strict=True)]
    filled = []
    for tensor in tensors:
        gaps: list[int] = []
        for size, full in zip(reversed(tensor.shape), reversed(largest), strict=True):
            gaps += [full - size, 0] if side == "left" else [0, full - size]
        filled.append(torch.nn.functional.pad(tensor, gaps, value=value) if any(gaps) else tensor)
    return torch.stack(filled, dim)


def _densified(node: Any, layout: torch.layout) -> Any:
    storage = node._storage
    entries: dict[str, Any] = {}
    for key in storage:
        try:
            value = storage[key]
        except TDRuntimeError:
            rows = rows_of(node, (key,))
            if rows is None:
                raise
            entries[key] = nested(key, rows, layout)
            continue
        child = None if type(value) is Tensor else kind_of(value).node(value)
        entries[key] = value if child is None else kind_of(value).wrap(value, _densified(child, layout))
    return node._like(entries)
