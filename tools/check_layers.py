"""Check what may import what.

- Within td_core, imports point down the table `LAYERS`; modules in one row may use each other.
- No import cycle, over all packages. Imports inside functions count, imports for type checkers only do not.
- A distribution imports only the distributions in `MAY_USE`, and no private module or name of theirs.
- td_core stands alone: none of the packages in `NOT_IN_CORE` appears in it.

Usage: `python tools/check_layers.py [ROOT]`. Exits with 1 and one line a fault.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Bottom to top. A name is a module or sub-package of td_core; "" is td_core/__init__.py itself.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("errors", "typing"),
    ("keys", "devices"),
    ("structural",),
    ("leaves", "abc"),
    ("storage", "plugins"),
    ("ops",),
    ("_generated",),
    ("container",),
    ("functions", "pytree", "execution", "persistence"),
    ("", "__main__", "testing"),
)
LEVEL = {name: level for level, row in enumerate(LAYERS) for name in row}

MAY_USE: dict[str, frozenset[str]] = {
    "td_core": frozenset(),
    "td_nn": frozenset({"td_core"}),
    "td_memmap": frozenset({"td_core"}),
    "td_h5": frozenset({"td_core"}),
    "td_tensorclass": frozenset({"td_core"}),
    "td_cuda": frozenset({"td_core", "td_nn"}),
}
NOT_IN_CORE = frozenset({"h5py", "sklearn", "matplotlib", "tensordict"})


@dataclass(frozen=True)
class Import:
    """One imported module, and the name taken from it, if any."""

    module: str
    name: str | None
    line: int
    for_types_only: bool


@dataclass(frozen=True)
class Module:
    """One source file and what it imports."""

    name: str
    path: Path
    imports: tuple[Import, ...]

    @property
    def package(self) -> str:
        """The top-level package."""
        return self.name.partition(".")[0]


def read_module(path: Path, source_root: Path) -> Module:
    """Parse a file."""
    parts = path.relative_to(source_root).with_suffix("").parts
    is_package = parts[-1] == "__init__"
    name = ".".join(parts[:-1] if is_package else parts)
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    anchor = name if is_package else name.rpartition(".")[0]
    return Module(name, path, tuple(find_imports(tree, anchor)))


def find_imports(node: ast.AST, anchor: str, for_types_only: bool = False) -> Iterator[Import]:
    """Yield every import below `node`; relative ones are resolved against the package `anchor`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            for alias in child.names:
                yield Import(alias.name, None, child.lineno, for_types_only)
        elif isinstance(child, ast.ImportFrom):
            base = child.module or ""
            if child.level:
                parents = anchor.split(".")
                base = ".".join(parents[: len(parents) - child.level + 1] + ([base] if base else []))
            for alias in child.names:
                yield Import(base, alias.name, child.lineno, for_types_only)
        elif isinstance(child, ast.If) and is_type_checking(child.test):
            yield from find_imports(ast.Module(child.body, []), anchor, True)
            yield from find_imports(ast.Module(child.orelse, []), anchor, for_types_only)
        else:
            yield from find_imports(child, anchor, for_types_only)


def is_type_checking(test: ast.expr) -> bool:
    """Whether a condition is `TYPE_CHECKING` or `typing.TYPE_CHECKING`."""
    return (test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", None)) == "TYPE_CHECKING"


def target_of(imported: Import, modules: dict[str, Module]) -> str | None:
    """The module of ours that an import reaches: `from a import b` reaches `a.b` if that is a module, else `a`."""
    submodule = f"{imported.module}.{imported.name}"
    return next((name for name in (submodule, imported.module) if name in modules), None)


def level_of(name: str) -> int | None:
    """The row of `LAYERS` that a module of td_core stands in."""
    return LEVEL.get(name.removeprefix("td_core").lstrip(".").partition(".")[0])


def layer_faults(module: Module, modules: dict[str, Module]) -> Iterator[str]:
    """Imports within td_core that point up."""
    level = level_of(module.name)
    if level is None:
        yield f"{module.path}:1: {module.name} is in no layer; add it to LAYERS in tools/check_layers.py"
        return
    for imported in module.imports:
        target = target_of(imported, modules)
        if imported.for_types_only or target is None or not (target + ".").startswith("td_core."):
            continue
        above = level_of(target)
        if above is not None and above > level:
            yield f"{module.path}:{imported.line}: {module.name} imports {target}, which lies in a layer above it"


def boundary_faults(module: Module) -> Iterator[str]:
    """Imports of other distributions that are not allowed, or that take something private."""
    for imported in module.imports:
        other = imported.module.partition(".")[0]
        where = f"{module.path}:{imported.line}: {module.name}"
        if module.package == "td_core" and other in NOT_IN_CORE:
            yield f"{where} imports {other}; td-core stands without it"
        if other not in MAY_USE or other == module.package:
            continue
        if other not in MAY_USE.get(module.package, frozenset(MAY_USE)):
            yield f"{where} imports {other}, on which its distribution does not depend"
        private = [part for part in [*imported.module.split("."), imported.name or ""] if is_private(part)]
        if private:
            yield f"{where} imports the private {private[0]} of {other}"


def is_private(name: str) -> bool:
    """Whether a name starts with an underscore and is not a dunder name."""
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def cycle_faults(modules: dict[str, Module]) -> Iterator[str]:
    """Groups of modules that import each other (Tarjan's strongly connected components)."""
    edges = {
        name: {target for i in module.imports if not i.for_types_only and (target := target_of(i, modules))} - {name}
        for name, module in modules.items()
    }
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []

    def visit(name: str) -> Iterator[list[str]]:
        order[name] = lowest[name] = len(order)
        stack.append(name)
        for target in sorted(edges[name]):
            if target not in order:
                yield from visit(target)
                lowest[name] = min(lowest[name], lowest[target])
            elif target in stack:
                lowest[name] = min(lowest[name], order[target])
        if lowest[name] == order[name]:
            component = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(component) > 1:
                yield component

    for name in sorted(modules):
        if name not in order:
            for component in visit(name):
                yield f"{modules[component[0]].path}:1: import cycle between {', '.join(sorted(component))}"


def check(root: Path) -> list[str]:
    """Every fault below `root`, a line each."""
    roots = sorted([*root.glob("packages/*/src"), *root.glob("examples/*/src")])
    found = [read_module(path, source_root) for source_root in roots for path in sorted(source_root.rglob("*.py"))]
    modules = {module.name: module for module in found}
    faults = [fault for module in found for fault in boundary_faults(module)]
    faults += [fault for module in found if module.package == "td_core" for fault in layer_faults(module, modules)]
    return [*faults, *cycle_faults(modules)]


def main(arguments: list[str]) -> int:
    """Print the faults; return the exit status."""
    root = Path(arguments[0]) if arguments else Path(__file__).parents[1]
    faults = check(root)
    for fault in faults:
        print(fault)
    print(f"check_layers: {len(faults)} fault(s)")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
