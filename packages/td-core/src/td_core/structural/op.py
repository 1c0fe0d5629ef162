"""The contract of a structural operation: what it does to a tensor, to a batch size, to dimension names."""

from __future__ import annotations

from typing import Any

import torch

Names = list["str | None"]


class StructuralOp:
    """An operation on batch dimensions, as a value.

    A storage interprets it: dense maps `tensor` over its leaves, a lazy stack may move it past its stack dimension, a
    file-backed storage may read just the slice. The three functions are pure. A nested node may have more batch dims
    than its parent, so `size` and `names` must leave trailing dimensions alone.
    """

    __slots__ = ()

    shares_storage = True
    """Whether the result of `tensor` is always a view of its argument."""

    keeps_flags = True
    """Whether the result of a shared or memory-mapped tensordict is flagged as such."""

    def tensor(self, value: torch.Tensor) -> Any:
        """Apply the operation to one leaf, of shape `[*batch_size, *rest]`."""
        raise NotImplementedError

    def positions(self, value: torch.Tensor) -> torch.Tensor:
        """Apply the operation to the positions of a column of Python values: which row stands where.

        As to a leaf, unless the operation is about the elements of leaves rather than about where they stand.
        """
        return self.tensor(value)  # type: ignore[no-any-return]

    def size(self, size: torch.Size) -> torch.Size:
        """Return the batch size after the operation."""
        raise NotImplementedError

    def names(self, names: Names) -> Names | None:
        """Return the dimension names after the operation; None erases them."""
        raise NotImplementedError

    def inverse(self, size: torch.Size) -> StructuralOp | None:
        """Return the operation that undoes this one on a container that had batch size `size`, if there is one."""
        return None
