"""Free functions: building, merging, duplicates, expanding; and joining entries."""

import pytest
import torch

import td_core
from td_core import (
    NonTensorStack,
    TensorDict,
    dense_stack_tds,
    expand_as_right,
    expand_right,
    isin,
    make_tensordict,
    merge_tensordicts,
    remove_duplicates,
)
from td_core.errors import BatchSizeError, LockedError, TDKeyError, TDRuntimeError, TDTypeError, TDValueError


class TestMakeTensordict:
    def test_sources(self):
        assert make_tensordict({"a": torch.ones(3)}).batch_size == ()
        assert make_tensordict(a=torch.ones(3), batch_size=[3]).batch_size == (3,)
        both = make_tensordict({("a", "b"): 1}, c=2)
        assert both["a", "b"] == 1
        assert both["c"] == 2
        assert make_tensordict().is_empty()

    def test_auto_batch_size_and_device(self):
        td = make_tensordict({"a": torch.ones(3), "n": {"b": torch.ones(3, 2)}}, auto_batch_size=True, device="meta")
        assert td.batch_size == (3,)
        assert td["n"].batch_size == (3, 2)
        assert td["a"].device.type == "meta"

    def test_an_entry_given_twice(self):
        with pytest.raises(TDValueError, match="'a'"):
            make_tensordict({"a": 1}, a=2)


class TestMerge:
    def make(self):
        return (
            TensorDict({"a": 1, "n": {"x": 1}, "s": "p"}),
            TensorDict({"a": 2, "b": 3, "n": {"x": 2, "y": 4}, "s": "q"}),
            TensorDict({"a": 5, "n": {"x": 6}}),
        )

    def test_the_first_one_wins(self):
        out = merge_tensordicts(*self.make())
        assert {key: value.item() for key, value in out.items(True, True)} == {
            "a": 1,
            ("n", "x"): 1,
            ("n", "y"): 4,
            "b": 3,
        }
        assert out["s"] == "p"

    def test_callback_for_entries_of_all(self):
        out = merge_tensordicts(*self.make(), callback_exist=lambda *values: torch.stack(values))
        assert out["a"].tolist() == [1, 2, 5]
        assert out["n", "x"].tolist() == [1, 2, 6]
        assert out["n", "y"] == 4
        assert out["s"] == "p"

    def test_callback_by_key(self):
        out = merge_tensordicts(*self.make(), callback_exist={("n", "x"): lambda *values: sum(values)})
        assert out["n", "x"] == 9
        assert out["a"] == 1

    def test_inputs_stay(self):
        first, second, _ = self.make()
        out = merge_tensordicts(first, second)
        assert "y" not in first["n"]
        assert out["n"] is not first["n"]

    def test_errors(self):
        with pytest.raises(TDRuntimeError, match="at least two"):
            merge_tensordicts(TensorDict())
        with pytest.raises(TDTypeError, match="dict"):
            merge_tensordicts(TensorDict(), {})
        with pytest.raises(BatchSizeError):
            merge_tensordicts(TensorDict({}, [2]), TensorDict({"b": torch.ones(3)}))


class TestDuplicates:
    def make(self):
        rows = torch.tensor([[1, 2, 3], [4, 5, 6], [1, 2, 3], [7, 8, 9]])
        return TensorDict(
            {"t": rows, "i": torch.arange(4), "n": {"x": torch.arange(4)}, "c": NonTensorStack(*"abcd")},
            [4],
            names=["r"],
        )

    def test_isin(self):
        reference = TensorDict({"t": torch.tensor([[1, 2, 3], [4, 5, 6], [0, 0, 0]])}, [3])
        assert isin(self.make(), reference, "t").tolist() == [True, True, True, False]
        assert isin(self.make(), reference, "t", dim=-1).tolist() == [True, True, True, False]
        assert isin(self.make(), self.make()[:1], ("n", "x")).tolist() == [True, False, False, False]
        assert isin(self.make()[:0], reference, "t").tolist() == []

    def test_isin_along_another_dim(self):
        a = TensorDict({"a": torch.tensor([[1, 2, 1], [1, 2, 3]])}, [2, 3])
        b = TensorDict({"a": torch.tensor([[1, 2], [1, 2]])}, [2, 2])
        assert isin(a, b, "a", dim=1).tolist() == [True, True, False]

    def test_remove(self):
        out, kept = remove_duplicates(self.make(), "t", return_indices=True)
        assert kept.tolist() == [0, 1, 3]
        assert out["i"].tolist() == out["n", "x"].tolist() == [0, 1, 3]
        assert out["c"] == ["a", "b", "d"]
        assert out.names == ["r"]
        assert remove_duplicates(self.make()[:0], "t").batch_size == (0,)

    def test_remove_along_another_dim(self):
        td = TensorDict({"a": torch.tensor([[1, 2, 1], [1, 2, 1]])}, [2, 3])
        assert remove_duplicates(td, "a", dim=-1)["a"].tolist() == [[1, 2], [1, 2]]

    def test_errors(self):
        td = self.make()
        for call in (
            lambda: isin(td, td, "zz"),
            lambda: isin(td, td.select("i"), "t"),
            lambda: remove_duplicates(td, "c"),
        ):
            with pytest.raises(TDKeyError):
                call()
        for call in (lambda: isin(td, td, "t", dim=1), lambda: remove_duplicates(td, "t", dim=1)):
            with pytest.raises(TDValueError, match="dim=1"):
                call()
        with pytest.raises(TDRuntimeError, match="shape"):
            isin(td, TensorDict({"t": torch.ones(3, 4)}, [3]), "t")


class TestExpand:
    def test_shapes_and_values(self):
        assert expand_right(torch.tensor([1, 2]), (2, 3)).tolist() == [[1] * 3, [2] * 3]
        assert expand_as_right(torch.ones(2, 1), torch.zeros(2, 3, 4)).shape == (2, 3, 4)
        td = TensorDict({"a": torch.ones(2, 5)}, [2])
        assert expand_as_right(td, torch.zeros(2, 4))["a"].shape == (2, 4, 5)
        assert expand_right(td, (2, 3)).batch_size == (2, 3)

    @pytest.mark.parametrize(("source", "target"), [((2, 2), (2, 3, 4)), ((2, 2), (2,)), ((2,), (3, 3))])
    def test_errors(self, source, target):
        with pytest.raises(TDRuntimeError, match="on the right"):
            expand_as_right(torch.ones(source), torch.zeros(target))


class TestJoin:
    def make(self):
        return TensorDict(
            {"b": torch.full((2, 1), 1.0), "a": torch.full((2, 1), 2.0), "n": {"z": torch.full((2, 1), 3.0)}, "s": "x"},
            [2],
        )

    def test_cat_tensors(self):
        td = self.make()
        assert td.cat_tensors("a", ("n", "z"), out_key=("o", "p"), dim=1) is td
        assert td["o", "p"].tolist() == [[2, 3], [2, 3]]
        assert set(td.keys(True, True)) == {"b", ("o", "p")}
        td = self.make()
        assert td.cat_tensors("a", "b", out_key="a", dim=-1)["a"].tolist() == [[2, 1], [2, 1]]
        assert "b" not in td

    def test_stack_tensors(self):
        td = self.make()
        td.stack_tensors("a", "b", out_key="o", keep_entries=True)
        assert td["o"].shape == (2, 2, 1)
        assert "a" in td

    def test_join_errors_leave_everything_as_it_was(self):
        td = self.make()
        with pytest.raises(TDKeyError):
            td.cat_tensors("a", "zz", out_key="o")
        with pytest.raises(BatchSizeError):
            td.cat_tensors("a", "b", out_key="o")
        with pytest.raises(TDTypeError, match="'s'"):
            td.cat_tensors("a", "s", out_key="o")
        with pytest.raises(TDValueError):
            td.cat_tensors(out_key="o")
        with pytest.raises(LockedError):
            td.clone().lock_().cat_tensors("a", "b", out_key="o", dim=1)
        assert set(td.keys(True, True)) == {"b", "a", ("n", "z")}

    def test_from_tensordict(self):
        td = self.make()
        assert td.cat_from_tensordict(dim=1)[0].tolist() == [1, 2, 3]
        assert td.cat_from_tensordict(dim=1, sorted=True)[0].tolist() == [2, 1, 3]
        assert td.stack_from_tensordict(dim=-1, sorted=[("n", "z"), "a", "b"])[0].tolist() == [[3, 2, 1]]
        out = torch.zeros(2, 3)
        assert td.cat_from_tensordict(dim=1, out=out) is out
        assert out[1].tolist() == [1, 2, 3]

    def test_from_tensordict_errors(self):
        td = self.make()
        for keys in (["a", "b"], ["a", "b", ("n", "z"), "q"], ["a", "a", "b", ("n", "z")]):
            with pytest.raises(TDRuntimeError, match="every key exactly once"):
                td.cat_from_tensordict(sorted=keys)
        with pytest.raises(TDValueError, match="at least one"):
            TensorDict({"s": "x"}).stack_from_tensordict()


def test_dense_stack_of_a_list_needs_a_dim() -> None:
    td = TensorDict({"a": torch.ones(2)}, [2])
    with pytest.raises(ValueError, match="needs the dim along which to stack"):
        dense_stack_tds([td, td])
    assert dense_stack_tds([td, td], 1).batch_size == torch.Size([2, 2])


def test_names_of_the_package() -> None:
    assert td_core.KEY_SEPARATOR == "."
    assert td_core.unravel_key_to_tuple(("a", ("b",))) == ("a", "b")
    assert td_core.unravel_key_to_tuple(1) == ()
    assert td_core.default_is_leaf(torch.Tensor)
    assert not td_core.default_is_leaf(TensorDict)
    assert td_core.fromkeys(["a", ("n", "b")], 2)["n", "b"] == 2
    assert td_core.assert_close(TensorDict({"a": torch.ones(1)}), TensorDict({"a": torch.ones(1)}))
