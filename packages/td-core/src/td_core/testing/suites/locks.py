"""Locking (rows CORE-109 to CORE-114)."""

from __future__ import annotations

import copy
import gc
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch

from td_core import TensorDict
from td_core.abc import Capability
from td_core.testing.gates import needs
from td_core.testing.topic import TopicTests, check_leaves, leaves

STRUCTURAL: dict[str, Callable[[Any], Any]] = {
    "set new": lambda td: td.set("new", torch.ones(4, 3)),
    "set present": lambda td: td.set("a", torch.ones(4, 3)),
    "set nested": lambda td: td.set(("node", "new"), torch.ones(4, 3)),
    "setitem": lambda td: td.__setitem__("new", torch.ones(4, 3)),
    "set inplace new": lambda td: td.set("new", torch.ones(4, 3), inplace=True),
    "set in node": lambda td: td["node"].set("new", torch.ones(4, 3)),
    "update": lambda td: td.update({"a": torch.ones(4, 3)}),
    "update inplace new": lambda td: td.update({"new": torch.ones(4, 3)}, inplace=True),
    "del": lambda td: td.__delitem__("a"),
    "del_": lambda td: td.del_("a"),
    "del nested": lambda td: td.del_(("node", "c")),
    "pop": lambda td: td.pop("a"),
    "popitem": lambda td: td.popitem(),
    "clear": lambda td: td.clear(),
    "rename_key_": lambda td: td.rename_key_("a", "z"),
    "rename_key_ same": lambda td: td.rename_key_("a", "a"),
    "create_nested": lambda td: td.create_nested("new"),
    "setdefault new": lambda td: td.setdefault("new", torch.ones(4, 3)),
    "select": lambda td: td.select("a", inplace=True),
    "exclude": lambda td: td.exclude("a", inplace=True),
    "flatten_keys": lambda td: td.flatten_keys(inplace=True),
    "index new key": lambda td: td.__setitem__(0, {"new": torch.ones(3)}),
    "cat_tensors": lambda td: td.cat_tensors("a", "a", out_key="new"),
}

IN_PLACE: dict[str, Callable[[Any], Any]] = {
    "set_": lambda td: td.set_("a", torch.ones(4, 3)),
    "set inplace": lambda td: td.set("a", torch.ones(4, 3), inplace=True),
    "update_": lambda td: td.update_({"a": torch.ones(4, 3)}),
    "update inplace": lambda td: td.update({"a": torch.ones(4, 3)}, inplace=True),
    "fill_": lambda td: td.fill_("a", 1.0),
    "set_at_": lambda td: td.set_at_("a", 1.0, slice(None)),
    "index": lambda td: td.__setitem__(slice(None), {"a": torch.ones(4, 3)}),
    "copy_": lambda td: td.select("a").copy_(TensorDict({"a": torch.ones(4, 3)}, batch_size=[4, 3])),
    "apply_": lambda td: td.apply_(torch.ones_like),
    "arithmetic": lambda td: td.select("a").zero_().add_(1),
}


class LockTests(TopicTests):
    """A locked container refuses structural change and allows in-place writes of values."""

    @needs(Capability.LOCK)
    def test_lock_and_unlock(self) -> None:
        """CORE-109: both return the container, reach every node, and may be repeated."""
        td = self.sample()
        assert not td.is_locked
        assert td.lock_() is td
        assert td.lock_().is_locked
        assert td["node"].is_locked
        assert td["node", "deep"].is_locked
        assert td.unlock_() is td
        assert not td.unlock_().is_locked
        assert not td["node"].is_locked
        assert not td["node", "deep"].is_locked

    @needs(Capability.LOCK)
    def test_is_locked_can_be_set(self) -> None:
        """CORE-109: setting the property locks and unlocks."""
        td = self.sample()
        td.is_locked = True
        assert td.is_locked
        assert td["node"].is_locked
        td.is_locked = False
        assert not td.is_locked

    @needs(Capability.LOCK)
    @pytest.mark.parametrize("name", STRUCTURAL)
    def test_locked_refuses_structural_change(self, name: str) -> None:
        """CORE-109, CORE-114, CORE-036 to CORE-039: a RuntimeError, and nothing has changed."""
        td = self.sample().lock_()
        keys = list(td.keys(True))
        expected = {key: value.clone() for key, value in leaves(td).items()}
        with pytest.raises(RuntimeError):
            STRUCTURAL[name](td)
        assert list(td.keys(True)) == keys
        check_leaves(td, expected)
        assert td.is_locked

    @needs(Capability.LOCK | Capability.INPLACE)
    @pytest.mark.parametrize("name", IN_PLACE)
    def test_locked_allows_in_place_writes(self, name: str) -> None:
        """CORE-109, CORE-043, CORE-044, CORE-123, CORE-142: values may be written."""
        td = self.sample().lock_()
        IN_PLACE[name](td)
        assert torch.equal(td["a"], torch.ones(4, 3))
        assert td.is_locked

    @needs(Capability.LOCK)
    def test_setdefault_locked(self) -> None:
        """CORE-037: a present key is read, also when locked."""
        td = self.sample().lock_()
        assert torch.equal(td.setdefault("a", torch.zeros(4, 3)), torch.arange(12.0).reshape(4, 3))

    @needs(Capability.LOCK)
    def test_pop_missing_locked(self) -> None:
        """CORE-037: removal on a locked container is a RuntimeError."""
        with pytest.raises(RuntimeError):
            self.sample().lock_().pop("a", None)

    @needs(Capability.LOCK)
    def test_unlock_of_a_held_node_raises(self) -> None:
        """CORE-110: a node of a locked container cannot be unlocked by itself."""
        td = self.sample().lock_()
        for node in (td["node"], td["node", "deep"]):
            with pytest.raises(RuntimeError):
                node.unlock_()
            assert node.is_locked
        td.unlock_()
        td["node"].unlock_()

    @needs(Capability.LOCK)
    def test_locked_node_in_an_unlocked_container(self) -> None:
        """CORE-110: a locked container may be a node of an unlocked one, and be unlocked there."""
        node = self.make({"x": torch.zeros(2)}, [2]).lock_()
        td = TensorDict({"n": node}, batch_size=[2])
        assert td["n"].is_locked
        assert not td.is_locked
        td["new"] = torch.ones(2)
        with pytest.raises(RuntimeError):
            td["n", "new"] = torch.ones(2)
        td["n"].unlock_()
        td["n", "new"] = torch.ones(2)
        assert torch.equal(td["n", "new"], torch.ones(2))

    @needs(Capability.LOCK)
    def test_node_with_two_locked_parents(self) -> None:
        """CORE-110, TRAP-047: neither root can be unlocked until the other is gone."""
        node = self.make({"x": torch.zeros(2)}, [2])
        one = TensorDict({"n": node}, batch_size=[2]).lock_()
        two = TensorDict({"n": node}, batch_size=[2]).lock_()
        for root in (one, two):
            with pytest.raises(RuntimeError):
                root.unlock_()
            assert root.is_locked
        del root, two
        gc.collect()
        one.unlock_()
        assert not node.is_locked

    @needs(Capability.LOCK)
    def test_dropped_parent_does_not_hold(self) -> None:
        """CORE-110, TRAP-047: parents are held weakly: a collected one no longer counts."""
        node = self.make({"x": torch.zeros(2)}, [2])
        parent = TensorDict({"n": node}, batch_size=[2]).lock_()
        assert node.is_locked
        del parent
        gc.collect()
        node.unlock_()
        assert not node.is_locked

    @needs(Capability.LOCK)
    def test_caches_follow_unlocking(self) -> None:
        """CORE-111, TRAP-050: what was cached while locked is not seen after unlocking and writing."""
        td = self.sample().lock_()
        assert len(list(td.keys(True, True))) == 4
        assert len(list(td["node"].keys(True, True))) == 2
        assert len(list(td.values(True, True))) == 4
        total = (td + 0)["a"].sum()
        td.unlock_()
        td["node", "new"] = torch.ones(4, 3)
        td["a"] = td["a"] + 1
        td.lock_()
        assert len(list(td.keys(True, True))) == 5
        assert len(list(td["node"].keys(True, True))) == 3
        assert len(list(td.values(True, True))) == 5
        assert (td + 0)["a"].sum() == total + 12

    @needs(Capability.LOCK | Capability.INPLACE)
    def test_caches_see_in_place_writes(self) -> None:
        """CORE-111: in-place writes show, also while locked."""
        td = self.sample().lock_()
        before = td + 1
        td.set_("a", torch.zeros(4, 3))
        assert torch.equal((td + 1)["a"], torch.ones(4, 3))
        assert before["a"].sum() == 78

    @needs(Capability.LOCK)
    def test_with_unlock(self) -> None:
        """CORE-112: unlocked inside, locked again after; yields the container."""
        td = self.sample().lock_()
        with td.unlock_() as inner:
            assert inner is td
            td["new"] = torch.ones(4, 3)
            assert not td.is_locked
        assert td.is_locked
        assert td["node"].is_locked
        assert "new" in td

    @needs(Capability.LOCK)
    def test_with_lock(self) -> None:
        """CORE-112: locked inside, unlocked again after."""
        td = self.sample()
        with td.lock_() as inner:
            assert inner is td
            assert td.is_locked
        assert not td.is_locked
        assert not td["node"].is_locked

    @needs(Capability.LOCK)
    def test_with_keeps_the_previous_state(self) -> None:
        """CORE-112: where nothing changes, nothing is restored."""
        td = self.sample().lock_()
        with td.lock_():
            pass
        assert td.is_locked
        td = self.sample()
        with td.unlock_():
            pass
        assert not td.is_locked

    @needs(Capability.LOCK)
    def test_with_restores_after_an_exception(self) -> None:
        """CORE-112: the state is restored when the body raises."""
        td = self.sample().lock_()
        with pytest.raises(ZeroDivisionError), td.unlock_():
            raise ZeroDivisionError
        assert td.is_locked
        td = self.sample()
        with pytest.raises(ZeroDivisionError), td.lock_():
            raise ZeroDivisionError
        assert not td.is_locked

    @needs(Capability.LOCK)
    def test_with_nested(self) -> None:
        """CORE-112: contexts nest."""
        td = self.sample().lock_()
        with td.unlock_():
            with td.lock_():
                assert td.is_locked
            assert not td.is_locked
        assert td.is_locked

    @needs(Capability.LOCK | Capability.PICKLE)
    def test_pickle_keeps_the_lock(self) -> None:
        """CORE-113: unpickled containers keep the lock; so do nodes of a locked one."""
        td = self.sample().lock_()
        new = pickle.loads(pickle.dumps(td))
        assert new.is_locked
        assert new["node"].is_locked
        check_leaves(new, leaves(td))
        with pytest.raises(RuntimeError):
            new["node"].unlock_()
        new.unlock_()
        node = pickle.loads(pickle.dumps(td["node"]))
        check_leaves(node, leaves(td["node"]))

    @needs(Capability.LOCK | Capability.PICKLE)
    def test_pickle_with_a_dead_parent(self) -> None:
        """CORE-113, TRAP-052: dead weak references do not disturb pickling."""
        node = self.make({"x": torch.zeros(2)}, [2])
        parent = TensorDict({"n": node}, batch_size=[2]).lock_()
        del parent
        gc.collect()
        assert torch.equal(pickle.loads(pickle.dumps(node))["x"], torch.zeros(2))
        assert torch.equal(copy.deepcopy(node)["x"], torch.zeros(2))

    @needs(Capability.LOCK)
    def test_copies_are_unlocked(self) -> None:
        """CORE-113: `copy` and `deepcopy` are unlocked, nodes included."""
        td = self.sample().lock_()
        for new in (copy.copy(td), copy.deepcopy(td), td.clone()):
            assert not new.is_locked
            assert not new["node"].is_locked
            new["node", "new"] = torch.ones(4, 3)
        assert ("node", "new") not in td
