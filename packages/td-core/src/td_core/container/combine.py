"""Stacking and concatenating containers key by key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Size, Tensor

from ..errors import TDError, TDIndexError, TDKeyError, TDRuntimeError, TDTypeError, TDValueError
from ..leaves import kind_of, kind_of_type
from ..storage.lazy_stack import LazyStack, stack_nodes
from ..structural import Names, wrap_dim
from .kernel import Kernel, normal_names
from .rearrange import RearrangeMethods


class CombineMethods(RearrangeMethods):
    """`TensorDict.stack`, `cat` and the lazy forms; the functions of the same names call these."""

    @classmethod
    def stack(cls, input: Sequence[Any], dim: int = 0, *, out: Any = None) -> Any:
        """Stack containers along a new batch dim into a dense one.

        Args:
            input: containers of equal batch size with the same keys and leaf shapes.
            dim: where the new dim goes, counted on `batch_dims + 1`.
            out: a container whose tensors are written into; only its keys are.

        Raises:
            TDRuntimeError: batch sizes, key sets or leaf shapes differ.
            TDIndexError: `dim` is out of range, or the list is empty.
        """
        nodes = require_containers(input, "stack")
        size = _same_size(nodes, "stack")
        d = wrap_dim(dim, len(size) + 1)
        if out is None:
            return _rewrap(input, cls._stack(nodes, d))
        stacked = Size((*size[:d], len(nodes), *size[d:]))
        if out.batch_size != stacked:
            raise TDRuntimeError(
                f"stack: the batch size of out, {list(out.batch_size)}, must be that of the result, {list(stacked)}."
            )
        _combine_into(_node(out), nodes, d, torch.stack)
        return out

    @classmethod
    def cat(cls, input: Sequence[Any], dim: int = 0, *, out: Any = None) -> Any:
        """Concatenate containers along a batch dim.

        Args:
            input: containers with the same keys, whose leaves differ in size along `dim` only.
            dim: the batch dim.
            out: a container whose tensors are written into.

        Raises:
            TDKeyError: the key sets differ.
            TDRuntimeError: `dim` is out of range, or other sizes differ.
            TDIndexError: the list is empty.
        """
        nodes = require_containers(input, "cat")
        d = wrap_dim(dim, len(nodes[0]._batch_size), error=TDRuntimeError)
        size = _cat_size(nodes, d)
        if out is None:
            return _rewrap(input, cls._cat(nodes, d))
        if out.batch_size != size:
            raise TDRuntimeError(
                f"cat: the batch size of out, {list(out.batch_size)}, must be that of the result, {list(size)}."
            )
        _combine_into(_node(out), nodes, d, torch.cat)
        return out

    @classmethod
    def lazy_stack(
        cls, input: Sequence[Any], dim: int = 0, *, out: Any = None, stack_dim_name: str | None = None
    ) -> Any:
        """Stack containers along a new batch dim, keeping them as they are.

        Args:
            input: containers of equal batch size; entries may differ in shape, and members may have keys of their own.
            dim: where the new dim goes, counted on `batch_dims + 1`.
            out: a container of the batch size of the result, whose entries are written into.
            stack_dim_name: the name of the new dim.

        Raises:
            TDIndexError: `dim` is out of range, or the list is empty.
            TDRuntimeError: the batch sizes differ.
        """
        nodes = require_containers(input, "lazy_stack")
        d = wrap_dim(dim, len(_same_size(nodes, "lazy_stack")) + 1)
        if out is not None:
            return cls.stack(input, dim, out=out)
        return stack_nodes(list(input), d, stack_dim_name)

    @classmethod
    def maybe_dense_stack(cls, input: Sequence[Any], dim: int = 0, *, out: Any = None) -> Any:
        """Stack containers: dense when their keys and shapes allow it, lazily otherwise.

        Args:
            input: containers of equal batch size.
            dim: where the new dim goes.
            out: as in `stack`.

        Raises:
            TDIndexError: `dim` is out of range, or the list is empty.
            TDRuntimeError: the batch sizes differ.
        """
        nodes = require_containers(input, "maybe_dense_stack")
        if out is None and _one_layout(nodes):
            d = wrap_dim(dim, len(_same_size(nodes, "maybe_dense_stack")) + 1)
            return _rewrap(input, _paired(nodes, d, cls.maybe_dense_stack))
        dense = all(_alike(nodes[0], node) for node in nodes[1:])
        return cls.stack(input, dim, out=out) if dense else cls.lazy_stack(input, dim, out=out)

    @classmethod
    def _stack(cls, containers: Sequence[Any], dim: int) -> Any:
        first = containers[0]
        if type(first._storage) is not dict and _one_layout(containers):
            return _paired(containers, dim, first._stack)
        size = first._batch_size
        names = _common_names(containers)
        if names is not None:
            names = normal_names([*names[:dim], None, *names[dim:]])
        entries = _combine(containers, dim, torch.stack, TDRuntimeError)
        stacked = Size((*size[:dim], len(containers), *size[dim:]))
        return first._derive(entries, stacked, _common_device(containers), names)

    @classmethod
    def _cat(cls, containers: Sequence[Any], dim: int) -> Any:
        first = containers[0]
        if type(first._storage) is not dict and _one_layout(containers, dim):
            return _paired_cat(containers, dim)
        entries = _combine(containers, dim, torch.cat, TDKeyError)
        size = _cat_size(containers, dim)
        return first._derive(entries, size, _common_device(containers), first._names)


def _one_layout(nodes: Sequence[Any], cat_dim: int | None = None) -> bool:
    """Whether all are lazy stacks along the same dim with as many members, unless they are joined along that dim."""
    storages = [node._storage for node in nodes]
    first = storages[0]
    if type(first) is not LazyStack:
        return False
    return all(
        type(storage) is LazyStack
        and storage.dim == first.dim
        and (len(storage.members) == len(first.members) or first.dim == cat_dim)
        for storage in storages
    )


def _paired(nodes: Sequence[Any], dim: int, stack: Callable[[Sequence[Any], int], Any]) -> Any:
    """Stack lazy stacks of one layout member by member: a lazy stack, whose dim makes room for the new one."""
    first = nodes[0]
    source: LazyStack = first._storage
    inner = dim - (dim > source.dim)
    members = [stack(row, inner) for row in zip(*(node._storage.members for node in nodes), strict=True)]
    storage = LazyStack(members, source.dim + (dim <= source.dim), source.dim_name)
    names = _common_names(nodes)
    if names is not None:
        names = normal_names([*names[:dim], None, *names[dim:]])
    size = first._batch_size
    return first._derive(storage, Size((*size[:dim], len(nodes), *size[dim:])), _common_device(nodes), names)


def _paired_cat(nodes: Sequence[Any], dim: int) -> Any:
    """Concatenate lazy stacks of one layout: their lists of members along the stack dim, else member by member."""
    first = nodes[0]
    source: LazyStack = first._storage
    if dim == source.dim:
        if any(set(node._storage) != set(source) for node in nodes):
            raise _different_keys(nodes, "cat", TDKeyError)
        members = [member for node in nodes for member in node._storage.members]
    else:
        rows = zip(*(node._storage.members for node in nodes), strict=True)
        members = [row[0]._cat(row, dim - (dim > source.dim)) for row in rows]
    return first._derive(source.join(members), _cat_size(nodes, dim), _common_device(nodes), first._names)


def _combine(nodes: Sequence[Any], dim: int, combine: Any, error: type[TDError]) -> dict[str, Any]:
    """Stack or concatenate the entries of containers, key by key.

    Raises:
        TDError: the key sets differ (an instance of `error`).
        TDRuntimeError: the shapes of an entry do not fit.
    """
    storages = [node._storage for node in nodes]
    first = storages[0]
    entries: dict[str, Any] = {}
    n = len(first)
    for storage in storages:
        if len(storage) != n:
            raise _different_keys(nodes, combine.__name__, error)
    for key, value in first.items():
        try:
            values = [storage[key] for storage in storages]
        except KeyError:
            raise _different_keys(nodes, combine.__name__, error) from None
        try:
            if type(value) is Tensor:
                entries[key] = combine(values, dim)
            elif isinstance(value, Kernel) and all(isinstance(other, Kernel) for other in values):
                entries[key] = value._stack(values, dim) if combine is torch.stack else value._cat(values, dim)
            else:
                entries[key] = _combine_values(key, values, dim, combine)
        except (TDError, RecursionError):
            raise
        except (RuntimeError, TypeError) as trouble:
            raise _shape_trouble(combine.__name__, key, values) from trouble
    return entries


def _combine_values(key: str, values: list[Any], dim: int, combine: Any) -> Any:
    """Stack or concatenate values that are not plain tensors."""
    kind = _one_kind(combine.__name__, key, values)
    return kind.stack(values, dim) if combine is torch.stack else kind.cat(values, dim)


def require_containers(input: Sequence[Any], what: str) -> list[Any]:
    """Return the containers behind a non-empty list of nodes.

    Raises:
        TDIndexError: the list is empty.
        TDTypeError: an item is not a container.
    """
    if not len(input):
        raise TDIndexError(f"{what} needs at least one tensordict, got an empty list.")
    return [_node(value) for value in input]


def _same_size(nodes: list[Any], what: str) -> Size:
    size: Size = nodes[0]._batch_size
    for i, node in enumerate(nodes):
        if node._batch_size != size:
            raise TDRuntimeError(
                f"{what} needs equal batch sizes: input 0 has {list(size)}, input {i} has {list(node._batch_size)}."
            )
    return size


def _alike(a: Any, b: Any) -> bool:
    """Whether two containers can be stacked densely: same keys, kinds and shapes at every level."""
    if a._batch_size != b._batch_size or a._storage.keys() != b._storage.keys():
        return False
    for key, value in a._storage.items():
        other = b._storage[key]
        kind, other_kind = kind_of_type(type(value)), kind_of_type(type(other))
        if kind is None or other_kind is None or kind.is_non_tensor != other_kind.is_non_tensor:
            return False
        if kind.is_non_tensor:
            continue
        node, other_node = kind.node(value), other_kind.node(other)
        if (node is None) != (other_node is None):
            return False
        if node is not None:
            if not _alike(node, other_node):
                return False
        elif value.shape != other.shape:
            return False
    return True


def _node(value: Any) -> Any:
    kind = kind_of_type(type(value))
    node = None if kind is None else kind.node(value)
    if node is None:
        raise TDTypeError(f"Expected a tensordict, got a {type(value).__name__}.")
    return node


def _rewrap(input: Sequence[Any], node: Any) -> Any:
    """Give the result the class of the inputs (a tensorclass stays one)."""
    return kind_of(input[0]).wrap(input[0], node)


def _one_kind(what: str, key: str, values: list[Any]) -> Any:
    """The kind of values that are all tensors, all nodes, or all non-tensor data."""
    kinds = [kind_of(value) for value in values]
    first = kinds[0]
    for kind in kinds:
        if kind.is_tensor != first.is_tensor or kind.is_non_tensor != first.is_non_tensor:
            raise TDValueError(
                f"{what}: the entries {key!r} are of different kinds: "
                f"{sorted({type(value).__name__ for value in values})}."
            )
    return first


def _different_keys(nodes: Sequence[Any], what: str, error: type[TDError]) -> TDError:
    first = set(nodes[0]._storage)
    i, keys = next((i, keys) for i, node in enumerate(nodes) if (keys := set(node._storage)) != first)
    hint = " To keep the others, use lazy_stack or maybe_dense_stack." if what == "stack" else ""
    return error(
        f"{what} needs the same keys in every tensordict: input 0 alone has {sorted(first - keys)}, "
        f"input {i} alone has {sorted(keys - first)}.{hint}"
    )


def _shape_trouble(what: str, key: str, values: list[Any]) -> TDError:
    kinds = sorted({type(value).__name__ for value in values})
    shapes = [list(kind_of(value).shape(value)) for value in values]
    hint = " To keep them as they are, use lazy_stack or maybe_dense_stack." if what == "stack" else ""
    return TDRuntimeError(f"{what}: the entries {key!r} do not fit: shapes {shapes}, types {kinds}.{hint}")


def _common_device(nodes: Sequence[Kernel]) -> torch.device | None:
    device = nodes[0]._device
    for node in nodes:
        if node._device != device:
            return None
    return device


def _common_names(nodes: Sequence[Kernel]) -> Names | None:
    """The names of the first container, where the others do not say otherwise."""
    names = nodes[0]._names
    if names is None:
        return None
    for node in nodes[1:]:
        if node._names is None:
            return None
        names = [a if a == b else None for a, b in zip(names, node._names, strict=True)]
    return names


def _cat_size(nodes: Sequence[Kernel], dim: int) -> Size:
    first = nodes[0]._batch_size
    total = 0
    for i, node in enumerate(nodes):
        size = node._batch_size
        if size == first:
            total += size[dim]
            continue
        if len(size) != len(first) or size[:dim] != first[:dim] or size[dim + 1 :] != first[dim + 1 :]:
            raise TDRuntimeError(
                f"cat along dim {dim}: the batch sizes must agree in the other dims, input 0 has {list(first)}, "
                f"input {i} has {list(size)}."
            )
        total += size[dim]
    return Size((*first[:dim], total, *first[dim + 1 :]))


def _combine_into(out: Any, nodes: list[Any], dim: int, combine: Any) -> None:
    """Stack or cat into the tensors of `out`; keys absent from all inputs are skipped."""
    dense = type(out._storage) is dict
    for key in list(out._storage):
        present = [key in node._storage for node in nodes]
        if not any(present):
            continue
        if not all(present):
            raise TDKeyError(
                f"{combine.__name__}(out=...): the key {key!r} is missing in the inputs "
                f"{[i for i, p in enumerate(present) if not p]}."
            )
        values = [node._storage[key] for node in nodes]
        target = out._storage[key]
        if type(target) is Tensor and dense:
            combine(values, dim, out=target)
            continue
        kind = kind_of(target)
        child = kind.node(target)
        if child is not None:
            _combine_into(child, [_node(value) for value in values], dim, combine)
        elif not dense and kind.is_tensor:
            out._overwrite(key, combine(values, dim))
        elif kind.is_tensor:
            combine(values, dim, out=target)
        else:
            name = combine.__name__
            out._overwrite(key, kind.stack(values, dim) if name == "stack" else kind.cat(values, dim))
