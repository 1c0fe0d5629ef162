"""Random choices in the terms the generators think in, over any `random.Random`."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """A source of choices. Hypothesis can stand behind it (`strategies.randoms`), or a seeded generator."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return self.random.random() < probability

    def pick(self, options: Sequence[T]) -> T:
        """Choose one of the options."""
        return options[self.random.randrange(len(options))]

    def integer(self, low: int, high: int) -> int:
        """Choose an integer, both ends included."""
        return self.random.randint(low, high)

    def some(self, options: Sequence[T], low: int = 0, high: int | None = None) -> list[T]:
        """Choose between `low` and `high` distinct options, in random order."""
        top = len(options) if high is None else min(high, len(options))
        return self.random.sample(list(options), self.integer(min(low, top), top))

    def weighted(self, options: Sequence[T], weights: Sequence[float]) -> T:
        """Choose one of the options, with probability in proportion to its weight."""
        return self.random.choices(options, weights)[0]
