"""The constructor with a device: all entries are sent first, and waited for once (CORE-006, TRAP-068)."""

from typing import ClassVar

import pytest
import torch

import td_core.container.tensordict as module
from td_core import TensorDict


class Recorder(module.Transfer):
    """A transfer that writes down what it is asked for."""

    __slots__ = ()
    events: ClassVar[list] = []

    def send(self, tensor, *args, **kwargs):
        self.events.append(("send", self.non_blocking))
        return super().send(tensor, *args, **kwargs)

    def finish(self):
        self.events.append("finish")
        super().finish()


@pytest.fixture
def events(monkeypatch):
    monkeypatch.setattr(module, "Transfer", Recorder)
    monkeypatch.setattr(Recorder, "events", [])
    return Recorder.events


@pytest.mark.parametrize("non_blocking", [None, True, False])
def test_entries_are_sent_first_and_waited_for_once(events, non_blocking):
    nested = TensorDict({"c": torch.zeros(2, 4)}, [2])
    td = TensorDict(
        {"a": torch.zeros(2), "n": {"b": torch.zeros(2, 3)}, "td": nested, "s": "text"},
        [2],
        device="meta",
        non_blocking=non_blocking,
    )
    assert Recorder.events == [("send", non_blocking)] * 3 + ["finish"]
    assert {leaf.device.type for leaf in td.values(True, True)} == {"meta"}
    assert td["n"].device == td["td"].device == torch.device("meta")
    assert nested.device is None
    assert nested["c"].device.type == "cpu"
    assert td["s"] == "text"


def test_a_failure_still_ends_the_transfer(events):
    with pytest.raises(RuntimeError, match="batch size"):
        TensorDict({"a": torch.zeros(2), "b": torch.zeros(3)}, [2], device="meta")
    assert Recorder.events[-1] == "finish"


def test_no_device_no_transfer(events):
    TensorDict({"a": torch.zeros(2)}, [2])
    assert Recorder.events == []
