from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]

RunTool = Callable[..., "subprocess.CompletedProcess[str]"]
Plant = Callable[[dict[str, str]], Path]


@pytest.fixture
def run_tool() -> RunTool:
    """Run a tool as its session does; the result has `returncode` and `stdout`."""

    def run(tool: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(REPOSITORY / "tools" / tool), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)

    return run


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    """Write files, given as {path: text}, into a folder that looks like this repository; return the folder."""

    def write(files: dict[str, str]) -> Path:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write
