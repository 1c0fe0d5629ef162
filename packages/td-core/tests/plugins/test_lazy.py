import math
import sys

import pytest

from td_core.errors import TDAttributeError, TDError, TDValueError
from td_core.plugins import LazyRef, PluginLoadError, lazy_exports


def test_load_returns_the_object():
    assert LazyRef("math:sqrt").load() is math.sqrt


def test_load_follows_a_dotted_attribute():
    assert LazyRef("collections:OrderedDict.fromkeys").load()("ab") == {"a": None, "b": None}


def test_making_a_reference_imports_nothing():
    LazyRef("no_such_package.module:thing")
    assert "no_such_package" not in sys.modules


def test_a_reference_can_be_parametrised():
    assert LazyRef[float]("math:pi").load() == math.pi


@pytest.mark.parametrize("target", ["math", "math:", ":sqrt", "math.sqrt", "a b:c", "math:sqrt:x", "", 3])
def test_a_wrong_form_is_refused(target):
    with pytest.raises(TDValueError, match="must look like"):
        LazyRef(target)


def test_a_missing_module_is_reported_with_its_cause():
    with pytest.raises(PluginLoadError, match="no_such_package") as caught:
        LazyRef("no_such_package:thing").load()
    assert isinstance(caught.value.__cause__, ModuleNotFoundError)
    assert isinstance(caught.value, (TDError, ImportError))
    assert caught.value.target == "no_such_package:thing"


def test_a_missing_attribute_is_reported():
    with pytest.raises(PluginLoadError, match="no attribute 'no_such_name'"):
        LazyRef("math:no_such_name").load()


def test_a_module_that_raises_at_import_is_reported(site):
    (site.folder / "raises_at_import.py").write_text("1 / 0")
    with pytest.raises(PluginLoadError, match="ZeroDivisionError") as caught:
        LazyRef("raises_at_import:thing").load()
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_lazy_exports(site):
    package = site.folder / "lazy_package"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from td_core.plugins import lazy_exports\n"
        "__getattr__, __dir__, __all__ = lazy_exports(__name__, {'answer': '._heavy'})\n"
    )
    (package / "_heavy.py").write_text("answer = 42")
    import lazy_package

    assert "lazy_package._heavy" not in sys.modules
    assert "answer" in dir(lazy_package)
    assert lazy_package.__all__ == ["answer"]
    assert lazy_package.answer == 42
    assert vars(lazy_package)["answer"] == 42
    with pytest.raises(TDAttributeError, match="'lazy_package' has no attribute 'question'"):
        lazy_package.question  # noqa: B018


def test_lazy_exports_lists_its_names_sorted():
    assert lazy_exports("math", {"b": ".x", "a": ".x"})[2] == ["a", "b"]
