"""`LazyStackedTensorDict`: containers stacked without copying."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Size

from ..errors import TDTypeError, TDValueError
from ..leaves import kind_of_type
from ..storage import LazyStack
from .base import TensorDictBase
from .kernel import Kernel


class LazyStackedTensorDict(TensorDictBase):
    """Containers of one batch size, kept as they are and stacked when read.

    Entries may differ in shape from member to member, and members may have entries of their own.

    Args:
        tensordicts: the members.
        stack_dim: where the new dim stands in the batch size.
        stack_dim_name: its name.

    Raises:
        TDTypeError: a member is not a container.
        TDRuntimeError: their batch sizes differ.
    """

    _storage: LazyStack

    def __init__(self, *tensordicts: Any, stack_dim: int = 0, stack_dim_name: str | None = None) -> None:
        if not tensordicts:
            self._storage, self._batch_size = LazyStack([], 0), Size((0,))
            return
        stacked: Any = TensorDictBase.lazy_stack(tensordicts, stack_dim)
        self._storage = stacked._storage
        self._batch_size = stacked._batch_size
        self._device = stacked._device
        self._names = stacked._names
        if stacked._locked:
            self.lock_()
        if stack_dim_name is not None:
            names = self.names
            names[self._storage.dim] = stack_dim_name
            self.names = names

    @property
    def tensordicts(self) -> list[Any]:
        """The members, in order."""
        return list(self._storage.members)

    @property
    def stack_dim(self) -> int:
        """The dim along which the members stand."""
        return self._storage.dim

    def append(self, tensordict: Any) -> None:
        """Add a member at the end; costs nothing but the list entry.

        Raises:
            LockedError: the stack is locked.
            TDTypeError: it is not a container.
            TDValueError: its batch size is not that of the members.
        """
        self.insert(len(self._storage.members), tensordict)

    def insert(self, index: int, tensordict: Any) -> None:
        """Add a member before position `index`; errors as `append`."""
        self._require_unlocked("add a member to")
        kind = kind_of_type(type(tensordict))
        node = None if kind is None else kind.node(tensordict)
        if node is None:
            raise TDTypeError(f"A member of a lazy stack must be a tensordict, got a {type(tensordict).__name__}.")
        dim = self._storage.dim
        size = self._batch_size[:dim] + self._batch_size[dim + 1 :]
        if node._batch_size != size:
            raise TDValueError(
                f"The batch size of the new member, {list(node._batch_size)}, must be that of the others, {list(size)}."
            )
        self._storage.members.insert(index, node)
        self._batch_size = Size((*size[:dim], len(self._storage.members), *size[dim:]))

    def extend(self, tensordicts: Sequence[Any]) -> None:
        """Add several members at the end; errors as `append`."""
        for tensordict in tensordicts:
            self.append(tensordict)


Kernel._classes[LazyStack] = LazyStackedTensorDict
