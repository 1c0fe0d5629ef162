"""What td-tensorclass provides."""

from __future__ import annotations

from collections.abc import Iterable

from td_core.plugins import LazyRef, MethodProvider, hookimpl


@hookimpl
def td_methods() -> Iterable[MethodProvider]:
    """Yield the way from a tensordict to a dataclass."""
    yield MethodProvider(name="to_dataclass", target=LazyRef("td_tensorclass._methods:to_dataclass"))
