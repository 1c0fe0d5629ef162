"""Views on a region of another container: reading indexes the source, writing changes it."""

from __future__ import annotations

import pickle

import pytest
import torch

from td_core import TensorDict, _SubTensorDict, lazy_stack
from td_core.errors import UnsupportedOperationError


@pytest.fixture
def source():
    return TensorDict(
        {"a": torch.arange(12.0).reshape(4, 3), "n": {"b": torch.zeros(4, 3, 2)}, "s": "text"}, [4, 3], names=["x", "y"]
    )


@pytest.fixture
def view(source):
    """The second row."""
    return source._get_sub_tensordict(1)


# -- construction and metadata ----------------------------------------------------------------------------------------


def test_construction(source):
    view = _SubTensorDict(source, 1)
    assert view.batch_size == torch.Size([3])
    assert view.get_parent_tensordict() is source
    assert _SubTensorDict(source, (..., 0), batch_size=[4]).batch_size == torch.Size([4])
    with pytest.raises(TypeError, match="dict"):
        _SubTensorDict({"a": 1}, 0)
    with pytest.raises(RuntimeError, match=r"\[4\]"):
        _SubTensorDict(source, 0, batch_size=[4])
    with pytest.raises(IndexError):
        _SubTensorDict(source, 4)


def test_a_list_is_a_tuple(source):
    assert source._get_sub_tensordict([0, 1]).batch_size == torch.Size([])
    assert source._get_sub_tensordict([0, 1])["a"].item() == 1.0
    assert source._get_sub_tensordict([[0, 1]]).batch_size == torch.Size([2, 3])


def test_metadata_are_those_of_the_source(source):
    view = source._get_sub_tensordict(slice(1, 3))
    assert view.names == ["x", "y"]
    assert source._get_sub_tensordict(0).names == ["y"]
    assert list(view.keys(True)) == list(source.keys(True))
    assert view.device is None
    source.names = ["p", "q"]
    assert view.names == ["p", "q"]
    source.auto_device_()
    assert view.device == torch.device("cpu")
    source.lock_()
    assert view.is_locked
    source.unlock_()
    assert not view.is_locked
    shared = TensorDict({"a": torch.zeros(3)}, [3]).share_memory_()
    assert shared._get_sub_tensordict(0).is_shared()


@pytest.mark.parametrize(
    "change",
    [
        lambda view: setattr(view, "names", ["z"]),
        lambda view: setattr(view, "names", None),
        lambda view: view.rename_("z"),
        lambda view: setattr(view, "device", "cpu"),
        lambda view: setattr(view, "batch_size", []),
        lambda view: view.lock_(),
        lambda view: view.share_memory_(),
        lambda view: view.detach_(),
        lambda view: view.requires_grad_(),
        lambda view: view.select("a", inplace=True),
        lambda view: view.exclude("a", inplace=True),
        lambda view: view.view(3, 1),
        lambda view: view.unsqueeze(0),
    ],
)
def test_refused(source, view, change):
    with pytest.raises(RuntimeError):
        change(view)
    assert list(source.keys()) == ["a", "n", "s"]
    assert source.names == ["x", "y"]


def test_shape_ops_that_have_no_meaning_in_place(source):
    view = source._get_sub_tensordict(slice(2))
    for change in (lambda: view.permute(1, 0), lambda: view.transpose(0, 1), lambda: view[:, :1].squeeze()):
        with pytest.raises(RuntimeError, match="to_tensordict"):
            change()


def test_locking_follows_the_source(source):
    view = source._get_sub_tensordict(0)
    assert view.unlock_() is view
    with pytest.raises(UnsupportedOperationError, match="LOCK"):
        view.lock_()
    source.lock_()
    assert view.lock_() is view
    with pytest.raises(RuntimeError):
        view.unlock_()


def test_from_dict_is_refused(view):
    with pytest.raises(NotImplementedError):
        view.from_dict({})


# -- reading ----------------------------------------------------------------------------------------------------------


def test_reading(source, view):
    assert view["a"].tolist() == [3.0, 4.0, 5.0]
    assert view["n", "b"].shape == torch.Size([3, 2])
    assert type(view["n"]) is _SubTensorDict
    assert view["s"] == "text"
    assert view.get("absent") is None
    assert set(view.keys(True, True)) == {"a", ("n", "b")}
    source["a"] += 1
    assert view["a"].tolist() == [4.0, 5.0, 6.0]
    assert repr(view) == (
        "_SubTensorDict(batch_size=[3], names=[y], fields={\n    a: f32[],\n    n: {b: f32[2]},\n    s: str})"
    )


def test_index_gives_a_view_of_the_view(source):
    view = source._get_sub_tensordict(torch.tensor([0, 2]))
    row = view[1]
    assert type(row) is _SubTensorDict
    assert row["a"].tolist() == [6.0, 7.0, 8.0]
    row["a"] = torch.zeros(3)
    assert source["a"][2].tolist() == [0.0] * 3
    for part in view.split(1):
        part["a"] = torch.ones(1, 3)
    for part in view.unbind(0):
        part.set_("n", {"b": torch.ones(3, 2)})
    assert source["a"].sum(-1).tolist() == [3.0, 12.0, 3.0, 30.0]
    assert source["n", "b"].sum((1, 2)).tolist() == [6.0, 0.0, 6.0, 0.0]


# -- writing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("index", [slice(1, 3), torch.tensor([1, 2]), torch.tensor([False, True, True, False])])
def test_writes_reach_the_source(source, index):
    view = source._get_sub_tensordict(index)
    view.set_("a", torch.full((2, 3), 7))
    assert source["a"][:, 0].tolist() == [0.0, 7.0, 7.0, 9.0]
    view["a"] = torch.zeros(2, 3)
    assert source["a"][:, 0].tolist() == [0.0, 0.0, 0.0, 9.0]
    view.set_at_("a", 5.0, (0, 0))
    assert source["a"][1].tolist() == [5.0, 0.0, 0.0]
    view[1] = TensorDict({"a": torch.full((3,), 6.0), "n": {"b": torch.ones(3, 2)}}, [3])
    assert source["a"][2].tolist() == [6.0] * 3
    assert source["n", "b"].sum((1, 2)).tolist() == [0.0, 0.0, 6.0, 0.0]
    view.add_(1)
    assert source["a"][:, 1].tolist() == [1.0, 1.0, 7.0, 10.0]
    view.apply_(lambda x: x * 2)
    assert source["a"][:, 1].tolist() == [1.0, 2.0, 14.0, 10.0]
    view.fill_("a", -1.0)
    view.zero_()
    assert source["a"][:, 1].tolist() == [1.0, 0.0, 0.0, 10.0]
    assert source["n", "b"].sum().item() == 0.0


def test_masked_fill_fills_only_what_is_masked(source):
    view = source._get_sub_tensordict(torch.tensor([0, 2]))
    view.masked_fill_(torch.tensor([True, False]), -1.0)
    assert source["a"][:, 0].tolist() == [-1.0, 3.0, 6.0, 9.0]
    assert view.masked_fill(torch.tensor([False, True]), 9.0)["a"][1].tolist() == [9.0] * 3
    assert source["a"][2].tolist() == [6.0, 7.0, 8.0]


def test_set_does_not_replace(source, view):
    with pytest.raises(RuntimeError, match="inplace"):
        view.set("a", torch.zeros(3))
    with pytest.raises(RuntimeError, match="inplace"):
        view.set(("n", "b"), torch.zeros(3, 2))
    view.set("a", torch.zeros(3), inplace=True)
    assert source["a"][1].tolist() == [0.0] * 3
    with pytest.raises(KeyError, match=r"\['a', 'n', 's'\]"):
        view.set_("absent", torch.zeros(3))


def test_new_entries_are_zero_elsewhere(source, view):
    view["new"] = torch.ones(3, 2, dtype=torch.long)
    assert source["new"].dtype is torch.long
    assert source["new"].sum((1, 2)).tolist() == [0, 6, 0, 0]
    view["m", "k"] = torch.ones(3)
    assert source["m"].batch_size == torch.Size([4, 3])
    assert source["m", "k"].sum(1).tolist() == [0.0, 3.0, 0.0, 0.0]
    view["c"] = TensorDict({"d": torch.ones(3, 5)}, [3, 5])
    assert source["c"].batch_size == torch.Size([4, 3, 5])
    source.lock_()
    with pytest.raises(RuntimeError, match="locked"):
        view["more"] = torch.zeros(3)


def test_new_entry_through_one_boolean(source):
    view = source._get_sub_tensordict(torch.tensor(True))
    assert view.batch_size == torch.Size([1, 4, 3])
    view["new"] = torch.ones(1, 4, 3)
    assert source["new"].tolist() == [[1.0] * 3] * 4


def test_locked_source_takes_values(source, view):
    source.lock_()
    view["a"] = torch.zeros(3)
    view.set_("n", {"b": torch.ones(3, 2)})
    assert source["a"][1].tolist() == [0.0] * 3
    assert source["n", "b"].sum((1, 2)).tolist() == [0.0, 6.0, 0.0, 0.0]


def test_update(source, view):
    view.update({"a": torch.zeros(3), "n": {"b": torch.ones(3, 2), "e": torch.ones(3)}, "new": torch.ones(3)})
    assert source["a"][1].tolist() == [0.0] * 3
    assert source["n", "b"][1].unique().tolist() == [1.0]
    assert source["n", "e"].sum(1).tolist() == [0.0, 3.0, 0.0, 0.0]
    assert source["new"].sum(1).tolist() == [0.0, 3.0, 0.0, 0.0]
    view.update_({"a": torch.ones(3)})
    view.update_at_({"a": torch.tensor(8.0)}, 2)
    assert source["a"][1].tolist() == [1.0, 1.0, 8.0]
    with pytest.raises(ValueError, match="n"):
        view.update({"n": torch.ones(3)})


def test_removal_and_renaming_act_on_the_source(source, view):
    view.rename_key_("a", "z")
    assert list(source.keys()) == ["n", "s", "z"]
    view.del_("z")
    assert view.popitem()[0] == "s"
    assert list(source.keys()) == ["n"]
    source.lock_()
    with pytest.raises(RuntimeError, match="locked"):
        view.del_("n")


# -- results ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "function",
    [
        lambda view: view.clone(),
        lambda view: view.contiguous(),
        lambda view: view.to_tensordict(),
        lambda view: view.select("a"),
        lambda view: view.exclude("n"),
        lambda view: view.where(torch.ones(3, dtype=torch.bool), 0),
        lambda view: view.apply(lambda x: x),
        lambda view: view.reshape(3, 1).reshape(3),
        lambda view: view.expand(1, 3).reshape(3),
        lambda view: view.to(torch.float32),
        lambda view: view + 0,
    ],
)
def test_dense_results(view, function):
    result = function(view)
    assert type(result) is TensorDict
    assert result["a"].tolist() == [3.0, 4.0, 5.0]


def test_reductions(view):
    assert view.exclude("s").sum()["a"].item() == 12.0
    assert view.sum(0)["n", "b"].tolist() == [0.0, 0.0]
    assert view.amax(0)["a"].item() == 5.0


def test_expand_of_a_view(view):
    assert view.expand(2, 3).batch_size == torch.Size([2, 3])
    assert view.expand((2, 3))["a"].tolist() == [[3.0, 4.0, 5.0]] * 2


def test_shallow_clone_is_a_view_on_a_shallow_copy(source, view):
    copy = view.clone(False)
    assert type(copy) is _SubTensorDict
    copy["new"] = torch.ones(3)
    assert "new" not in source
    copy["a"] = torch.zeros(3)
    assert source["a"][1].tolist() == [0.0] * 3


def test_replace_leaves_the_source_alone(source, view):
    assert view.replace(a=torch.zeros(3))["a"].tolist() == [0.0] * 3
    assert source["a"][1].tolist() == [3.0, 4.0, 5.0]


def test_positions_are_checked_when_the_view_is_made(source):
    with pytest.raises(IndexError, match="out of range"):
        source._get_sub_tensordict(torch.tensor([0, 4]))


def test_to_the_same_device(source):
    view = source.to("cpu")._get_sub_tensordict(0)
    assert view.to("cpu") is view


def test_out_of_stack(source):
    view = source.select("a")._get_sub_tensordict(torch.tensor([3, 1]))
    torch.stack([TensorDict({"a": torch.full((3,), float(i))}, [3]) for i in range(2)], out=view)
    assert view.get_parent_tensordict()["a"][:, 0].tolist() == [0.0, 1.0, 6.0, 0.0]


def test_pickle(source, view):
    again = pickle.loads(pickle.dumps(view))
    assert type(again) is _SubTensorDict
    again["a"] = torch.zeros(3)
    assert again.get_parent_tensordict()["a"][1].tolist() == [0.0] * 3
    assert source["a"][1].tolist() == [3.0, 4.0, 5.0]


def test_view_on_a_lazy_stack():
    stack = lazy_stack([TensorDict({"a": torch.zeros(3)}, [3]) for _ in range(2)])
    view = stack._get_sub_tensordict((slice(None), 0))
    view["a"] = torch.tensor([1.0, 2.0])
    assert [part["a"].tolist() for part in stack.tensordicts] == [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]
    view["new"] = torch.ones(2)
    assert stack[1]["new"].tolist() == [1.0, 0.0, 0.0]
