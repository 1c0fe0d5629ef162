"""The command ``compile``: how long torch.compile takes on typical functions, and what a compiled call costs."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import torch
from torch import Tensor
from torch._dynamo.testing import CompileCounterWithBackend

from .faithful import difference, plain
from .floors import gather
from .sides import FLOOR, Side
from .timing import Effort, interleaved
from .trees import Data, Tree

TREE = Tree(10)
NESTED = Tree(10, deep=True)
CALLS = Effort(rounds=20, seconds=0.01)


@dataclass(frozen=True, slots=True)
class Function:
    """A function as one would compile it, over containers and over plain dicts."""

    name: str
    library: Callable[..., Any]
    floor: Callable[..., Any]
    tree: Tree


def _step(td: Any) -> Any:
    td["leaf3"] = td["leaf0"] + td["leaf3"]
    td["leaf6"] = td["leaf3"] * 2
    return td


def _step_floor(data: Data) -> Data:
    data["leaf3"] = data["leaf0"] + data["leaf3"]
    data["leaf6"] = data["leaf3"] * 2
    return data


def _map(data: Data, function: Callable[..., Tensor], *others: Data) -> Data:
    return {
        key: _map(value, function, *(other[key] for other in others))
        if isinstance(value, dict)
        else function(value, *(other[key] for other in others))
        for key, value in data.items()
    }


def _arithmetic(td: Any, other: Any) -> Any:
    return (td * 2 + other).clamp(0.5, 2.0)


def _arithmetic_floor(data: Data, other: Data) -> Data:
    return _map(data, lambda leaf, more: (leaf * 2 + more).clamp(0.5, 2.0), other)


def _rows(td: Any) -> Any:
    return torch.stack([td[0], td[1] + 1], 0).reshape(-1)


def _rows_floor(data: Data) -> Data:
    rows = [_map(data, lambda leaf: leaf[0]), _map(data, lambda leaf: leaf[1] + 1)]
    return _map(gather(rows, torch.stack), lambda leaf: leaf.reshape(-1, *leaf.shape[2:]))


def _shapes(td: Any) -> Any:
    return td.permute(1, 0).unsqueeze(0).flatten(0, 1)[:, 2:].clone()


def _shapes_floor(data: Data) -> Data:
    return _map(data, lambda leaf: leaf.transpose(0, 1).unsqueeze(0).flatten(0, 1)[:, 2:].clone())


def _build(td: Any) -> Any:
    """Make a container, update it and choose from it."""
    first, second = td["leaf0"], td["leaf3"]
    made = type(td)({"a": first + second, "nested": {"b": first - second}}, batch_size=td.batch_size)
    made.update({"c": made["a"] + made["nested", "b"]})
    return made.select("nested", "c")


def _build_floor(data: Data) -> Data:
    first, second = data["leaf0"], data["leaf3"]
    made: Data = {"a": first + second, "nested": {"b": first - second}}
    made["c"] = made["a"] + made["nested"]["b"]
    return {key: made[key] for key in ("nested", "c")}


FUNCTIONS = (
    Function("read-compute-write", _step, _step_floor, TREE),
    Function("arithmetic", _arithmetic, _arithmetic_floor, NESTED),
    Function("index-and-stack", _rows, _rows_floor, TREE),
    Function("shapes", _shapes, _shapes_floor, TREE),
    Function("construct-update-select", _build, _build_floor, TREE),
)


def default_backends() -> list[str]:
    """Compile with inductor too where there is a C++ compiler."""
    return ["eager", "inductor"] if shutil.which("g++") or shutil.which("clang++") else ["eager"]


def compile_times(sides: Sequence[Side], backends: Sequence[str], rounds: int, only: str = "") -> dict[str, Any]:
    """Measure all functions with all backends."""
    torch.set_num_threads(1)
    results: dict[str, Any] = {}
    for backend in backends:
        results[backend] = {}
        torch.compile(lambda x: x + 1, backend=backend)(torch.ones(2))  # what only the first compilation pays
        for function in FUNCTIONS:
            if only in function.name:
                print(f"{backend}: {function.name}", file=sys.stderr, flush=True)
                results[backend][function.name] = _measure(function, sides, backend, rounds)
    return results


def _measure(function: Function, sides: Sequence[Side], backend: str, rounds: int) -> dict[str, dict[str, Any]]:
    """Compile anew on each side in turn, round after round; then time calls of the last compiled ones, interleaved."""
    found: dict[str, dict[str, Any]] = {}
    compiled: dict[str, Callable[[], Any]] = {}
    expected = plain(function.floor(*_arguments(function, sides[0])), sides[0])
    for _ in range(rounds):
        torch._dynamo.reset()
        for side in sides:
            if "problem" in found.get(side.name, {}):
                continue
            try:
                seconds, graphs, call = _compile_once(function, side, backend, expected)
            except Exception as error:  # a function that a side cannot compile costs it one figure, not the run
                found[side.name] = {"problem": f"{type(error).__name__}: {error}".splitlines()[0]}
                continue
            best = min(seconds, found.get(side.name, {}).get("compile", seconds))
            found[side.name] = {"compile": best, "graphs": graphs}
            compiled[side.name] = call
    names = [name for name in compiled if "problem" not in found[name]]
    for name, timing in zip(names, interleaved([compiled[name] for name in names], CALLS), strict=True):
        found[name]["call"] = timing.best
    return found


def _arguments(function: Function, side: Side) -> tuple[Any, ...]:
    count = function.library.__code__.co_argcount
    return tuple(side.container(function.tree, seed=seed) for seed in range(count))


def _compile_once(function: Function, side: Side, backend: str, expected: Any) -> tuple[float, int, Callable[[], Any]]:
    """Compile and call twice.

    Returns:
        Seconds of the first call, how many graphs two calls with equal shapes have compiled, and the call itself.
    """
    body = function.floor if side.name == FLOOR else function.library
    counter = CompileCounterWithBackend(backend)
    compiled = torch.compile(body, backend=counter, fullgraph=True)
    arguments = _arguments(function, side)
    with torch._inductor.config.patch(force_disable_caches=True):
        start = perf_counter()
        result = compiled(*arguments)
        seconds = perf_counter() - start
        problem = difference(expected, plain(result, side))
        if problem is not None:
            raise AssertionError(f"compiled {function.name} of {side.name} differs from the floor: {problem}")
        compiled(*_arguments(function, side))
    return seconds, counter.frame_count, partial(compiled, *arguments)
