"""Registration of the containers with `torch.utils._pytree`, keyed, so that torch's tree functions look into them.

A container flattens to its tensors and nodes; everything else is part of the tree's structure. Two structures are equal
when keys, names and non-tensor data are: the batch size and the device follow from the leaves.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Size, Tensor
from torch.utils import _pytree as torch_pytree

from .container.kernel import Kernel, normal_names
from .container.lazy_stack import LazyStackedTensorDict
from .container.tensordict import TensorDict
from .errors import TDTypeError
from .leaves import NonTensorData, kind_of_type
from .leaves.rows import same_value
from .storage.lazy_stack import stack_nodes


class TreeLeaf(NonTensorData):
    """An object that a tree function put where a tensor was. It flattens to that object again."""


def _content(data: Any) -> Any:
    """The value that all positions share, or the rows of a column."""
    return data.data if isinstance(data, NonTensorData) else data.tolist()


class TreeContext:
    """The structure of one level: what unflattening needs besides the leaves.

    Attributes:
        keys: the keys of the leaves and nodes, in order.
        non_tensors: the non-tensor entries.
        batch_size: the batch size; not compared, so that trees of other sizes match.
        device: the device; not compared.
        names: the dim names.
        order: all keys, in order.
    """

    __slots__ = ("batch_size", "device", "keys", "names", "non_tensors", "order")

    def __init__(
        self,
        keys: tuple[str, ...],
        non_tensors: tuple[tuple[str, Any], ...],
        batch_size: Size,
        device: torch.device | None,
        names: tuple[str | None, ...] | None,
        order: tuple[str, ...],
    ) -> None:
        self.keys, self.non_tensors, self.batch_size = keys, non_tensors, batch_size
        self.device, self.names, self.order = device, names, order

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TreeContext)
            and self.keys == other.keys
            and self.names == other.names
            and len(self.non_tensors) == len(other.non_tensors)
            and all(
                a == b and same_value(_content(x), _content(y))
                for (a, x), (b, y) in zip(self.non_tensors, other.non_tensors, strict=True)
            )
        )

    def __hash__(self) -> int:
        return hash((self.keys, self.names))

    def __repr__(self) -> str:
        return f"TreeContext(keys={list(self.keys)}, batch_size={list(self.batch_size)})"


def flatten(td: Any) -> tuple[list[Any], TreeContext]:
    """Return the tensors and nodes of one level, and its structure."""
    keys: list[str] = []
    children: list[Any] = []
    non_tensors: list[tuple[str, Any]] = []
    for key, value in td._storage.items():
        if type(value) is Tensor:
            keys.append(key)
            children.append(value)
            continue
        kind = kind_of_type(type(value))
        if kind is not None and kind.is_non_tensor and type(value) is not TreeLeaf:
            non_tensors.append((key, value))
        else:
            keys.append(key)
            children.append(value.data if type(value) is TreeLeaf else value)
    names = None if td._names is None else tuple(td._names)
    context = TreeContext(tuple(keys), tuple(non_tensors), td._batch_size, td._device, names, tuple(td._storage))
    return children, context


def flatten_with_keys(td: Any) -> tuple[list[tuple[Any, Any]], TreeContext]:
    """Return the tensors and nodes of one level with their keys, and its structure."""
    children, context = flatten(td)
    return [(torch_pytree.MappingKey(key), child) for key, child in zip(context.keys, children, strict=True)], context


def unflatten(children: Iterable[Any], context: TreeContext) -> Any:
    """Build one level around new children, unlocked.

    The batch size is the former one where all children still start with it, else the leading sizes they share, at most
    as many. Dims whose size changed lose their names. The device is kept if all children are on it. Children may
    be any objects, as tree functions have it: see `TreeLeaf`.
    """
    values = dict(zip(context.keys, children, strict=True))
    size, device = context.batch_size, context.device
    others: list[str] = []
    fresh = True  # whether no child has had a say in the size yet
    for key, value in values.items():
        if type(value) is Tensor:
            if value.shape[: len(size)] != size:
                size = value.shape[: len(size)] if fresh else _shared(size, value.shape)
            fresh = False
            if device is not None and value.device != device:
                device = None
            continue
        kind = kind_of_type(type(value))
        if kind is None or kind.is_non_tensor:
            others.append(key)
            continue
        shape = kind.shape(value)
        size = shape[: len(size)] if fresh else _shared(size, shape)
        fresh = False
        if device is not None and value.device != device:
            device = None
    for key in others:
        values[key] = TreeLeaf(values[key], batch_size=size)
    for key, data in context.non_tensors:
        values[key] = data if data.batch_size[: len(size)] == size else _refit(data, size)
    storage = values if not context.non_tensors else {key: values[key] for key in context.order}
    names = context.names
    kept = None if names is None else [names[d] if n == context.batch_size[d] else None for d, n in enumerate(size)]
    return Kernel._build(storage, size, device, normal_names(kept))


def _shared(a: Size, b: Any) -> Size:
    n = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        n += 1
    return a if n == len(a) else a[:n]


def _refit(data: Any, size: Size) -> Any:
    """Return non-tensor data that starts with `size`, a prefix of the batch size it had."""
    return NonTensorData(data.data, batch_size=size) if isinstance(data, NonTensorData) else data


def _to_dumpable(context: TreeContext) -> Any:
    if context.non_tensors:
        raise TDTypeError(
            f"A tree with non-tensor entries ({[key for key, _ in context.non_tensors]}) cannot be written as JSON. "
            "Exclude them first."
        )
    return {
        "keys": list(context.keys),
        "batch_size": list(context.batch_size),
        "device": None if context.device is None else str(context.device),
        "names": None if context.names is None else list(context.names),
    }


def _from_dumpable(dumped: Any) -> TreeContext:
    keys = tuple(dumped["keys"])
    device = None if dumped["device"] is None else torch.device(dumped["device"])
    names = None if dumped["names"] is None else tuple(dumped["names"])
    return TreeContext(keys, (), Size(dumped["batch_size"]), device, names, keys)


class StackContext:
    """The structure of a lazy stack, whose children are its members."""

    __slots__ = ("dim", "names")

    def __init__(self, dim: int, names: tuple[str | None, ...] | None) -> None:
        self.dim, self.names = dim, names

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StackContext) and (self.dim, self.names) == (other.dim, other.names)

    def __hash__(self) -> int:
        return hash((self.dim, self.names))

    def __repr__(self) -> str:
        return f"StackContext(dim={self.dim})"


def flatten_stack(td: Any) -> tuple[list[Any], StackContext]:
    """Return the members of a lazy stack, and its structure."""
    return list(td._storage.members), StackContext(td._storage.dim, None if td._names is None else tuple(td._names))


def flatten_stack_with_keys(td: Any) -> tuple[list[tuple[Any, Any]], StackContext]:
    """Return the members of a lazy stack with their positions, and its structure."""
    members, context = flatten_stack(td)
    return [(torch_pytree.SequenceKey(i), member) for i, member in enumerate(members)], context


def unflatten_stack(children: Iterable[Any], context: StackContext) -> Any:
    """Build a lazy stack of new members."""
    members = list(children)
    stack_dim = min(context.dim, len(members[0].batch_size))
    out = stack_nodes(members, stack_dim)
    if context.names is not None and len(context.names) == out.batch_dims:
        out.names = list(context.names)
    return out


def register_container(cls: type[Kernel]) -> None:
    """Register a class of dense containers with torch's tree functions."""
    torch_pytree.register_pytree_node(
        cls,
        flatten,
        unflatten,
        serialized_type_name=f"{cls.__module__}.{cls.__qualname__}",
        to_dumpable_context=_to_dumpable,
        from_dumpable_context=_from_dumpable,
        flatten_with_keys_fn=flatten_with_keys,
    )


register_container(TensorDict)
torch_pytree.register_pytree_node(
    LazyStackedTensorDict,
    flatten_stack,
    unflatten_stack,
    serialized_type_name="td_core.container.lazy_stack.LazyStackedTensorDict",
    to_dumpable_context=lambda context: {"dim": context.dim, "names": context.names},
    from_dumpable_context=lambda dumped: StackContext(dumped["dim"], dumped["names"] and tuple(dumped["names"])),
    flatten_with_keys_fn=flatten_stack_with_keys,
)
