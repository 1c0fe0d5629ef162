"""Lazy stacks whose members differ, and what is particular to lazy stacks."""

from __future__ import annotations

import pickle

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from td_core import LazyStackedTensorDict, TensorDict, lazy_stack, maybe_dense_stack, set_printoptions
from td_core.errors import TDError
from td_core.testing import assert_close
from td_core.testing.strategies import indices


def member(i, **entries):
    return TensorDict({"r": torch.full((3, i + 1), float(i)), "a": torch.arange(3) + i, **entries}, [3])


@pytest.fixture
def stack():
    """Two members of batch size [3] whose entries "r" have 1 and 2 columns."""
    return lazy_stack([member(0, n={"c": torch.zeros(3)}), member(1, n={"c": torch.ones(3), "own": torch.ones(3)})])


def rows(stack, key="r"):
    return [part[key] for part in stack.tensordicts]


# -- construction -----------------------------------------------------------------------------------------------------


def test_members_are_kept_as_they_are():
    parts = [member(0), member(1)]
    stack = LazyStackedTensorDict(*parts, stack_dim=-1)
    assert stack.batch_size == torch.Size([3, 2])
    assert stack.stack_dim == 1
    assert all(one is two for one, two in zip(stack.tensordicts, parts, strict=True))


def test_members_must_be_containers():
    with pytest.raises(TypeError, match="int"):
        LazyStackedTensorDict(1)


def test_members_must_have_one_batch_size():
    with pytest.raises(RuntimeError, match="batch size"):
        LazyStackedTensorDict(TensorDict({}, [1]), TensorDict({}, [2]))


def test_without_members():
    stack = LazyStackedTensorDict()
    assert stack.batch_size == torch.Size([0])
    stack.append(member(0))
    assert stack.batch_size == torch.Size([1, 3])
    assert stack["r"].shape == torch.Size([1, 3, 1])


def test_options_of_the_constructor():
    parts = [TensorDict({"a": torch.zeros(3, i)}, [3]) for i in (1, 2)]
    stack = LazyStackedTensorDict(*parts, names=["s", "x"], device="cpu", batch_size=[2, 3])
    assert stack.names == ["s", "x"]
    assert stack.device == torch.device("cpu")
    assert stack[0].names == ["x"]
    assert stack[0].device == torch.device("cpu")
    with pytest.raises(RuntimeError, match=r"\[2, 3\]"):
        LazyStackedTensorDict(*parts, batch_size=[3, 2])
    with pytest.raises(RuntimeError, match="strict_shape"):
        LazyStackedTensorDict(*parts, strict_shape=True)


def test_device_is_that_of_all_members():
    on_cpu = TensorDict({"a": torch.zeros(2)}, [2], device="cpu")
    assert lazy_stack([on_cpu, on_cpu.clone()]).device == torch.device("cpu")
    assert lazy_stack([on_cpu, TensorDict({"a": torch.zeros(2)}, [2])]).device is None


def test_dense_from_lazy_keeps_content_and_device():
    stack = lazy_stack([TensorDict({"a": torch.full((2,), float(i))}, [2], device="cpu") for i in range(2)])
    dense = TensorDict(stack, batch_size=stack.batch_size, device=stack.device)
    assert type(dense) is TensorDict
    assert dense.device == torch.device("cpu")
    assert dense["a"].tolist() == [[0.0, 0.0], [1.0, 1.0]]


# -- keys and reading -------------------------------------------------------------------------------------------------


def test_only_shared_keys_are_visible(stack):
    stack.tensordicts[0]["mine"] = torch.zeros(3)
    assert list(stack.keys()) == ["r", "a", "n"]
    assert set(stack.keys(True, True)) == {"r", "a", ("n", "c")}
    assert "mine" not in stack
    assert ("n", "own") not in stack
    assert stack.has_exclusive_keys
    assert not stack.select("a").has_exclusive_keys
    with pytest.raises(KeyError, match=r"\[0\]"):
        stack._storage["mine"]
    assert stack.tensordicts[0]["mine"].tolist() == [0.0] * 3


def test_exclusive_keys_live_on(stack):
    stack.tensordicts[0]["mine"] = torch.zeros(3)
    for result in (stack.clone(), stack + 1, stack[:, 1:], stack.exclude("r"), stack.double(), stack.copy()):
        assert "mine" in result.tensordicts[0]


def test_repr_shows_what_differs(stack):
    stack.tensordicts[1]["mine"] = torch.zeros(3, 2)
    assert repr(stack) == (
        "LazyStackedTensorDict(batch_size=[2,3], stack_dim=0, fields={\n    a: i64[],\n    n: {c: f32[]},\n"
        "    r: f32[-1]}, exclusive_fields={1: {mine: f32[2]}})"
    )
    with set_printoptions(compact=False):
        assert "exclusive_fields={1: {mine: Tensor(shape=torch.Size([3, 2])" in repr(stack)
        assert "r: Tensor(shape=torch.Size([2, 3, -1])" in repr(stack)


def test_entries_that_differ_cannot_be_read_as_one(stack):
    for read in (lambda: stack["r"], lambda: stack.get("r"), stack.to_tensordict, stack.contiguous):
        with pytest.raises(RuntimeError, match=r"'r'.*as_list.*nested"):
            read()
    assert stack.get_item_shape("r") == torch.Size([2, 3, -1])
    assert stack.get_item_shape(("n", "c")) == torch.Size([2, 3])
    assert stack.entry_class("r") is torch.Tensor
    assert not stack.is_empty()


def test_ragged_reads(stack):
    listed = stack.get("r", as_list=True)
    assert [row.tolist() for row in listed] == [[[0.0]] * 3, [[1.0, 1.0]] * 3]
    assert stack.get("r", as_padded_tensor=True)[0].tolist() == [[0.0, 0.0]] * 3
    left = stack.get("r", as_padded_tensor=True, padding_side="left", padding_value=-1.0)
    assert left[0].tolist() == [[-1.0, 0.0]] * 3
    assert left[1].tolist() == [[1.0, 1.0]] * 3
    jagged = stack.get("r", as_nested_tensor=True)
    assert jagged.layout is torch.jagged
    assert [row.shape for row in jagged.unbind()] == [torch.Size([3, 1]), torch.Size([3, 2])]
    assert stack.get("absent", as_list=True) is None
    assert stack.get("absent", 5, as_padded_tensor=True) == 5
    assert stack.get(("n", "c"), as_list=True)[1].tolist() == [1.0] * 3


def test_ragged_reads_of_a_dense_container():
    td = TensorDict({"a": torch.zeros(2)}, [2])
    assert td.get("a", as_list=True) is td["a"]


def test_padded_along_another_stack_dim():
    stack = lazy_stack([TensorDict({"r": torch.ones(2, n)}, [2]) for n in (1, 3)], 1)
    assert stack.get("r", as_padded_tensor=True).tolist() == [[[1, 0, 0], [1, 1, 1]]] * 2


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_nested_tensors(stack):
    nested = stack.get_nestedtensor("r")
    assert nested.is_nested
    assert nested.layout is torch.strided
    assert stack.get_nestedtensor("r", layout=torch.jagged).layout is torch.jagged
    assert stack.get_nestedtensor("absent", None) is None
    with pytest.raises(KeyError):
        stack.get_nestedtensor("absent")


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("layout", [torch.strided, torch.jagged])
def test_densify(stack, layout):
    dense = stack.densify(layout=layout)
    assert type(dense) is TensorDict
    assert dense["a"].tolist() == [[0, 1, 2], [1, 2, 3]]
    assert dense["n", "c"].tolist() == [[0.0] * 3, [1.0] * 3]
    assert dense["r"].is_nested
    assert dense["r"].layout is layout
    assert [row.tolist() for row in dense["r"].unbind()] == [row.tolist() for row in rows(stack)]
    assert "r: f32" in repr(dense)


# -- indexing ---------------------------------------------------------------------------------------------------------


def test_an_integer_gives_the_member(stack):
    assert stack[0] is stack.tensordicts[0]
    assert stack[-1] is stack.tensordicts[1]
    assert all(one is two for one, two in zip(stack.unbind(0), stack.tensordicts, strict=True))
    assert all(one is two for one, two in zip(stack, stack.tensordicts, strict=True))


def test_indices_on_the_stack_dim_give_smaller_stacks(stack):
    for index in (slice(1, 2), [1], torch.tensor([1]), torch.tensor([False, True])):
        part = stack[index]
        assert type(part) is LazyStackedTensorDict
        assert part.tensordicts == [stack.tensordicts[1]] or part.tensordicts[0] is stack.tensordicts[1]


def test_indices_beside_the_stack_dim_go_to_the_members(stack):
    part = stack[:, 1:]
    assert type(part) is LazyStackedTensorDict
    assert part.batch_size == torch.Size([2, 2])
    assert [row.tolist() for row in rows(part)] == [[[0.0]] * 2, [[1.0, 1.0]] * 2]
    assert stack[:, [0, 2]].batch_size == torch.Size([2, 2])
    assert stack[1, 0]["r"].tolist() == [1.0, 1.0]
    assert stack[None].batch_size == torch.Size([1, 2, 3])
    assert stack[..., 0].batch_size == torch.Size([2])
    assert stack[()] is stack


def test_a_mask_over_both_dims(stack):
    part = stack[torch.tensor([[True, False, False], [True, True, False]])]
    assert part.batch_size == torch.Size([3])
    assert [row.tolist() for row in rows(part)] == [[0.0], [1.0, 1.0], [1.0, 1.0]]


@settings(max_examples=150, deadline=None)
@given(data=st.data(), stack_dim=st.integers(0, 2))
def test_any_index_gives_what_the_dense_container_gives(data, stack_dim):
    dense = TensorDict({"a": torch.arange(24).reshape(2, 3, 4), "b": torch.arange(48).reshape(2, 3, 4, 2)}, [2, 3, 4])
    stack = lazy_stack(list(dense.unbind(stack_dim)), stack_dim)
    index = data.draw(indices((2, 3, 4)))
    try:
        expected = dense[index]
    except (IndexError, RuntimeError) as error:
        with pytest.raises(type(error).__mro__[1] if isinstance(error, TDError) else (IndexError, RuntimeError)):
            stack[index]
        return
    found = stack[index]
    assert found.batch_size == expected.batch_size
    assert_close(found.to_tensordict(), expected)
    value = TensorDict({"a": torch.tensor(-1), "b": torch.full((2,), -2)}).expand(expected.batch_size)
    dense[index] = value
    stack[index] = value
    assert_close(stack.to_tensordict(), dense)


def test_data_loader_keeps_stacks():
    loader = torch.utils.data.DataLoader(
        lazy_stack([TensorDict({"x": torch.full((i + 1,), i)}) for i in range(5)]), batch_size=2, collate_fn=lambda b: b
    )
    batches = list(loader)
    assert [batch.batch_size[0] for batch in batches] == [2, 2, 1]
    assert batches[1][1]["x"].tolist() == [3] * 4


# -- writing ----------------------------------------------------------------------------------------------------------


def test_set_splits_along_the_stack_dim(stack):
    stack["new"] = torch.arange(6).reshape(2, 3)
    assert [row.tolist() for row in rows(stack, "new")] == [[0, 1, 2], [3, 4, 5]]
    stack["x", "y"] = torch.ones(2, 3)
    assert stack.tensordicts[1]["x", "y"].tolist() == [1.0] * 3
    stack["s"] = "text"
    assert stack.tensordicts[0]["s"] == "text"
    with pytest.raises(RuntimeError, match="batch size"):
        stack["bad"] = torch.zeros(3, 2)


def test_in_place_writes_reach_the_members(stack):
    held = stack.tensordicts[1]["a"]
    stack.set_("a", torch.full((2, 3), 7))
    assert held.tolist() == [7, 7, 7]
    stack.set_at_("a", torch.tensor([1, 2]), (slice(None), 0))
    assert held.tolist() == [2, 7, 7]
    stack.set_at_("r", 5.0, (slice(None), 1))
    assert [row[:, 0].tolist() for row in rows(stack)] == [[0.0, 5.0, 0.0], [1.0, 5.0, 1.0]]
    stack.fill_("r", 3.0)
    assert [row.unique().tolist() for row in rows(stack)] == [[3.0], [3.0]]
    stack.zero_()
    assert held.tolist() == [0, 0, 0]


def test_indexed_writes(stack):
    held = rows(stack)
    stack[:, 1] = stack[:, 0] + 10
    assert [row[:, 0].tolist() for row in held] == [[0.0, 10.0, 0.0], [1.0, 11.0, 1.0]]
    stack[0] = TensorDict({"r": torch.full((3, 1), -1.0), "a": torch.zeros(3, dtype=torch.long)}, [3])
    assert held[0].tolist() == [[-1.0]] * 3
    stack[:, 2] = 4
    assert [row[2].tolist() for row in held] == [[4.0], [4.0, 4.0]]


def test_update_member_by_member(stack):
    other = stack + 1
    held = rows(stack)
    stack.update_(other)
    assert [row[0].tolist() for row in held] == [[1.0], [2.0, 2.0]]
    stack.update(lazy_stack([member(4), member(5)]))
    assert [tuple(row.shape) for row in rows(stack)] == [(3, 5), (3, 6)]
    stack.update({"n": {"c": torch.full((2, 3), 9.0)}})
    assert stack["n", "c"].unique().tolist() == [9.0]
    assert stack.tensordicts[1]["n", "own"].tolist() == [2.0] * 3


def test_update_may_change_the_length(stack):
    stack.update(lazy_stack([member(i, n={"c": torch.zeros(3)}) for i in range(4)]), update_batch_size=True)
    assert stack.batch_size == torch.Size([4, 3])
    assert stack[3]["r"].shape == torch.Size([3, 4])
    with pytest.raises(RuntimeError, match="'a'"):
        stack.update(TensorDict({"r": torch.zeros(5, 3, 1)}, [5, 3]), update_batch_size=True)
    dense = TensorDict({"a": torch.zeros(2)}, [2])
    assert dense.update(TensorDict({"a": torch.ones(3)}, [3]), update_batch_size=True)["a"].tolist() == [1.0] * 3


def test_removing_and_renaming(stack):
    stack.rename_key_("r", "q")
    assert "q" in stack.tensordicts[1]
    assert list(stack.keys()) == ["a", "n", "q"]
    del stack["q"]
    assert "q" not in stack.tensordicts[0]
    assert stack.pop("a").tolist() == [[0, 1, 2], [1, 2, 3]]
    stack.select(("n", "c"), inplace=True)
    assert list(stack.tensordicts[1].keys(True, True)) == [("n", "c")]


def test_growing():
    stack = lazy_stack([member(0), member(2)])
    new = member(1)
    stack.insert(1, new)
    assert stack[1] is new
    stack.append(member(3))
    stack.extend([member(4), member(5)])
    stack.extend(lazy_stack([member(6)]))
    assert stack.batch_size == torch.Size([7, 3])
    assert [row.shape[1] for row in rows(stack)] == [1, 2, 3, 4, 5, 6, 7]
    with pytest.raises(TypeError):
        stack.append(1)
    with pytest.raises(ValueError, match=r"\[2\]"):
        stack.append(TensorDict({}, [2]))
    stack.lock_()
    with pytest.raises(RuntimeError, match="locked"):
        stack.append(member(0))


def test_batch_size_cannot_be_assigned(stack):
    with pytest.raises(RuntimeError, match="to_tensordict"):
        stack.batch_size = [2]
    stack.batch_size = [2, 3]


# -- locks, names, pickling -------------------------------------------------------------------------------------------


def test_lock_reaches_the_members(stack):
    stack.lock_()
    assert all(part.is_locked for part in stack.tensordicts)
    with pytest.raises(RuntimeError):
        stack[0].unlock_()
    with pytest.raises(RuntimeError):
        stack["n"].unlock_()
    with pytest.raises(RuntimeError):
        stack["new"] = torch.zeros(2, 3)
    stack.unlock_()
    assert not any(part.is_locked for part in stack.tensordicts)
    stack["n"].unlock_()


def test_a_stack_of_locked_members_is_locked():
    parts = [member(0).lock_(), member(1).lock_()]
    assert lazy_stack(parts).is_locked
    assert not lazy_stack([parts[0], member(1)]).is_locked
    with pytest.raises(RuntimeError, match="locked"):
        lazy_stack([parts[0], member(1)])["new"] = torch.zeros(2, 3)
    assert not lazy_stack(parts).unlock_().is_locked


def test_names():
    parts = [TensorDict({"n": {"a": torch.zeros(1, 2)}}, [1, 2], names=["x", "y"]) for _ in range(3)]
    stack = lazy_stack(parts, 1, stack_dim_name="s")
    assert stack.names == ["x", "s", "y"]
    assert stack["n"].names == ["x", "s", "y"]
    for result in (stack.clone(), stack.copy(), stack + 1, stack.select("n"), stack.float()):
        assert result.names == ["x", "s", "y"]
    assert stack.permute(2, 1, 0).names == ["y", "s", "x"]
    assert stack[:, 0].names == ["x", "y"]
    stack.names = ["p", "q", "r"]
    assert parts[0].names == ["p", "r"]
    assert stack["n"].names == ["p", "q", "r"]
    stack.names = None
    assert stack.names == [None] * 3
    assert parts[0]["n"].names == [None] * 2
    assert stack["n"].names == [None] * 3


def test_pickle(stack):
    stack = stack.lock_()
    again = pickle.loads(pickle.dumps(stack))
    assert type(again) is LazyStackedTensorDict
    assert again.is_locked
    assert [row.tolist() for row in rows(again)] == [row.tolist() for row in rows(stack)]
    assert "own" in again.tensordicts[1]["n"]


# -- operations -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "by_hand"),
    [
        (lambda td: td + 1, lambda i, x: x + 1),
        (lambda td: 2 - td, lambda i, x: 2 - x),
        (lambda td: td + td, lambda i, x: x + x),
        (lambda td: td * torch.tensor([[2.0], [3.0]]), lambda i, x: x * (2.0 + i)),
        (lambda td: td + torch.tensor([1.0, 2.0, 3.0]), lambda i, x: x + torch.tensor([[1.0], [2.0], [3.0]])),
        (lambda td: td.exp(), lambda i, x: x.exp()),
        (lambda td: td.clamp(0, 0.5), lambda i, x: x.clamp(0, 0.5)),
        (lambda td: td.lerp(td + 1, 0.5), lambda i, x: x + 0.5),
        (lambda td: td.double(), lambda i, x: x.double()),
        (lambda td: td.to(torch.float64), lambda i, x: x.double()),
        (lambda td: td.to("cpu"), lambda i, x: x),
        (lambda td: td.clone(), lambda i, x: x),
        (lambda td: td.detach(), lambda i, x: x),
        (lambda td: td.apply(lambda x: x.unsqueeze(-1)), lambda i, x: x.unsqueeze(-1)),
        (lambda td: td.apply(lambda x, y: x - y, td), lambda i, x: x * 0),
        (lambda td: td == td, lambda i, x: torch.ones_like(x, dtype=torch.bool)),
        (lambda td: td < 1, lambda i, x: x < 1),
        (lambda td: td.masked_fill(torch.tensor([True, False]), 9.0), lambda i, x: x if i else torch.full_like(x, 9)),
        (lambda td: td.where(torch.tensor([True, False]), -1), lambda i, x: x * 0 - 1 if i else x),
        (lambda td: td.where(torch.tensor([True, False]), td + 1), lambda i, x: x + i),
        (lambda td: torch.zeros_like(td), lambda i, x: x * 0),
        (lambda td: td.flatten_keys(), lambda i, x: x),
        (lambda td: td.select("r"), lambda i, x: x),
        (lambda td: td.exclude("a"), lambda i, x: x),
        (lambda td: td.unsqueeze(0).squeeze(0), lambda i, x: x),
        (lambda td: td.transpose(0, 1).transpose(0, 1), lambda i, x: x),
        (lambda td: td.split(1)[1], None),
        (lambda td: td.view(6), None),
        (lambda td: td.reshape(3, 2), None),
        (lambda td: td.flatten(0, 1), None),
        (lambda td: td.unflatten(1, (3, 1)), None),
        (lambda td: td.expand(4, 2, 3), None),
    ],
)
def test_results_stay_lazy(function, by_hand):
    stack = lazy_stack([TensorDict({"r": torch.full((3, i + 1), float(i)), "a": torch.ones(3)}, [3]) for i in range(2)])
    stack = stack.update({"n": {"c": torch.zeros(2, 3)}})
    before = [row.clone() for row in rows(stack)]
    result = function(stack)
    assert type(result) is LazyStackedTensorDict
    if by_hand is not None:
        for i, row in enumerate(rows(result)):
            expected = by_hand(i, before[i])
            assert row.dtype == expected.dtype
            assert torch.equal(row, expected)
    assert all(torch.equal(one, two) for one, two in zip(rows(stack), before, strict=True))


def test_in_place_operations(stack):
    stack = stack.select("r")
    held = rows(stack)
    stack += 1
    stack.mul_(stack)
    stack.sub_(torch.tensor([1.0, 2.0, 3.0]))
    stack.apply_(lambda x: x.neg_())
    stack.masked_fill_(torch.tensor([[True, False, False]] * 2), 0.0)
    assert held[0].flatten().tolist() == [0.0, 1.0, 2.0]
    assert held[1].tolist() == [[0.0, 0.0], [-2.0, -2.0], [-1.0, -1.0]]


def test_view_shares_memory_with_the_members(stack):
    stack.view(6).select("a").zero_()
    assert stack["a"].unique().tolist() == [0]
    flat = stack.view(6)
    assert [tuple(row.shape) for row in rows(flat)] == [(1,)] * 3 + [(2,)] * 3


def test_a_node_that_is_a_lazy_stack(stack):
    td = TensorDict({"n": stack.select("r"), "a": torch.zeros(2, 3)}, [2, 3])
    assert td["n"] is not None
    result = td + torch.tensor([[1.0], [2.0]])
    assert [row[0].tolist() for row in rows(result["n"])] == [[1.0], [3.0, 3.0]]
    result = (td * 2).clone().exclude("a")
    assert [row[0].tolist() for row in rows(result["n"])] == [[0.0], [2.0, 2.0]]
    td.add_(1)
    assert [row[0].tolist() for row in rows(stack)] == [[1.0], [2.0, 2.0]]
    assert set(td.keys(True, True)) == {("n", "r"), "a"}
    assert [row.shape for row in rows(td[:, 0]["n"])] == [torch.Size([1]), torch.Size([2])]


def test_reductions_over_all_elements(stack):
    stack = stack.select("r", "a")
    assert stack.sum()["r"].item() == 6.0
    assert stack.select("r").mean()["r"].item() == pytest.approx(6 / 9)
    assert stack.select("r").norm()["r"].item() == pytest.approx(6**0.5)
    assert stack.sum().batch_size == torch.Size([])
    assert not stack.all()
    assert stack.any()
    assert stack.select("a").sum(0)["a"].tolist() == [1, 3, 5]
    assert type(stack.select("a").sum(0)) is TensorDict
    with pytest.raises(RuntimeError, match="'r'"):
        stack.sum(0)


def test_gradients(stack):
    stack = stack.select("r").requires_grad_()
    (stack * 3).sum()["r"].backward()
    assert [row.grad.unique().tolist() for row in rows(stack)] == [[3.0], [3.0]]
    assert type(stack.grad) is LazyStackedTensorDict


def test_consolidate(stack):
    packed = stack.consolidate()
    assert type(packed) is LazyStackedTensorDict
    assert [row.tolist() for row in rows(packed)] == [row.tolist() for row in rows(stack)]
    assert len({row.untyped_storage().data_ptr() for row in rows(packed)}) == 1


# -- stacking and concatenating stacks --------------------------------------------------------------------------------


def test_stacks_of_stacks(stack):
    other = stack + 1
    stacked = torch.stack([stack, other], 0)
    assert type(stacked) is LazyStackedTensorDict
    assert stacked.batch_size == torch.Size([2, 2, 3])
    assert stacked.stack_dim == 1
    assert [tuple(row.shape) for row in rows(stacked)] == [(2, 3, 1), (2, 3, 2)]
    assert stacked[1, 0]["r"].tolist() == [[1.0]] * 3
    assert torch.stack([stack, other], 1).stack_dim == 0
    assert maybe_dense_stack([stack, other], 2).batch_size == torch.Size([2, 3, 2])
    uneven = maybe_dense_stack([stack, lazy_stack([stack[1], stack[0]])])
    assert type(uneven) is LazyStackedTensorDict
    assert uneven[1, 0]["r"].shape == torch.Size([3, 2])


def test_cat_of_stacks(stack):
    other = stack + 1
    assert [row.shape[1] for row in rows(torch.cat([stack, other], 0))] == [1, 2, 1, 2]
    joined = torch.cat([stack, other], 1)
    assert joined.batch_size == torch.Size([2, 6])
    assert [tuple(row.shape) for row in rows(joined)] == [(6, 1), (6, 2)]


def test_stack_out(stack):
    out = lazy_stack([TensorDict({"a": torch.zeros(3)}, [3]) for _ in range(2)])
    held = out[1]["a"]
    torch.stack([TensorDict({"a": torch.full((3,), float(i))}, [3]) for i in range(2)], out=out)
    assert held.tolist() == [1.0] * 3


def test_nested_stacks():
    inner = [lazy_stack([TensorDict({"r": torch.full((i + j + 1,), 1.0)}) for j in range(2)]) for i in range(2)]
    stack = lazy_stack(inner)
    assert stack.batch_size == torch.Size([2, 2])
    assert stack[1, 1]["r"].shape == torch.Size([3])
    assert [[row.numel() for row in part] for part in stack.get("r", as_list=True)] == [[1, 2], [2, 3]]
    assert stack.get("r", as_padded_tensor=True).sum(-1).tolist() == [[1.0, 2.0], [2.0, 3.0]]
    assert (stack + 1)[0, 1]["r"].tolist() == [2.0, 2.0]
    assert stack.permute(1, 0)[0, 1]["r"].numel() == 2
    assert stack.sum()["r"].item() == 8.0
