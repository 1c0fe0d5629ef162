"""The lazy stack as a case of the conformance kit, with members that agree."""

from __future__ import annotations

from typing import Any

import torch

from td_core import LazyStackedTensorDict
from td_core.keys import require_parts
from td_core.storage import LazyStack
from td_core.typing import NestedKey

from .case import StorageCase, TreeSpec


class LazyStackCase(StorageCase[LazyStackedTensorDict]):
    """A list of dense tensordicts, stacked along the first dim. The back doors go to the members."""

    name = LazyStack.name
    capabilities = LazyStack.capabilities
    min_batch_dims = 1
    resizable = False
    shares_values = False

    def make(self, spec: TreeSpec) -> LazyStackedTensorDict:
        """Build the tree densely, and stack its rows."""
        dense = spec.to_dense()
        name = dense.names[0]
        members = [row.clone() for row in dense.unbind(0)]
        return LazyStackedTensorDict(*members, stack_dim=0, stack_dim_name=name)

    def rounds(self, container: LazyStackedTensorDict) -> int:
        """Leaves are those of the members."""
        return len(container.tensordicts)

    def raw_read(self, container: LazyStackedTensorDict, key: NestedKey) -> torch.Tensor:
        """Stack what the members hold."""
        return torch.stack([_entry(member, key) for member in container.tensordicts])

    def raw_write(self, container: LazyStackedTensorDict, key: NestedKey, value: torch.Tensor) -> None:
        """Write into the tensors that the members hold."""
        for member, row in zip(container.tensordicts, value, strict=True):
            _entry(member, key).copy_(row)


def _entry(member: Any, key: NestedKey) -> torch.Tensor:
    value: Any = member
    for part in require_parts(key):
        value = value._storage[part]
    return value  # type: ignore[no-any-return]  # the last part is a tensor
