"""Flattening nodes into keys and back (rows CORE-119 and CORE-120)."""

from __future__ import annotations

import pytest
import torch

from td_core.abc import Capability
from td_core.testing.gates import needs, shares_values
from td_core.testing.topic import TopicTests, check_leaves, leaves, same_memory


class KeyFlatteningTests(TopicTests):
    """`flatten_keys` and `unflatten_keys`."""

    def test_flatten_keys(self) -> None:
        """CORE-119: one level, keys joined by the separator; the original stays."""
        td = self.sample()
        flat = td.flatten_keys()
        expected = leaves(td)
        check_leaves(
            flat,
            {
                "a": expected["a"],
                "b": expected["b"],
                "node.c": expected["node", "c"],
                "node.deep.d": expected["node", "deep", "d"],
            },
            batch_size=[4, 3],
        )
        assert "node" in td
        assert set(td.flatten_keys("::").keys()) == {"a", "b", "node::c", "node::deep::d"}

    @needs(Capability.VIEWS)
    def test_flatten_keys_shares_leaves(self) -> None:
        """CORE-119: leaves are shared."""
        td = self.sample()
        assert same_memory(td.flatten_keys()["node.c"], td["node", "c"])

    @shares_values
    @needs(Capability.NON_TENSOR)
    def test_flatten_keys_non_tensor(self) -> None:
        """CORE-119: non-tensor data is a leaf."""
        flat = self.make({"n": {"s": "text", "x": torch.zeros(2)}}, [2]).flatten_keys()
        assert flat["n.s"] == "text"
        assert set(flat.keys()) == {"n.s", "n.x"}

    def test_flatten_keys_drops_empty_nodes(self) -> None:
        """CORE-119: empty nodes vanish."""
        assert set(self.make({"n": {}, "x": torch.zeros(2)}, [2]).flatten_keys().keys()) == {"x"}

    def test_flatten_keys_collision_raises(self) -> None:
        """CORE-119: names that collide are a KeyError."""
        with pytest.raises(KeyError):
            self.make({"n": {"x": torch.zeros(2)}, "n.x": torch.zeros(2)}, [2]).flatten_keys()

    @needs(Capability.WRITE | Capability.DELETE)
    def test_flatten_keys_inplace(self) -> None:
        """CORE-119: in place."""
        td = self.sample()
        assert td.flatten_keys(inplace=True) is td
        assert set(td.keys()) == {"a", "b", "node.c", "node.deep.d"}

    def test_unflatten_keys(self) -> None:
        """CORE-120: the inverse; nodes have the batch size of the root."""
        td = self.sample()
        back = td.flatten_keys().unflatten_keys()
        check_leaves(back, leaves(td), batch_size=[4, 3])
        assert back["node", "deep"].batch_size == torch.Size([4, 3])
        back = td.flatten_keys("::").unflatten_keys("::")
        check_leaves(back, leaves(td), batch_size=[4, 3])

    @needs(Capability.WRITE | Capability.DELETE)
    def test_unflatten_keys_inplace(self) -> None:
        """CORE-120: in place."""
        td = self.make({"n.x": torch.zeros(2), "y": torch.ones(2)}, [2])
        assert td.unflatten_keys(inplace=True) is td
        assert set(td.keys(True, True)) == {("n", "x"), "y"}

    @pytest.mark.parametrize("names", [("n", "n.x"), ("n.x", "n")])
    def test_unflatten_keys_leaf_and_prefix_raises(self, names: tuple[str, str]) -> None:
        """CORE-120: a key that is both a leaf and a prefix is a KeyError."""
        with pytest.raises(KeyError):
            self.make({name: torch.zeros(2) for name in names}, [2]).unflatten_keys()

    @needs(Capability.LOCK)
    def test_key_flattening_is_unlocked(self) -> None:
        """CORE-074: the results of a locked container are unlocked."""
        td = self.sample().lock_()
        assert not td.flatten_keys().is_locked
        assert not td.unflatten_keys().is_locked

    @needs(Capability.LOCK)
    def test_key_flattening_inplace_locked(self) -> None:
        """CORE-119, CORE-120, CORE-114: in place, a locked container refuses."""
        with pytest.raises(RuntimeError):
            self.sample().lock_().flatten_keys(inplace=True)
        td = self.make({"n.x": torch.zeros(2)}, [2]).lock_()
        with pytest.raises(RuntimeError):
            td.unflatten_keys(inplace=True)
        assert set(td.keys()) == {"n.x"}
