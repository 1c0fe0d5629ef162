"""Operations as context managers (rows CORE-115 to CORE-118)."""

from __future__ import annotations

import gc
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch

from td_core.abc import Capability
from td_core.testing.gates import needs
from td_core.testing.topic import TopicTests, check_leaves, leaves

CONTEXTS: dict[str, Callable[[Any], Any]] = {
    "view": lambda td: td.view(12, 1),
    "flatten": lambda td: td.flatten(0, 1),
    "unflatten": lambda td: td.unflatten(0, (2, 2)),
    "permute": lambda td: td.permute(1, 0),
    "transpose": lambda td: td.transpose(0, 1),
    "unsqueeze": lambda td: td.unsqueeze(1),
    "unsqueeze_last": lambda td: td.unsqueeze(-1),
}


def _write_and_fail(td: Any) -> None:
    td["fresh"] = torch.ones(td.batch_size)
    raise ZeroDivisionError


class ContextTests(TopicTests):
    """`with td.op(...) as new:` writes what happened to `new` back to `td`, through the inverse operation."""

    @needs(Capability.WRITE)
    @pytest.mark.parametrize("name", CONTEXTS)
    def test_context_shape(self, name: str) -> None:
        """CORE-115, TRAP-051: entries added or replaced inside appear in the original, in its shape."""
        td = self.sample()
        expected = {key: value.clone() for key, value in leaves(td).items()}
        with CONTEXTS[name](td) as new:
            new["a"] = new["a"] + 1
            new["fresh"] = torch.arange(12.0).reshape(new.batch_size)
            by_hand = new["fresh"]
        expected["a"] = expected["a"] + 1
        assert td.batch_size == torch.Size([4, 3])
        assert td["fresh"].shape == torch.Size([4, 3])
        assert sorted(td["fresh"].flatten().tolist()) == by_hand.flatten().tolist()
        fresh = expected.pop("fresh", td["fresh"])
        check_leaves(td, expected | {"fresh": fresh}, batch_size=[4, 3])

    @needs(Capability.WRITE)
    def test_context_squeeze(self) -> None:
        """CORE-115: squeezed dims come back."""
        td = self.make({"a": torch.arange(4.0).reshape(4, 1)}, [4, 1])
        with td.squeeze(-1) as new:
            new["b"] = new["a"] * 2
        assert td["b"].tolist() == [[0.0], [2.0], [4.0], [6.0]]

    @needs(Capability.WRITE)
    def test_context_unsqueeze(self) -> None:
        """CORE-115: added dims go again."""
        td = self.make({"a": torch.arange(4.0)}, [4])
        with td.unsqueeze(0) as new:
            new["b"] = torch.ones(1, 4)
        assert td["b"].tolist() == [1.0] * 4

    @needs(Capability.WRITE)
    def test_context_flatten_keys(self) -> None:
        """CORE-115: flat keys become nodes again."""
        td = self.sample(finer=False)
        with td.flatten_keys() as flat:
            flat["node.new"] = torch.ones(4, 3)
            flat["node.c"] = flat["node.c"] * 0
        assert torch.equal(td["node", "new"], torch.ones(4, 3))
        assert torch.equal(td["node", "c"], torch.zeros(4, 3, 5))
        assert ("node", "deep", "d") in td
        assert "node.new" not in td

    @needs(Capability.WRITE)
    def test_context_unflatten_keys(self) -> None:
        """CORE-115: nodes become flat keys again."""
        td = self.make({"n.x": torch.zeros(2), "y": torch.zeros(2)}, [2])
        with td.unflatten_keys() as tree:
            tree["n", "z"] = torch.ones(2)
        assert set(td.keys(True, True)) == {"n.x", "n.z", "y"}

    @needs(Capability.WRITE | Capability.VIEWS)
    def test_context_rebinds(self) -> None:
        """CORE-115, TRAP-051: the original gets new references; old tensors are not written."""
        td = self.make({"a": torch.zeros(4)}, [4])
        before = td["a"]
        with td.view(2, 2) as new:
            new["a"] = torch.ones(2, 2)
        assert td["a"].tolist() == [1.0] * 4
        assert before.tolist() == [0.0] * 4

    @needs(Capability.WRITE | Capability.DELETE)
    def test_context_ignores_deletions(self) -> None:
        """CORE-115, TRAP-051: an entry deleted inside stays in the original."""
        td = self.sample()
        with td.view(12) as new:
            del new["a"]
        assert "a" in td

    @needs(Capability.WRITE)
    def test_context_exception(self) -> None:
        """CORE-115, TRAP-051: when the body raises, nothing is written and the exception goes on."""
        td = self.sample()
        context = td.view(12)
        with pytest.raises(ZeroDivisionError), context:
            _write_and_fail(context)
        assert "fresh" not in td

    @needs(Capability.LOCK | Capability.INPLACE)
    def test_context_of_a_locked_container(self) -> None:
        """CORE-116: the derived container is locked: values may be written, entries not."""
        td = self.sample().lock_()
        with td.view(12) as new:
            assert new.is_locked
            with pytest.raises(RuntimeError):
                new["fresh"] = torch.ones(12)
            new.set_("a", torch.ones(12))
        assert torch.equal(td["a"], torch.ones(4, 3))
        assert td.is_locked
        assert "fresh" not in td

    @needs(Capability.WRITE)
    def test_context_nested(self) -> None:
        """CORE-117: contexts nest, on the derived container and on the original."""
        td = self.sample()
        with td.view(12) as flat:
            with flat.unsqueeze(0) as wide:
                wide["fresh"] = torch.arange(12.0).reshape(1, 12)
            assert flat["fresh"].shape == torch.Size([12])
        assert torch.equal(td["fresh"], torch.arange(12.0).reshape(4, 3))
        with td.view(12) as one, td.view(6, 2) as two:
            one["one"] = torch.ones(12)
            two["two"] = torch.zeros(6, 2)
        assert td["one"].shape == td["two"].shape == torch.Size([4, 3])

    def test_context_makes_no_cycle(self) -> None:
        """CORE-117: a derived container does not keep its origin alive, nor the other way round."""
        gc.collect()
        gc.disable()
        try:
            td = self.sample()
            derived = td.view(12)
            gone = weakref.ref(td)
            del td
            assert gone() is None
            gone = weakref.ref(derived)
            with derived.unsqueeze(0):
                pass
            del derived
            assert gone() is None
        finally:
            gc.enable()

    @needs(Capability.PICKLE)
    def test_context_pickle(self) -> None:
        """CORE-113, TRAP-052: a derived container can be pickled, inside the context and after."""
        td = self.sample()
        with td.view(12) as new:
            inside = pickle.loads(pickle.dumps(new))
        after = pickle.loads(pickle.dumps(new))
        for copied in (inside, after):
            check_leaves(copied, leaves(new), batch_size=[12])

    @needs(Capability.NAMES | Capability.WRITE)
    def test_context_restores_names(self) -> None:
        """CORE-115, TRAP-051: names and batch size of the original stay."""
        td = self.sample(names=["x", "y"])
        with td.permute(1, 0) as new:
            new["fresh"] = torch.ones(3, 4)
        assert td.names == ["x", "y"]
        assert td.batch_size == torch.Size([4, 3])
