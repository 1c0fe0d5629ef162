"""A program: a tree to start from and a sequence of operations, all of it Python text that runs on either library.

In the text `lib` is the library, `td` the current tensordict, `out` what the last operation returned, and `earlier` the
tensordict that was current before `td` was replaced by a result (so that writes through views are seen).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .trees import Node

PREAMBLE = """\
import copy, pickle
from collections import namedtuple, OrderedDict
import numpy as np
import torch"""

ADOPTION = "earlier, td = td, out"


@dataclass(frozen=True)
class Step:
    """One operation: `code` assigns `out`; with `adopt` the result becomes the current tensordict."""

    operation: str
    code: str
    adopt: bool = False

    def text(self) -> str:
        """Return the lines to execute."""
        return f"{self.code}\n{ADOPTION}" if self.adopt else self.code


@dataclass(frozen=True)
class Program:
    """A starting tree and the steps to take on it."""

    source: Node
    steps: tuple[Step, ...] = ()

    def construction(self) -> Step:
        """Return the step that builds the starting tree."""
        return Step("construct", f"out = td = {self.source.text()}")

    def then(self, step: Step) -> Program:
        """Return the program with one more step."""
        return replace(self, steps=(*self.steps, step))

    def script(self, libraries: tuple[str, ...]) -> str:
        """Return a stand-alone Python script that runs the program on each library and prints the last outcome."""
        *steps, last = [self.construction(), *self.steps]
        body = ["earlier = None", *(guarded(step) for step in steps), shown(last)]
        lines = [PREAMBLE, *(f"import {name}" for name in dict.fromkeys(libraries)), ""]
        lines += [f"for lib in ({', '.join(libraries)},):", "    print('---', lib.__name__)"]
        return "\n".join(lines + [indented(part) for part in body]) + "\n"


def indented(text: str) -> str:
    return "\n".join("    " + line for line in text.splitlines())


def guarded(step: Step) -> str:
    """Return the step's text such that an error does not end the script (both libraries raised there, or neither)."""
    if step.operation == "construct":
        return step.text()
    return f"try:\n{indented(step.text())}\nexcept Exception:\n    pass"


def shown(step: Step) -> str:
    """Return the step's text such that its outcome is printed."""
    report = "print('out =', out)\nprint('td =', td, td.names, td.is_locked)\nprint('earlier =', earlier)"
    if step.operation == "construct":
        return f"{step.text()}\n{report}"
    failed = "except Exception as error:\n    print(type(error).__mro__, error)"
    return f"try:\n{indented(step.text())}\n{failed}\n{report}"
