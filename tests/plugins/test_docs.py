"""The plugin of docs/plugins.md is run as it stands there."""

import re
import sys
from pathlib import Path

import pytest
import torch

from td_core import TensorDict
from td_core.persistence import load
from td_core.plugins import registry, reset_registry

PAGE = Path(__file__).resolve().parents[2] / "docs" / "plugins.md"
NAMED_BLOCK = re.compile(r"```(?:python|toml)\n# (\S+)\n(.*?)```", re.DOTALL)


@pytest.fixture
def installed_example(tmp_path, monkeypatch):
    blocks = dict(NAMED_BLOCK.findall(PAGE.read_text()))
    for name, code in blocks.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(code)
    info = tmp_path / "td_pt-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: td-pt\nVersion: 1.0\n")
    entry_point = re.search(r'pt = "(.*)"', blocks["pyproject.toml"])[1]
    (info / "entry_points.txt").write_text(f"[td_core.plugins]\npt = {entry_point}\n")
    monkeypatch.syspath_prepend(tmp_path)
    reset_registry()
    yield
    for name in [name for name in sys.modules if name.split(".")[0] == "td_pt"]:
        del sys.modules[name]
    reset_registry()


@pytest.mark.usefixtures("installed_example")
def test_the_example_saves_and_loads(tmp_path):
    assert registry().storage_backends.provider("pt").label == "pt (td-pt 1.0)"
    assert "td_pt.io" not in sys.modules
    td = TensorDict({"x": torch.arange(3)}, batch_size=[3])
    td.to_storage("pt", tmp_path / "x.pt")
    back = load(tmp_path / "x.pt")
    assert back["x"].tolist() == [0, 1, 2]
    assert back.batch_size == torch.Size([3])
    import td_pt

    assert td_pt.load is sys.modules["td_pt.io"].load


def test_the_accessor():
    code = re.search(r"```python\n([^`]*class Statistics:.*?)```", PAGE.read_text(), re.DOTALL)[1]
    assert "assert td.ext(Statistics).means()" in code
    exec(code, {})


def test_the_page_lists_every_hook():
    from td_core.plugins.specs import HOOKS

    for hook, descriptor in HOOKS.items():
        assert f"| `{hook}` | `{descriptor.__name__}` |" in PAGE.read_text()
