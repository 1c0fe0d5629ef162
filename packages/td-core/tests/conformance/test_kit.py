"""The conformance kit itself: it must not miss a subclass, a clash or a declined capability."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pytest
import torch

from td_core import TensorDict
from td_core.abc import DENSE_CAPABILITIES, Capability
from td_core.errors import UnsupportedOperationError
from td_core.testing import CapabilityTests, DenseCase, StorageCase, StorageSuite, TreeSpec, needs
from td_core.testing.suites import KeyTests
from td_core.testing.topic import TopicTests, check_leaves


def test_no_two_topics_define_the_same_name():
    """In the sum of the topics one would hide the other."""
    names = Counter(name for topic in StorageSuite.__bases__ for name in vars(topic) if not name.startswith("__"))
    assert [name for name, count in names.items() if count > 1] == []


def test_every_topic_is_in_the_sum():
    import td_core.testing.suites as suites

    topics = {value for name, value in vars(suites).items() if name.endswith("Tests")}
    assert topics == set(StorageSuite.__bases__)
    assert len(topics) == 24


def test_every_test_names_what_it_proves():
    for topic in StorageSuite.__bases__:
        for name, test in vars(topic).items():
            if name.startswith("test_"):
                doc = test.__doc__ or ""
                assert "CORE-" in doc or "TRAP-" in doc or topic is CapabilityTests or name == "test_reopen", name


def test_case_that_misses_a_method_cannot_be_defined():
    with pytest.raises(TypeError, match="Incomplete must define capabilities, raw_write"):

        class Incomplete(StorageCase):
            name = "incomplete"

            def make(self, spec):
                return spec.to_dense()

            def raw_read(self, container, key):
                return container[key]


def test_suite_without_a_case_cannot_be_defined():
    with pytest.raises(TypeError, match="TestForgotten must define case"):

        class TestForgotten(KeyTests):
            pass


def test_suite_subclass_without_a_test_name_may_leave_the_case_open():
    class MoreKeyTests(KeyTests):
        pass

    assert not hasattr(MoreKeyTests, "case")


class ReadOnlyCase(DenseCase):
    name = "read-only"
    capabilities = DENSE_CAPABILITIES & ~(Capability.WRITE | Capability.DELETE)


def test_needs_skips_and_says_why():
    class Tests(TopicTests):
        case = ReadOnlyCase()

        @needs(Capability.WRITE | Capability.LOCK)
        def test(self):
            raise AssertionError("not reached")

    with pytest.raises(pytest.skip.Exception, match="read-only does not declare WRITE"):
        Tests().test()


def test_needs_runs_where_all_is_declared():
    class Tests(TopicTests):
        case = ReadOnlyCase()

        @needs(Capability.LOCK | Capability.INPLACE)
        def test(self, argument):
            return argument

    assert Tests().test(3) == 3


class ReadOnlyTensorDict(TensorDict):
    def set(self, *args, **kwargs):
        raise UnsupportedOperationError("set", "read-only", "WRITE")


def test_declined_capability_that_raises_passes():
    class Case(ReadOnlyCase):
        def make(self, spec):
            return ReadOnlyTensorDict(spec.to_dense(), batch_size=spec.batch_size)

    class Tests(CapabilityTests):
        case = Case()

    Tests().test_declined_capability_raises(Capability.WRITE)


def test_declined_capability_that_works_fails():
    class Tests(CapabilityTests):
        case = ReadOnlyCase()

    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        Tests().test_declined_capability_raises(Capability.WRITE)


def test_tree_spec_builds_nodes_with_their_own_batch_size():
    spec = TreeSpec(
        entries={
            "a": torch.zeros(2),
            "n": {"b": torch.zeros(2, 3), "m": TreeSpec(entries={"c": torch.zeros(2, 3)}, batch_size=(2, 3))},
        },
        batch_size=(2,),
        names=("x",),
        device=torch.device("cpu"),
    )
    td = spec.to_dense()
    assert td.batch_size == td["n"].batch_size == torch.Size([2])
    assert td["n", "m"].batch_size == torch.Size([2, 3])
    assert td.names == ["x"]
    assert td.device == torch.device("cpu")


def test_back_doors_of_the_dense_case():
    case = DenseCase()
    td = case.make(TreeSpec(entries={"n": {"a": torch.zeros(2)}}, batch_size=(2,)))
    case.raw_write(td, ("n", "a"), torch.ones(2))
    assert torch.equal(td["n", "a"], torch.ones(2))
    assert case.raw_read(td, ("n", "a")) is td["n", "a"]
    assert case.reopen(td) is td


@pytest.mark.parametrize(
    ("expected", "batch_size"),
    [
        ({"a": torch.ones(2)}, [2]),
        ({"a": torch.zeros(2, dtype=torch.float64)}, [2]),
        ({"a": torch.zeros(2, 1)}, [2]),
        ({"a": torch.zeros(2), "b": torch.zeros(2)}, [2]),
        ({}, [2]),
        ({"a": torch.zeros(2)}, []),
    ],
)
def test_check_leaves_finds_every_difference(expected, batch_size):
    with pytest.raises(AssertionError):
        check_leaves(TensorDict({"a": torch.zeros(2)}, batch_size=[2]), expected, batch_size=batch_size)


def test_kit_is_imported_only_when_asked_for():
    code = (
        "import sys, td_core.testing as t; t.assert_close; "
        "assert 'pytest' not in sys.modules and 'hypothesis' not in sys.modules; "
        "t.StorageSuite; assert 'hypothesis' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_unknown_name_of_the_kit():
    import td_core.testing

    with pytest.raises(AttributeError, match="NoSuchTests"):
        _ = td_core.testing.NoSuchTests
