"""Good, broken, clashing and wrong plugins, as the loader meets them."""

import pytest
import torch

from td_core import TensorDict
from td_core.__main__ import main
from td_core.plugins import (
    LazyRef,
    PluginConflictError,
    PluginLoadError,
    PluginLookupError,
    PluginTypeError,
    StorageBackend,
    plugin_report,
    registry,
    reset_registry,
)

GOOD = """
@hookimpl
def td_storage_backends():
    yield StorageBackend(name="{backend}", load=LazyRef("math:sqrt"), suffixes=(".good",))
"""


def record(distribution):
    (found,) = registry().plugins_of(distribution)
    return found


def test_builtins_come_through_the_hooks(site):
    assert registry().storage_backends["dense"].storage.load() is dict
    assert registry().execution_backends["eager"].availability().ok
    assert registry().storage_backends.provider("dense").distribution == "td-core"
    assert registry().plugins[0].name == "builtin"


def test_a_good_plugin(site):
    module = site.add("fake-good", GOOD.format(backend="good"), version="2.5")
    assert registry().storage_backends["good"] == StorageBackend(
        name="good", load=LazyRef("math:sqrt"), suffixes=(".good",)
    )
    found = record("fake-good")
    assert (found.version, found.target, found.status, found.errors) == ("2.5", module, "loaded", ())
    assert found.label == "fake-good (fake-good 2.5)"


def test_the_distribution_name_is_normalised(site):
    site.add("Fake_Good", GOOD.format(backend="good"))
    assert record("fake-good").distribution == "fake-good"


def test_a_plugin_that_fails_to_import_leaves_the_others(site):
    site.add("fake-a-broken", "raise RuntimeError('boom')")
    site.add("fake-b-good", GOOD.format(backend="good"))
    assert "good" in registry().storage_backends
    found = record("fake-a-broken")
    assert found.status == "failed"
    (error,) = found.errors
    assert isinstance(error, PluginLoadError)
    assert "RuntimeError: boom" in str(error)
    assert isinstance(error.__cause__, RuntimeError)


def test_a_plugin_that_exits_at_import_is_not_swallowed(site):
    site.add("fake-exits", "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        registry()


def test_a_hook_that_raises_costs_only_its_own_descriptors(site):
    site.add(
        "fake-raises",
        "@hookimpl\n"
        "def td_methods():\n"
        "    yield MethodProvider(name='to_x', target=LazyRef('math:sqrt'))\n"
        "    raise RuntimeError('boom')\n" + GOOD.format(backend="good"),
    )
    assert "good" in registry().storage_backends
    assert "to_x" not in registry().methods
    (error,) = record("fake-raises").errors
    assert isinstance(error, PluginTypeError)
    assert (error.hook, error.plugin) == ("td_methods", "fake-raises (fake-raises 1.0)")
    assert "boom" in str(error)
    assert record("fake-raises").status == "loaded"


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("return ['h5']", "got 'h5'"),
        ("return None", "got None"),
        ("return 3", "got 3"),
        ("yield LazyRef('math:sqrt')", "got LazyRef"),
        ("yield StorageBackend(name='wrong')", "got StorageBackend"),
    ],
)
def test_a_wrong_answer_names_the_plugin(site, answer, found):
    site.add("fake-wrong", f"@hookimpl\ndef td_methods():\n    {answer}\n")
    (error,) = record("fake-wrong").errors
    assert isinstance(error, PluginTypeError)
    assert isinstance(error, TypeError)
    assert error.plugin == "fake-wrong (fake-wrong 1.0)"
    assert "must yield MethodProvider objects" in str(error)
    assert found in str(error)
    assert all(registry().methods.provider(name).distribution != "fake-wrong" for name in registry().methods)


def test_a_descriptor_with_a_wrong_field_names_the_plugin(site):
    site.add("fake-wrong", "@hookimpl\ndef td_methods():\n    yield MethodProvider(name='x', target='math:sqrt')\n")
    (error,) = record("fake-wrong").errors
    assert error.plugin == "fake-wrong (fake-wrong 1.0)"
    assert "must be a LazyRef" in str(error)


def test_an_unknown_hook_is_reported(site):
    site.add("fake-odd", "@hookimpl\ndef td_wheels():\n    yield 1\n" + GOOD.format(backend="good"))
    (error,) = record("fake-odd").errors
    assert error.hook == "td_wheels"
    assert "there is no such hook" in str(error)
    assert "good" in registry().storage_backends


def test_a_hook_with_arguments_is_reported(site):
    site.add("fake-args", "@hookimpl\ndef td_methods(registry):\n    yield 1\n")
    assert record("fake-args").status == "failed"
    (error,) = record("fake-args").errors
    assert "registry" in str(error)


def test_two_plugins_with_one_entry_point_name_both_load(site):
    site.add("fake-one", GOOD.format(backend="one"), name="same")
    site.add("fake-two", GOOD.format(backend="two"), name="same")
    assert {"one", "two"} <= set(registry().storage_backends)


def test_a_name_claimed_twice_names_both_distributions(site):
    site.add("fake-one", GOOD.format(backend="mine"), version="1.2")
    site.add("fake-two", GOOD.format(backend="mine"), version="3.4")
    site.add("fake-three", GOOD.format(backend="other"))
    backends = registry().storage_backends
    with pytest.raises(PluginConflictError) as caught:
        backends["mine"]
    assert caught.value.claimants == ("fake-one (fake-one 1.2)", "fake-two (fake-two 3.4)")
    assert "storage backend 'mine' is claimed by fake-one (fake-one 1.2) and by fake-two (fake-two 3.4)" in str(
        caught.value
    )
    assert backends["other"].name == "other"
    assert "mine" not in backends
    assert "mine" not in list(backends)
    assert registry().conflicts == (caught.value,)


def test_a_plugin_cannot_take_over_a_builtin_name(site):
    site.add("fake-dense", GOOD.format(backend="dense"))
    with pytest.raises(PluginConflictError, match=r"builtin \(td-core .*\) and by fake-dense \(fake-dense 1.0\)"):
        registry().storage_backends["dense"]


def test_an_unknown_name_lists_what_there_is(site):
    with pytest.raises(PluginLookupError, match=r"There is no execution backend 'warp'. Available: .*eager"):
        registry().execution_backends["warp"]
    assert registry().execution_backends.get("warp") is None


@pytest.mark.parametrize(
    ("selection", "expected"),
    [(None, {"one", "two"}), ("", set()), ("fake-one", {"one"}), (" fake-two , fake-one,", {"one", "two"})],
)
def test_td_plugins_selects(site, monkeypatch, selection, expected):
    site.add("fake-one", GOOD.format(backend="one"))
    site.add("fake-two", GOOD.format(backend="two"))
    if selection is not None:
        monkeypatch.setenv("TD_PLUGINS", selection)
    assert set(registry().storage_backends) & {"one", "two"} == expected
    assert registry().storage_backends["dense"]
    for name in ("one", "two"):
        assert (record(f"fake-{name}").status == "left out") == (name not in expected)


def test_a_plugin_left_out_is_not_imported(site, monkeypatch):
    site.add("fake-broken", "raise RuntimeError('imported')")
    monkeypatch.setenv("TD_PLUGINS", "")
    assert record("fake-broken").errors == ()


def test_td_plugins_names_what_is_not_installed(site, monkeypatch):
    monkeypatch.setenv("TD_PLUGINS", "no-such-plugin")
    assert registry().absent == ("no-such-plugin",)
    assert "TD_PLUGINS names 'no-such-plugin', which no installed plugin is called." in plugin_report(registry())


def test_the_scan_happens_once_until_reset(site):
    first = registry()
    site.add("fake-good", GOOD.format(backend="good"))
    assert registry() is first
    reset_registry()
    assert "good" in registry().storage_backends


def test_leaf_types_and_converters_are_found_by_class(site):
    site.add(
        "fake-leaves",
        """
        class Base: pass
        class Derived(Base): pass
        class Other: pass
        class Twice: pass

        @hookimpl
        def td_leaf_types():
            yield LeafType(name="base", types=(f"{__name__}.Base", f"{__name__}.Twice"), handler=LazyRef("math:sqrt"))
            yield LeafType(name="twice", types=(f"{__name__}.Twice",), handler=LazyRef("math:sqrt"))

        @hookimpl
        def td_converters():
            yield Converter(name="base", types=(f"{__name__}.Base",), to_td=LazyRef("math:sqrt"))
        """,
    )
    leaves, converters = registry().leaf_types, registry().converters
    import fake_leaves_plugin as plugin

    assert leaves.serving(plugin.Base) is leaves["base"]
    assert leaves.serving(plugin.Derived) is leaves["base"]
    assert converters.serving(plugin.Derived) is converters["base"]
    assert leaves.serving(plugin.Other) is None
    with pytest.raises(PluginConflictError, match=r"as 'base' and by .* as 'twice'"):
        leaves.serving(plugin.Twice)


def test_the_report_and_the_command(site, capsys):
    site.add("fake-good", GOOD.format(backend="good"))
    site.add(
        "fake-needs",
        "@hookimpl\ndef td_storage_backends():\n    yield StorageBackend(name='needs', requires=('no_such',))\n",
    )
    assert main(["plugins"]) == 0
    printed = capsys.readouterr().out
    assert printed.rstrip("\n") == plugin_report(registry())
    lines = [line.split() for line in printed.splitlines()]
    assert ["fake-good", "(fake-good", "1.0)", "loaded", "fake_good_plugin"] in lines
    assert ["good", "fake-good", "ok"] in lines
    assert ["needs", "fake-needs", "not", "usable:", "no_such", "is", "not", "installed"] in lines
    assert "Problems" not in printed


def test_the_command_fails_and_says_why(site, capsys):
    site.add("fake-broken", "raise RuntimeError('boom')")
    site.add("fake-one", GOOD.format(backend="mine"))
    site.add("fake-two", GOOD.format(backend="mine"))
    assert main(["plugins"]) == 1
    problems = capsys.readouterr().out.partition("Problems")[2]
    assert "fake-broken (fake-broken 1.0): Could not load 'fake_broken_plugin': RuntimeError: boom." in problems
    assert "'mine' is claimed by" in problems


def test_a_plugin_kind_serves_its_type_in_a_container(site):
    site.add(
        "fake-kind",
        """
        import torch

        class Marked(torch.Tensor): pass
        class Other(torch.Tensor): pass

        @hookimpl
        def td_leaf_types():
            yield LeafType(name="marked", types=(f"{__name__}.Marked",), handler=LazyRef("fake_kind_impl:MarkedKind"))
        """,
    )
    (site.folder / "fake_kind_impl.py").write_text(
        "from td_core.leaves import LeafKind\n"
        "class MarkedKind(LeafKind):\n"
        "    def unwrap(self, value):\n"
        "        return 'marked', value\n"
    )
    import fake_kind_plugin as plugin

    marked, other = torch.ones(2).as_subclass(plugin.Marked), torch.ones(2).as_subclass(plugin.Other)
    td = TensorDict({"marked": marked, "other": other, "plain": torch.ones(2)}, batch_size=[2])
    assert td["marked"][0] == "marked"
    assert td["marked"][1] is marked
    assert td["other"] is other


def test_storing_types_of_torch_and_our_own_looks_for_no_plugin(site, monkeypatch):
    def scan(group):
        raise AssertionError("scanned")

    monkeypatch.setattr("td_core.plugins.loader.entry_points", scan)

    class Child(TensorDict):
        __module__ = "td_core.tests"

    td = TensorDict({"p": torch.nn.Parameter(torch.ones(2)), "n": Child({"x": torch.ones(2)}, batch_size=[2])}, [2])
    assert td["p"].sum() == 2
    assert type(td["n"]) is Child


def test_a_plugin_gives_a_torch_function_a_meaning(site):
    site.add(
        "fake-function",
        """
        @hookimpl
        def td_torch_functions():
            yield TorchFunction(name="torch.special.i0", impl=LazyRef(f"{__name__}:i0"))
            yield TorchFunction(name="torch.no_such.function", impl=LazyRef(f"{__name__}:i0"))

        def i0(td):
            return "i0", td
        """,
    )
    td = TensorDict({"x": torch.ones(2)}, batch_size=[2])
    name, given = torch.special.i0(td)
    assert name == "i0"
    assert given is td
    with pytest.raises(TypeError):
        torch.special.i1(td)
