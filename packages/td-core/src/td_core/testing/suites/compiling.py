"""Tracing by `torch.compile` (row CORE-108, and the rows of the operations themselves)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from td_core import TensorDict
from td_core.abc import Capability
from td_core.testing.gates import needs
from td_core.testing.topic import TopicTests, check_leaves, leaves


class GraphCounter:
    """A backend of `torch.compile` that runs the graphs as they are, and counts them."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> Callable[..., Any]:
        """Compile nothing: return the graph itself."""
        self.count += 1
        return graph.forward


def _set(td: Any) -> Any:
    td = td.copy()
    td.set("new", td["a"] + 1)
    td["node", "new"] = td["node", "c"] * 2
    return td


def _update(td: Any) -> Any:
    return td.copy().update({"a": td["a"] + 1, "node": {"c": td["node", "c"] - 1}})


def _index_write(td: Any) -> Any:
    td = td.clone()
    td[1] = td[0]
    return td


def _construct(td: Any) -> Any:
    return TensorDict({"x": td["a"] + 1, "n": {"y": td["b"]}}, batch_size=td.batch_size)


TRACED: dict[str, Callable[[Any], Any]] = {
    "construct": _construct,
    "set": _set,
    "update": _update,
    "index write": _index_write,
    "index int": lambda td: td[1],
    "index slice": lambda td: td[1:3, 0],
    "index tensor": lambda td: td[torch.tensor([0, 2])],
    "view": lambda td: td.view(12),
    "reshape": lambda td: td.reshape(2, 6),
    "permute": lambda td: td.permute(1, 0),
    "unsqueeze": lambda td: td.unsqueeze(0).squeeze(0),
    "expand": lambda td: td.expand(2, 4, 3),
    "unbind": lambda td: td.unbind(0)[1],
    "split": lambda td: td.split(2)[1],
    "arithmetic": lambda td: (td * 2 + td) - 1,
    "reduction": lambda td: td.sum(dim=0),
    "comparison": lambda td: td == td,
    "stack": lambda td: torch.stack([td, td + 1]),
    "cat": lambda td: torch.cat([td, td + 1]),
    "clone": lambda td: td.clone(),
    "select": lambda td: td.select("a", ("node", "c")),
    "flatten_keys": lambda td: td.flatten_keys(),
    "apply": lambda td: td.apply(lambda value: value + 1),
    "lock": lambda td: td.clone().lock_() + 1,
    "to": lambda td: td.to(torch.float64),
}


class CompileTests(TopicTests):
    """One graph, the result of eager mode, and no second compilation for equal shapes."""

    def traced(self) -> Any:
        """A tree of tensors that every traced function accepts."""
        return self.make(
            {
                "a": torch.arange(12.0).reshape(4, 3),
                "b": torch.arange(24).reshape(4, 3, 2),
                "node": {"c": torch.linspace(-1, 1, 60).reshape(4, 3, 5)},
            },
            (4, 3),
        )

    @needs(Capability.COMPILE)
    @pytest.mark.parametrize("name", TRACED)
    def test_compile(self, name: str) -> None:
        """CORE-108 and the row of each operation: `fullgraph=True`, same result, no recompilation."""
        function = TRACED[name]
        torch._dynamo.reset()
        counter = GraphCounter()
        compiled = torch.compile(function, fullgraph=True, backend=counter, dynamic=False)
        for _ in range(3):
            td = self.traced()
            expected = function(td)
            check_leaves(compiled(td), leaves(expected), batch_size=expected.batch_size)
            assert counter.count <= 1  # none where nothing is computed

    @needs(Capability.COMPILE)
    def test_compile_get(self) -> None:
        """CORE-031: reading entries inside a graph."""
        torch._dynamo.reset()
        counter = GraphCounter()

        @torch.compile(fullgraph=True, backend=counter)
        def total(td: Any) -> torch.Tensor:
            return td["a"].sum() + td.get(("node", "c")).sum()  # type: ignore[no-any-return]  # td is untyped

        for _ in range(2):
            td = self.traced()
            torch.testing.assert_close(total(td), td["a"].sum() + td["node", "c"].sum())
        assert counter.count == 1
