"""What a storage that declines a capability must do instead (the inverse of every `needs` gate)."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch

from td_core.abc import Capability
from td_core.errors import UnsupportedOperationError
from td_core.testing.topic import TopicTests, leaves

DECLINABLE: dict[Capability, Callable[[Any], Any]] = {
    Capability.WRITE: lambda td: td.set("new", torch.zeros(4, 3)),
    Capability.DELETE: lambda td: td.del_("a"),
    Capability.RENAME: lambda td: td.rename_key_("a", "z"),
    Capability.INPLACE: lambda td: td.set_("a", torch.zeros(4, 3)),
    Capability.NON_TENSOR: lambda td: td.set_non_tensor("new", "text"),
    Capability.NAMES: lambda td: setattr(td, "names", ["x", "y"]),
    Capability.LOCK: lambda td: td.lock_(),
    Capability.GRAD: lambda td: td.requires_grad_(),
    Capability.SHARED: lambda td: td.share_memory_(),
    Capability.PICKLE: pickle.dumps,
}


class CapabilityTests(TopicTests):
    """Declining a power is allowed; the operation then says so, and changes nothing."""

    @pytest.mark.parametrize("capability", DECLINABLE, ids=lambda capability: capability.name)
    def test_declined_capability_raises(self, capability: Capability) -> None:
        """An operation that needs a capability the storage declines names both."""
        if capability in self.case.capabilities:
            pytest.skip(f"the storage {self.case.name} declares {capability.name}")
        td = self.make({"a": torch.arange(12.0).reshape(4, 3), "n": {"b": torch.ones(4, 3)}}, (4, 3))
        before = {key: value.clone() for key, value in leaves(td).items()}
        with pytest.raises(UnsupportedOperationError) as caught:
            DECLINABLE[capability](td)
        assert caught.value.capability == capability.name
        assert caught.value.storage == self.case.name
        after = leaves(td)
        assert set(after) == set(before)
        assert all(torch.equal(after[key], value) for key, value in before.items())
