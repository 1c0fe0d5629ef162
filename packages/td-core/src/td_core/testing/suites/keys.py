"""Keys, key views, membership and reading entries (rows CORE-016 to CORE-042)."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from td_core import TensorDictBase, is_leaf_nontensor, is_non_tensor, is_tensor_collection
from td_core.abc import Capability
from td_core.testing.gates import needs, shares_values
from td_core.testing.strategies import SUITE_SETTINGS, nested_keys
from td_core.testing.topic import TopicTests, check_leaves, leaves, same_memory
from td_core.typing import NestedKey


class KeyTests(TopicTests):
    """What keys there are, and what is under them."""

    def test_keys_default_is_live_and_ordered(self) -> None:
        """CORE-019: the default view is set-like, in insertion order, and follows later writes."""
        td = self.sample()
        view = td.keys()
        assert list(view) == ["a", "b", "node"]
        assert view == {"a", "b", "node"}
        assert view & {"a", "x"} == {"a"}
        assert view - {"a"} == {"b", "node"}
        assert len(view) == 3

    @needs(Capability.WRITE)
    def test_keys_default_follows_writes(self) -> None:
        """CORE-019: the default view shows entries written after it was made."""
        td = self.sample()
        view = td.keys()
        td.set("z", torch.zeros(4, 3))
        assert list(view) == ["a", "b", "node", "z"]

    def test_keys_sort_alone_gives_a_list(self) -> None:
        """CORE-019, TRAP-003: `sort=True` alone gives the sorted list of the top-level keys."""
        td = self.make({"b": torch.zeros(2), "a": torch.zeros(2), "c": torch.zeros(2)}, [2])
        assert td.keys(sort=True) == ["a", "b", "c"]

    def test_keys_nested_children_come_first(self) -> None:
        """CORE-020, TRAP-003: depth first, each node after its children; one-part keys are strings."""
        td = self.sample()
        assert list(td.keys(include_nested=True)) == [
            "a",
            "b",
            ("node", "c"),
            ("node", "deep", "d"),
            ("node", "deep"),
            "node",
        ]

    def test_keys_nested_leaves_only(self) -> None:
        """CORE-020: with `leaves_only` the nodes are left out."""
        td = self.sample()
        assert list(td.keys(True, True)) == ["a", "b", ("node", "c"), ("node", "deep", "d")]

    def test_keys_leaves_only_flat(self) -> None:
        """CORE-021: without nesting, `leaves_only` keeps the top-level tensors."""
        assert list(self.sample().keys(leaves_only=True)) == ["a", "b"]

    def test_keys_nested_sorted_by_joined_key(self) -> None:
        """CORE-018, CORE-020: sorting orders nested keys by their parts joined with a dot."""
        zeros = torch.zeros(2)
        td = self.make({"b": {"z": zeros, "a": zeros}, "a": zeros, "b.b": zeros}, [2])
        assert list(td.keys(True, True, sort=True)) == ["a", ("b", "a"), "b.b", ("b", "z")]

    def test_keys_is_leaf_takes_a_type(self) -> None:
        """CORE-020, CORE-024: `is_leaf` is asked about types, and a node it accepts is not descended into."""
        td = self.sample()
        asked: list[object] = []

        def every_type(kind: type) -> bool:
            asked.append(kind)
            return True

        assert list(td.keys(True, True, is_leaf=every_type)) == ["a", "b", "node"]
        assert asked
        assert all(isinstance(kind, type) for kind in asked)

    def test_keys_flat_leaves_only_honours_is_leaf(self) -> None:
        """CORE-021: `is_leaf` is honoured on the top level too."""
        td = self.sample()
        assert list(td.keys(leaves_only=True, is_leaf=lambda kind: True)) == ["a", "b", "node"]
        assert list(td.keys(leaves_only=True, is_leaf=is_tensor_collection)) == ["node"]

    @needs(Capability.NON_TENSOR)
    def test_keys_leaves_only_skips_non_tensor_data(self) -> None:
        """CORE-021, CORE-024: by default non-tensor data is no leaf; `is_leaf_nontensor` makes it one."""
        td = self.make({"a": torch.zeros(2), "s": "text", "n": {"t": "more", "x": torch.zeros(2)}}, [2])
        assert list(td.keys(leaves_only=True)) == ["a"]
        assert list(td.keys(True, True)) == ["a", ("n", "x")]
        assert set(td.keys(True, True, is_leaf=is_leaf_nontensor)) == {"a", "s", ("n", "t"), ("n", "x")}

    def test_keys_nested_membership(self) -> None:
        """CORE-022: a nested view follows paths; a missing part or a tensor on the way gives False."""
        view = self.sample().keys(include_nested=True)
        assert "a" in view
        assert "node" in view
        assert ("node", "deep", "d") in view
        assert ("node", ("deep", ("d",))) in view
        assert ("a",) in view
        assert "x" not in view
        assert ("node", "x") not in view
        assert ("x", "y") not in view
        assert ("a", "x") not in view

    def test_keys_membership_ignores_leaves_only(self) -> None:
        """CORE-022, TRAP-004: a node is reported present by a view that would not yield it."""
        view = self.sample().keys(leaves_only=True)
        assert "node" in view
        assert "node" not in list(view)

    def test_keys_membership_of_nested_key_in_flat_view(self) -> None:
        """CORE-022, TRAP-005: a view of the top level does not contain multi-part keys."""
        td = self.sample()
        flat = td.keys()
        assert ("node", "c") not in flat
        assert ("node", "c") not in td.keys(leaves_only=True)

    @pytest.mark.parametrize("wrong", [1, 1.5, ("a", 1), ()])
    def test_keys_membership_of_non_key_raises(self, wrong: object) -> None:
        """CORE-022: asking a nested view about something that is no key is a TypeError."""
        with pytest.raises(TypeError):
            _ = wrong in self.sample().keys(include_nested=True)

    def test_keys_nested_len_and_repr(self) -> None:
        """CORE-023: `len` counts what iteration yields; the repr shows keys and both flags."""
        view = self.sample().keys(include_nested=True, leaves_only=True)
        assert len(view) == 4
        text = repr(view)
        assert "'a'" in text
        assert "('node', 'deep', 'd')" in text
        assert "\n    include_nested=True" in text
        assert "\n    leaves_only=True" in text

    def test_keys_flat_repr(self) -> None:
        """CORE-023: the default view has a readable repr too."""
        text = repr(self.sample().keys())
        assert "'a'" in text
        assert "'node'" in text

    def test_items_default(self) -> None:
        """CORE-026: the default items are the top-level pairs, nodes included, in order."""
        td = self.sample()
        items = dict(td.items())
        assert list(items) == ["a", "b", "node"]
        assert torch.equal(items["a"], td["a"])
        assert is_tensor_collection(items["node"])
        assert len(td.items()) == 3

    def test_items_nested_leaves(self) -> None:
        """CORE-026: nested leaves come with their full key, parents in insertion order."""
        td = self.sample()
        items = td.items(True, True)
        assert [key for key, _ in items] == ["a", "b", ("node", "c"), ("node", "deep", "d")]
        for key, value in items:
            assert torch.equal(value, td[key])

    def test_items_and_values_sorted(self) -> None:
        """CORE-026, CORE-027: `sort=True` orders pairs and values by key."""
        td = self.make({"b": torch.ones(2), "a": torch.zeros(2)}, [2])
        assert [key for key, _ in td.items(sort=True)] == ["a", "b"]
        assert [value.tolist() for value in td.values(sort=True)] == [[0.0, 0.0], [1.0, 1.0]]

    def test_items_and_values_nested_sorted(self) -> None:
        """CORE-026, CORE-027: nested and sorted at once."""
        td = self.make({"b": {"d": torch.full((2,), 2.0), "c": torch.ones(2)}, "a": torch.zeros(2)}, [2])
        assert [key for key, _ in td.items(True, True, sort=True)] == ["a", ("b", "c"), ("b", "d")]
        assert [value[0].item() for value in td.values(True, True, sort=True)] == [0.0, 1.0, 2.0]

    @pytest.mark.parametrize("include_nested", [False, True])
    @pytest.mark.parametrize("leaves_only", [False, True])
    @pytest.mark.parametrize("sort", [False, True])
    def test_items_values_and_keys_agree(self, include_nested: bool, leaves_only: bool, sort: bool) -> None:
        """CORE-019, CORE-026, CORE-027: in every mode the three give the same entries."""
        td = self.sample()
        keys = list(td.keys(include_nested, leaves_only, sort=sort))
        items = list(td.items(include_nested, leaves_only, sort=sort))
        values = list(td.values(include_nested, leaves_only, sort=sort))
        if include_nested and not leaves_only and not sort:  # nodes may come before or after their children
            assert {key for key, _ in items} == set(keys)
            assert len(items) == len(values) == len(keys)
            return
        assert [key for key, _ in items] == keys
        assert len(values) == len(keys)
        for (key, value), other in zip(items, values, strict=True):
            expected = td.get(key)
            for found in (value, other):
                if isinstance(expected, torch.Tensor):
                    assert torch.equal(found, expected)
                else:
                    assert is_tensor_collection(found)
                    assert set(found.keys()) == set(expected.keys())

    def test_values_of_an_empty_container(self) -> None:
        """CORE-027, TRAP-006: sorting the values of an empty container gives nothing, and no error."""
        td = self.make({}, [2])
        assert list(td.values(sort=True)) == []
        assert list(td.items(sort=True)) == []
        assert list(td.keys(sort=True)) == []
        assert list(td.values(True, True)) == []

    @needs(Capability.NON_TENSOR)
    def test_items_give_non_tensor_wrappers(self) -> None:
        """CORE-026: flat items and values hand out non-tensor data in its wrapper."""
        td = self.make({"s": "text"}, [2])
        (item,) = td.items()
        assert item[0] == "s"
        assert is_non_tensor(item[1])
        (value,) = td.values()
        assert is_non_tensor(value)

    def test_contains(self) -> None:
        """CORE-028: `in` works as on a dict, and follows nested paths."""
        td = self.sample()
        assert "a" in td
        assert "x" not in td
        assert ("node", "c") in td
        assert ("node", ("deep", "d")) in td
        assert ("node", "x") not in td
        assert ("a", "x") not in td

    @pytest.mark.parametrize("wrong", [1, 1.5, ("a", 1)])
    def test_contains_non_key_raises(self, wrong: object) -> None:
        """CORE-028: asking for something that is no key raises."""
        with pytest.raises((RuntimeError, TypeError)):
            _ = wrong in self.sample()

    def test_len_counts_rows(self) -> None:
        """CORE-029: `len` is the first batch dim."""
        assert len(self.sample()) == 4
        assert len(self.make({"a": torch.zeros(0, 3)}, [0])) == 0

    def test_len_without_batch_dims(self) -> None:
        """CORE-029: without batch dims `len` is 0."""
        assert len(self.make({"a": torch.zeros(3)})) == 0

    def test_iter_yields_rows(self) -> None:
        """CORE-029: iterating yields the slices along dim 0."""
        td = self.sample()
        rows = list(td)
        assert len(rows) == 4
        for number, row in enumerate(rows):
            check_leaves(row, {key: value[number] for key, value in leaves(td).items()}, batch_size=[3])

    def test_iter_without_batch_dims_raises(self) -> None:
        """CORE-029: there is nothing to iterate over without batch dims."""
        with pytest.raises(TypeError):
            next(iter(self.make({"a": torch.zeros(3)})))

    def test_bool_raises(self) -> None:
        """CORE-029: a container has no truth value."""
        with pytest.raises(RuntimeError):
            bool(self.sample())

    def test_hash_raises(self) -> None:
        """CORE-029: a container is unhashable."""
        with pytest.raises(TypeError):
            hash(self.sample())

    def test_get_present(self) -> None:
        """CORE-030: `get` gives tensors and nodes, by string, tuple and nested tuple."""
        td = self.sample()
        assert torch.equal(td.get("a"), torch.arange(12.0).reshape(4, 3))
        assert torch.equal(td.get(("node", "c")), torch.linspace(-1, 1, 60).reshape(4, 3, 5))
        assert torch.equal(td.get(("node", ("deep", "d"))), td.get("node").get("deep").get("d"))
        assert is_tensor_collection(td.get("node"))

    def test_get_agrees_with_the_back_door(self) -> None:
        """CORE-030: what `get` reads is what the storage holds."""
        td = self.sample()
        for key, value in leaves(td).items():
            assert torch.equal(self.case.raw_read(td, key), value)

    @needs(Capability.INPLACE)
    def test_get_sees_a_write_through_the_back_door(self) -> None:
        """CORE-030: reading is not stale when the storage changed underneath."""
        td = self.sample()
        self.case.raw_write(td, "a", torch.full((4, 3), 7.0))
        self.case.raw_write(td, ("node", "c"), torch.full((4, 3, 5), 8.0))
        assert td.get("a").unique().tolist() == [7.0]
        assert td["node", "c"].unique().tolist() == [8.0]

    @pytest.mark.parametrize("key", ["x", ("node", "x"), ("x", "y"), ("node", "deep", "x")])
    def test_get_missing(self, key: NestedKey) -> None:
        """CORE-030, TRAP-007: `get` of a missing key gives None, or the default when one is given."""
        td = self.sample()
        assert td.get(key) is None
        assert td.get(key, None) is None
        marker = object()
        assert td.get(key, marker) is marker
        assert td.get(key, default=marker) is marker

    def test_get_through_a_tensor(self) -> None:
        """CORE-030, TRAP-008: a path through a tensor is a ValueError naming what was found, or the default."""
        td = self.sample()
        marker = object()
        assert td.get(("a", "x"), marker) is marker
        with pytest.raises(ValueError, match="Tensor"):
            td.get(("a", "x"))

    @pytest.mark.parametrize("wrong", [1, ("a", 1), ()])
    def test_get_non_key_raises(self, wrong: object) -> None:
        """CORE-016: reading with something that is no key is an error."""
        with pytest.raises((KeyError, TypeError, ValueError)):
            self.sample().get(wrong)

    def test_getitem_key(self) -> None:
        """CORE-031: brackets read entries, by string and by tuple."""
        td = self.sample()
        assert torch.equal(td["a"], td.get("a"))
        assert torch.equal(td["node", "c"], td.get(("node", "c")))
        assert torch.equal(td["node"]["deep"]["d"], td.get(("node", "deep", "d")))
        assert torch.equal(td[("a",)], td["a"])

    @pytest.mark.parametrize("key", ["x", ("node", "x"), ("x", "y"), ("node", "deep", "x")])
    def test_getitem_missing_raises(self, key: NestedKey) -> None:
        """CORE-031: brackets raise KeyError for a missing key."""
        with pytest.raises(KeyError):
            self.sample()[key]

    def test_getitem_missing_lists_the_keys(self) -> None:
        """CORE-032: the error of a missing key lists the sorted keys that exist."""
        with pytest.raises(KeyError) as caught:
            self.sample()["x"]
        text = str(caught.value).replace("\\", "")
        assert text.index("'a'") < text.index("'b'") < text.index("'node'")

    @shares_values
    @needs(Capability.NON_TENSOR)
    def test_getitem_unwraps_non_tensor_data(self) -> None:
        """CORE-031: brackets unwrap non-tensor data."""
        td = self.make({"s": "text", "n": {"t": "more"}}, [2])
        assert td["s"] == "text"
        assert td["n", "t"] == "more"

    @needs(Capability.WRITE)
    def test_node_is_the_object_that_was_stored(self) -> None:
        """CORE-031: reading a node twice gives the same data: a write through one is seen through the other."""
        td = self.sample()
        td["node"].set("new", torch.ones(4, 3))
        assert torch.equal(td["node", "new"], torch.ones(4, 3))
        td.get("node")["other"] = torch.zeros(4, 3)
        assert ("node", "other") in td

    def test_get_at(self) -> None:
        """CORE-033: `get_at` indexes the entry."""
        td = self.sample()
        assert torch.equal(td.get_at("a", 1), td["a"][1])
        assert torch.equal(td.get_at(("node", "c"), (slice(1, 3), 0)), td["node", "c"][1:3, 0])
        assert torch.equal(td.get_at("a", torch.tensor([0, 2])), td["a"][[0, 2]])

    def test_get_at_missing(self) -> None:
        """CORE-033: a missing key gives the default, and without one an error or None as `get` does."""
        td = self.sample()
        marker = object()
        assert td.get_at("x", 0, marker) is marker
        assert td.get_at(("node", "x"), 0, None) is None

    def test_entry_class(self) -> None:
        """CORE-034: the type of an entry."""
        td = self.sample()
        assert issubclass(td.entry_class("a"), torch.Tensor)
        assert issubclass(td.entry_class(("node", "c")), torch.Tensor)
        assert issubclass(td.entry_class("node"), TensorDictBase)

    @needs(Capability.WRITE | Capability.DELETE)
    def test_clear(self) -> None:
        """CORE-036: `clear` removes every entry and returns the container."""
        td = self.sample()
        assert td.clear() is td
        assert list(td.keys()) == []
        assert td.batch_size == torch.Size([4, 3])

    @needs(Capability.DELETE)
    def test_pop(self) -> None:
        """CORE-037: `pop` gives the value and removes it, nested keys included."""
        td = self.sample()
        expected = td["a"].clone()
        assert torch.equal(td.pop("a"), expected)
        assert "a" not in td
        expected = td["node", "c"].clone()
        assert torch.equal(td.pop(("node", "c")), expected)
        assert ("node", "c") not in td
        assert "node" in td

    @needs(Capability.DELETE)
    def test_pop_missing(self) -> None:
        """CORE-037: `pop` of a missing key gives the default, or KeyError without one."""
        td = self.sample()
        marker = object()
        assert td.pop("x", marker) is marker
        assert td.pop(("node", "x"), marker) is marker
        with pytest.raises(KeyError):
            td.pop("x")
        with pytest.raises(KeyError):
            td.pop(("node", "x"))

    @needs(Capability.DELETE)
    def test_popitem(self) -> None:
        """CORE-037: `popitem` removes the pair inserted last; an empty container has none."""
        td = self.make({"a": torch.zeros(2), "b": torch.ones(2)}, [2])
        key, value = td.popitem()
        assert key == "b"
        assert torch.equal(value, torch.ones(2))
        assert td.popitem()[0] == "a"
        with pytest.raises(KeyError):
            td.popitem()

    @needs(Capability.WRITE)
    def test_setdefault(self) -> None:
        """CORE-037: `setdefault` gives the present value, or writes and gives the default."""
        td = self.sample()
        assert torch.equal(td.setdefault("a", torch.ones(4, 3)), torch.arange(12.0).reshape(4, 3))
        assert torch.equal(td.setdefault(("node", "new"), torch.ones(4, 3)), torch.ones(4, 3))
        assert torch.equal(td["node", "new"], torch.ones(4, 3))

    @needs(Capability.DELETE)
    def test_del(self) -> None:
        """CORE-038: `del` and `del_` remove entries at any depth; an emptied node stays."""
        td = self.sample()
        del td["a"]
        assert "a" not in td
        del td["node", "deep", "d"]
        assert ("node", "deep") in td
        assert list(td["node", "deep"].keys()) == []
        assert td.del_("b") is td
        assert td.del_(("node", "c")) is td
        assert set(td.keys(True)) == {"node", ("node", "deep")}

    @needs(Capability.DELETE)
    @pytest.mark.parametrize("key", ["x", ("node", "x"), ("x", "y")])
    def test_del_missing_raises(self, key: NestedKey) -> None:
        """CORE-038: deleting a missing key is a KeyError."""
        td = self.sample()
        with pytest.raises(KeyError):
            del td[key]
        with pytest.raises(KeyError):
            td.del_(key)

    @needs(Capability.RENAME)
    def test_rename_key(self) -> None:
        """CORE-039, TRAP-003: a renamed entry goes to the end of the order; the container is returned."""
        td = self.sample()
        expected = td["a"].clone()
        assert td.rename_key_("a", "z") is td
        assert list(td.keys()) == ["b", "node", "z"]
        assert torch.equal(td["z"], expected)

    @needs(Capability.RENAME)
    def test_rename_key_nested(self) -> None:
        """CORE-039: nested keys are renamed, and new nodes created for them."""
        td = self.sample()
        expected = td["node", "c"].clone()
        td.rename_key_(("node", "c"), ("fresh", "inner", "c"))
        assert torch.equal(td["fresh", "inner", "c"], expected)
        assert ("node", "c") not in td
        td.rename_key_(("fresh", "inner", "c"), "flat")
        assert torch.equal(td["flat"], expected)

    @needs(Capability.RENAME)
    def test_rename_key_overwrites_unless_safe(self) -> None:
        """CORE-039: an existing target is overwritten, unless `safe` is asked."""
        td = self.sample()
        with pytest.raises(KeyError):
            td.rename_key_("a", "b", safe=True)
        with pytest.raises(KeyError):
            td.rename_key_("a", ("node", "c"), safe=True)
        expected = td["a"].clone()
        td.rename_key_("a", "b")
        assert torch.equal(td["b"], expected)
        assert set(td.keys()) == {"b", "node"}

    @needs(Capability.RENAME)
    def test_rename_key_to_itself(self) -> None:
        """CORE-039: renaming a key to itself changes nothing."""
        td = self.sample()
        td.rename_key_("a", "a")
        assert list(td.keys()) == ["a", "b", "node"]

    @needs(Capability.RENAME)
    def test_rename_key_errors(self) -> None:
        """CORE-039: a missing old key is a KeyError, a non-key a TypeError."""
        td = self.sample()
        with pytest.raises(KeyError):
            td.rename_key_("x", "y")
        with pytest.raises(TypeError):
            td.rename_key_(1, "y")
        with pytest.raises(TypeError):
            td.rename_key_("a", 1)

    @needs(Capability.WRITE)
    def test_create_nested(self) -> None:
        """CORE-040: an empty node with the batch size of its parent, at any depth."""
        td = self.sample()
        td.create_nested("fresh")
        td.create_nested(("other", "inner"))
        for key in ("fresh", "other", ("other", "inner")):
            assert td.get(key).batch_size == torch.Size([4, 3])
        assert list(td["fresh"].keys()) == []
        assert list(td["other", "inner"].keys()) == []

    @needs(Capability.WRITE | Capability.NAMES)
    def test_create_nested_inherits_names(self) -> None:
        """CORE-040: the new node has the names of its parent."""
        td = self.sample(names=["x", "y"])
        td.create_nested("fresh")
        assert td["fresh"].names == ["x", "y"]

    def test_is_empty(self) -> None:
        """CORE-041: empty means no leaf at any depth."""
        assert not self.sample().is_empty()
        assert self.make({}, [2]).is_empty()
        assert self.make({"n": {"m": {}}}, [2]).is_empty()
        assert not self.make({"n": {"m": {"x": torch.zeros(2)}}}, [2]).is_empty()

    @needs(Capability.NON_TENSOR)
    def test_is_empty_counts_non_tensor_data(self) -> None:
        """CORE-041: a non-tensor entry is content."""
        assert not self.make({"s": "text"}, [2]).is_empty()

    def test_depth(self) -> None:
        """CORE-042: the number of nested levels below the root."""
        assert self.sample().depth == 2
        assert self.make({"a": torch.zeros(2)}, [2]).depth == 0
        assert self.make({}, [2]).depth == 0

    @needs(Capability.VIEWS)
    @needs(Capability.WRITE)
    def test_node_identity_of_leaves(self) -> None:
        """CORE-031: reading an entry twice reads the same memory."""
        td = self.sample()
        assert same_memory(td["a"], td.get("a"))

    @needs(Capability.WRITE)
    @SUITE_SETTINGS
    @given(keys=st.lists(nested_keys(), min_size=1, max_size=6))
    def test_any_text_is_a_key(self, keys: list[NestedKey]) -> None:
        """CORE-016, CORE-046: entries written under arbitrary nested keys are found again, as in a plain dict."""
        td = self.make({}, [2])
        model: dict[NestedKey, torch.Tensor] = {}
        for number, key in enumerate(keys):
            parts = (key,) if isinstance(key, str) else key
            value = torch.full((2,), float(number))
            blocked = any((parts[:depth] if depth > 1 else parts[0]) in model for depth in range(1, len(parts)))
            if blocked:
                with pytest.raises(KeyError):
                    td.set(key, value)
                continue
            model = {k: v for k, v in model.items() if (k if isinstance(k, tuple) else (k,))[: len(parts)] != parts}
            model[key] = value
            td.set(key, value)
        check_leaves(td, model, batch_size=[2])
        assert all(key in td for key in model)

    @needs(Capability.RENAME)
    @needs(Capability.WRITE)
    def test_rename_key_below_itself(self) -> None:
        """CORE-031: an entry that moves below its own key is not lost: a node takes its place."""
        td = self.make({"a": torch.arange(2), "n": {"c": torch.ones(2)}}, [2])
        td.rename_key_("a", ("a", "b"))
        td.rename_key_("n", ("n", "m"))
        check_leaves(td, {("a", "b"): torch.arange(2), ("n", "m", "c"): torch.ones(2)}, batch_size=[2])

    def test_keys_through_a_tensor(self) -> None:
        """TRAP-008: a key that leads through a tensor is a KeyError and a ValueError."""
        td = self.make({"a": torch.arange(2)}, [2])
        for read in (td.get, td.__getitem__, td.entry_class, td.get_item_shape, lambda key: td.select(key)):
            with pytest.raises(ValueError, match="not a tensordict, so it has no entry"):
                read(("a", "b"))
        with pytest.raises(KeyError):
            td["a", "b"]
        assert td.get(("a", "b"), 0) == 0

    def test_get_item_shape(self) -> None:
        """CORE-026: the shape of a tensor, the batch size of a node."""
        td = self.sample()
        assert td.get_item_shape("b") == torch.Size([4, 3, 2])
        assert td.get_item_shape(("node", "deep")) == torch.Size([4, 3, 2])
        with pytest.raises(KeyError):
            td.get_item_shape("missing")

    @needs(Capability.DELETE)
    @needs(Capability.LOCK)
    @needs(Capability.WRITE)
    def test_choosing_in_place_leaves_locked_nodes_alone(self) -> None:
        """CORE-062: a locked node below keeps its entries, and nothing else is removed before the error."""
        td = self.make({"n": {"a": torch.ones(2), "b": torch.ones(2)}, "c": torch.ones(2)}, [2])
        td.get("n").lock_()
        with pytest.raises(RuntimeError):
            td.exclude("c", ("n", "a"), inplace=True)
        with pytest.raises(RuntimeError):
            td.select(("n", "a"), inplace=True)
        assert set(td.keys(True, True)) == {("n", "a"), ("n", "b"), "c"}
