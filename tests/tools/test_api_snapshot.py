from __future__ import annotations

import pytest

FOLDER = "packages/td-toy/src/td_toy"
TREE = {
    f"{FOLDER}/__init__.py": "from ._box import Box as Box, Crate as Crate, make as make\n",
    f"{FOLDER}/_box.py": (
        "import json\n"
        "class Sized:\n"
        "    def total(self) -> int: ...\n"
        "class Box(Sized):\n"
        "    def get(self, key: str, default: object = None) -> object: ...\n"
        "    def _hidden(self): ...\n"
        "    def __getitem__(self, key): ...\n"
        "    @property\n"
        "    def size(self): ...\n"
        "    @classmethod\n"
        "    def empty(cls, size: int): ...\n"
        "class Crate(Box):\n"
        "    def stack(self): ...\n"
        "def make(size: int, *, marker: object = object()) -> Box: ...\n"
    ),
    f"{FOLDER}/errors.py": "from json import loads\nclass BoxError(Exception): ...\n",
    f"{FOLDER}/inner/__init__.py": "",
    f"{FOLDER}/inner/deep.py": "def not_on_the_surface(): ...\n",
    f"{FOLDER}/typing.py": "from typing import Any\nKey = ('a', 'b')\nAlias = list[str]\n_hidden = 1\n",
}
EXPECTED = """\
# Public surface of td_toy; written by tools/api_snapshot.py.

## td_toy
class Box()
    def __getitem__(self, key)
    classmethod empty(cls, size: int)
    def get(self, key: str, default: object = None) -> object
    property size
    def total(self) -> int
class Crate(Box)
    def stack(self)
def make(size: int, *, marker: object = <object object>) -> td_toy._box.Box

## td_toy.errors
class BoxError(Exception)

## td_toy.typing
Alias = list[str]
Key: tuple
"""


def test_writes_names_and_signatures(run_tool, plant):
    root = plant(TREE)
    assert run_tool("api_snapshot.py", root).returncode == 0
    assert (root / "api/td-toy.txt").read_text() == EXPECTED
    assert run_tool("api_snapshot.py", "--check", root).returncode == 0


@pytest.mark.parametrize(
    ("file", "old", "new", "difference"),
    [
        pytest.param(
            "_box.py", "= None", "= 0", "+    def get(self, key: str, default: object = 0)", id="other default"
        ),
        pytest.param("_box.py", "def get", "def fetch", "-    def get(self", id="renamed method"),
        pytest.param("__init__.py", ", make as make", "", "-def make(", id="lost function"),
        pytest.param("typing.py", "Key =", "NestedKey =", "+NestedKey: tuple", id="renamed alias"),
    ],
)
def test_check_finds_a_changed_surface(run_tool, plant, file, old, new, difference):
    root = plant(TREE)
    run_tool("api_snapshot.py", root)
    path = f"{FOLDER}/{file}"
    plant({path: TREE[path].replace(old, new)})
    result = run_tool("api_snapshot.py", "--check", root)
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
