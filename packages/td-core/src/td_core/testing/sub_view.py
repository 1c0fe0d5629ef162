"""A view on a region of a dense tensordict as a case of the conformance kit."""

from __future__ import annotations

from typing import Any

import torch

from td_core import TensorDict
from td_core.keys import require_parts
from td_core.storage import SubView
from td_core.typing import NestedKey

from .case import StorageCase, TreeSpec


class SubViewCase(StorageCase[Any]):
    """Every second row of a tensordict with twice as many, selected by a tensor. The back doors go to the source."""

    name = SubView.name
    capabilities = SubView.capabilities
    min_batch_dims = 1
    resizable = False
    shares_values = False

    def make(self, spec: TreeSpec) -> Any:
        """Build the tree densely, repeat its rows, and view every second one."""
        dense = spec.to_dense()
        source: Any = dense.repeat_interleave(2, 0)
        rows = torch.arange(0, 2 * dense.batch_size[0], 2)
        return source._get_sub_tensordict(rows)

    def raw_read(self, container: Any, key: NestedKey) -> torch.Tensor:
        """Index the tensor of the source."""
        return _entry(container, key)[::2]

    def raw_write(self, container: Any, key: NestedKey, value: torch.Tensor) -> None:
        """Write into the tensor of the source."""
        _entry(container, key)[::2] = value


def _entry(view: Any, key: NestedKey) -> torch.Tensor:
    value: TensorDict | torch.Tensor = view.get_parent_tensordict()
    for part in require_parts(key):
        value = value._storage[part]  # type: ignore[union-attr]  # a node, but for the last part
    return value  # type: ignore[return-value]  # the last part is a tensor
