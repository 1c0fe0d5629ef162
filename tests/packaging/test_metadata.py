"""The packages' metadata agree with each other, with the pins and with the README."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import Any

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    tomllib = pytest.importorskip("tomli")

ROOT = Path(__file__).parents[2]
PLUGINS = {"td-nn": "nn", "td-memmap": "memmap", "td-h5": "h5", "td-cuda": "cuda", "td-tensorclass": "tensorclass"}
PACKAGES = ("td-core", *PLUGINS)


def pyproject(package: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / "packages" / package / "pyproject.toml").read_text())


def names_of(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[<>=!~ ;]", requirement, maxsplit=1)[0] for requirement in requirements}


def test_the_table_of_packages_is_complete():
    assert {path.parent.name for path in ROOT.glob("packages/*/pyproject.toml")} == set(PACKAGES)


@pytest.mark.parametrize("package", PACKAGES)
def test_package_is_pure_python(package):
    settings = pyproject(package)
    assert settings["build-system"]["build-backend"] == "hatchling.build"
    import_name = package.replace("-", "_")
    assert settings["tool"]["hatch"]["build"]["targets"]["wheel"] == {"packages": [f"src/{import_name}"]}
    folder = ROOT / "packages" / package / "src"
    assert [path.name for path in folder.iterdir() if path.name != "__pycache__"] == [import_name]
    compiled = [path for path in folder.rglob("*") if path.suffix in {".so", ".pyd", ".c", ".cpp", ".cu", ".pyx"}]
    assert compiled == []


@pytest.mark.parametrize("package", PACKAGES)
def test_package_is_complete(package):
    folder = ROOT / "packages" / package
    project = pyproject(package)["project"]
    assert project["name"] == package
    assert project["requires-python"] == ">=3.10"
    assert (folder / project["readme"]).read_text().startswith(f"# {package}\n")
    assert (folder / "src" / package.replace("-", "_") / "py.typed").exists()
    assert (folder / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


def test_core_needs_four_packages_beside_torch():
    required = names_of(pyproject("td-core")["project"]["dependencies"])
    assert required == {"torch", "numpy", "pluggy", "orjson", "typing-extensions"}


@pytest.mark.parametrize("package", PACKAGES)
def test_torch_has_a_lower_bound_only(package):
    torch = [r for r in pyproject(package)["project"]["dependencies"] if r.startswith("torch")]
    assert torch == ["torch>=2.6"]


@pytest.mark.parametrize(("package", "extra"), PLUGINS.items())
def test_plugin_depends_on_core_and_is_an_extra_of_it(package, extra):
    core = pyproject("td-core")["project"]
    project = pyproject(package)["project"]
    assert f"td-core=={core['version']}" in project["dependencies"]
    assert project["version"] == core["version"]
    assert core["optional-dependencies"][extra] == [f"{package}=={core['version']}"]


def test_extra_all_is_every_plugin():
    extras = pyproject("td-core")["project"]["optional-dependencies"]
    assert extras["all"] == [f"td-core[{','.join(PLUGINS.values())}]"]
    assert names_of(extras["testing"]) == {"pytest", "hypothesis"}
    assert set(extras) == {*PLUGINS.values(), "all", "testing"}


@pytest.mark.parametrize(("package", "extra"), PLUGINS.items())
def test_plugin_announces_itself(package, extra):
    groups = pyproject(package)["project"]["entry-points"]
    assert groups["td_core.plugins"] == {extra: f"{package.replace('-', '_')}._plugin"}


def test_torch_is_pinned_in_one_place():
    assert "torch==2.13.0" in (ROOT / "constraints-dev.txt").read_text().splitlines()


def test_ci_runs_the_command_of_the_readme():
    readme = (ROOT / "README.md").read_text()
    command = "python -m pip install nox && nox -s tests"
    assert f"    {command}\n" in readme
    assert f"    {command.replace('tests', 'demo')}\n" in readme
    assert command in (ROOT / ".ci" / "run").read_text()


def test_nox_knows_every_package_and_every_session():
    tree = ast.parse((ROOT / "noxfile.py").read_text())
    constants = {
        node.targets[0].id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    assert set(ast.literal_eval(constants["PLUGINS"])) == set(PLUGINS)
    sessions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.decorator_list}
    checks = {"lint", "layers", "generated", "typecheck"}
    suites = {"tests", "core_alone", "one_plugin", "conformance", "parity"}
    assert sessions == {"demo", "wheels", "benchmarks", "docs"} | suites | checks
