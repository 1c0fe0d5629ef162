from __future__ import annotations

from dataclasses import dataclass, field

import pytest
import torch

from td_core import TensorDict
from td_core.errors import TDKeyError, TDTypeError
from td_tensorclass import to_dataclass


@dataclass
class Position:
    x: torch.Tensor
    y: torch.Tensor


@dataclass
class Agent:
    name: str
    position: Position
    speed: torch.Tensor
    tag: torch.Tensor = field(default_factory=lambda: torch.tensor([5, 5]))


@pytest.fixture
def agent():
    return Agent("scout", Position(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])), torch.tensor([0.5, 0.25]))


def test_the_way_back(agent):
    back = to_dataclass(TensorDict.from_dataclass(agent, batch_size=[2]), Agent)
    assert type(back) is Agent
    assert type(back.position) is Position
    assert back.name == "scout"
    assert back.speed.tolist() == [0.5, 0.25]
    assert back.position.y.tolist() == [3.0, 4.0]


def test_an_absent_entry_takes_the_default(agent):
    td = TensorDict.from_dataclass(agent).exclude("tag")
    assert to_dataclass(td, Agent).tag.tolist() == [5, 5]
    with pytest.raises(TypeError, match="speed"):
        to_dataclass(td.exclude("speed"), Agent)


def test_an_entry_without_a_field_is_refused():
    td = TensorDict({"x": torch.ones(1), "y": torch.ones(1), "z": torch.ones(1)}, batch_size=[])
    with pytest.raises(TDKeyError, match=r"Position has no fields for the entries \['z'\]. Its fields are: .*"):
        to_dataclass(td, Position)


@pytest.mark.parametrize("cls", [int, 3])
def test_only_to_dataclasses(cls):
    with pytest.raises(TDTypeError, match="takes a dataclass"):
        to_dataclass(TensorDict({}, batch_size=[]), cls)
