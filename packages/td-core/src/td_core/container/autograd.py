"""Autograd, leaf by leaf."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import torch
from torch import Tensor
from typing_extensions import Self

from ..abc import Capability
from ..errors import TDKeyError, TDRuntimeError, TDTypeError
from ..leaves import kind_of, kind_of_type
from .cast import leaf_paths
from .kernel import Kernel
from .mapping import MappingMethods


class AutogradMethods(MappingMethods):
    """`detach`, `data`, `grad`, `requires_grad_` and the like. Results keep the lock."""

    def detach(self) -> Self:
        """Return a container of the detached leaves, which share memory with these."""
        return self._map_tensors(Tensor.detach)._locked_like(self)

    def detach_(self) -> Self:
        """Detach every leaf in place.

        Returns:
            This container.
        """
        self._require(Capability.GRAD, "detach_()")
        for leaf in self._leaves():
            leaf.detach_()
        return self

    @property
    def data(self) -> Self:
        """A container of the `.data` of every leaf: same memory, no gradient history."""
        return self._map_tensors(attrgetter("data"))._locked_like(self)

    @property
    def grad(self) -> Self | None:
        """A container of the gradients there are, None when there is none."""
        grads = _gradients(self)
        return None if grads is None else grads._locked_like(self)

    @property
    def requires_grad(self) -> bool:
        """Whether any leaf requires a gradient."""
        return any(leaf.requires_grad for leaf in self._leaves())

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Ask for gradients of every leaf, or no longer.

        Returns:
            This container.

        Raises:
            TDRuntimeError: a leaf is of integer or boolean type, which has no gradient; no leaf is changed then.
        """
        self._require(Capability.GRAD, "requires_grad_()")
        if requires_grad:
            for path, value in zip(leaf_paths(self, ()), self._leaves(), strict=True):
                if not (value.is_floating_point() or value.is_complex()):
                    raise TDRuntimeError(
                        f"The entry {path if len(path) > 1 else path[0]!r} is of type {value.dtype} and cannot require "
                        "a gradient. Select the floating-point entries first."
                    )
        for leaf in self._leaves():
            leaf.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> Self:
        """Drop the gradients of all leaves, or with `set_to_none=False` fill them with zeros.

        Returns:
            This container.
        """
        for leaf in self._leaves():
            if not _has_gradient(leaf):
                continue
            if set_to_none:
                leaf.grad = None
            else:
                assert leaf.grad is not None, "checked above"
                leaf.grad.detach_().zero_()
        return self

    def backward(
        self,
        gradient: Any = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Accumulate the gradients of every leaf that requires one, in one pass.

        Args:
            gradient: a container with the gradient of each such leaf. Needed unless all of them are scalars.
            retain_graph: keep the graph for another pass. Default: as `create_graph`.
            create_graph: build a graph of the gradients too.
            inputs: the tensors, or a container of them, to accumulate into. Default: all leaves of the graph.

        Raises:
            TDRuntimeError: no leaf requires a gradient, or one that does is no scalar and `gradient` is None.
            TDTypeError: `gradient` is not a container.
            TDKeyError: `gradient` lacks an entry.
        """
        roots = {
            key: value for key, value in self.items(True, True) if isinstance(value, Tensor) and value.requires_grad
        }
        if not roots:
            raise TDRuntimeError("backward() needs an entry that requires a gradient, and this tensordict has none.")
        if gradient is None:
            for key, value in roots.items():
                if value.numel() != 1:
                    raise TDRuntimeError(
                        f"backward() can only supply the gradient of scalars, and the entry {key!r} has shape "
                        f"{list(value.shape)}. Pass a gradient tensordict, or reduce the entries first."
                    )
        torch.autograd.backward(
            list(roots.values()),
            None if gradient is None else [_gradient_of(gradient, key) for key in roots],
            retain_graph=retain_graph,
            create_graph=create_graph,
            inputs=_input_tensors(inputs),
        )


def _has_gradient(leaf: Tensor) -> bool:
    """Whether `.grad` is set; asked so that torch does not warn about leaves in the middle of a graph."""
    return (leaf.is_leaf or leaf.retains_grad) and leaf.grad is not None


def _gradients(node: Kernel) -> Any:
    """Return the tree of existing gradients, None when there is none. Non-tensor data stays."""
    if type(node._storage) is not dict and node._storage.parts is not None:  # type: ignore[union-attr]
        grads = [_gradients(part) for part in node._storage.parts]  # type: ignore[union-attr]
        return None if any(grad is None for grad in grads) else node._like(node._storage.join(grads))  # type: ignore[union-attr]
    storage: dict[str, Any] = {}
    found = False
    for key, value in node._storage.items():
        kind = kind_of(value)
        child = kind.node(value)
        if child is not None:
            grads = _gradients(child)
            if grads is not None:
                storage[key] = kind.wrap(value, grads)
                found = True
        elif kind.is_non_tensor:
            storage[key] = value
        else:
            leaves: list[Tensor] = []
            kind.collect(value, leaves)
            if all(_has_gradient(leaf) for leaf in leaves):
                storage[key] = kind.rebuild(value, iter([leaf.grad for leaf in leaves]))  # type: ignore[misc]
                found = True
    return node._like(storage) if found else None


def _gradient_of(gradient: Any, key: Any) -> Tensor:
    kind = kind_of_type(type(gradient))
    node: Any = None if kind is None else kind.node(gradient)
    if node is None:
        raise TDTypeError(
            "The gradient passed to backward() must be a tensordict with an entry for each one that requires a "
            f"gradient, got a {type(gradient).__name__}."
        )
    value = node.get(key)
    if value is None:
        raise TDKeyError(f"The gradient passed to backward() has no entry {key!r}, which requires a gradient.")
    return value  # type: ignore[no-any-return]


def _input_tensors(inputs: Any) -> Sequence[Tensor] | None:
    if inputs is None:
        return None
    if isinstance(inputs, Tensor):
        return [inputs]
    kind = kind_of_type(type(inputs))
    node = None if kind is None else kind.node(inputs)
    return list(inputs) if node is None else node._leaves()
