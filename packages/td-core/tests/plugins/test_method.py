"""Delegates, the errors that say what is missing, and the doors for third parties."""

import pickle
import sys

import pytest
import torch

from td_core._generated.plugin_methods import PluginMethods
from td_core.container.extension import ExtensionMethods
from td_core.errors import TDError, TDFileNotFoundError, TDValueError, UnsupportedOperationError
from td_core.execution import with_backend
from td_core.persistence import load
from td_core.plugins import (
    MissingBackendError,
    PluginConflictError,
    PluginLoadError,
    PluginLookupError,
    plugin_method,
    reset_registry,
)


class Container(PluginMethods, ExtensionMethods):
    """Stands for the container: the mixins need nothing of it."""


METHODS = """
@hookimpl
def td_methods():
    yield MethodProvider(name="to_h5", target=LazyRef("{target}"), requires={requires!r})
    yield MethodProvider(name="from_h5", target=LazyRef("{target}"))

def implementation(*args, **kwargs):
    return args, kwargs
"""


def add_methods(site, distribution="td-h5", target=None, requires=(), name="h5", version="1.0"):
    target = target or f"{distribution.replace('-', '_')}_plugin:implementation"
    site.add(distribution, METHODS.format(target=target, requires=requires), name=name, version=version)


def test_a_delegate_passes_everything_on(site):
    add_methods(site)
    td = Container()
    assert td.to_h5("file", compression="gzip") == ((td, "file"), {"compression": "gzip"})
    assert Container.from_h5("file", batch_size=[2]) == (("file",), {"batch_size": [2], "device": None})


def test_the_second_call_is_a_look_up(site):
    add_methods(site)
    first = plugin_method("to_h5")
    assert plugin_method("to_h5") is first
    reset_registry()
    assert plugin_method("to_h5") is first  # the same function, found again


def test_not_installed(site, monkeypatch):
    site.add("fake-other", "", version="2.0")
    monkeypatch.setenv("TD_PLUGINS", "fake-other")
    monkeypatch.setattr("td_core.plugins.loader.entry_points", only(site))
    with pytest.raises(MissingBackendError) as caught:
        Container().to_h5("file")
    assert str(caught.value) == (
        "TensorDict.to_h5() needs the td-h5 plugin, which is not installed. "
        "Install it with: pip install 'td-core[h5]'. Installed plugins: fake-other (fake-other 2.0)."
    )
    assert isinstance(caught.value, (TDError, ImportError))
    assert (caught.value.call, caught.value.distribution) == ("TensorDict.to_h5()", "td-h5")


def test_not_installed_on_the_class(site, monkeypatch):
    monkeypatch.setattr("td_core.plugins.loader.entry_points", only(site))
    with pytest.raises(MissingBackendError, match=r"TensorDict.from_h5\(\) needs .* Installed plugins: none\."):
        Container.from_h5("file")


def test_failed_to_load(site):
    site.add("td-h5", "raise RuntimeError('boom')", name="h5")
    with pytest.raises(MissingBackendError) as caught:
        Container().to_h5("file")
    assert str(caught.value) == (
        "TensorDict.to_h5() needs the td-h5 plugin, which is installed but failed to load. "
        "Could not load 'td_h5_plugin': RuntimeError: boom. "
        "See `python -m td_core plugins`, then update or reinstall td-h5."
    )
    assert isinstance(caught.value.__cause__, PluginLoadError)
    assert isinstance(caught.value.__cause__.__cause__, RuntimeError)


def test_the_implementation_fails_to_import(site):
    add_methods(site, target="no_such_module:to_h5")
    with pytest.raises(MissingBackendError, match=r"failed to load.*no_such_module") as caught:
        Container().to_h5("file")
    assert isinstance(caught.value.__cause__, PluginLoadError)


def test_requirement_missing(site, monkeypatch):
    monkeypatch.setattr("td_core.plugins.loader.entry_points", only(site))
    add_methods(site, requires=("no_such_library",))
    with pytest.raises(MissingBackendError) as caught:
        Container().to_h5("file")
    assert str(caught.value) == (
        "TensorDict.to_h5() needs the td-h5 plugin, which cannot be used here: no_such_library is not installed. "
        "Install what it needs: pip install 'td-core[h5]'."
    )
    assert Container.available_methods() == ("from_h5",)


def test_left_out_by_the_environment(site, monkeypatch):
    add_methods(site)
    monkeypatch.setenv("TD_PLUGINS", "memmap,nn")
    with pytest.raises(MissingBackendError, match=r"TD_PLUGINS='memmap,nn' leaves out\. Add 'h5' to it, or unset it"):
        Container().to_h5("file")


def test_a_version_without_the_method(site):
    site.add("td-h5", "", name="h5", version="0.0.1")
    with pytest.raises(MissingBackendError, match=r"whose installed version 0.0.1 does not provide it") as caught:
        Container().to_h5("file")
    assert "pip install --upgrade 'td-core[h5]'" in str(caught.value)


def test_two_providers_of_a_method(site, monkeypatch):
    monkeypatch.setattr("td_core.plugins.loader.entry_points", only(site))
    add_methods(site)
    add_methods(site, distribution="fake-h5", name="fake")
    with pytest.raises(
        PluginConflictError, match=r"method 'to_h5' is claimed by fake \(fake-h5 1.0\) and by h5 \(td-h5"
    ):
        Container().to_h5("file")
    assert Container.available_methods() == ()


def test_available_methods(site, monkeypatch):
    monkeypatch.setattr("td_core.plugins.loader.entry_points", only(site))
    add_methods(site)
    assert Container.available_methods() == ("from_h5", "to_h5")


def test_missing_backend_errors_survive_pickling(site, monkeypatch):
    monkeypatch.setattr("td_core.plugins.loader.entry_points", only(site))
    with pytest.raises(MissingBackendError) as caught:
        Container().to_h5("file")
    copied = pickle.loads(pickle.dumps(caught.value))
    assert str(copied) == str(caught.value)
    assert copied.distribution == "td-h5"


@pytest.mark.slow
def test_a_compiled_function_may_be_the_first_caller(site):
    add_methods(site)

    def double(td, x):
        return plugin_method("to_h5") is not None, x * 2

    found, doubled = torch.compile(double, backend="eager", fullgraph=True)(None, torch.ones(2))
    assert found
    assert doubled.tolist() == [2.0, 2.0]


def test_ext_gives_the_container_to_the_accessor():
    class Accessor:
        def __init__(self, td):
            self.td = td

    td = Container()
    accessor = td.ext(Accessor)
    assert type(accessor) is Accessor
    assert accessor.td is td


STORAGE = """
@hookimpl
def td_storage_backends():
    yield StorageBackend(
        name="{name}", save=LazyRef("{module}:save"), load=LazyRef("{module}:read"),
        recognizes=LazyRef("{module}:recognizes") if {sniffs} else None,
        suffixes=(".fake",), priority={priority}, requires={requires!r},
    )

def save(td, path, **options):
    path.write_text("fake")
    return td, options

def read(path, **options):
    return "{name}", path.read_text(), options

def recognizes(path):
    return path.read_text().startswith("fake")
"""


def add_storage(site, distribution="fake-a", name="a", sniffs=True, priority=0, requires=()):
    module = f"{distribution.replace('-', '_')}_plugin"
    code = STORAGE.format(name=name, module=module, sniffs=sniffs, priority=priority, requires=requires)
    site.add(distribution, code)


def test_to_storage_and_load(site, tmp_path):
    add_storage(site)
    path, td = tmp_path / "data.anything", Container()
    assert td.to_storage("a", path, level=3) == (td, {"level": 3})
    assert load(path, lazily=True) == ("a", "fake", {"lazily": True})
    assert load(str(path), backend="a") == ("a", "fake", {})


def test_load_goes_by_suffix_where_a_backend_cannot_look_inside(site, tmp_path):
    add_storage(site, sniffs=False)
    path = tmp_path / "data.FAKE"
    path.write_text("anything")
    assert load(path) == ("a", "anything", {})


def test_load_takes_the_highest_priority(site, tmp_path):
    add_storage(site)
    add_storage(site, distribution="fake-b", name="b", priority=1)
    (tmp_path / "data").write_text("fake")
    assert load(tmp_path / "data")[0] == "b"


def test_load_refuses_to_guess(site, tmp_path):
    add_storage(site)
    add_storage(site, distribution="fake-b", name="b")
    (tmp_path / "data").write_text("fake")
    with pytest.raises(TDValueError, match=r"More than one storage backend recognises .*: a, b. Pass backend="):
        load(tmp_path / "data")
    assert load(tmp_path / "data", backend="a")[0] == "a"


def test_load_of_an_unknown_format_says_whom_it_asked(site, tmp_path):
    add_storage(site)
    (tmp_path / "data.fake").write_text("something else")
    with pytest.raises(TDValueError, match=r"No storage backend recognises .*data\.fake'. Asked: .*a"):
        load(tmp_path / "data.fake")


def test_load_of_nothing(site, tmp_path):
    with pytest.raises(TDFileNotFoundError, match="found nothing"):
        load(tmp_path / "absent")


def test_load_tells_which_of_our_plugins_would_read_the_file(site, tmp_path, monkeypatch):
    monkeypatch.setattr("td_core.plugins.loader.entry_points", only(site))
    (tmp_path / "data.H5").write_text("x")
    with pytest.raises(
        MissingBackendError, match=r"load\('.*data.H5'\) needs the td-h5 plugin, which is not installed"
    ):
        load(tmp_path / "data.H5")


def test_load_with_a_requirement_missing(site, tmp_path):
    add_storage(site, requires=("no_such_library",))
    (tmp_path / "data").write_text("fake")
    with pytest.raises(MissingBackendError, match=r"no_such_library is not installed.*pip install 'fake-a'"):
        load(tmp_path / "data")


def test_a_storage_in_memory_has_nothing_to_save_or_load(site, tmp_path):
    with pytest.raises(UnsupportedOperationError, match="PERSISTENT"):
        Container().to_storage("dense", tmp_path / "x")
    with pytest.raises(UnsupportedOperationError, match="PERSISTENT"):
        load(tmp_path, backend="dense")


def test_an_unknown_storage(site, tmp_path):
    with pytest.raises(PluginLookupError, match="no storage backend 'tape'"):
        Container().to_storage("tape", tmp_path / "x")


def test_with_backend(site):
    site.add(
        "fake-run",
        """
        @hookimpl
        def td_execution_backends():
            yield ExecutionBackend(name="twice", wrap=LazyRef(f"{__name__}:twice"))
            yield ExecutionBackend(name="later")
            yield ExecutionBackend(name="never", wrap=LazyRef(f"{__name__}:twice"), available=LazyRef(f"{__name__}:no"))

        def twice(function, *, times=2):
            return lambda x: function(x) * times

        def no():
            return Availability(False, "the moon is not full")
        """,
        version="0.3",
    )
    assert with_backend(abs)(-3) == 3
    assert with_backend(abs, "twice")(-3) == 6
    assert with_backend(abs, "twice", times=5)(-3) == 15
    with pytest.raises(MissingBackendError, match="the moon is not full"):
        with_backend(abs, "never")
    with pytest.raises(MissingBackendError, match=r"version 0.3 does not provide it"):
        with_backend(abs, "later")
    with pytest.raises(PluginLookupError, match="no execution backend 'warp'"):
        with_backend(abs, "warp")


def only(site):
    """Return an `entry_points` that sees this site alone, whatever is installed."""
    from importlib.metadata import distributions

    def entry_points(group):
        return [
            entry
            for distribution in distributions(path=[str(site.folder)])
            for entry in distribution.entry_points
            if entry.group == group
        ]

    return entry_points


def test_nothing_is_imported_by_a_delegate_that_is_not_called(site):
    add_methods(site)
    assert "td_h5_plugin" not in sys.modules
    Container.available_methods()
    assert "td_h5_plugin" in sys.modules
