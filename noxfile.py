"""Every task of the repository: `nox -l` lists them, `nox -s NAME` runs one.

Sessions where isolation is not the point share one environment (`.nox/dev`), installed once; those that compare with
the peer share another (`.nox/peer`). What the sessions install is pinned in constraints-dev.txt.
"""

from __future__ import annotations

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

in_dev = nox.session(venv_location=".nox/dev", reuse_venv=True)
in_peer = nox.session(venv_location=".nox/peer", reuse_venv=True)
isolated = nox.session(reuse_venv=True)


def path_of(package: str) -> str:
    """Where a package lies, as pip wants it: `./packages/td-core`."""
    return f"./packages/{package}"


def install(session: nox.Session, *requirements: str) -> None:
    """Install with our constraints, which hold for the environments that pip builds packages in as well."""
    pinned = str(ROOT / CONSTRAINTS)
    session.install("-c", pinned, *requirements, env={"PIP_CONSTRAINT": pinned, "PIP_BUILD_CONSTRAINT": pinned})


def install_once(session: nox.Session, *requirements: str) -> None:
    """Install unless the environment already holds exactly this: same requirements, pins and package metadata."""
    described_by = [ROOT / CONSTRAINTS, *sorted(ROOT.glob("packages/*/pyproject.toml"))]
    wanted = "\n".join([*requirements, *(file.read_text() for file in described_by)])
    stamp = Path(session.virtualenv.location) / "installed.txt"
    if not stamp.exists() or stamp.read_text() != wanted:
        install(session, *requirements)
        stamp.write_text(wanted)


def editable(*packages: str) -> list[str]:
    """The pip arguments that install packages from the working tree."""
    return [argument for package in packages for argument in ("-e", path_of(package))]


def use_dev(session: nox.Session) -> None:
    """Fill the environment that tests and checks share."""
    install_once(session, *editable(*PACKAGES), *TEST_TOOLS, *CHECK_TOOLS, *DEMO_TOOLS)


def use_peer(session: nox.Session) -> None:
    """Fill the environment that holds the peer beside our packages."""
    install_once(session, *editable(*PACKAGES), *TEST_TOOLS, "tensordict", "matplotlib")


def pytest(session: nox.Session, *arguments: str) -> None:
    """Run pytest with one thread a process: our tensors are small and our processes several."""
    session.run("python", "-m", "pytest", *arguments, env={"OMP_NUM_THREADS": "1"})


def test_folders(package: str) -> list[str]:
    """The test folder of a package, in a list that is empty while the package has no tests."""
    folder = ROOT / "packages" / package / "tests"
    return [str(folder.relative_to(ROOT))] if any(folder.rglob("test_*.py")) else []


@in_dev
def demo(session: nox.Session) -> None:
    """Handwritten digits, end to end: from arrays to a trained network, a printed tree and a plot."""
    use_dev(session)
    session.run("python", DEMO, *session.posargs)


@in_dev
def tests(session: nox.Session) -> None:
    """The tests of every package and the cross-package ones; arguments after `--` go to pytest."""
    use_dev(session)
    pytest(session, "-n", "2", "--ignore=tests/parity", *session.posargs)


@isolated
def core_alone(session: nox.Session) -> None:
    """td-core installed by itself: its tests and the conformance kit, without any plugin and without h5py."""
    install(session, f"{path_of(CORE)}[testing]", "pytest-xdist")
    absent = [name.replace("-", "_") for name in PLUGINS] + ["h5py", "sklearn", "tensordict"]
    check = f"import importlib.util as u, sys; sys.exit(str([m for m in {absent} if u.find_spec(m)] or '') or 0)"
    session.run("python", "-c", check)
    pytest(session, "-n", "2", *test_folders(CORE), *session.posargs)


@isolated
@nox.parametrize("package", [nox.param(name, id=name) for name in PLUGINS])
def one_plugin(session: nox.Session, package: str) -> None:
    """td-core and one plugin, without the others: `nox -s "one_plugin(td-h5)"`."""
    if not test_folders(package):
        session.skip(f"{package} has no tests yet")
    local = (CORE, *NEEDS.get(package, ()), package)
    install(session, *TEST_TOOLS, *(path_of(name) for name in local))
    pytest(session, *test_folders(package), *session.posargs)


@in_dev
def conformance(session: nox.Session) -> None:
    """The conformance kit on every target that the installed plugins announce."""
    use_dev(session)
    pytest(session, "-n", "2", "tests/conformance", *session.posargs)


@in_peer
def parity(session: nox.Session) -> None:
    """Random sequences of operations on the peer and on ours: equal results, or equal error classes."""
    use_peer(session)
    pytest(session, "-n", "2", "tests/parity", *session.posargs)


@in_peer
def benchmarks(session: nox.Session) -> None:
    """Floor, ours and the peer, interleaved in one process: prints the ratios, writes JSON and a plot."""
    use_peer(session)
    session.run("python", "-m", "benchmarks", *session.posargs)


@in_dev
def typecheck(session: nox.Session) -> None:
    """mypy, strict, and basedpyright, standard."""
    use_dev(session)
    session.run("mypy")
    session.run("basedpyright")


@in_dev
def lint(session: nox.Session) -> None:
    """ruff, the format, and the size of files and functions; `nox -s lint -- --fix` repairs what can be."""
    use_dev(session)
    fix = "--fix" in session.posargs
    session.run("ruff", "check", *(["--fix"] if fix else []), ".")
    session.run("ruff", "format", *([] if fix else ["--check"]), ".")
    session.run("python", "tools/check_sizes.py")


@in_dev
def layers(session: nox.Session) -> None:
    """Imports point down, without a cycle, and no private name crosses a package."""
    use_dev(session)
    session.run("python", "tools/check_layers.py")


@in_dev
def generated(session: nox.Session) -> None:
    """Make every generated file again; fail when one was not as committed."""
    use_dev(session)
    before = generated_files()
    for generator in sorted(ROOT.glob("tools/gen_*.py")):
        session.run("python", str(generator.relative_to(ROOT)))
    session.run("python", "tools/api_snapshot.py")
    after = generated_files()
    stale = sorted(str(file) for file in before.keys() | after.keys() if before.get(file) != after.get(file))
    if stale:
        session.error("not up to date before this run (look at the change, then commit it): " + ", ".join(stale))


def generated_files() -> dict[Path, bytes]:
    """The generated files and their content."""
    patterns = ("packages/*/src/*/_generated/*.py", "api/*.txt")
    return {file.relative_to(ROOT): file.read_bytes() for pattern in patterns for file in ROOT.glob(pattern)}


@nox.session(reuse_venv=False)
def wheels(session: nox.Session) -> None:
    """Build every wheel, install them in a clean environment, run the demo there."""
    folder = Path(session.create_tmp()) / "wheels"
    for old in folder.glob("*.whl"):
        old.unlink()
    session.run("python", "-m", "pip", "wheel", "--no-deps", "-w", str(folder), *map(path_of, PACKAGES), silent=True)
    built = sorted(folder.glob("*.whl"))
    impure = [wheel.name for wheel in built if not wheel.name.endswith("-py3-none-any.whl")]
    if len(built) != len(PACKAGES) or impure:
        session.error(f"expected {len(PACKAGES)} pure-Python wheels, built {[wheel.name for wheel in built]}")
    install(session, *map(str, built), *DEMO_TOOLS)
    session.run("python", str(ROOT / DEMO), *session.posargs, env={"PYTHONSAFEPATH": "1"})
    session.run("python", "-m", "td_core", "plugins")


@in_dev
def docs(session: nox.Session) -> None:
    """Run the Python code of every Markdown page and the doctests, and check the links between pages."""
    use_dev(session)
    session.run("python", "tools/check_docs.py")
    sources = sorted(str(folder.relative_to(ROOT)) for folder in ROOT.glob("packages/*/src"))
    env = {"OMP_NUM_THREADS": "1"}
    session.run("python", "-m", "pytest", "--doctest-modules", *sources, env=env, success_codes=[0, 5])
