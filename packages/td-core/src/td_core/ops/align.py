"""Alignment of operands: what stands on the other side of an operation, one value for each leaf.

A number serves all leaves. A tensor is aligned with the batch dims, from the left, and broadcast over the feature dims
of each leaf; where it has more elements, the batch grows. Another container is matched by key, never by order.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from numbers import Number
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import Size, Tensor

from ..errors import TDKeyError, TDRuntimeError, TDTypeError
from ..leaves import kind_of, kind_of_type
from ..structural import Expand

if TYPE_CHECKING:
    from ..container.kernel import Kernel

NUMBERS = frozenset({int, float, bool, complex})
"""The types of operands that need no alignment."""

_NUMBER_BASES = (Number, torch.SymInt, torch.SymFloat, torch.SymBool)


class Aligned(NamedTuple):
    """Two operands made to fit.

    Attributes:
        left: the container to take the structure of the result from: the first operand, unless the second one enlarged
            or restricted it.
        leaves: its leaves.
        right: a number, or a list of one tensor for each leaf; NotImplemented when the second operand is neither a
            number, nor a tensor, nor a container.
        stretches: whether a result may fail to start with the batch size of `left`, so that it has to be checked.
    """

    left: Any
    leaves: list[Tensor]
    right: Any
    stretches: bool = False


def align(td: Kernel, other: Any, default: Any = None) -> Aligned:
    """Align the second operand of an operation with a container.

    Args:
        td: the first operand.
        other: a number, a tensor, or a container with the same keys.
        default: what to do with keys that only one of two containers has: None refuses, "intersection" drops them, a
            number or a tensor stands in for the missing entry.

    Raises:
        TDKeyError: the keys of the two containers differ and there is no default.
        TDTypeError: a default that is none of the above.
        RuntimeError: the shapes do not broadcast.
    """
    kind = kind_of_type(type(other))
    if kind is None:
        return Aligned(td, td._leaves(), _as_number(other))
    if kind.is_tensor:
        return _align_tensor(td, other)
    node = kind.node(other)
    if node is None:
        return Aligned(td, [], NotImplemented)
    return _align_container(td, node, default)


def _as_number(other: Any) -> Any:
    if isinstance(other, np.generic):
        return other.item()
    return other if isinstance(other, _NUMBER_BASES) else NotImplemented


def _align_tensor(td: Any, other: Tensor) -> Aligned:
    if other.ndim:
        batch = td._batch_size
        if other.shape != batch:
            shape = torch.broadcast_shapes(batch, other.shape)
            if shape != batch:
                td = td._transform(Expand(n=len(batch), shape=shape))
            other = other.expand(shape)
        leaves, stored = td._gather()
        return Aligned(td, leaves, widen(other, leaves) if stored else spread(td, other))
    leaves = td._leaves()
    return Aligned(td, leaves, [other] * len(leaves))


def widen(value: Tensor, leaves: list[Tensor]) -> list[Tensor]:
    """Return, for each leaf, `value` with dims of size 1 added on the right up to the rank of the leaf."""
    by_rank: dict[int, Tensor] = {}
    rank, shape = value.ndim, value.shape
    out = []
    for leaf in leaves:
        n = leaf.ndim
        wide = by_rank.get(n)
        if wide is None:
            wide = by_rank[n] = value if n <= rank else value.reshape(*shape, *[1] * (n - rank))
        out.append(wide)
    return out


def spread(td: Any, value: Tensor) -> list[Tensor]:
    """Do what `widen` does for a tree of any storage: the members of a lazy stack get their share of the value each."""
    out: list[Tensor] = []
    _spread(td, value, out)
    return out


def _spread(td: Any, value: Tensor, out: list[Tensor]) -> None:
    storage = td._storage
    if type(storage) is not dict and storage.parts is not None:
        for part, piece in zip(storage.parts, storage.cut(value), strict=True):
            _spread(part, piece, out)
        return
    for entry in storage.values():
        kind = kind_of(entry)
        node = kind.node(entry)
        if node is not None:
            _spread(node, value, out)
        else:
            leaves: list[Tensor] = []
            kind.collect(entry, leaves)
            out.extend(widen(value, leaves))


def spread_mask(td: Any, mask: Tensor, what: str) -> tuple[list[Tensor], bool, list[Tensor]]:
    """Return the leaves of a tree, whether they are the stored ones, and the mask for each; errors as `widen_mask`."""
    leaves, stored = td._gather()
    if stored:
        return leaves, True, widen_mask(mask, leaves, what)
    if mask.ndim > 1:
        mask = _fitted(mask, td._batch_size)
    masks = spread(td, mask)
    for leaf, wide in zip(leaves, masks, strict=True):
        widen_mask(wide, [leaf], what)
    return leaves, False, masks


def _fitted(mask: Tensor, batch_size: Size) -> Tensor:
    """Expand the dims of a mask that are batch dims, so that it can be cut along each."""
    n = min(mask.ndim, len(batch_size))
    fits = all(m in (1, b) for m, b in zip(mask.shape, batch_size, strict=False))
    return mask.expand(*batch_size[:n], *mask.shape[n:]) if fits else mask


def widen_mask(mask: Tensor, leaves: list[Tensor], what: str) -> list[Tensor]:
    """Align a mask with the leading dims of each leaf.

    Raises:
        TDRuntimeError: the mask has more dims than a leaf, or does not broadcast to its leading dims.
    """
    rank, shape = mask.ndim, mask.shape
    for leaf in leaves:
        if leaf.shape[:rank] == shape:
            continue
        if rank > leaf.ndim or any(m not in (1, n) for m, n in zip(shape, leaf.shape, strict=False)):
            raise TDRuntimeError(
                f"The {what} of shape {list(shape)} does not match the leading dims of a leaf of shape "
                f"{list(leaf.shape)}. It must have at most as many dims, each of the same size or 1."
            )
    return widen(mask, leaves)


def _align_container(td: Any, other: Any, default: Any) -> Aligned:
    if default is None and td._batch_size == other._batch_size:
        pairs = td._leaf_pairs(other)
        if pairs is not None:
            return Aligned(td, *pairs)
    td, other = broadcast_batches(td, other)
    if default is None:
        right = matched_leaves(td, other)
        if right is None:
            raise mismatch(_leaf_dict(td, ()).keys(), _leaf_dict(other, ()).keys())
    elif isinstance(default, str):
        if default != "intersection":
            raise TDTypeError(f'default must be None, "intersection", a number or a tensor, got {default!r}.')
        td, other = _restricted(td, other), _restricted(other, td)
        right = matched_leaves(td, other)
    else:
        if not isinstance(default, (Tensor, Number)):
            raise TDTypeError(f'default must be None, "intersection", a number or a tensor, got {default!r}.')
        td, other = _completed(td, other, torch.as_tensor(default))
        right = matched_leaves(td, other)
    # Leaves broadcast from the right: a batch dim can be stretched if it is 1, or if `other` has other batch dims.
    batch = td._batch_size
    return Aligned(td, td._leaves(), right, bool(batch) and (1 in batch or batch != other._batch_size))


def broadcast_batches(td: Any, other: Any) -> tuple[Any, Any]:
    """Expand two containers to a common batch size, unless one of them has no batch dims."""
    mine, theirs = td._batch_size, other._batch_size
    if mine == theirs or not mine or not theirs:
        return td, other
    shape = torch.broadcast_shapes(mine, theirs)
    return _expanded(td, shape), _expanded(other, shape)


def _expanded(td: Any, shape: Size) -> Any:
    batch = td._batch_size
    return td if batch == shape else td._transform(Expand(n=len(batch), shape=shape))


def check_leaves(td: Any, results: Any) -> None:
    """Do what `check_batch` does for a flat list with one result for each leaf of the tree, of any storage."""
    if td._gather()[1]:
        check_batch(td, results)
    else:
        _check_each(td, iter(results))


def _check_each(td: Any, results: Iterator[Tensor]) -> None:
    storage = td._storage
    if type(storage) is not dict and storage.parts is not None:
        for part in storage.parts:
            _check_each(part, results)
        return
    for value in storage.values():
        kind = kind_of(value)
        node = kind.node(value)
        if node is not None:
            _check_each(node, results)
        elif kind.is_tensor:
            check_batch(td, [next(results)])


def check_batch(td: Any, results: Any) -> None:
    """Refuse results that do not start with the batch size of the container they are for.

    Raises:
        TDRuntimeError: a result was broadcast along a batch dim.
    """
    batch = td._batch_size
    n = len(batch)
    for result in results:
        if result.shape[:n] != batch:
            raise TDRuntimeError(
                f"Broadcasting the leaves gave a result of shape {list(result.shape)}, which does not start with the "
                f"batch size {list(batch)}. Give both operands the same batch size."
            )


# -- matching by key --------------------------------------------------------------------------------------------------


def matched_leaves(td: Kernel, other: Kernel) -> list[Tensor] | None:
    """Return the leaves of `other` in the order of those of `td`; None when their keys differ.

    Non-tensor data and empty nodes take no part.
    """
    out: list[Tensor] = []
    if _collect_matched(td, other, out):
        return out
    mine, theirs = _leaf_dict(td, ()), _leaf_dict(other, ())
    return [theirs[key] for key in mine] if mine.keys() == theirs.keys() else None


def _collect_matched(td: Kernel, other: Kernel, out: list[Tensor]) -> bool:
    """Append the leaves of `other` in the order of `td`. False when that needs a closer look."""
    mine: Any = td._storage
    theirs = other._storage
    if type(mine) is not dict and mine.parts is not None:
        return _collect_by_part(mine, other, out)
    if len(mine) != len(theirs):
        return False
    for key, value in mine.items():
        right = theirs.get(key)
        if type(value) is Tensor and type(right) is Tensor:
            out.append(right)
        elif right is None:
            return False
        else:
            kind, right_kind = kind_of(value), kind_of(right)
            node, right_node = kind.node(value), right_kind.node(right)
            if node is not None and right_node is not None:
                if not _collect_matched(node, right_node, out):
                    return False
            elif kind.is_tensor and right_kind.is_tensor:
                right_kind.collect(right, out)
            elif not (kind.is_non_tensor and right_kind.is_non_tensor):
                return False
    return True


def _collect_by_part(storage: Any, other: Kernel, out: list[Tensor]) -> bool:
    for part, piece in zip(storage.parts, storage.cut(other), strict=True):
        found = matched_leaves(part, piece)
        if found is None:
            return False
        out.extend(found)
    return True


def _leaf_dict(td: Kernel, prefix: tuple[str, ...]) -> dict[tuple[str, ...], Tensor]:
    """Map the full key of each tensor to the tensor."""
    out: dict[tuple[str, ...], Tensor] = {}
    for key, value in td._storage.items():
        kind = kind_of(value)
        node = kind.node(value)
        if node is not None:
            out.update(_leaf_dict(node, (*prefix, key)))
        elif kind.is_tensor:
            leaves: list[Tensor] = []
            kind.collect(value, leaves)
            out[prefix + (key,)] = leaves[0]  # noqa: RUF005  # no star in an index before Python 3.11
    return out


def mismatch(mine: Set[Any], theirs: Set[Any]) -> TDKeyError:
    """Build the error for two containers whose keys differ."""
    first, second = sorted(map(_shown, mine - theirs)), sorted(map(_shown, theirs - mine))
    return TDKeyError(
        f"The keys of the two tensordicts differ: only in the first {first}, only in the second {second}. "
        'Select common keys, or pass default="intersection" or a value to a method that takes it.'
    )


def _shown(key: Any) -> str:
    return key if isinstance(key, str) else ".".join(key)


# -- relaxed matching -------------------------------------------------------------------------------------------------


def _restricted(td: Any, other: Any) -> Any:
    """Return `td` without the tensors that `other` does not have; nodes left empty are dropped."""
    whole = td._storage
    if type(whole) is not dict and whole.parts is not None:
        return td._by_part(_restricted, other)
    storage: dict[str, Any] = {}
    for key, value in whole.items():
        kind = kind_of(value)
        right = other._storage.get(key)
        right_kind = None if right is None else kind_of(right)
        node = kind.node(value)
        if node is not None:
            right_node = None if right_kind is None else right_kind.node(right)
            if right_node is not None:
                inner = _restricted(node, right_node)
                if len(inner._storage):
                    storage[key] = kind.wrap(value, inner)
        elif kind.is_non_tensor or (right_kind is not None and right_kind.is_tensor):
            storage[key] = value
    return td._like(storage)


def _completed(td: Any, other: Any, default: Tensor) -> tuple[Any, Any]:
    """Return both containers with the keys of either, `default` standing in for missing tensors."""
    left: dict[str, Any] = {}
    right: dict[str, Any] = {}
    extra = [key for key in other._storage if key not in td._storage]
    for key in [*td._storage, *extra]:
        a, b = td._storage.get(key), other._storage.get(key)
        left[key], right[key] = _completed_pair(a, b, default)
    return td._like(left), other._like(right)


def _completed_pair(a: Any, b: Any, default: Tensor) -> tuple[Any, Any]:
    present = a if a is not None else b
    kind = kind_of(present)
    node = kind.node(present)
    if node is not None:
        empty = node._like({})
        inner = _completed(
            empty if a is None else kind_of(a).node(a), empty if b is None else kind_of(b).node(b), default
        )
        return kind.wrap(present, inner[0]), kind.wrap(present, inner[1])
    if not kind.is_tensor:
        return present, present
    stand_in = widen(default.to(present.device), [present])[0]
    return (stand_in if a is None else a), (stand_in if b is None else b)
