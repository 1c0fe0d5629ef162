"""Lazy stacks whose members agree, through the conformance kit: they give what the dense tensordict gives."""

from td_core.testing import StorageSuite
from td_core.testing.lazy_stack import LazyStackCase


class TestLazyStack(StorageSuite):
    case = LazyStackCase()
