from __future__ import annotations

import pytest

FOLDER = "packages/td-toy/src/td_toy"
TREE = {
    f"{FOLDER}/__init__.py": "from ._box import Box as Box, make as make\n",
    f"{FOLDER}/_box.py": (
        "import json\n"
        "class Box:\n"
        "    def get(self, key: str, default: object = None) -> object: ...\n"
        "    def _hidden(self): ...\n"
        "    def __getitem__(self, key): ...\n"
        "    @property\n"
        "    def size(self): ...\n"
        "    @classmethod\n"
        "    def empty(cls, size: int): ...\n"
        "def make(size: int, *, marker: object = object()) -> Box: ...\n"
    ),
    f"{FOLDER}/errors.py": "class BoxError(Exception): ...\n",
}
EXPECTED = """\
# Public surface of td_toy; written by tools/api_snapshot.py.

## td_toy
class Box()
    def __getitem__(self, key)
    classmethod empty(cls, size: int)
    def get(self, key: str, default: object = None) -> object
    property size
def make(size: int, *, marker: object = <object object>) -> td_toy._box.Box

## td_toy.errors
class BoxError(Exception)
"""


def test_writes_names_and_signatures(run_tool, plant):
    root = plant(TREE)
    assert run_tool("api_snapshot.py", root).returncode == 0
    assert (root / "api/td-toy.txt").read_text() == EXPECTED
    assert run_tool("api_snapshot.py", "--check", root).returncode == 0


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        pytest.param(
            "default: object = None",
            "default: object = 0",
            "+    def get(self, key: str, default: object = 0)",
            id="default",
        ),
        pytest.param("def get", "def fetch", "-    def get(self", id="renamed method"),
        pytest.param("def make", "def build", "-def make(", id="lost function"),
    ],
)
def test_check_finds_a_changed_surface(run_tool, plant, old, new, difference):
    root = plant(TREE)
    run_tool("api_snapshot.py", root)
    changed = {path: text.replace(old, new) for path, text in TREE.items()}
    changed[f"{FOLDER}/__init__.py"] = f"from ._box import Box as Box, {'build' if new == 'def build' else 'make'}\n"
    result = run_tool("api_snapshot.py", "--check", plant(changed))
    assert result.returncode == 1
    assert difference in result.stdout
    assert (root / "api/td-toy.txt").read_text() == EXPECTED  # a check writes nothing


def test_check_fails_without_a_snapshot(run_tool, plant):
    assert run_tool("api_snapshot.py", "--check", plant(TREE)).returncode == 1


def test_private_parts_may_change(run_tool, plant):
    root = plant(TREE)
    run_tool("api_snapshot.py", root)
    plant({f"{FOLDER}/_box.py": TREE[f"{FOLDER}/_box.py"].replace("_hidden", "_other")})
    assert run_tool("api_snapshot.py", "--check", root).returncode == 0
