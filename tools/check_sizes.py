"""Check that files and functions stay small enough to read.

A file may have 700 lines; generated files are exempt. A function outside the tests may have 80 lines, its docstring not
counted; those over 60 are reported, since that is what we aim at.

Usage: `python tools/check_sizes.py [ROOT]`. Exits with 1 and one line a fault.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

FILE_LIMIT = 700
FUNCTION_LIMIT = 80
FUNCTION_AIM = 60
FOLDERS = ("packages", "tools", "tests", "benchmarks", "examples", "docs")
SKIPPED = {"_generated", "__pycache__", "build", "dist"}


def python_files(root: Path) -> Iterator[Path]:
    """The hand-written Python files of the repository."""
    yield from sorted(root.glob("*.py"))
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            parts = path.relative_to(root).parts
            if SKIPPED.isdisjoint(parts) and not any(part.startswith(".") for part in parts):
                yield path


def functions(source: str) -> Iterator[tuple[str, int, int]]:
    """Yield the name, first line and length of every function, its docstring and decorators not counted."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            first = node.body[0]
            if ast.get_docstring(node, clean=False) is not None:
                length -= (first.end_lineno or first.lineno) - first.lineno + 1
            yield node.name, node.lineno, length


def check(root: Path) -> tuple[list[str], list[str]]:
    """The faults and the remarks, a line each."""
    faults: list[str] = []
    remarks: list[str] = []
    for path in python_files(root):
        source = path.read_text(encoding="utf-8")
        lines = source.count("\n")
        if lines > FILE_LIMIT:
            faults.append(f"{path}:1: {lines} lines, at most {FILE_LIMIT}; split it by concept")
        if "tests" in path.relative_to(root).parts:
            continue
        for name, line, length in functions(source):
            text = f"{path}:{line}: {name} has {length} lines"
            if length > FUNCTION_LIMIT:
                faults.append(f"{text}, at most {FUNCTION_LIMIT}")
            elif length > FUNCTION_AIM:
                remarks.append(f"{text}; aim at {FUNCTION_AIM}")
    return faults, remarks


def main(arguments: list[str]) -> int:
    """Print faults and remarks; return the exit status."""
    root = Path(arguments[0]) if arguments else Path(__file__).parents[1]
    faults, remarks = check(root)
    for remark in remarks:
        print(f"remark: {remark}")
    for fault in faults:
        print(fault)
    print(f"check_sizes: {len(faults)} fault(s), {len(remarks)} remark(s)")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
