"""Casts, and what is known about the dtypes of the leaves."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from typing_extensions import Self

from .._generated.casts import CastFilter, DtypeMethods
from ..leaves import kind_of
from .lock import LockMethods


class CastMethods(DtypeMethods, LockMethods):
    """`float`, `double`, `int`, ..., `type`, `dtype`, `is_floating_point`."""

    def _cast(self, dtype: torch.dtype, cast_filter: CastFilter | None = None) -> Self:
        leaves = self._leaves()
        if cast_filter is None:
            method = _METHODS.get(dtype)
            results = [method(leaf) for leaf in leaves] if method else [leaf.to(dtype) for leaf in leaves]
        else:
            paths = leaf_paths(self, ())
            results = [
                leaf.to(dtype) if cast_filter(path, leaf) else leaf for path, leaf in zip(paths, leaves, strict=True)
            ]
        return self._with_leaves(results)._locked_like(self)

    def type(self, dst_type: torch.dtype, *, cast_filter: CastFilter | None = None) -> Self:
        """Return a container whose tensors are cast to `dst_type`; those that have it already are shared.

        Args:
            dst_type: the dtype.
            cast_filter: called with the full key (a tuple) and the tensor; only those it accepts are cast.
        """
        return self._cast(dst_type, cast_filter)

    @property
    def dtype(self) -> torch.dtype | None:
        """The dtype that all leaves share, else None."""
        dtypes = {leaf.dtype for leaf in self._leaves()}
        return dtypes.pop() if len(dtypes) == 1 else None

    def is_floating_point(self) -> builtins.bool:
        """Tell whether every leaf is of a floating-point dtype."""
        return all(leaf.dtype.is_floating_point for leaf in self._leaves())


_METHODS = {
    torch.bfloat16: Tensor.bfloat16,
    torch.bool: Tensor.bool,
    torch.float16: Tensor.half,
    torch.float32: Tensor.float,
    torch.float64: Tensor.double,
    torch.int16: Tensor.short,
    torch.int32: Tensor.int,
    torch.int64: Tensor.long,
    torch.uint8: Tensor.byte,
}
"""Casts that torch does faster than `Tensor.to`."""


def leaf_paths(node: Any, prefix: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the full key of each tensor, in the order of the leaves."""
    if type(node._storage) is not dict and node._storage.parts is not None:
        for part in node._storage.parts:
            yield from leaf_paths(part, prefix)
        return
    for key, value in node._storage.items():
        kind = kind_of(value)
        inner = kind.node(value)
        if inner is not None:
            yield from leaf_paths(inner, (*prefix, key))
        else:
            leaves: list[Tensor] = []
            kind.collect(value, leaves)
            for _ in leaves:
                yield (*prefix, key)
