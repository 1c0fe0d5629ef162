"""The generator of the delegates: what it refuses, and that what is committed is what it makes."""

import importlib.util
import sys
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).resolve().parents[2]

if not (ROOT / "tools" / "gen_plugin_methods.py").exists():  # pragma: no cover
    pytest.skip("the tools are not part of this checkout", allow_module_level=True)


@pytest.fixture(scope="module")
def generator():
    spec = importlib.util.spec_from_file_location("gen_plugin_methods", ROOT / "tools" / "gen_plugin_methods.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def repository(tmp_path, generator):
    """A repository with one plugin, to be written."""
    for path in (generator.METHODS, generator.KNOWN):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())

    def write(code, distribution="td-x"):
        module = tmp_path / "packages" / distribution / "src" / distribution.replace("-", "_") / "_methods.py"
        module.parent.mkdir(parents=True, exist_ok=True)
        module.write_text("from __future__ import annotations\n" + dedent(code))
        return tmp_path

    return write


def test_the_committed_files_are_up_to_date(generator):
    assert generator.main(["--check"]) == 0


def test_check_tells_of_a_change_and_writing_mends_it(generator, repository, capsys):
    root = repository('def to_x(td: int, path: str) -> None:\n    """Write."""\n')
    assert generator.main(["--check"], root=root) == 1
    assert "Out of date" in capsys.readouterr().err
    assert not (root / generator.METHODS).exists()
    assert generator.main([], root=root) == 0
    assert generator.main(["--check"], root=root) == 0
    repository('def to_x(td: int, path: str, *, level: int = 3) -> None:\n    """Write."""\n')
    assert generator.main(["--check"], root=root) == 1


def test_every_kind_of_parameter_is_passed_on(generator, repository):
    root = repository(
        '''
        from collections.abc import Sequence
        from typing import Any, TypeVar
        from td_core import TensorDictBase
        from td_core.typing import NO_DEFAULT, NoDefault
        from ._write import write

        T = TypeVar("T")

        def to_x(td: TensorDictBase, a: int, /, b: Sequence[int] = (1,), *rest: str, c: int | NoDefault = NO_DEFAULT,
                 **options: Any) -> TensorDictBase:
            """Write it."""

        def from_x(cls: type[TensorDictBase], a: T) -> T:
            """Read it."""

        def find_x(a: int) -> Any:
            """Find it."""

        def _hidden(td): ...
        '''
    )
    text = generator.render(root)[generator.METHODS]
    assert 'cast("TensorDictBase", plugin_method("to_x")(self, a, b, *rest, c=c, **options))' in text
    assert 'cast("T", plugin_method("from_x")(cls, a))' in text
    assert 'return plugin_method("find_x")(a)' in text
    assert (
        "self, a: int, /, b: Sequence[int] = (1,), *rest: str, c: int | NoDefault = NO_DEFAULT, **options: Any" in text
    )
    assert '    @classmethod\n    def from_x(cls, a: T) -> T:\n        """Read it.\n\n        Provided by td-x' in text
    assert text.index("from ..typing import NO_DEFAULT") < text.index("if TYPE_CHECKING")
    assert "hidden" not in text
    known = generator.render(root)[generator.KNOWN]
    assert '"find_x": "td-x",\n    "from_x": "td-x",\n    "to_x": "td-x",' in known


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            'import h5py\ndef to_x(td: int, f: h5py.File) -> None:\n    """W."""',
            "uses h5py, which is not imported",
        ),
        ('from ._t import T\ndef to_x(td: int, f: T) -> None:\n    """W."""', "uses T, which is not imported"),
        ('def to_x(td: int, f) -> None:\n    """W."""', "to_x has a parameter or result without annotation"),
        ('def to_x(td: int, f: int):\n    """W."""', "to_x has a parameter or result without annotation"),
        ("def to_x(td: int) -> None: ...", "to_x has no docstring"),
    ],
)
def test_what_cannot_become_a_delegate_is_refused(generator, repository, code, message):
    with pytest.raises(generator.GenerationError, match=message):
        generator.render(repository(code))


def test_two_plugins_with_one_method(generator, repository):
    repository('def to_x(td: int) -> None:\n    """W."""')
    root = repository('def to_x(td: int) -> None:\n    """W."""', distribution="td-y")
    with pytest.raises(generator.GenerationError, match="to_x is in td-x and in td-y"):
        generator.render(root)
