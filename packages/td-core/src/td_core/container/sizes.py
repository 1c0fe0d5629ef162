"""Batch size: queries, assignment, and the largest common one."""

from __future__ import annotations

from typing import Any

from torch import Size, Tensor
from typing_extensions import Self

from ..errors import BatchSizeError, TDIndexError, TDRuntimeError
from ..leaves import NonTensorData, kind_of, rebatched_value
from .kernel import Kernel, normal_names
from .names import NamesMethods


class SizeMethods(NamesMethods):
    """`batch_size` and what derives from it."""

    @property
    def batch_size(self) -> Size:
        """The leading sizes that all entries share. Assigning checks every entry and enlarges nodes that need it."""
        return self._batch_size

    @batch_size.setter
    def batch_size(self, batch_size: Any) -> None:
        _set_batch_size(self, Size((batch_size,)) if isinstance(batch_size, int) else Size(batch_size))

    @property
    def shape(self) -> Size:
        """The batch size."""
        return self._batch_size

    @shape.setter
    def shape(self, batch_size: Any) -> None:
        self.batch_size = batch_size

    @property
    def batch_dims(self) -> int:
        """The number of batch dims."""
        return len(self._batch_size)

    @property
    def ndim(self) -> int:
        """The number of batch dims."""
        return len(self._batch_size)

    def dim(self) -> int:
        """Return the number of batch dims."""
        return len(self._batch_size)

    def ndimension(self) -> int:
        """Return the number of batch dims."""
        return len(self._batch_size)

    def size(self, dim: int | None = None) -> Any:
        """Return the batch size, or one of its sizes.

        Raises:
            TDIndexError: `dim` is out of range.
        """
        if dim is None:
            return self._batch_size
        if not -len(self._batch_size) <= dim < len(self._batch_size):
            raise TDIndexError(f"dim={dim} is out of range for the batch size {list(self._batch_size)}.")
        return self._batch_size[dim]

    def numel(self) -> int:
        """Return the number of elements of the batch: 1 for an empty batch size."""
        return self._batch_size.numel()

    def __len__(self) -> int:
        return self._batch_size[0] if self._batch_size else 0

    def auto_batch_size_(self, batch_dims: int | None = None) -> Self:
        """Set the largest leading shape that all entries share, here and in every node.

        Args:
            batch_dims: the most dims to take. Default: no limit.

        Returns:
            This container.
        """
        _set_largest(self, batch_dims)
        return self


def _set_batch_size(node: Kernel, size: Size) -> None:
    n = len(size)
    if type(node._storage) is not dict:
        if size != node._batch_size:
            _refuse_resize(node)
        return
    for key, value in node._storage.items():
        kind = kind_of(value)
        if kind.is_tensor and value.shape[:n] != size:
            raise BatchSizeError(key, value.shape, size)
    for key, value in node._storage.items():
        if type(value) is Tensor:
            continue
        kind = kind_of(value)
        child = kind.node(value)
        if child is not None:
            if child._batch_size[:n] != size:
                _set_batch_size(child, size)
        elif kind.is_non_tensor and kind.shape(value)[:n] != size:
            node._storage[key] = kind.fit(value, size, None)
    node._batch_size = size
    if node._names is not None:
        node._names = normal_names([*node._names, *[None] * n][:n])


def _refuse_resize(node: Kernel) -> None:
    raise TDRuntimeError(
        f"The batch size of a {type(node).__name__} follows from its storage. Call to_tensordict() first."
    )


def _set_largest(node: Any, batch_dims: int | None, inherited: Size | None = None) -> None:
    size: Size | None = None
    empty: list[Any] = []
    for value in node._storage.values():
        kind = kind_of(value)
        child: Any = kind.node(value)
        if child is not None:
            if child.is_empty():
                empty.append(child)
                continue
            _set_largest(child, batch_dims)
            shape = child._batch_size
        elif isinstance(value, NonTensorData):
            continue
        else:
            shape = kind.shape(value)
        size = shape if size is None else _common(size, shape)
    if size is None:
        size = node._batch_size if inherited is None else inherited
    if batch_dims is not None:
        size = size[:batch_dims]
    for child in empty:
        _set_largest(child, batch_dims, size)
    _set_batch_size(node, size)
    for key, value in list(node._storage.items()):
        if type(value) is not Tensor:
            node._storage[key] = rebatched_value(value, size)


def _common(a: Size, b: Size) -> Size:
    n = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        n += 1
    return a[:n]
