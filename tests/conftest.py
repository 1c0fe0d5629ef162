"""The five plugin packages as if they were installed: dist-infos made from their pyproject files."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from td_core.plugins import reset_registry

ROOT = Path(__file__).resolve().parents[1]
ENTRY_POINT = re.compile(r'\[project\.entry-points\."td_core\.plugins"\]\n(.*?)\n\n', re.DOTALL)


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """A folder with a dist-info for each plugin package."""
    folder = tmp_path_factory.mktemp("installed")
    for pyproject in sorted(ROOT.glob("packages/td-*/pyproject.toml")):
        entry_points = ENTRY_POINT.search(pyproject.read_text())
        if entry_points is None:
            continue
        distribution = pyproject.parent.name
        info = folder / f"{distribution.replace('-', '_')}-0.1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 0.1.0\n")
        lines = entry_points[1].replace('"', "")
        (info / "entry_points.txt").write_text(f"[td_core.plugins]\n{lines}\n")
    return folder


@pytest.fixture
def plugins(installed, monkeypatch):
    """The five plugins, in this process."""
    monkeypatch.syspath_prepend(installed)
    monkeypatch.delenv("TD_PLUGINS", raising=False)
    reset_registry()
    yield
    reset_registry()


@pytest.fixture(scope="session")
def run_python(installed):
    """Run code, or what the arguments say, in a fresh interpreter that sees the five plugins; return what it prints."""

    def run(code, *arguments, status=0):
        sources = [str(path) for path in sorted(ROOT.glob("packages/*/src"))]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(installed), *sources])}
        environment.pop("TD_PLUGINS", None)
        command = [sys.executable, *(arguments or ("-c", code))]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240, check=False)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout

    return run
