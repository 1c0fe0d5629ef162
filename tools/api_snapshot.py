"""Write the public names and signatures of every package to `api/<distribution>.txt`.

The files are committed, so that a change of the public surface is seen in review as a change of one of them.

Usage: `python tools/api_snapshot.py [--check] [ROOT]`. With `--check` nothing is written; a difference is printed
and the exit status is 1.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import inspect
import re
import sys
from collections.abc import Iterator, Sequence, Set
from pathlib import Path

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def public_modules(source_root: Path, package: str) -> dict[str, Path]:
    """The package, and the modules and sub-packages right below it that do not start with an underscore."""
    folder = source_root / package
    found = {package: folder / "__init__.py"}
    for path in sorted(folder.iterdir()):
        file = path / "__init__.py" if path.is_dir() else path
        if not path.name.startswith("_") and file.suffix == ".py" and file.exists():
            found[f"{package}.{path.stem}"] = file
    return found


def public_names(body: Sequence[ast.stmt]) -> set[str]:
    """The names a module defines, or re-exports with `import x as x`, that do not start with an underscore."""
    names: set[str] = set()
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names.update(target.id for target in targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update(alias.name for alias in node.names if alias.name == alias.asname)
        elif isinstance(node, ast.If):  # TYPE_CHECKING: what a lazy package offers through its __getattr__
            names |= public_names(node.body)
    return {name for name in names if not name.startswith("_")}


def signature(value: object) -> str:
    """The signature as text, free of memory addresses."""
    try:
        text = str(inspect.signature(value))  # type: ignore[arg-type]  # whatever is not callable raises
    except (TypeError, ValueError):
        text = "(...)"
    return ADDRESS.sub("", text)


def describe(name: str, value: object, listed: Set[type]) -> Iterator[str]:
    """The lines on one public name; `listed` are all classes of the snapshot."""
    if isinstance(value, type):
        home = value.__module__.partition(".")[0]  # mixins of the same package that are not listed go unnamed
        named = [base for base in value.__bases__ if base in listed or base.__module__.partition(".")[0] != home]
        bases = ", ".join(base.__name__ for base in named if base is not object)
        yield f"class {name}({bases})"
        for member, definition in sorted(members(value, listed).items()):
            yield f"    {describe_member(member, definition)}"
    elif inspect.isroutine(value):
        yield f"def {name}{signature(value)}"
    else:
        is_alias = type(value).__module__ in {"typing", "types"}
        yield f"{name} = {ADDRESS.sub('', repr(value))}" if is_alias else f"{name}: {type(value).__name__}"


def members(cls: type, listed: Set[type]) -> dict[str, object]:
    """Public members and special methods that a class adds to those of its listed bases.

    Mixins of our own that are not listed themselves are part of the class.
    """
    told = {base for other in cls.__mro__[1:] if other in listed for base in other.__mro__}
    ours = [base for base in cls.__mro__ if base is cls or (base.__module__.startswith("td_") and base not in told)]
    found = {name: value for base in reversed(ours) for name, value in vars(base).items()}
    return {name: value for name, value in found.items() if is_public(name, value)}


def is_public(name: str, value: object) -> bool:
    """Whether a member belongs to the public surface: no underscore, or a special method written as a function."""
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__") and inspect.isfunction(value))


def describe_member(name: str, value: object) -> str:
    """One line on one member of a class."""
    if isinstance(value, property):
        return f"property {name}"
    if isinstance(value, classmethod | staticmethod):
        return f"{type(value).__name__} {name}{signature(value.__func__)}"
    if inspect.isfunction(value):
        return f"def {name}{signature(value)}"
    return f"{name}: {type(value).__name__}"


def snapshot(source_root: Path, package: str) -> str:
    """The public surface of a package, as text."""
    surface: dict[str, dict[str, object]] = {}
    for module_name, file in public_modules(source_root, package).items():
        module = importlib.import_module(module_name)
        names = sorted(public_names(ast.parse(file.read_text(encoding="utf-8")).body))
        surface[module_name] = {name: getattr(module, name) for name in names}
    listed = {value for values in surface.values() for value in values.values() if isinstance(value, type)}
    lines = [f"# Public surface of {package}; written by tools/api_snapshot.py."]
    for module_name, values in surface.items():
        lines += ["", f"## {module_name}"] if values else []
        for name, value in values.items():
            lines += describe(name, value, listed)
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Write or check the snapshots; return the exit status."""
    check = "--check" in arguments
    folders = [argument for argument in arguments if argument != "--check"]
    root = Path(folders[0]) if folders else Path(__file__).parents[1]
    roots = sorted(root.glob("packages/*/src"))
    sys.path[:0] = [str(source_root) for source_root in roots]
    status = 0
    for source_root in roots:
        distribution = source_root.parent.name
        file = root / "api" / f"{distribution}.txt"
        text = snapshot(source_root, distribution.replace("-", "_"))
        old = file.read_text(encoding="utf-8") if file.exists() else ""
        if check and text != old:
            status = 1
            print(*difflib.unified_diff(old.splitlines(), text.splitlines(), str(file), "now", lineterm=""), sep="\n")
        elif text != old:
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
            print(f"wrote {file}")
    if status:
        print("The public surface changed. If that is meant, run tools/api_snapshot.py and commit the result.")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
