"""The dense storage as a case of the conformance kit."""

from __future__ import annotations

from typing import Any

import torch

from td_core import TensorDict
from td_core.abc import DENSE_CAPABILITIES
from td_core.keys import require_parts
from td_core.typing import NestedKey

from .case import StorageCase, TreeSpec


class DenseCase(StorageCase[TensorDict]):
    """A builtin dict of tensors. The back doors go to the dict itself."""

    name = "dense"
    capabilities = DENSE_CAPABILITIES

    def make(self, spec: TreeSpec) -> TensorDict:
        """Build the tree with the constructor."""
        return spec.to_dense()

    def raw_read(self, container: TensorDict, key: NestedKey) -> torch.Tensor:
        """Read from the dict."""
        value: Any = container
        for part in require_parts(key):
            value = value._storage[part]
        return value  # type: ignore[no-any-return]  # the last part is a tensor

    def raw_write(self, container: TensorDict, key: NestedKey, value: torch.Tensor) -> None:
        """Write into the tensor that the dict holds."""
        self.raw_read(container, key).copy_(value)
