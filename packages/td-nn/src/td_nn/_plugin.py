"""What td-nn provides."""

from __future__ import annotations

from collections.abc import Iterable

from td_core.plugins import ExecutionBackend, LazyRef, hookimpl


@hookimpl
def td_execution_backends() -> Iterable[ExecutionBackend]:
    """Yield `torch.compile` as a way to run functions and modules over tensordicts."""
    yield ExecutionBackend(
        name="compile", wrap=LazyRef("td_nn._compile:compile_callable"), devices=frozenset({"cpu", "cuda", "xpu"})
    )
