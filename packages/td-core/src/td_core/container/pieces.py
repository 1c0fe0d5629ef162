"""Copying a container, and cutting it in pieces: each leaf is cut once, and the pieces are dealt out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

from torch import Size, Tensor
from typing_extensions import Self

from ..errors import TDRuntimeError, TDTypeError, TDValueError
from ..leaves import kind_of
from ..structural import Index, Names, wrap_dim
from .kernel import Kernel, normal_names
from .shape import ShapeMethods

Cut = Callable[[Any], Sequence[Any]]


class PieceMethods(ShapeMethods):
    """Copies, and pieces along a batch dim: `clone`, `contiguous`, `unbind`, `split`, `chunk`."""

    # -- copies -------------------------------------------------------------------------------------------------------

    def contiguous(self) -> Self:
        """Return a new container whose leaves are contiguous."""
        whole = self if self._gather()[1] else self._stacked()
        return whole._map_tensors(Tensor.contiguous)

    def is_contiguous(self) -> bool:
        """Whether every leaf is contiguous."""
        return all(leaf.is_contiguous() for leaf in self._leaves())

    def clone(self, recurse: bool = True) -> Self:
        """Return an unlocked copy.

        Args:
            recurse: copy the leaves too; otherwise only the tree of containers is new.
        """
        return self._deep_copy() if recurse else self._shallow_copy()

    def copy(self) -> Self:
        """Return a new tree of containers that shares the leaves."""
        return self._shallow_copy()

    # -- pieces -------------------------------------------------------------------------------------------------------

    def unbind(self, dim: int) -> tuple[Self, ...]:
        """Return the slices along a batch dim, without that dim.

        Raises:
            TDIndexError: `dim` is out of range.
        """
        d = wrap_dim(dim, len(self._batch_size))
        return tuple(self._flagged_piece(piece) for piece in self._unbound(d))

    def split(self, split_size: int | Sequence[int], dim: int = 0) -> tuple[Self, ...]:
        """Split along a batch dim into views.

        Args:
            split_size: the size of each piece (the last may be smaller), or the size of every piece, which must sum to
                that of the dim.
            dim: the batch dim.

        Raises:
            TDIndexError: `dim` is out of range.
            TDTypeError: `split_size` is neither an int nor a sequence of ints.
            TDValueError: `split_size` is an int below 1.
            TDRuntimeError: the sizes are negative or do not sum to the size of the dim.
        """
        d = wrap_dim(dim, len(self._batch_size))
        return self._split_pieces(_split_sizes(split_size, self._batch_size[d], d), d)

    def chunk(self, chunks: int, dim: int = 0) -> tuple[Self, ...]:
        """Split along a batch dim into at most `chunks` views.

        Raises:
            TDIndexError: `dim` is out of range.
            TDTypeError: `chunks` is not an int.
            TDValueError: `chunks` is below 1.
        """
        d = wrap_dim(dim, len(self._batch_size))
        if not isinstance(chunks, int):
            raise TDTypeError(f"chunk: chunks must be an int, got {chunks!r}.")
        if chunks < 1:
            raise TDValueError(f"chunk: chunks must be at least 1, got {chunks}.")
        n = self._batch_size[d]
        sizes = _split_sizes(-(-n // chunks), n, d) if n else [0] * chunks
        return self._split_pieces(sizes, d)

    def _split_pieces(self, sizes: list[int], dim: int) -> tuple[Self, ...]:
        pieces = tuple(self._flagged_piece(piece) for piece in self._cut(sizes, dim))
        if self._locked:
            for piece in pieces:
                piece._locked_like(self)
        return pieces

    def _flagged_piece(self, piece: Any) -> Any:
        if self._sharing is not None:
            piece._sharing = self._sharing
            piece._locked_like(self)
        return piece

    def _unbound(self, dim: int) -> list[Any]:
        n = self._batch_size[dim]
        names = self._names
        return _deal(
            self,
            n,
            lambda tensor: tensor.unbind(dim),
            lambda node: node._unbound(dim),
            lambda: [(*(slice(None),) * dim, i) for i in range(n)],
            [_without(self._batch_size, dim)] * n,
            None if names is None else normal_names([*names[:dim], *names[dim + 1 :]]),
        )

    def _cut(self, sizes: list[int], dim: int) -> list[Any]:
        size = self._batch_size
        return _deal(
            self,
            len(sizes),
            lambda tensor: tensor.split_with_sizes(sizes, dim),
            lambda node: node._cut(sizes, dim),
            lambda: _slices(sizes, dim),
            [Size((*size[:dim], n, *size[dim + 1 :])) for n in sizes],
            self._names,
        )

    def _deep_copy(self) -> Self:
        """Return an unlocked copy of the tree and its leaves."""
        if type(self._storage) is not dict and self._storage.parts is not None:  # type: ignore[union-attr]
            return self._by_part(lambda part: part._deep_copy())
        return self._like(
            {
                key: value.clone() if type(value) is Tensor else kind_of(value).clone(value)
                for key, value in self._storage.items()
            }
        )


def _without(size: Size, dim: int) -> Size:
    return size[:dim] + size[dim + 1 :]


def _deal(
    node: Kernel,
    n: int,
    cut_tensor: Cut,
    cut_node: Cut,
    items: Callable[[], list[tuple[Any, ...]]],
    sizes: list[Size],
    names: Names | None,
) -> list[Any]:
    """Cut every value in `n` pieces and build a container of each round of pieces."""
    storage = node._storage
    if type(storage) is not dict:
        return [node._transform(op) for op in _ops(node, items(), sizes)]
    columns: list[Sequence[Any]] = []
    for value in storage.values():
        if type(value) is Tensor:
            columns.append(cut_tensor(value))
        elif isinstance(value, Kernel):
            columns.append(cut_node(value))
        else:
            columns.append(_cut_other(value, cut_tensor, cut_node, _ops(node, items(), sizes)))
    device = node._device
    if not columns:
        return [node._derive({}, size, device, names) for size in sizes]
    if len(columns) == 1:
        (key,) = storage
        return [node._derive({key: piece}, size, device, names) for piece, size in zip(columns[0], sizes, strict=True)]
    return [
        node._derive(dict(zip(storage, row)), size, device, names)  # noqa: B905  # one of each column, by construction
        for row, size in zip(zip(*columns), sizes, strict=True)  # noqa: B905
    ]


def _cut_other(value: Any, cut_tensor: Cut, cut_node: Cut, ops: list[Index]) -> Sequence[Any]:
    """Cut a value that is neither a plain tensor nor a plain container."""
    kind = kind_of(value)
    if kind.is_tensor:
        return cut_tensor(value)
    child = kind.node(value)
    if child is not None:
        return [kind.wrap(value, piece) for piece in cut_node(child)]
    return [kind.transform(value, op) for op in ops]


def _ops(node: Kernel, items: list[tuple[Any, ...]], sizes: list[Size]) -> list[Index]:
    """The pieces as index ops, for values that are cut no other way."""
    dims = len(node._batch_size)
    return [Index(item, size, dims) for item, size in zip(items, sizes, strict=True)]


def _slices(sizes: list[int], dim: int) -> list[tuple[Any, ...]]:
    whole = (slice(None),) * dim
    ends = list(accumulate(sizes))
    return [(*whole, slice(end - n, end)) for end, n in zip(ends, sizes, strict=True)]


def _split_sizes(split_size: Any, n: int, dim: int) -> list[int]:
    """The sizes of the pieces of a dim of size `n`."""
    if isinstance(split_size, int):
        if split_size == n == 0:
            return [0]
        if split_size < 1:
            raise TDValueError(f"split: split_size must be positive, got {split_size}.")
        full, rest = divmod(n, split_size)
        return [split_size] * full + ([rest] if rest or not full else [])
    if not isinstance(split_size, (list, tuple)) or not all(isinstance(size, int) for size in split_size):
        raise TDTypeError(f"split: split_size must be an int or a list of ints, got {split_size!r}.")
    if not split_size or min(split_size) < 0 or sum(split_size) != n:
        raise TDRuntimeError(
            f"split: the sizes {list(split_size)} must be non-negative and sum to {n}, the size of batch dim {dim}."
        )
    return list(split_size)
