"""`@needs(Capability.X)`: run a test only on storages that declare a capability."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from td_core.abc import Capability

TTest = TypeVar("TTest", bound=Callable[..., Any])


def shares_values(test: TTest) -> TTest:
    """Skip a test of a suite on storages that give a Python value of the whole batch as a list, one item a row."""

    @functools.wraps(test)
    def gated(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not self.case.shares_values:
            pytest.skip(f"the storage {self.case.name} reads a shared Python value as a list")
        return test(self, *args, **kwargs)

    return gated  # type: ignore[return-value]  # same signature as `test`


def needs(capability: Capability) -> Callable[[TTest], TTest]:
    """Skip a test of a suite, saying why, when the storage does not declare `capability`.

    What such a storage must do instead is tested by `CapabilityTests`: the operation raises
    `UnsupportedOperationError` naming the capability and the storage.
    """

    def decorate(test: TTest) -> TTest:
        @functools.wraps(test)
        def gated(self: Any, *args: Any, **kwargs: Any) -> Any:
            missing = capability & ~self.case.capabilities
            if missing:
                pytest.skip(f"the storage {self.case.name} does not declare {missing.name}")
            return test(self, *args, **kwargs)

        return gated  # type: ignore[return-value]  # same signature as `test`

    return decorate
