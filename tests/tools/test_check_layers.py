from __future__ import annotations

import pytest

CORE = "packages/td-core/src/td_core"
CLEAN = {
    f"{CORE}/__init__.py": "from .container import Box as Box\n",
    f"{CORE}/errors.py": "",
    f"{CORE}/keys.py": "from .errors import TDError\n",
    f"{CORE}/container/__init__.py": "from .kernel import Box as Box\n",
    f"{CORE}/container/kernel.py": "from ..keys import split\nfrom . import names\n",
    f"{CORE}/container/names.py": "from td_core.errors import TDError\n",
    "packages/td-h5/src/td_h5/__init__.py": "",
    "packages/td-h5/src/td_h5/_plugin.py": "from td_core.keys import split\nfrom td_h5._file import open_file\n",
    "packages/td-h5/src/td_h5/_file.py": "import h5py\n",
}


def test_clean_tree_passes(run_tool, plant):
    result = run_tool("check_layers.py", plant(CLEAN))
    assert (result.returncode, result.stdout) == (0, "check_layers: 0 fault(s)\n")


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        pytest.param(
            f"{CORE}/keys.py",
            "def f():\n    from .container.kernel import Box\n",
            "keys.py:2: td_core.keys imports td_core.container.kernel, which lies in a layer above it",
            id="in-function import that points up",
        ),
        pytest.param(
            f"{CORE}/container/names.py",
            "from td_core import Box\n",
            "td_core.container.names imports td_core, which lies in a layer above it",
            id="core module that imports the api",
        ),
        pytest.param(
            f"{CORE}/container/names.py",
            "def f():\n    from .kernel import Box\n",
            "import cycle between td_core.container.kernel, td_core.container.names",
            id="cycle closed inside a function",
        ),
        pytest.param(
            "packages/td-h5/src/td_h5/_file.py",
            "import td_h5._plugin\n",
            "import cycle between td_h5._file, td_h5._plugin",
            id="cycle in a plugin",
        ),
        pytest.param(f"{CORE}/helpers.py", "", "td_core.helpers is in no layer", id="module in no layer"),
        pytest.param(
            f"{CORE}/keys.py",
            "import h5py\n",
            "td_core.keys imports h5py; td-core stands without it",
            id="h5py in core",
        ),
        pytest.param(
            f"{CORE}/keys.py",
            "def f():\n    import td_h5\n",
            "td_core.keys imports td_h5, on which its distribution does not depend",
            id="core that imports a plugin",
        ),
        pytest.param(
            "packages/td-h5/src/td_h5/_file.py",
            "from td_core.keys import _split\n",
            "td_h5._file imports the private _split of td_core",
            id="private name of another distribution",
        ),
        pytest.param(
            "packages/td-h5/src/td_h5/_file.py",
            "from td_core._generated.ops import add\n",
            "td_h5._file imports the private _generated of td_core",
            id="private module of another distribution",
        ),
        pytest.param(
            "examples/td-other/src/td_other/_file.py",
            "from td_core import _secret\n",
            "td_other._file imports the private _secret of td_core",
            id="private name in an outsider's backend",
        ),
    ],
)
def test_planted_fault_is_found(run_tool, plant, path, text, message):
    result = run_tool("check_layers.py", plant({**CLEAN, path: text}))
    assert result.returncode == 1
    assert message in result.stdout


def test_imports_for_type_checkers_may_point_up(run_tool, plant):
    text = (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .container import Box\nelse:\n    import math\n"
    )
    assert run_tool("check_layers.py", plant({**CLEAN, f"{CORE}/keys.py": text})).returncode == 0


def test_an_else_branch_of_type_checking_counts(run_tool, plant):
    text = "import typing\nif typing.TYPE_CHECKING:\n    pass\nelse:\n    from .container import Box\n"
    assert run_tool("check_layers.py", plant({**CLEAN, f"{CORE}/keys.py": text})).returncode == 1
