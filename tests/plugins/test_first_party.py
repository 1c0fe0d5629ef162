"""The delegates, the known names and the plugins agree; and the plugins work through the doors of td-core."""

import inspect
from dataclasses import dataclass

import pytest
import torch

import td_cuda._plugin
import td_h5._methods
import td_h5._plugin
import td_nn._plugin
import td_tensorclass._methods
import td_tensorclass._plugin
from td_core import TensorDict
from td_core._generated.plugin_methods import PluginMethods
from td_core.execution import with_backend
from td_core.persistence import load
from td_core.plugins import (
    MissingBackendError,
    ProvidesExecutionBackends,
    ProvidesMethods,
    ProvidesStorageBackends,
    registry,
)
from td_core.plugins.known import KNOWN_EXECUTION_BACKENDS, KNOWN_METHODS, KNOWN_STORAGE_BACKENDS

pytestmark = pytest.mark.usefixtures("plugins")

# Checked by the type checker: a module that yields something else does not fit.
_METHODS: list[ProvidesMethods] = [td_h5._plugin, td_tensorclass._plugin]
_STORAGE: list[ProvidesStorageBackends] = [td_h5._plugin]
_EXECUTION: list[ProvidesExecutionBackends] = [td_nn._plugin, td_cuda._plugin]


def provided(table):
    return {name: table.provider(name).distribution for name in table if table.provider(name).name != "builtin"}


def test_every_plugin_loads_without_a_fault():
    assert [(record.name, record.status, record.errors) for record in registry().plugins] == [
        ("builtin", "loaded", ()),
        ("cuda", "loaded", ()),
        ("h5", "loaded", ()),
        ("memmap", "loaded", ()),
        ("nn", "loaded", ()),
        ("tensorclass", "loaded", ()),
    ]
    assert registry().conflicts == ()


def test_the_known_names_are_those_that_the_plugins_provide():
    assert provided(registry().methods) == {name: source.distribution for name, source in KNOWN_METHODS.items()}
    assert provided(registry().storage_backends) == {
        name: source.distribution for name, source in KNOWN_STORAGE_BACKENDS.items()
    }
    assert provided(registry().execution_backends) == {
        name: source.distribution for name, source in KNOWN_EXECUTION_BACKENDS.items()
    }
    for name, source in KNOWN_STORAGE_BACKENDS.items():
        assert registry().storage_backends[name].suffixes == source.suffixes


def test_every_lazy_reference_leads_somewhere():
    for table in registry().tables.values():
        for descriptor in table.values():
            for field in descriptor.__dataclass_fields__:
                value = getattr(descriptor, field)
                if hasattr(value, "load"):
                    assert value.load() is not None


@pytest.mark.parametrize("name", sorted(KNOWN_METHODS))
def test_a_delegate_has_the_signature_of_its_function(name):
    function = inspect.signature(registry().methods[name].target.load())
    delegate = inspect.signature(getattr(PluginMethods, name))
    wanted = list(function.parameters.values())
    found = list(delegate.parameters.values())
    if wanted[0].name == "td":
        assert found[0].name == "self"
        wanted, found = wanted[1:], found[1:]
    assert found == wanted
    assert "Provided by td-" in inspect.getdoc(getattr(PluginMethods, name))


def test_hdf5_through_the_container(tmp_path):
    td = TensorDict({"x": torch.arange(3), "n": {"y": torch.ones(3, 2)}}, batch_size=[3])
    td.to_h5(tmp_path / "a.h5")
    td.to_storage("h5", tmp_path / "b.bin", compression="gzip")
    for back in (
        TensorDict.from_h5(tmp_path / "a.h5"),
        load(tmp_path / "a.h5"),
        load(tmp_path / "b.bin"),
        load(str(tmp_path / "b.bin"), backend="h5"),
    ):
        assert back.batch_size == torch.Size([3])
        assert back["x"].tolist() == [0, 1, 2]
        assert back["n", "y"].sum() == 6


@dataclass
class Point:
    x: torch.Tensor


def test_dataclasses_through_the_container():
    td = TensorDict.from_dataclass(Point(torch.ones(2)), batch_size=[2])
    assert td.batch_size == torch.Size([2])
    point = td.to_dataclass(Point)
    assert type(point) is Point
    assert point.x.tolist() == [1, 1]


@pytest.mark.slow
def test_the_compile_backend_through_td_core():
    double = with_backend(lambda x: x * 2, "compile", backend="eager", fullgraph=True)
    assert double(torch.ones(2)).tolist() == [2, 2]


def test_the_cuda_graph_backend_says_why_it_cannot_serve():
    with pytest.raises(
        MissingBackendError, match="with_backend\\('cuda-graph'\\) needs the td-cuda plugin, which cannot"
    ):
        with_backend(abs, "cuda-graph")
