"""The table of operations that programs are made of; a generator writes the text of one operation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..draw import Draw
from ..state import State

Generator = Callable[[Draw, State], "str | None"]


@dataclass(frozen=True)
class Operation:
    """Something that programs do.

    `generate` returns the text, or None where it makes no sense; `adopt` is how often the result is kept.
    """

    name: str
    generate: Generator
    weight: float
    adopt: float


OPERATIONS: dict[str, Operation] = {}


def add_operation(name: str, generate: Generator, weight: float = 1.0, adopt: float = 0.0) -> None:
    """Enter an operation in the table."""
    if name in OPERATIONS:
        raise ValueError(f"two operations are called {name!r}")
    OPERATIONS[name] = Operation(name, generate, weight, adopt)


def operation(name: str, weight: float = 1.0, adopt: float = 0.0) -> Callable[[Generator], Generator]:
    """Enter the decorated generator in the table."""

    def enter(generate: Generator) -> Generator:
        add_operation(name, generate, weight, adopt)
        return generate

    return enter
