import sys
from dataclasses import FrozenInstanceError

import pytest

from td_core.errors import TDTypeError, TDValueError
from td_core.plugins import Availability, ExecutionBackend, LazyRef, LeafType, MethodProvider, StorageBackend

TARGET = LazyRef("math:sqrt")


def test_descriptors_are_frozen_and_compare_by_value():
    one = MethodProvider(name="to_x", target=TARGET)
    assert one == MethodProvider(name="to_x", target=LazyRef("math:sqrt"))
    with pytest.raises(FrozenInstanceError):
        one.name = "to_y"


@pytest.mark.parametrize("name", ["", "a b", "1a", "-a", None, 3])
def test_a_bad_name_is_refused(name):
    with pytest.raises(TDValueError, match="name of a method"):
        MethodProvider(name=name, target=TARGET)


def test_a_field_must_hold_a_lazy_reference():
    with pytest.raises(TDTypeError, match="target of the method 'to_x' must be a LazyRef, got 'math:sqrt'"):
        MethodProvider(name="to_x", target="math:sqrt")
    with pytest.raises(TDTypeError, match="load of the storage backend 'x' must be a LazyRef"):
        StorageBackend(name="x", load=print)


def test_a_string_where_a_tuple_belongs_is_refused():
    with pytest.raises(TDTypeError, match="suffixes of the storage backend 'x' must be a tuple"):
        StorageBackend(name="x", suffixes=".x")
    with pytest.raises(TDTypeError, match="types of the leaf type 'x' must be a tuple"):
        LeafType(name="x", types="a.B", handler=TARGET)


def test_availability_looks_for_requirements_without_importing(monkeypatch):
    backend = StorageBackend(name="x", requires=("math", "no_such_a", "no_such_b"))
    assert backend.availability() == Availability(False, "no_such_a, no_such_b are not installed")
    assert StorageBackend(name="x", requires=("wave",)).availability().ok
    monkeypatch.setitem(sys.modules, "wave", None)
    assert StorageBackend(name="x", requires=("wave",)).availability() == Availability(False, "wave is not installed")


def test_availability_does_not_import(monkeypatch):
    monkeypatch.delitem(sys.modules, "this", raising=False)
    assert StorageBackend(name="x", requires=("this",)).availability().ok
    assert "this" not in sys.modules


def test_an_execution_backend_asks_its_own_check(site):
    (site.folder / "fake_check.py").write_text("def check():\n    return (False, 'no device')")
    check = LazyRef("fake_check:check")
    assert ExecutionBackend(name="x", available=check).availability() == (False, "no device")
    missing = ExecutionBackend(name="x", requires=("no_such",), available=check)
    assert missing.availability().reason == "no_such is not installed"


def test_a_check_that_cannot_be_loaded_means_not_available():
    found = ExecutionBackend(name="x", available=LazyRef("no_such:check")).availability()
    assert not found.ok
    assert "Could not load 'no_such:check'" in found.reason
