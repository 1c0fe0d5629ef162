"""What td-core itself provides, through the same hooks as any plugin."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .lazy import LazyRef
from .specs import hookimpl
from .types import ConformanceTarget, ExecutionBackend, StorageBackend


@hookimpl
def td_storage_backends() -> Iterable[StorageBackend]:
    """Yield the storages of td-core: in memory, with nothing to save to or load from."""
    yield StorageBackend(name="dense", storage=LazyRef("builtins:dict"))
    yield StorageBackend(name="lazy-stack", storage=LazyRef("td_core.storage:LazyStack"))
    yield StorageBackend(name="sub-view", storage=LazyRef("td_core.storage:SubView"))


@hookimpl
def td_execution_backends() -> Iterable[ExecutionBackend]:
    """Yield plain execution."""
    yield ExecutionBackend(
        name="eager",
        wrap=LazyRef("td_core.plugins.builtin:run_eagerly"),
        devices=frozenset({"cpu", "cuda", "mps", "xpu", "meta"}),
    )


@hookimpl
def td_conformance_targets() -> Iterable[ConformanceTarget]:
    """Yield the storages that the conformance kit runs on."""
    yield ConformanceTarget(name="dense", suite="storage", case=LazyRef("td_core.testing.dense:DenseCase"))
    yield ConformanceTarget(
        name="lazy-stack", suite="storage", case=LazyRef("td_core.testing.lazy_stack:LazyStackCase")
    )


def run_eagerly(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function as it is."""
    return function
