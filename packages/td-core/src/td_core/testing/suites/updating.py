"""Writing many entries at once, selecting and dropping entries (rows CORE-050 to CORE-060)."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from td_core import TensorDict, is_tensor_collection, merge_tensordicts
from td_core.abc import Capability
from td_core.testing.gates import needs, shares_values
from td_core.testing.topic import TopicTests, check_leaves, leaves, same_memory


class UpdateTests(TopicTests):
    """update, update_, replace, select, exclude, empty and their kin."""

    @needs(Capability.WRITE)
    @pytest.mark.parametrize("as_dict", [True, False])
    def test_update_merges(self, as_dict: bool) -> None:
        """CORE-050: node into node merges; other entries are inserted or replaced; the container is returned."""
        td = self.sample(finer=False)
        expected = {key: value.clone() for key, value in leaves(td).items()}
        new: Any = {"a": torch.ones(4, 3), "node": {"new": torch.zeros(4, 3)}, "fresh": torch.full((4, 3), 2.0)}
        if not as_dict:
            new = TensorDict(new, batch_size=[4, 3])
        assert td.update(new) is td
        expected |= {"a": torch.ones(4, 3), ("node", "new"): torch.zeros(4, 3), "fresh": torch.full((4, 3), 2.0)}
        check_leaves(td, expected, batch_size=[4, 3])

    @needs(Capability.WRITE)
    def test_update_merges_deeply(self) -> None:
        """CORE-050: merging goes down every level of a dict."""
        td = self.sample(finer=False)
        td.update({"node": {"deep": {"e": torch.ones(4, 3)}}})
        assert ("node", "c") in td
        assert ("node", "deep", "d") in td
        assert torch.equal(td["node", "deep", "e"], torch.ones(4, 3))

    @needs(Capability.WRITE)
    def test_update_replaces_between_leaf_and_node(self) -> None:
        """CORE-050: a node over a leaf, and a leaf over a node, replace."""
        td = self.sample()
        td.update({"a": {"x": torch.ones(4, 3)}, "node": torch.zeros(4, 3)})
        assert torch.equal(td["a", "x"], torch.ones(4, 3))
        assert torch.equal(td["node"], torch.zeros(4, 3))

    @needs(Capability.WRITE)
    def test_update_tuple_keys(self) -> None:
        """CORE-050: a dict may have nested keys."""
        td = self.sample()
        td.update({("node", "new"): torch.ones(4, 3), ("x", "y"): torch.zeros(4, 3)})
        assert torch.equal(td["node", "new"], torch.ones(4, 3))
        assert torch.equal(td["x", "y"], torch.zeros(4, 3))
        assert ("node", "c") in td

    @needs(Capability.VIEWS)
    @needs(Capability.WRITE | Capability.VIEWS)
    def test_update_clone(self) -> None:
        """CORE-050: values are shared, or copied with `clone`."""
        value = torch.ones(4, 3)
        td = self.sample()
        td.update({"x": value})
        td.update({"y": value}, clone=True)
        assert same_memory(td["x"], value)
        assert not same_memory(td["y"], value)
        assert torch.equal(td["y"], value)

    @needs(Capability.WRITE | Capability.INPLACE)
    def test_update_inplace(self) -> None:
        """CORE-050: `inplace=True` writes into the entries that are there, and inserts the others."""
        td = self.sample()
        before = td["a"]
        td.update({"a": torch.ones(4, 3), "new": torch.zeros(4, 3)}, inplace=True)
        assert torch.equal(td["a"], torch.ones(4, 3))
        assert torch.equal(td["new"], torch.zeros(4, 3))
        if Capability.VIEWS in self.case.capabilities:
            assert torch.equal(before, torch.ones(4, 3))

    @needs(Capability.WRITE)
    def test_update_keys_to_update(self) -> None:
        """CORE-050: only the given keys, nested ones included; an empty list updates nothing."""
        td = self.sample()
        expected = {key: value.clone() for key, value in leaves(td).items()}
        new = TensorDict(
            {key: value + 1 if value.is_floating_point() else value for key, value in expected.items()},
            batch_size=[4, 3],
        )
        td.update(new, keys_to_update=[])
        check_leaves(td, expected)
        td.update(new, keys_to_update=["a", ("node", "c")])
        expected["a"] = expected["a"] + 1
        expected["node", "c"] = expected["node", "c"] + 1
        check_leaves(td, expected)
        td.update(new.apply(lambda x: x * 0), keys_to_update=["a"])
        expected["a"] = torch.zeros(4, 3)
        check_leaves(td, expected)

    @needs(Capability.WRITE)
    def test_update_with_itself(self) -> None:
        """CORE-050: updating with itself is a no-op."""
        td = self.sample()
        expected = {key: value.clone() for key, value in leaves(td).items()}
        assert td.update(td) is td
        check_leaves(td, expected)

    @needs(Capability.WRITE)
    def test_update_checks_shapes(self) -> None:
        """CORE-050, CORE-008: a value that does not fit is refused."""
        with pytest.raises(RuntimeError):
            self.sample().update({"x": torch.zeros(3)})

    @shares_values
    @needs(Capability.WRITE | Capability.NON_TENSOR)
    def test_update_non_tensor(self) -> None:
        """CORE-050, CORE-024: non-tensor data is updated as a leaf."""
        td = self.make({"s": "text", "n": {"t": "more"}}, [2])
        td.update({"s": "new", "n": {"t": "newer", "u": "newest"}})
        assert td["s"] == "new"
        assert td["n", "t"] == "newer"
        assert td["n", "u"] == "newest"

    @needs(Capability.INPLACE)
    @pytest.mark.parametrize("as_dict", [True, False])
    def test_update_underscore(self, as_dict: bool) -> None:
        """CORE-051: `update_` copies values in place, at any depth."""
        td = self.sample(finer=False)
        before = td["node", "c"]
        new: Any = {"a": torch.ones(4, 3), "node": {"c": torch.full((4, 3, 5), 2.0)}}
        if not as_dict:
            new = TensorDict(new, batch_size=[4, 3])
        assert td.update_(new) is td
        expected = leaves(self.sample(finer=False))
        expected |= {"a": torch.ones(4, 3), ("node", "c"): torch.full((4, 3, 5), 2.0)}
        check_leaves(td, expected)
        assert torch.equal(self.case.raw_read(td, ("node", "c")), expected["node", "c"])
        if Capability.VIEWS in self.case.capabilities:
            assert torch.equal(before, expected["node", "c"])

    @needs(Capability.INPLACE)
    def test_update_underscore_missing_raises(self) -> None:
        """CORE-051: `update_` of a missing key is a KeyError."""
        with pytest.raises(KeyError):
            self.sample().update_({"x": torch.ones(4, 3)})
        with pytest.raises(KeyError):
            self.sample().update_({"node": {"x": torch.ones(4, 3)}})

    @needs(Capability.INPLACE)
    def test_update_underscore_keys_to_update(self) -> None:
        """CORE-051: only the given keys."""
        td = self.sample()
        td.update_({"a": torch.ones(4, 3), "b": torch.ones(4, 3, 2, dtype=torch.int64)}, keys_to_update=["a"])
        assert torch.equal(td["a"], torch.ones(4, 3))
        assert torch.equal(td["b"], torch.arange(24).reshape(4, 3, 2))

    @needs(Capability.INPLACE | Capability.LOCK)
    def test_update_underscore_locked(self) -> None:
        """CORE-051: allowed on a locked container."""
        td = self.sample().lock_()
        td.update_({"a": torch.ones(4, 3)})
        assert torch.equal(td["a"], torch.ones(4, 3))

    @needs(Capability.INPLACE)
    def test_update_at(self) -> None:
        """CORE-052: `update_at_` writes a region in place."""
        td = self.sample(finer=False)
        expected = {key: value.clone() for key, value in leaves(td).items()}
        part = TensorDict({"a": torch.ones(2, 3), "node": {"c": torch.full((2, 3, 5), 2.0)}}, batch_size=[2, 3])
        assert td.update_at_(part, slice(1, 3)) is td
        expected["a"][1:3] = 1.0
        expected["node", "c"][1:3] = 2.0
        check_leaves(td, expected)
        assert torch.equal(self.case.raw_read(td, "a"), expected["a"])

    @needs(Capability.INPLACE)
    def test_update_at_missing_raises(self) -> None:
        """CORE-052: a missing key is a KeyError."""
        with pytest.raises(KeyError):
            self.sample().update_at_({"x": torch.ones(3)}, 0)

    @needs(Capability.INPLACE)
    def test_copy_underscore(self) -> None:
        """CORE-052: `copy_` and `copy_at_` copy the values of another container."""
        td = self.sample(finer=False)
        ones = self.sample(finer=False).apply(torch.ones_like)
        td.copy_at_(ones[0], 2)
        expected = {key: value.clone() for key, value in leaves(self.sample()).items()}
        for value in expected.values():
            value[2] = 1
        check_leaves(td, expected)
        td.copy_(ones)
        check_leaves(td, {key: torch.ones_like(value) for key, value in expected.items()})

    def test_replace(self) -> None:
        """CORE-053: `replace` gives a shallow copy with entries changed; the original stays."""
        td = self.sample()
        new = td.replace({"a": torch.ones(4, 3)})
        assert torch.equal(new["a"], torch.ones(4, 3))
        assert torch.equal(td["a"], torch.arange(12.0).reshape(4, 3))
        assert torch.equal(new["b"], td["b"])
        other = td.replace(a=torch.zeros(4, 3), fresh=torch.ones(4, 3))
        assert torch.equal(other["a"], torch.zeros(4, 3))
        assert torch.equal(other["fresh"], torch.ones(4, 3))
        assert "fresh" not in td

    def test_select(self) -> None:
        """CORE-055: only the given keys, in the order asked; the original stays."""
        td = self.sample()
        new = td.select("b", "a")
        assert list(new.keys()) == ["b", "a"]
        assert new.batch_size == torch.Size([4, 3])
        assert torch.equal(new["a"], td["a"])
        assert set(td.keys()) == {"a", "b", "node"}

    @needs(Capability.VIEWS)
    def test_select_shares_leaves(self) -> None:
        """CORE-055: the leaves are shared."""
        td = self.sample()
        assert same_memory(td.select("a")["a"], td["a"])
        assert same_memory(td.exclude("a")["b"], td["b"])

    def test_select_nested(self) -> None:
        """CORE-055: nested keys narrow their nodes."""
        td = self.sample()
        new = td.select(("node", "deep", "d"), "a")
        assert set(new.keys(True, True)) == {("node", "deep", "d"), "a"}
        assert ("node", "c") in td
        assert new["node", "deep"].batch_size == torch.Size([4, 3, 2])

    def test_select_node_and_child(self) -> None:
        """CORE-055, TRAP-013: when a node and one of its children are asked, only the child is kept."""
        td = self.sample()
        for keys in (("node", ("node", "c")), (("node", "c"), "node")):
            assert set(td.select(*keys).keys(True, True)) == {("node", "c")}

    def test_select_missing(self) -> None:
        """CORE-055: a missing key is a KeyError, or skipped when not strict."""
        td = self.sample()
        for key in ("x", ("node", "x"), ("x", "y")):
            with pytest.raises(KeyError):
                td.select("a", key)
            assert set(td.select("a", key, strict=False).keys(True, True)) == {"a"}

    def test_select_missing_keeps_found_part(self) -> None:
        """CORE-055: a partly found path keeps an empty node."""
        new = self.sample().select(("node", "x"), strict=False)
        assert list(new.keys()) == ["node"]
        assert list(new["node"].keys()) == []

    @needs(Capability.DELETE)
    def test_select_inplace(self) -> None:
        """CORE-055, TRAP-013: in place, the container and its nodes lose the other entries."""
        td = self.sample()
        node = td["node"]
        assert td.select("a", ("node", "c"), inplace=True) is td
        assert set(td.keys(True, True)) == {"a", ("node", "c")}
        assert set(node.keys()) == {"c"}

    @needs(Capability.NAMES | Capability.LOCK)
    def test_select_and_exclude_flags(self) -> None:
        """CORE-055, CORE-056: names are kept; the result of a locked container is not locked."""
        td = self.sample(names=["x", "y"]).lock_()
        for new in (td.select("a"), td.exclude("a"), td.select("node", strict=False)):
            assert new.names == ["x", "y"]
            assert not new.is_locked

    @needs(Capability.LOCK)
    def test_select_and_exclude_inplace_locked(self) -> None:
        """CORE-055, CORE-056, CORE-114: refused on a locked container."""
        td = self.sample().lock_()
        with pytest.raises(RuntimeError):
            td.select("a", inplace=True)
        with pytest.raises(RuntimeError):
            td.exclude("a", inplace=True)
        assert set(td.keys()) == {"a", "b", "node"}

    def test_exclude(self) -> None:
        """CORE-056: drops keys at any depth, ignores missing ones; the original stays."""
        td = self.sample()
        new = td.exclude("a", ("node", "deep"), "x", ("node", "x"), ("x", "y"))
        assert set(new.keys(True, True)) == {"b", ("node", "c")}
        assert set(td.keys(True, True)) == {"a", "b", ("node", "c"), ("node", "deep", "d")}

    @needs(Capability.DELETE)
    def test_exclude_inplace(self) -> None:
        """CORE-056: in place."""
        td = self.sample()
        assert td.exclude("a", ("node", "c"), inplace=True) is td
        assert set(td.keys(True, True)) == {"b", ("node", "deep", "d")}

    def test_exclude_nothing(self) -> None:
        """CORE-056: without keys, a shallow copy."""
        td = self.sample()
        new = td.exclude()
        assert new is not td
        check_leaves(new, leaves(td), batch_size=[4, 3])

    def test_empty(self) -> None:
        """CORE-057: no keys, same batch size; with `recurse` the tree of empty nodes."""
        td = self.sample()
        assert list(td.empty().keys()) == []
        assert td.empty().batch_size == torch.Size([4, 3])
        tree = td.empty(recurse=True)
        assert set(tree.keys(True)) == {"node", ("node", "deep")}
        assert tree["node", "deep"].batch_size == torch.Size([4, 3, 2])
        assert td.empty(batch_size=[2]).batch_size == torch.Size([2])

    @needs(Capability.NAMES | Capability.LOCK)
    def test_empty_flags(self) -> None:
        """CORE-057: names are kept unless overridden; the result is unlocked."""
        td = self.sample(names=["x", "y"]).lock_()
        assert td.empty().names == ["x", "y"]
        assert not td.empty().is_locked
        assert td.empty(names=["u", "v"]).names == ["u", "v"]
        assert td.empty(names=None).names == [None, None]

    def test_empty_device(self) -> None:
        """CORE-057: the device is kept unless overridden, None included."""
        td = self.make({"a": torch.zeros(2)}, [2], device="cpu")
        assert td.empty().device == torch.device("cpu")
        assert td.empty(device=None).device is None
        assert td.empty(device="meta").device == torch.device("meta")

    def test_merge(self) -> None:
        """CORE-058: the keys of all containers; the first one that holds a key gives its value."""
        td = self.sample(finer=False)
        other = self.make({"a": torch.ones(4, 3), "node": {"z": torch.zeros(4, 3)}, "new": torch.ones(4, 3)}, [4, 3])
        expected = leaves(td) | {("node", "z"): torch.zeros(4, 3), "new": torch.ones(4, 3)}
        check_leaves(merge_tensordicts(td, other), expected, batch_size=[4, 3])
        assert set(td["node"].keys()) == {"c", "deep"}

    def test_merge_callback(self) -> None:
        """CORE-058: a callable, or one for each key, combines the values that every container holds."""
        tds = [self.make({"x": torch.full((2,), value), "n": {"y": torch.ones(2)}}, [2]) for value in (1.0, 2.0, 3.0)]
        new = merge_tensordicts(*tds, callback_exist=lambda *values: torch.stack(values, -1).sum(-1))
        check_leaves(new, {"x": torch.full((2,), 6.0), ("n", "y"): torch.full((2,), 3.0)})
        new = merge_tensordicts(*tds, callback_exist={("n", "y"): lambda *values: sum(values)})
        check_leaves(new, {"x": torch.full((2,), 1.0), ("n", "y"): torch.full((2,), 3.0)})

    def test_merge_needs_two(self) -> None:
        """CORE-058: merging fewer than two containers is an error."""
        with pytest.raises(RuntimeError):
            merge_tensordicts(self.sample())

    @needs(Capability.WRITE)
    def test_cat_tensors(self) -> None:
        """CORE-059: several entries are concatenated into one; the inputs go unless kept."""
        td = self.make({"x": torch.ones(2, 3), "n": {"y": torch.zeros(2, 2)}}, [2])
        assert td.cat_tensors("x", ("n", "y"), out_key="z", dim=-1) is td
        assert torch.equal(td["z"], torch.cat([torch.ones(2, 3), torch.zeros(2, 2)], -1))
        assert "x" not in td
        assert ("n", "y") not in td

    @needs(Capability.WRITE)
    def test_stack_tensors_keeps_entries(self) -> None:
        """CORE-059: several entries are stacked into one; `keep_entries` keeps the inputs."""
        td = self.make({"x": torch.ones(2, 3), "y": torch.zeros(2, 3)}, [2])
        assert td.stack_tensors("x", "y", out_key=("n", "z"), dim=1, keep_entries=True) is td
        assert torch.equal(td["n", "z"], torch.stack([torch.ones(2, 3), torch.zeros(2, 3)], 1))
        assert set(td.keys()) == {"x", "y", "n"}

    @needs(Capability.WRITE)
    def test_cat_and_stack_tensors_missing_raises(self) -> None:
        """CORE-059: a missing key is a KeyError."""
        td = self.make({"x": torch.ones(2, 3)}, [2])
        with pytest.raises(KeyError):
            td.cat_tensors("x", "y", out_key="z")
        with pytest.raises(KeyError):
            td.stack_tensors("x", "y", out_key="z")

    def test_cat_and_stack_from_tensordict(self) -> None:
        """CORE-060: all leaves in one tensor: in insertion order by default, or sorted, or in the order given."""
        td = self.make({"y": torch.ones(2, 3), "x": torch.zeros(2, 3)}, [2])
        x, y = torch.zeros(2, 3), torch.ones(2, 3)
        for method, function in ((td.cat_from_tensordict, torch.cat), (td.stack_from_tensordict, torch.stack)):
            assert torch.equal(method(), function([y, x], 0))
            assert torch.equal(method(sorted=True), function([x, y], 0))
            assert torch.equal(method(sorted=False), function([y, x], 0))
            assert torch.equal(method(1, sorted=["y", "x"]), function([y, x], 1))
            out = torch.empty_like(function([x, y], 0))
            assert method(out=out) is out
            assert torch.equal(out, function([y, x], 0))
            with pytest.raises(RuntimeError):
                method(sorted=["x"])

    @needs(Capability.WRITE)
    def test_nodes_of_a_shallow_copy_are_new(self) -> None:
        """CORE-092, TRAP-014: `copy` shares leaves, not nodes: adding to a node of the copy leaves the original."""
        td = self.sample()
        for copy in (td.copy(), td.clone(False)):
            copy["node"]["new"] = torch.ones(4, 3)
            assert ("node", "new") not in td
            assert is_tensor_collection(copy["node"])

    @needs(Capability.INPLACE)
    def test_update_underscore_broadcasts(self) -> None:
        """CORE-051: values broadcast to the entry as in `Tensor.copy_`, and raise where they do not."""
        td = self.make({"a": torch.zeros(2, 3), "b": torch.zeros(2)}, [2])
        td.update_({"a": torch.arange(3.0), "b": 7})
        check_leaves(td, {"a": torch.arange(3.0).expand(2, 3), "b": torch.full((2,), 7.0)})
        with pytest.raises(ValueError, match="Failed to write 'a' in place"):
            td.update_({"a": torch.ones(2)})

    @needs(Capability.WRITE)
    def test_keys_to_update_are_a_union(self) -> None:
        """CORE-050: a node and one of its children: the whole node."""
        source = {"n": {"a": torch.ones(2), "b": torch.ones(2)}, "c": torch.ones(2)}
        td = self.make({"n": {"a": torch.zeros(2), "b": torch.zeros(2)}, "c": torch.zeros(2)}, [2])
        td.update(source, keys_to_update=["n", ("n", "a")])
        check_leaves(td, {("n", "a"): torch.ones(2), ("n", "b"): torch.ones(2), "c": torch.zeros(2)})

    @needs(Capability.NAMES)
    def test_empty_of_another_batch_size_keeps_names(self) -> None:
        """CORE-066: the names of the first dims stay."""
        td = self.make({"a": torch.zeros(2, 3)}, [2, 3], names=["x", "y"])
        assert td.empty(batch_size=[7]).names == ["x"]
        assert td.empty(batch_size=[7, 1, 1]).names == ["x", "y", None]

    @needs(Capability.DELETE)
    @needs(Capability.WRITE)
    def test_split_keys_leaves_no_trace_of_an_error(self) -> None:
        """CORE-063: in place, an error leaves the entries where they were."""
        td = self.make({"a": torch.ones(2), "n": {"b": torch.ones(2)}}, [2])
        with pytest.raises(KeyError):
            td.split_keys(["a"], [("n", "missing")], inplace=True)
        assert set(td.keys(True, True)) == {"a", ("n", "b")}
        with pytest.raises(KeyError):
            td.split_keys(["a"], ["a"], inplace=True)
        assert set(td.keys(True, True)) == {"a", ("n", "b")}

    @needs(Capability.DELETE)
    @needs(Capability.WRITE)
    def test_cat_tensors_over_their_own_node(self) -> None:
        """CORE-064: the result may take the place of the node that the entries were in."""
        td = self.make({"n": {"a": torch.ones(2, 1), "b": torch.zeros(2, 2)}}, [2])
        td.cat_tensors(("n", "a"), ("n", "b"), out_key="n", dim=1)
        check_leaves(td, {"n": torch.tensor([[1.0, 0, 0]]).expand(2, 3)})
