"""Fake distributions on `sys.path`: found by the loader like installed ones, without an installer."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

from td_core.plugins import reset_registry


@dataclass
class FakeSite:
    """A folder of fake distributions."""

    folder: Path

    def add(self, distribution: str, code: str, *, version: str = "1.0", name: str | None = None) -> str:
        """Write a distribution with one plugin module and return the name of the module."""
        module = f"{distribution.replace('-', '_')}_plugin"
        (self.folder / f"{module}.py").write_text("from td_core.plugins import *\n" + dedent(code))
        info = self.folder / f"{distribution.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
        (info / "entry_points.txt").write_text(f"[td_core.plugins]\n{name or distribution} = {module}\n")
        return module


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder on `sys.path`, and a registry that is empty before and after."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("TD_PLUGINS", raising=False)
    reset_registry()
    before = set(sys.modules)
    yield FakeSite(tmp_path)
    for module in set(sys.modules) - before:
        if getattr(sys.modules[module], "__file__", None) and sys.modules[module].__file__.startswith(str(tmp_path)):
            del sys.modules[module]
    reset_registry()
