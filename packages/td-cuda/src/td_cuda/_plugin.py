"""What td-cuda provides."""

from __future__ import annotations

from collections.abc import Iterable

from td_core.plugins import ExecutionBackend, LazyRef, hookimpl


@hookimpl
def td_execution_backends() -> Iterable[ExecutionBackend]:
    """Yield CUDA graphs. So far it can be asked whether the machine supports them, and has no wrapper."""
    yield ExecutionBackend(
        name="cuda-graph",
        available=LazyRef("td_cuda._availability:cuda_graph_availability"),
        devices=frozenset({"cuda"}),
    )
