"""Joining the entries of one container into one tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from typing_extensions import Self

from ..errors import TDRuntimeError, TDTypeError, TDValueError
from ..keys import require_parts, unravel_key
from ..typing import NestedKey
from .mapping import MappingMethods


class JoinMethods(MappingMethods):
    """`cat_tensors`, `stack_tensors`, `cat_from_tensordict`, `stack_from_tensordict`."""

    def cat_tensors(self, *keys: NestedKey, out_key: NestedKey, dim: int = 0, keep_entries: bool = False) -> Self:
        """Concatenate entries into a new one.

        Args:
            keys: the entries, in order.
            out_key: where to put the result.
            dim: the dim of the entries along which to concatenate.
            keep_entries: keep the entries; else they are removed.

        Returns:
            This container.

        Raises:
            LockedError: the container is locked.
            TDKeyError: an entry is missing.
            BatchSizeError: the result does not start with the batch size.
        """
        return self._join(torch.cat, "cat_tensors", keys, out_key, dim, keep_entries)

    def stack_tensors(self, *keys: NestedKey, out_key: NestedKey, dim: int = 0, keep_entries: bool = False) -> Self:
        """Stack entries along a new dim into a new one; arguments and errors as `cat_tensors`."""
        return self._join(torch.stack, "stack_tensors", keys, out_key, dim, keep_entries)

    def _join(
        self, join: Any, method: str, keys: tuple[NestedKey, ...], out_key: NestedKey, dim: int, keep_entries: bool
    ) -> Self:
        self._require_unlocked("join entries of")
        if not keys:
            raise TDValueError(f"{method}() needs the key of at least one entry.")
        tensors = [_tensor(self._at(key), key, method) for key in keys]
        result = join(tensors, dim)
        taken = {require_parts(key) for key in keys}
        out = require_parts(out_key)
        # write first: a result that does not fit leaves everything as it was
        self.set(out, result)
        if not keep_entries:
            for parts in taken:
                if parts[: len(out)] != out:  # those were replaced along with their node
                    self.del_(parts)
        return self

    def cat_from_tensordict(
        self, dim: int = 0, *, sorted: bool | Sequence[NestedKey] | None = None, out: Tensor | None = None
    ) -> Tensor:
        """Concatenate all tensors of the tree.

        Args:
            dim: the dim of the entries along which to concatenate.
            sorted: True takes them in the order of their "."-joined keys, False or None in insertion order; a list of
                all keys gives the order itself.
            out: where to write the result.

        Raises:
            TDRuntimeError: the list is not the list of all keys.
            TDValueError: there is no tensor.
        """
        return torch.cat(self._in_order(sorted, "cat_from_tensordict"), dim, out=out)

    def stack_from_tensordict(
        self, dim: int = 0, *, sorted: bool | Sequence[NestedKey] | None = None, out: Tensor | None = None
    ) -> Tensor:
        """Stack all tensors of the tree along a new dim; arguments and errors as `cat_from_tensordict`."""
        return torch.stack(self._in_order(sorted, "stack_from_tensordict"), dim, out=out)

    def _in_order(self, order: bool | Sequence[NestedKey] | None, method: str) -> list[Tensor]:
        by_key: dict[NestedKey, Tensor] = {
            key: value for key, value in self.items(True, True, sort=order is True) if isinstance(value, Tensor)
        }
        if not by_key:
            raise TDValueError(f"{method}() needs at least one tensor, and this tensordict has none.")
        if order is None or isinstance(order, bool):
            return list(by_key.values())
        keys = [unravel_key(key) for key in order]
        if set(keys) != set(by_key) or len(keys) != len(by_key):
            raise TDRuntimeError(
                f"{method}(sorted=...) must list every key exactly once. The keys are {list(by_key)}, got {keys}."
            )
        return [by_key[key] for key in keys]


def _tensor(value: Any, key: NestedKey, method: str) -> Tensor:
    if not isinstance(value, Tensor):
        raise TDTypeError(f"{method}() joins tensors, and the entry {key!r} is a {type(value).__name__}.")
    return value
