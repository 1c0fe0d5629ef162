"""`where` and `masked_fill`: masks over the batch, expanded on the right to each leaf."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from typing_extensions import Self

from ..errors import TDKeyError, TDRuntimeError
from ..leaves import kind_of, kind_of_type, rebatched_value
from ..ops import check_batch, spread_mask, widen_mask
from ..structural import parse_index
from .arithmetic import ArithmeticMethods


class WhereMethods(ArithmeticMethods):
    """`where`, `masked_fill`, `masked_fill_`."""

    def where(self, condition: Tensor, other: Any, *, out: Any = None, pad: float | bool | None = None) -> Any:
        """Return the values of this container where `condition` holds, those of `other` elsewhere.

        Args:
            condition: a boolean mask over the leading batch dims.
            other: a number or tensor, broadcast to each leaf by the rules of torch; or a container, matched by key.
            out: a container whose entries are replaced by the result, and that is returned.
            pad: stands in for an entry that only one of the two containers has.

        Raises:
            TDKeyError: an entry is in one container only, and there is no `pad`.
            TDRuntimeError: the condition does not match the leading dims of a leaf.
        """
        kind = kind_of_type(type(other))
        node = None if kind is None else kind.node(other)
        if node is None:
            leaves, stored, masks = spread_mask(self, condition, "condition")
            broadcast = isinstance(other, Tensor) and other.ndim
            if broadcast and not stored:  # torch aligns it with whole entries, from the right
                return self._stacked().where(condition, other, out=out)
            others = _as_operands(other, leaves)
            results = [torch.where(*args) for args in zip(masks, leaves, others, strict=True)]
            if broadcast:
                check_batch(self, results)
            result = self._with_leaves(results)
            return result._locked_like(self) if out is None else _rebind(out, result)
        paired = self._leaf_pairs(node)
        if paired is not None:
            leaves, others = paired
            masks = widen_mask(condition, leaves, "condition")
            result = self._with_leaves(list(map(torch.where, masks, leaves, others)))
        else:
            result = _where_nodes(condition, self, node, pad, ())
        return result if out is None else _rebind(out, result)

    def masked_fill_(self, mask: Tensor, value: float | bool | Tensor) -> Self:
        """Write `value` where `mask` holds, in place.

        Args:
            mask: a boolean mask over the leading batch dims.
            value: a number, or a tensor of one element.

        Returns:
            This container.

        Raises:
            TDRuntimeError: the mask does not match the leading dims of a leaf.
        """
        leaves, stored, masks = spread_mask(self, mask, "mask")
        if not stored:
            self._require_writable("masked_fill_()")
        for leaf, wide in zip(leaves, masks, strict=True):
            leaf.masked_fill_(wide, value)
        if not stored:
            self._write_back(iter(leaves))
        return self

    def masked_fill(self, mask: Tensor, value: float | bool | Tensor) -> Self:
        """Return an unlocked copy with `value` where `mask` holds; arguments and errors as `masked_fill_`."""
        leaves, _, masks = spread_mask(self, mask, "mask")
        return self._with_leaves([leaf.masked_fill(wide, value) for leaf, wide in zip(leaves, masks, strict=True)])


def _as_operands(other: Any, leaves: list[Tensor]) -> list[Any]:
    """Return `other` for each leaf: a real number once as a tensor for each floating-point dtype, which is faster."""
    if type(other) not in (int, float, bool) or torch.compiler.is_compiling():
        return [other] * len(leaves)
    by_dtype: dict[torch.dtype, Any] = {}
    for leaf in leaves:
        dtype = leaf.dtype
        if dtype not in by_dtype:
            by_dtype[dtype] = torch.tensor(other, dtype=dtype) if dtype.is_floating_point else other
    return [by_dtype[leaf.dtype] for leaf in leaves]


def _rebind(out: Any, result: Any) -> Any:
    """Replace the entries of `out` by those of `result`."""
    return out.update(result)


def _where_nodes(condition: Tensor, td: Any, other: Any, pad: Any, path: tuple[str, ...]) -> Any:
    """Select between two containers, matched by key. Either may be None: a node that one side lacks."""
    present = td if td is not None else other
    whole = present._storage
    if type(whole) is not dict and whole.parts is not None:
        operands = (condition, td, other)
        return present._by_part(lambda _, c, a, b: _where_nodes(c, a, b, pad, path), *operands)
    mine: Any = {} if td is None else td._storage
    theirs: Any = {} if other is None else other._storage
    storage: dict[str, Any] = {}
    for key in (*mine, *(key for key in theirs if key not in mine)):
        storage[key] = _where_values(condition, mine.get(key), theirs.get(key), pad, (*path, key))
    result = present._like(storage)
    if td is not None and other is not None and td._batch_size != other._batch_size:
        check_batch(result, [value for value in storage.values() if isinstance(value, Tensor)])
    return result


def _where_values(condition: Tensor, value: Any, right: Any, pad: Any, path: tuple[str, ...]) -> Any:
    present = value if value is not None else right
    kind = kind_of(present)
    if value is not None and right is not None and kind_of(right).is_tensor != kind.is_tensor:
        raise TDRuntimeError(
            f"where: the entry {_shown(path)} is of type {type(value).__name__} in one tensordict and "
            f"{type(right).__name__} in the other."
        )
    if kind.is_non_tensor:
        if value is None or right is None:
            return kind.clone(present)
        return _where_rows(condition, value, right)
    if pad is None and (value is None or right is None):
        raise TDKeyError(f"where: the key {_shown(path)} is in one of the two tensordicts only. Give a pad value.")
    node = kind.node(present)
    if node is not None:
        left = None if value is None else node
        inner = None if right is None else kind_of(right).node(right)
        return kind.wrap(present, _where_nodes(condition, left, inner, pad, path))
    (mask,) = widen_mask(condition, [present], "condition")
    if right is None:
        return torch.where(mask, value, torch.full((), pad, dtype=value.dtype, device=value.device))
    if value is None:
        return torch.where(mask, torch.full((), pad, dtype=right.dtype, device=right.device), right)
    return torch.where(mask, value, right)


def _where_rows(condition: Tensor, value: Any, right: Any) -> Any:
    """Select between non-tensor data, row by row."""
    kind = kind_of(value)
    size = kind.shape(value)
    right = rebatched_value(right, size)
    if kind.shape(right) != size:
        raise TDRuntimeError(
            f"where: non-tensor entries have the batch sizes {list(size)} and {list(kind.shape(right))}."
        )
    mask = widen_mask(condition, [torch.empty(size)], "condition")[0].expand(size)
    return kind.write(kind.clone(right), parse_index(mask, size), value[mask])


def _shown(path: tuple[str, ...]) -> str:
    return repr(path[0] if len(path) == 1 else path)
