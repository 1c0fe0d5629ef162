"""Writes grids of calls: a form and the options for each of its places."""

from __future__ import annotations

import re
from itertools import product


def options(text: str) -> tuple[str, ...]:
    """Return the options in a text: ` | ` stands between them, an empty one is an option too."""
    return tuple(part.strip() for part in re.split(r"(?<=\s)\|(?=\s)", f" {text} "))


def cells(form: str, *places: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return the form filled with every combination of the options of its places."""
    choices = [options(place) if isinstance(place, str) else place for place in places]
    return tuple(form.format(*combination) for combination in product(*choices))
