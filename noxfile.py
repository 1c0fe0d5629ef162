"""Every task of the repository: `nox -l` lists them, `nox -s NAME` runs one.

Sessions where isolation is not the point share one environment (`.nox/dev`), installed once; those that compare with
the peer share another (`.nox/peer`). What the sessions install is pinned in constraints-dev.txt.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nox

nox.needs_version = ">=2024.10.9"
nox.options.sessions = ["tests", "lint", "layers", "generated", "typecheck"]
nox.options.default_venv_backend = "virtualenv"

ROOT = Path(__file__).parent
CORE = "td-core"
PLUGINS = ("td-nn", "td-memmap", "td-h5", "td-cuda", "td-tensorclass")
PACKAGES = (CORE, *PLUGINS)
NEEDS = {"td-cuda": ("td-nn",)}  # what a plugin needs beside td-core, among our own packages
CONSTRAINTS = "constraints-dev.txt"
DEMO = "examples/digits_demo.py"
DEMO_TOOLS = ("scikit-learn", "matplotlib")
TEST_TOOLS = ("pytest", "pytest-xdist", "hypothesis")
CHECK_TOOLS = ("ruff", "mypy", "basedpyright")

PINS = dict.fromkeys(("PIP_CONSTRAINT", "PIP_BUILD_CONSTRAINT"), str(ROOT / CONSTRAINTS))  # for builds in isolation

shared = nox.session(venv_backend="none")  # brings an environment of its own: see shared_environment
isolated = nox.session(reuse_venv=True)
clean = nox.session(reuse_venv=False)


def path_of(package: str) -> str:
    """Where a package lies, as pip wants it: `./packages/td-core`."""
    return f"./packages/{package}"


def install(session: nox.Session, *requirements: str) -> None:
    """Install into the session's own environment, with our pins."""
    session.install("-c", CONSTRAINTS, *requirements, env=PINS)


def shared_environment(session: nox.Session, name: str, *requirements: str) -> str:
    """Make the environment `.nox/NAME` hold these requirements, unless it does; return its Python."""
    folder = ROOT / ".nox" / name
    python = str(folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))
    if not Path(python).exists():
        session.run(sys.executable, "-m", "virtualenv", "--quiet", str(folder))
    described_by = [ROOT / CONSTRAINTS, *sorted(ROOT.glob("packages/*/pyproject.toml"))]
    wanted = "\n".join([*requirements, *(file.read_text() for file in described_by)])
    stamp = folder / "installed.txt"
    if not stamp.exists() or stamp.read_text() != wanted:
        session.run(python, "-m", "pip", "install", "--quiet", "-c", CONSTRAINTS, *requirements, env=PINS)
        stamp.write_text(wanted)
    return python


def editable(*packages: str) -> list[str]:
    """The pip arguments that install packages from the working tree."""
    return [argument for package in packages for argument in ("-e", path_of(package))]


def dev_python(session: nox.Session) -> str:
    """The Python of the environment that tests and checks share."""
    return shared_environment(session, "dev", *editable(*PACKAGES), *TEST_TOOLS, *CHECK_TOOLS, *DEMO_TOOLS)


def peer_python(session: nox.Session) -> str:
    """The Python of the environment that holds the peer beside our packages."""
    return shared_environment(session, "peer", *editable(*PACKAGES), *TEST_TOOLS, "tensordict", "matplotlib")


def pytest(session: nox.Session, python: str, *arguments: str) -> None:
    """Run pytest with one thread a process: our tensors are small and our processes several."""
    session.run(python, "-m", "pytest", *arguments, env={"OMP_NUM_THREADS": "1"})


def test_folders(package: str) -> list[str]:
    """The test folder of a package, in a list that is empty while the package has no tests."""
    folder = ROOT / "packages" / package / "tests"
    return [str(folder.relative_to(ROOT))] if any(folder.rglob("test_*.py")) else []


@shared
def demo(session: nox.Session) -> None:
    """Handwritten digits, end to end: from arrays to a trained network, a printed tree and a plot."""
    python = dev_python(session)
    session.run(python, DEMO, *session.posargs)


@shared
def tests(session: nox.Session) -> None:
    """The tests of every package and the cross-package ones; arguments after `--` go to pytest."""
    python = dev_python(session)
    pytest(session, python, "-n", "2", "--ignore=tests/parity", *session.posargs)


@isolated
def core_alone(session: nox.Session) -> None:
    """td-core installed by itself: its tests and the conformance kit, without any plugin and without h5py."""
    install(session, f"{path_of(CORE)}[testing]", "pytest-xdist")
    absent = [name.replace("-", "_") for name in PLUGINS] + ["h5py", "sklearn", "tensordict"]
    check = f"import importlib.util as u, sys; sys.exit(str([m for m in {absent} if u.find_spec(m)] or '') or 0)"
    session.run("python", "-c", check)
    pytest(session, "python", "-n", "2", f"packages/{CORE}/tests", *session.posargs)


@isolated
@nox.parametrize("package", [nox.param(name, id=name) for name in PLUGINS])
def one_plugin(session: nox.Session, package: str) -> None:
    """td-core and one plugin, without the others: `nox -s "one_plugin(td-h5)"`."""
    if not test_folders(package):
        session.skip(f"{package} has no tests yet")
    local = (CORE, *NEEDS.get(package, ()), package)
    install(session, *TEST_TOOLS, *(path_of(name) for name in local))
    pytest(session, "python", *test_folders(package), *session.posargs)


@shared
def conformance(session: nox.Session) -> None:
    """The conformance kit on every target that the installed plugins announce."""
    python = dev_python(session)
    pytest(session, python, "-n", "2", "tests/conformance", *session.posargs)


@shared
def parity(session: nox.Session) -> None:
    """Random sequences of operations on the peer and on ours: equal results, or equal error classes."""
    python = peer_python(session)
    pytest(session, python, "-n", "2", "tests/parity", *session.posargs)


@shared
def benchmarks(session: nox.Session) -> None:
    """Floor, ours and the peer, interleaved in one process: prints the ratios, writes JSON and a plot."""
    python = peer_python(session)
    session.run(python, "-m", "benchmarks", *session.posargs)


@shared
def typecheck(session: nox.Session) -> None:
    """mypy, strict, and basedpyright, standard."""
    python = dev_python(session)
    session.run(python, "-m", "mypy")
    session.run(python, "-m", "basedpyright")


@shared
def lint(session: nox.Session) -> None:
    """ruff, the format, and the size of files and functions; `nox -s lint -- --fix` repairs what can be."""
    python = dev_python(session)
    fix = "--fix" in session.posargs
    session.run(python, "-m", "ruff", "check", *(["--fix"] if fix else []), ".")
    session.run(python, "-m", "ruff", "format", *([] if fix else ["--check"]), ".")
    session.run(python, "tools/check_sizes.py")


@shared
def layers(session: nox.Session) -> None:
    """Imports point down, without a cycle, and no private name crosses a package."""
    python = dev_python(session)
    session.run(python, "tools/check_layers.py")


@shared
def generated(session: nox.Session) -> None:
    """Make every generated file again; fail when one was not as committed."""
    python = dev_python(session)
    before = generated_files()
    for generator in sorted(ROOT.glob("tools/gen_*.py")):
        session.run(python, str(generator.relative_to(ROOT)))
    session.run(python, "tools/api_snapshot.py")
    after = generated_files()
    stale = sorted(str(file) for file in before.keys() | after.keys() if before.get(file) != after.get(file))
    if stale:
        session.error("not up to date before this run (look at the change, then commit it): " + ", ".join(stale))


def generated_files() -> dict[Path, bytes]:
    """The snapshots of the public surface, the files whose head says that a tool generated them, and their content."""
    found = {
        file: file.read_bytes() for pattern in ("packages/*/src/**/*.py", "api/*.txt") for file in ROOT.glob(pattern)
    }
    marks = (b"Generated by tools/", b"written by tools/")
    return {file.relative_to(ROOT): text for file, text in found.items() if any(mark in text[:300] for mark in marks)}


@clean
def wheels(session: nox.Session) -> None:
    """Build every wheel, install them in a clean environment, run the demo there."""
    folder = Path(session.create_tmp()) / "wheels"
    for old in folder.glob("*.whl"):
        old.unlink()
    build = ("python", "-m", "pip", "wheel", "--no-deps", "-w", str(folder))
    session.run(*build, *map(path_of, PACKAGES), env=PINS, silent=True)
    built = sorted(folder.glob("*.whl"))
    impure = [wheel.name for wheel in built if not wheel.name.endswith("-py3-none-any.whl")]
    if len(built) != len(PACKAGES) or impure:
        session.error(f"expected {len(PACKAGES)} pure-Python wheels, built {[wheel.name for wheel in built]}")
    install(session, *map(str, built), *DEMO_TOOLS)
    session.run("python", str(ROOT / DEMO), *session.posargs)
    session.run("python", "-m", "td_core", "plugins")


@shared
def docs(session: nox.Session) -> None:
    """Run the Python code of every Markdown page and the doctests, and check the links between pages."""
    python = dev_python(session)
    session.run(python, "tools/check_docs.py")
    sources = sorted(str(folder.relative_to(ROOT)) for folder in ROOT.glob("packages/*/src"))
    env = {"OMP_NUM_THREADS": "1"}
    session.run(python, "-m", "pytest", "--doctest-modules", *sources, env=env, success_codes=[0, 5])
