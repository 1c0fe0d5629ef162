"""`LazyStackedTensorDict`: containers stacked without copying."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from torch import Size

from ..devices import normal_device
from ..errors import TDRuntimeError, TDTypeError, TDValueError
from ..leaves import kind_of_type
from ..storage import LazyStack
from ..typing import DeviceLike
from .base import TensorDictBase
from .kernel import Kernel


class LazyStackedTensorDict(TensorDictBase):
    """Containers of one batch size, kept as they are and stacked when read.

    Entries may differ in shape from member to member, and members may have entries of their own.

    Args:
        tensordicts: the members.
        stack_dim: where the new dim stands in the batch size.
        stack_dim_name: its name.
        batch_size: a check: the batch size of the stack.
        device: where the members are moved.
        names: the names of all batch dims, instead of `stack_dim_name`.
        strict_shape: refuse members whose entries differ in shape.

    Raises:
        TDTypeError: a member is not a container.
        TDRuntimeError: their batch sizes differ, or `batch_size` is not that of the stack.
    """

    _storage: LazyStack

    def __init__(
        self,
        *tensordicts: Any,
        stack_dim: int = 0,
        stack_dim_name: str | None = None,
        batch_size: Sequence[int] | None = None,
        device: DeviceLike | None = None,
        names: Sequence[str | None] | None = None,
        strict_shape: bool = False,
    ) -> None:
        if not tensordicts:
            self._storage, self._batch_size = LazyStack([], 0), Size((0,))
            return
        stacked: Any = TensorDictBase.lazy_stack(tensordicts, stack_dim)
        if device is not None and stacked._device != normal_device(device):
            stacked = stacked._to_device(normal_device(device))
        self._storage = stacked._storage
        self._batch_size = stacked._batch_size
        self._device = stacked._device
        self._names = stacked._names
        if batch_size is not None and Size(batch_size) != self._batch_size:
            raise TDRuntimeError(
                f"The members make a stack of batch size {list(self._batch_size)}, not {list(batch_size)}."
            )
        if strict_shape and not self._storage.readable():
            raise TDRuntimeError("The members differ in the shapes of their entries, which strict_shape forbids.")
        if stack_dim_name is not None:
            own = self.names
            own[self._storage.dim] = stack_dim_name
            self.names = own
        if names is not None:
            self.names = list(names)
        if stacked._locked:
            self.lock_()

    @property
    def tensordicts(self) -> list[Any]:
        """The members, in order."""
        return list(self._storage.members)

    @property
    def stack_dim(self) -> int:
        """The dim along which the members stand."""
        return self._storage.dim

    @property
    def has_exclusive_keys(self) -> bool:
        """Whether some entries are in some members only: they are kept, and shown by `repr`, but not read."""
        return any(self._storage.exclusive())

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
        if not self._storage.members:  # the first one says what the others have to be like
            size, self._device, self._names = node._batch_size, node._device, None
        if node._batch_size != size:
            raise TDValueError(
                f"The batch size of the new member, {list(node._batch_size)}, must be that of the others, {list(size)}."
            )
        self._storage.members.insert(index, node)
        if len(self._storage.members) > 1 and node._device != self._device:
            self._device = None
        self._batch_size = Size((*size[:dim], len(self._storage.members), *size[dim:]))

    def extend(self, tensordicts: Iterable[Any]) -> None:
        """Add several members at the end: those of a list, or the rows of a container; errors as `append`."""
        for tensordict in tensordicts:
            self.append(tensordict)


Kernel._classes[LazyStack] = LazyStackedTensorDict
