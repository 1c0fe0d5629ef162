"""A storage that declines every power, through the inverse tests of the conformance kit."""

from __future__ import annotations

import pytest
import torch

from td_core import TensorDict, TensorDictBase
from td_core.abc import Capability, Storage
from td_core.errors import UnsupportedOperationError
from td_core.keys import require_parts
from td_core.testing import CapabilityTests, StorageCase


class Frozen(Storage):
    """Values given once."""

    name = "frozen"
    capabilities = Capability(0)

    def __init__(self, values):
        self.held = values

    def __getitem__(self, key):
        return self.held[key]

    def __setitem__(self, key, value):
        raise AssertionError("the container must not ask for this")

    def __delitem__(self, key):
        raise AssertionError("the container must not ask for this")

    def __iter__(self):
        return iter(self.held)

    def __len__(self):
        return len(self.held)


def frozen(td):
    values = {key: frozen(value) if isinstance(value, TensorDictBase) else value for key, value in td._storage.items()}
    return TensorDictBase._build(Frozen(values), td._batch_size, td._device, td._names)


class FrozenCase(StorageCase):
    name = "frozen"
    capabilities = Frozen.capabilities

    def make(self, spec):
        return frozen(spec.to_dense())

    def raw_read(self, container, key):
        for part in require_parts(key):
            container = container._storage.held[part]
        return container

    def raw_write(self, container, key, value):
        self.raw_read(container, key).copy_(value)


class TestFrozen(CapabilityTests):
    case = FrozenCase()


@pytest.fixture
def td():
    return frozen(TensorDict({"a": torch.arange(4.0), "n": {"b": torch.ones(4)}}, [4]))


@pytest.mark.parametrize(
    ("change", "capability"),
    [
        (lambda td: td.__setitem__("a", torch.zeros(4)), "WRITE"),
        (lambda td: td.__setitem__(("n", "c"), torch.zeros(4)), "WRITE"),
        (lambda td: td.set(("x", "y"), torch.zeros(4)), "WRITE"),
        (lambda td: td.create_nested("x"), "WRITE"),
        (lambda td: td.update({"x": torch.zeros(4)}), "WRITE"),
        (lambda td: td.pop("a"), "DELETE"),
        (lambda td: td.popitem(), "DELETE"),
        (lambda td: td.clear(), "DELETE"),
        (lambda td: td.select("a", inplace=True), "DELETE"),
        (lambda td: td.set_at_("a", 0.0, 1), "INPLACE"),
        (lambda td: td.__setitem__(0, TensorDict({"a": torch.tensor(9.0)})), "INPLACE"),
        (lambda td: td.update_({"a": torch.zeros(4)}), "INPLACE"),
        (lambda td: td.add_(1), "INPLACE"),
        (lambda td: td.zero_(), "INPLACE"),
        (lambda td: td.fill_("a", 1.0), "INPLACE"),
        (lambda td: td.masked_fill_(torch.ones(4, dtype=torch.bool), 1.0), "INPLACE"),
        (lambda td: td.detach_(), "GRAD"),
        (lambda td: td.rename_("x"), "NAMES"),
    ],
)
def test_declined(td, change, capability):
    with pytest.raises(UnsupportedOperationError) as caught:
        change(td)
    assert caught.value.capability == capability
    assert caught.value.storage == "frozen"
    assert td["a"].tolist() == [0.0, 1.0, 2.0, 3.0]
    assert sorted(td.keys(True, True), key=str) == [("n", "b"), "a"]


def test_reading_and_results_need_no_power(td):
    assert (td + 1)["n", "b"].tolist() == [2.0] * 4
    assert td[1]["a"].item() == 1.0
    assert type(td.clone()) is TensorDict


def test_repr_of_a_storage(td):
    assert repr(td._storage) == "Frozen(['a', 'n'])"
