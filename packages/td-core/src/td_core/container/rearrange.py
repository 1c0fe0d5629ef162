"""Rearranging the batch: moving dims by name of place, cutting ranges out, shifting, reversing and repeating."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor
from typing_extensions import Self

from ..errors import TDIndexError, TDRuntimeError, TDTypeError, TDValueError
from ..structural import Flip, Repeat, RepeatInterleave, Roll, RollFlat, wrap_dim
from .pieces import PieceMethods


class RearrangeMethods(PieceMethods):
    """The less common shape operations of a tensor, on the batch dims."""

    def movedim(self, source: int | Sequence[int], destination: int | Sequence[int]) -> Self:
        """Move batch dims to other places; the others keep their order.

        Raises:
            TDIndexError: a dim is out of range.
            TDRuntimeError: the two lists differ in length, or a dim comes twice.
        """
        n = len(self._batch_size)
        old = [wrap_dim(d, n, "source") for d in _as_list(source)]
        new = [wrap_dim(d, n, "destination") for d in _as_list(destination)]
        if len(old) != len(new) or len(set(old)) != len(old) or len(set(new)) != len(new):
            raise TDRuntimeError(f"movedim: {source} and {destination} must be equally many different dims.")
        rest = iter([d for d in range(n) if d not in old])
        placed = dict(zip(new, old, strict=True))
        return self.permute([placed[d] if d in placed else next(rest) for d in range(n)])

    def moveaxis(self, source: int | Sequence[int], destination: int | Sequence[int]) -> Self:
        """Move batch dims; as `movedim`."""
        return self.movedim(source, destination)

    def swapaxes(self, axis0: int, axis1: int) -> Self:
        """Swap two batch dims; as `transpose`."""
        return self.transpose(axis0, axis1)

    def swapdims(self, dim0: int, dim1: int) -> Self:
        """Swap two batch dims; as `transpose`."""
        return self.transpose(dim0, dim1)

    def broadcast_to(self, shape: Sequence[int]) -> Self:
        """Expand to a shape; as `expand`."""
        return self.expand(shape)

    def atleast_1d(self) -> Self:
        """Return this container with at least one batch dim."""
        return self._at_least(1)

    def atleast_2d(self) -> Self:
        """Return this container with at least two batch dims; new ones come first."""
        return self._at_least(2)

    def atleast_3d(self) -> Self:
        """Return this container with at least three batch dims; new ones come first."""
        return self._at_least(3)

    def _at_least(self, n: int) -> Self:
        out = self
        while len(out._batch_size) < n:
            out = out.unsqueeze(0)
        return out

    # -- ranges -------------------------------------------------------------------------------------------------------

    def narrow(self, dim: int, start: int, length: int) -> Self:
        """Return a view of `length` elements of a batch dim, from `start` on.

        Raises:
            TDIndexError: `dim` or `start` is out of range.
            TDRuntimeError: the end of the range is.
        """
        d = wrap_dim(dim, len(self._batch_size))
        n = self._batch_size[d]
        first = start + n if start < 0 else start
        if not 0 <= first <= n:
            raise TDIndexError(f"narrow: start={start} is out of range for batch dim {dim} of size {n}.")
        if length < 0 or first + length > n:
            raise TDRuntimeError(f"narrow: start={start} and length={length} exceed batch dim {dim} of size {n}.")
        out: Self = self._index((*[slice(None)] * d, slice(first, first + length)))
        return out._locked_like(self)

    def tensor_split(self, indices_or_sections: int | Sequence[int] | Tensor, dim: int = 0) -> tuple[Self, ...]:
        """Split along a batch dim into a number of nearly equal views, or before each of some indices.

        Raises:
            TDIndexError: `dim` is out of range.
            TDValueError: the number of sections is below 1.
        """
        d = wrap_dim(dim, len(self._batch_size))
        n = self._batch_size[d]
        given: Any = indices_or_sections
        if isinstance(given, Tensor):
            given = given.tolist()
        if isinstance(given, int):
            if given < 1:
                raise TDValueError(f"tensor_split: the number of sections must be at least 1, got {given}.")
            return self._split_pieces([n // given + (i < n % given) for i in range(given)], d)
        marks = [0, *[min(max(i + n if i < 0 else i, 0), n) for i in given], n]
        pieces = [self.narrow(d, a, max(0, b - a)) for a, b in pairwise(marks)]
        return tuple(pieces)

    # -- copies -------------------------------------------------------------------------------------------------------

    def roll(self, shifts: int | Sequence[int], dims: int | Sequence[int] | None = None) -> Self:
        """Shift elements along batch dims, those beyond the end coming back at the start.

        Without `dims`, the batch is flattened, rolled and brought back to its shape.

        Raises:
            TDIndexError: a dim is out of range.
            TDRuntimeError: `shifts` and `dims` differ in length.
        """
        amounts = _as_list(shifts)
        if dims is None:
            if not self._batch_size:
                return self._reshaped(Roll((), ()))
            return self._reshaped(RollFlat(sum(amounts), len(self._batch_size)))
        n = len(self._batch_size)
        wrapped = [wrap_dim(d, n) for d in _as_list(dims)]
        if len(wrapped) != len(amounts):
            raise TDRuntimeError(f"roll: {len(amounts)} shifts and {len(wrapped)} dims must be equally many.")
        return self._reshaped(Roll(amounts, wrapped))

    def flip(self, dims: int | Sequence[int]) -> Self:
        """Reverse batch dims (a copy, as for tensors).

        Raises:
            TDIndexError: a dim is out of range.
        """
        n = len(self._batch_size)
        return self._reshaped(Flip([wrap_dim(d, n) for d in _as_list(dims)]))

    def flipud(self) -> Self:
        """Reverse the first batch dim."""
        return self.flip(0)

    def fliplr(self) -> Self:
        """Reverse the second batch dim."""
        return self.flip(1)

    def rot90(self, k: int = 1, dims: Sequence[int] = (0, 1)) -> Self:
        """Rotate by `k` times 90 degrees in the plane of two batch dims, from the first towards the second.

        Raises:
            TDIndexError: a dim is out of range.
            TDRuntimeError: not two different dims.
        """
        n = len(self._batch_size)
        plane = [wrap_dim(d, n) for d in dims]
        if len(plane) != 2 or plane[0] == plane[1]:
            raise TDRuntimeError(f"rot90 needs two different dims, got {list(dims)}.")
        a, b = plane
        turns = k % 4
        if turns == 0:
            return self.clone()._locked_like(self)
        if turns == 2:
            return self.flip((a, b))
        return self.flip(b).transpose(a, b) if turns == 1 else self.transpose(a, b).flip(b)

    def repeat(self, *repeats: Any) -> Self:
        """Repeat the batch along each dim.

        Args:
            repeats: how often, one number a batch dim.

        Raises:
            TDValueError: not one number a batch dim.
        """
        counts = list(repeats[0]) if len(repeats) == 1 and isinstance(repeats[0], (list, tuple)) else list(repeats)
        if len(counts) != len(self._batch_size):
            raise TDValueError(
                f"repeat needs one number for each of the {len(self._batch_size)} batch dims, got {counts}."
            )
        return self._reshaped(Repeat(counts))

    def repeat_interleave(
        self, repeats: int | Tensor, dim: int | None = None, *, output_size: int | None = None
    ) -> Self:
        """Repeat each element along a batch dim.

        Args:
            repeats: how often, for all elements or for each.
            dim: the batch dim. Default: the batch is flattened first.
            output_size: the size of the dim afterwards, where it is known: saves a synchronisation.

        Raises:
            TDIndexError: `dim` is out of range.
        """
        if dim is None:
            return self.reshape(-1).repeat_interleave(repeats, 0, output_size=output_size)
        d = wrap_dim(dim, len(self._batch_size))
        if output_size is None:
            n = self._batch_size[d]
            output_size = n * repeats if isinstance(repeats, int) else int(repeats.expand(n).sum())
        return self._reshaped(RepeatInterleave(repeats, d, output_size))

    def tile(self, dims: Sequence[int]) -> Self:
        """Repeat the batch, with numbers for its last dims; more numbers than dims add leading dims."""
        counts = list(dims)
        extra = len(counts) - len(self._batch_size)
        out = self._at_least(len(counts))
        return out.repeat([1] * max(0, -extra) + counts)


def _as_list(value: Any) -> list[int]:
    if isinstance(value, int):
        return [value]
    if isinstance(value, (list, tuple, torch.Size)):
        return list(value)
    raise TDTypeError(f"Expected an int or a sequence of ints, got {value!r}.")
