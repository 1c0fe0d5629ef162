"""Comparisons: `== != < <= > >= | ^`. The result is a plain mask of booleans: no names, unlocked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch import Tensor

from ..leaves import kind_of, kind_of_type
from ..ops import COMPARISONS, NUMBERS, ComparisonOp, align, broadcast_batches, check_batch, mismatch
from .arithmetic import ArithmeticMethods
from .kernel import Kernel

_EQ, _NE, _LT, _LE, _GT, _GE, _OR, _XOR = (
    COMPARISONS[f"__{name}__"] for name in ("eq", "ne", "lt", "le", "gt", "ge", "or", "xor")
)


class ComparisonMethods(ArithmeticMethods):
    """The comparison operators."""

    __hash__ = None  # type: ignore[assignment]  # equality is elementwise, and the content changes

    def __eq__(self, other: object) -> Any:
        return self._compared(_EQ, other)

    def __ne__(self, other: object) -> Any:
        return self._compared(_NE, other)

    def __lt__(self, other: Any) -> Any:
        return self._compared(_LT, other)

    def __le__(self, other: Any) -> Any:
        return self._compared(_LE, other)

    def __gt__(self, other: Any) -> Any:
        return self._compared(_GT, other)

    def __ge__(self, other: Any) -> Any:
        return self._compared(_GE, other)

    def __or__(self, other: Any) -> Any:
        return self._compared(_OR, other)

    __ror__ = __or__

    def __xor__(self, other: Any) -> Any:
        return self._compared(_XOR, other)

    __rxor__ = __xor__

    def _compared(self, op: ComparisonOp, other: Any) -> Any:
        """Compare every entry with another operand; a bool for an operand of unknown type."""
        if type(other) in NUMBERS:
            function = op.function
            return _mask(self, iter([function(leaf, other) for leaf in self._leaves()]))
        if isinstance(other, dict):
            other = self.from_dict_instance(other)  # type: ignore[attr-defined]  # every node is a whole container
        kind = kind_of_type(type(other))
        node = None if kind is None else kind.node(other)
        if kind is not None and node is not None:
            return kind.wrap(other, _compare_nodes(self, node, op))
        left, leaves, right, _ = align(self, other)
        if right is NotImplemented:
            return op.unrelated
        rights = right if isinstance(right, list) else [right] * len(leaves)
        return _mask(left, map(op.function, leaves, rights))


def _mask(node: Kernel, results: Iterator[Tensor]) -> Any:
    """Build the mask of a node around the next results; non-tensor data become empty nodes."""
    parts: Any = node._storage
    if type(parts) is not dict and parts.parts is not None:
        masks = parts.join([_mask(part, results) for part in parts.parts], named=False)
        return node._build(masks, node._batch_size, node._device)
    storage: dict[str, Any] = {}
    for key, value in node._storage.items():
        if type(value) is Tensor:
            storage[key] = next(results)
            continue
        kind = kind_of(value)
        inner = kind.node(value)
        if inner is not None:
            storage[key] = kind.wrap(value, _mask(inner, results))
        elif kind.is_non_tensor:
            storage[key] = node._build({}, node._batch_size, node._device)
        else:
            storage[key] = next(results)
    return node._build(storage, node._batch_size, node._device)


def _compare_nodes(a: Any, b: Any, op: ComparisonOp) -> Any:
    """Compare two containers entry by entry, nodes recursively.

    Raises:
        TDKeyError: their keys differ.
    """
    a, b = broadcast_batches(a, b)
    mine, theirs = a._storage, b._storage
    if type(mine) is not dict and mine.parts is not None:
        masks = [_compare_nodes(part, other, op) for part, other in zip(mine.parts, mine.cut(b), strict=True)]
        return a._build(mine.join(masks, named=False), a._batch_size, a._device)
    if mine.keys() != theirs.keys():
        raise mismatch(set(mine), set(theirs))
    storage: dict[str, Any] = {
        key: op.function(value, theirs[key])
        if type(value) is Tensor and type(theirs[key]) is Tensor
        else _compare_values(key, value, theirs[key], op)
        for key, value in mine.items()
    }
    result = a._build(storage, a._batch_size, a._device)
    batch = a._batch_size
    if batch and (1 in batch or batch != b._batch_size):
        check_batch(result, [value for value in storage.values() if isinstance(value, Tensor)])
    return result


def _compare_values(key: str, value: Any, right: Any, op: ComparisonOp) -> Any:
    kind, right_kind = kind_of(value), kind_of(right)
    node, right_node = kind.node(value), right_kind.node(right)
    if node is not None and right_node is not None:
        return kind.wrap(value, _compare_nodes(node, right_node, op))
    if kind.is_non_tensor and right_kind.is_non_tensor:
        if op.equality > 0:
            return value == right
        return value != right if op.equality else value
    if kind.is_tensor and right_kind.is_tensor:
        return op.function(value, right)
    raise mismatch({f"{key} ({type(value).__name__})"}, {f"{key} ({type(right).__name__})"})
