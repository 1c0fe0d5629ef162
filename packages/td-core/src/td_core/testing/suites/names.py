"""Names of the batch dims (rows CORE-103 to CORE-107)."""

from __future__ import annotations

import pytest
import torch

from td_core.abc import Capability
from td_core.testing.case import TreeSpec
from td_core.testing.gates import needs
from td_core.testing.topic import TopicTests


class NameTests(TopicTests):
    """Names: reading, setting, renaming, and what becomes of them."""

    def test_names_when_unnamed(self) -> None:
        """CORE-103: always a list as long as the batch size."""
        assert self.sample().names == [None, None]
        assert self.make({"a": torch.zeros(2)}).names == []

    @needs(Capability.NAMES)
    def test_names_set_and_erase(self) -> None:
        """CORE-103, CORE-104: a list sets, None erases, a list of None is none at all."""
        td = self.sample()
        td.names = ["x", "y"]
        assert td.names == ["x", "y"]
        td.names = [None, "y"]
        assert td.names == [None, "y"]
        td.names = None
        assert td.names == [None, None]
        td.names = ["x", "y"]
        td.names = [None, None]
        assert td.names == [None, None]

    @needs(Capability.NAMES)
    def test_names_at_construction(self) -> None:
        """CORE-103: names come with the container."""
        assert self.sample(names=["x", "y"]).names == ["x", "y"]
        assert self.sample(names=["x", None]).names == ["x", None]

    @needs(Capability.NAMES)
    @pytest.mark.parametrize("names", [["x", "x"], ["x"], ["x", "y", "z"], []])
    def test_names_errors(self, names: list[str]) -> None:
        """CORE-104: duplicates and a wrong length are a ValueError, and change nothing."""
        td = self.sample(names=["u", "v"])
        with pytest.raises(ValueError):
            td.names = names
        assert td.names == ["u", "v"]

    @needs(Capability.NAMES)
    def test_names_duplicates_come_before_length(self) -> None:
        """CORE-104, TRAP-029: several None are no duplicates."""
        td = self.make({"a": torch.zeros(2, 2, 2)}, [2, 2, 2])
        td.names = [None, "x", None]
        assert td.names == [None, "x", None]

    @needs(Capability.NAMES | Capability.LOCK)
    def test_names_of_a_locked_container(self) -> None:
        """CORE-104, CORE-109: names may change while locked."""
        td = self.sample().lock_()
        td.names = ["x", "y"]
        assert td.names == ["x", "y"]

    @needs(Capability.NAMES)
    def test_names_reach_the_nodes(self) -> None:
        """CORE-105, TRAP-030: the leading dims of nodes are renamed, their own extra names stay."""
        td = self.make(
            {"n": TreeSpec(entries={"x": torch.zeros(4, 3, 2)}, batch_size=(4, 3, 2), names=(None, None, "own"))},
            [4, 3],
        )
        td.names = ["x", "y"]
        assert td["n"].names == ["x", "y", "own"]
        td.names = None
        assert td.names == [None, None]
        assert td["n"].names == [None, None, "own"]

    @needs(Capability.NAMES)
    def test_names_reach_deep_nodes(self) -> None:
        """CORE-105: at every depth."""
        td = self.sample()
        td.names = ["x", "y"]
        assert td["node"].names == ["x", "y"]
        assert td["node", "deep"].names == ["x", "y", None]

    @needs(Capability.NAMES | Capability.WRITE)
    def test_names_of_new_nodes(self) -> None:
        """CORE-105: a node written to a named container gets its names."""
        td = self.sample(names=["x", "y"])
        td["n"] = TreeSpec(entries={"x": torch.zeros(4, 3)}, batch_size=(4, 3)).to_dense()
        assert td["n"].names == ["x", "y"]

    @needs(Capability.NAMES | Capability.WRITE)
    def test_names_in_conflict_raises(self) -> None:
        """CORE-105: a node whose names conflict with those of the container is refused."""
        td = self.sample(names=["x", "y"])
        node = TreeSpec(entries={"x": torch.zeros(4, 3)}, batch_size=(4, 3), names=("u", "v")).to_dense()
        with pytest.raises(RuntimeError):
            td["n"] = node
        assert node.names == ["u", "v"]

    @needs(Capability.NAMES)
    def test_rename(self) -> None:
        """CORE-106: a copy with other names: all of them, or some by keyword."""
        td = self.sample(names=["x", "y"])
        assert td.rename("u", "v").names == ["u", "v"]
        assert td.rename(y="v").names == ["x", "v"]
        assert td.names == ["x", "y"]

    @needs(Capability.NAMES)
    def test_rename_underscore(self) -> None:
        """CORE-106: the same in place."""
        td = self.sample(names=["x", "y"])
        assert td.rename_("u", "v") is td
        assert td.names == ["u", "v"]
        td.rename_(v="w")
        assert td.names == ["u", "w"]

    @needs(Capability.NAMES)
    def test_rename_errors(self) -> None:
        """CORE-106: an unknown old name is a ValueError, and so is a list of the wrong length."""
        td = self.sample(names=["x", "y"])
        with pytest.raises(ValueError):
            td.rename(z="u")
        with pytest.raises(ValueError):
            td.rename("u")

    @needs(Capability.NAMES)
    def test_refine_names(self) -> None:
        """CORE-106: only unnamed dims are filled; an ellipsis stands for the others; a conflict is an error."""
        td = self.sample(names=[None, "y"])
        assert td.refine_names("x", "y").names == ["x", "y"]
        td = self.make({"a": torch.zeros(2, 3, 4)}, [2, 3, 4], names=[None, None, "z"])
        assert td.refine_names(..., "z").names == [None, None, "z"]
        assert td.refine_names("x", ...).names == ["x", None, "z"]
        with pytest.raises(RuntimeError):
            td.refine_names(..., "other")

    @needs(Capability.NAMES)
    def test_names_kept(self) -> None:
        """CORE-107: operations that keep the dims keep the names."""
        td = self.sample(names=["x", "y"])
        floats = td.select("a", ("node", "c"))
        results = [
            td.clone(), td.contiguous(), td.select("a"), td.exclude("a"), td.empty(), td.split(2)[0], td.double(),
            td.detach(), torch.cat([td, td]), td.apply(lambda x: x + 1), floats + 1, floats * floats, -floats,
            floats.mean(dim=0, keepdim=True), td.gather(0, torch.zeros(1, 3, dtype=torch.int64)),
            td.to(torch.float64), td[:2],
        ]  # fmt: skip
        assert [new.names for new in results] == [["x", "y"]] * len(results)

    @needs(Capability.NAMES)
    def test_names_dropped(self) -> None:
        """CORE-107: operations that drop a dim drop its name."""
        td = self.sample(names=["x", "y"]).select("a")
        results = [td.unbind(0)[0], td[0], td.all(dim=0), td.any(dim=0), td.sum(dim=0), td[:1].squeeze(0)]
        assert [new.names for new in results] == [["y"]] * len(results)

    @needs(Capability.NAMES)
    def test_names_erased(self) -> None:
        """CORE-107, CORE-125: operations that change the dims, and comparisons, erase the names."""
        td = self.sample(names=["x", "y"]).select("a")
        assert td.view(3, 4).names == [None, None]
        assert td.reshape(12).names == [None]
        assert (td == td).names == [None, None]
        assert (td < 1).names == [None, None]
        assert td.sum().names == []
        assert td.apply(lambda x: x, batch_size=[4]).names == [None]
