"""Non-tensor data by itself: values, columns, their shapes, views and copies."""

import copy
import pickle

import numpy as np
import pytest
import torch

from td_core import MetaData, NonTensorData, NonTensorDataBase, NonTensorStack, is_non_tensor
from td_core.errors import TDAttributeError, TDRuntimeError, TDTypeError, TDValueError
from td_core.leaves.rows import same_value


@pytest.fixture
def column():
    return NonTensorStack("a", "b", "c")


@pytest.fixture
def grid():
    return NonTensorStack.from_list([["a", "b", "c"], ["d", "e", "f"]])


class TestOneValue:
    def test_metadata(self):
        data = NonTensorData("a", batch_size=[2, 3], device="cpu", names=["x", None])
        assert data.data == "a"
        assert data.batch_size == data.shape == (2, 3)
        assert data.device == torch.device("cpu")
        assert data.names == ["x", None]
        assert (data.ndim, data.batch_dims, data.dim(), data.numel(), data.size(1), len(data)) == (2, 2, 2, 6, 3, 2)

    def test_length_needs_a_batch_dim(self):
        with pytest.raises(TDTypeError):
            len(NonTensorData("a"))

    def test_tolist(self):
        assert NonTensorData("a", batch_size=[2, 3]).tolist() == [["a", "a", "a"], ["a", "a", "a"]]
        assert NonTensorData("a").tolist() == "a"
        assert NonTensorData([1, 2]).tolist() == [1, 2]

    def test_wrapping_does_not_nest(self):
        data = NonTensorData(NonTensorData("a", batch_size=[2]), batch_size=[3])
        assert data.data == "a"
        assert data.batch_size == (3,)

    def test_setting_plain_data(self):
        data = NonTensorData("a", batch_size=[2])
        data.data = "b"
        assert data.data == "b"
        assert data.update("c") is data
        assert data.data == "c"
        assert data.update_(NonTensorData("d")) is data
        assert data.data == "d"
        assert data.copy_(NonTensorData("e")).data == "e"
        assert data.batch_size == (2,)

    def test_cannot_become_a_column_in_place(self):
        data = NonTensorData("a", batch_size=[2])
        with pytest.raises(TDValueError, match="maybe_to_stack"):
            data.update(NonTensorStack("a", "b"))
        with pytest.raises(TDValueError, match="maybe_to_stack"):
            data[0] = "b"
        data[0] = "a"  # the value it has already
        assert data.data == "a"

    def test_maybe_to_stack(self):
        stack = NonTensorData("a", batch_size=[2, 2]).maybe_to_stack()
        assert type(stack) is NonTensorStack
        stack[0, 1] = "b"
        assert stack.tolist() == [["a", "b"], ["a", "a"]]
        single = NonTensorData("a")
        assert single.maybe_to_stack() is single

    def test_callable(self):
        assert NonTensorData(lambda x, y=1: x + y)(3, y=4) == 7
        with pytest.raises(TypeError, match="not callable"):
            NonTensorData("a")(3)

    def test_shape_changes_do_not_alias(self):
        data = NonTensorData("a", batch_size=[2])
        part = data[0]
        part.data = "b"
        assert data.data == "a"

    def test_repr(self):
        assert repr(NonTensorData("a", batch_size=[2])) == (
            "NonTensorData(data=a, batch_size=torch.Size([2]), device=None)"
        )


class TestColumn:
    def test_values(self, column):
        assert column.tolist() == ["a", "b", "c"]
        assert column.unwrap() == ["a", "b", "c"]
        assert column.batch_size == (3,)

    def test_data_of_equal_rows_is_one(self, column):
        assert NonTensorStack("a", "a").data == "a"
        with pytest.raises(TDAttributeError, match="not unique"):
            _ = column.data

    def test_empty(self):
        assert NonTensorStack().tolist() == []
        assert NonTensorStack.from_list([]).batch_size == (0,)

    @pytest.mark.parametrize(
        ("values", "shape"),
        [
            (["a", "b"], (2,)),
            ([["a", "b"], ["c", "d"]], (2, 2)),
            ([["a", "b"], ["c"]], (2,)),
            (["a", ["b"]], (2,)),
            ([[], []], (2,)),
            ([None, None], (2,)),
            ([{"x": 1}, {"x": 2}], (2,)),
        ],
    )
    def test_from_list_takes_regular_levels_as_dims(self, values, shape):
        column = NonTensorStack.from_list(values)
        assert column.batch_size == shape
        assert column.tolist() == values

    def test_items_are_unwrapped_and_stacked(self):
        nested = NonTensorStack(NonTensorStack("a", "b"), NonTensorStack("c", "d"))
        assert nested.tolist() == [["a", "b"], ["c", "d"]]
        other_dim = NonTensorStack(NonTensorStack("a", "b"), NonTensorStack("c", "d"), stack_dim=1)
        assert other_dim.tolist() == [["a", "c"], ["b", "d"]]
        mixed = NonTensorStack(NonTensorData("a", batch_size=[2]), NonTensorStack("b", "c"))
        assert mixed.tolist() == [["a", "a"], ["b", "c"]]
        assert NonTensorStack(["a", "b"], ["c"]).tolist() == [["a", "b"], ["c"]]

    def test_stack_dim_of_plain_values(self):
        with pytest.raises(TDValueError, match="stack_dim"):
            NonTensorStack("a", "b", stack_dim=1)

    def test_update(self, column):
        assert column.update(["x", "y", "z"]).tolist() == ["x", "y", "z"]
        assert column.update_(NonTensorStack("1", "2", "3")).tolist() == ["1", "2", "3"]
        assert column.copy_(NonTensorData("w")).tolist() == ["w", "w", "w"]
        with pytest.raises(TDRuntimeError, match=r"\[2\].*\[3\]"):
            column.update(["x", "y"])

    def test_repr(self, column):
        assert repr(column) == (
            "NonTensorStack(\n    ['a', 'b', 'c'],\n    batch_size=torch.Size([3]),\n    device=None)"
        )

    def test_repr_of_many_rows_is_short(self):
        assert "[0, 1, 2" in repr(NonTensorStack(*range(100_000)))
        assert len(repr(NonTensorStack(*range(100_000)))) < 200
        assert "..." in repr(NonTensorStack(*[0] * 33))

    def test_iteration_gives_items(self, column):
        items = list(column)
        assert [item.data for item in items] == ["a", "b", "c"]
        assert all(type(item) is NonTensorData for item in items)


POSITIONS = torch.arange(6).view(2, 3)
LETTERS = "abcdef"

INDICES = [
    0,
    -1,
    slice(1),
    (0, 1),
    (slice(None), 2),
    ...,
    None,
    (None, 1),
    [1, 0],
    torch.tensor([[0, 1], [1, 1]]),
    torch.tensor([True, False]),
    torch.tensor([[True, False, True], [False, True, False]]),
    np.array([1]),
    (torch.tensor([0, 1]), torch.tensor([2, 0])),
]


class TestShapes:
    """The oracle is a tensor of positions of the same shape."""

    @staticmethod
    def letters(positions):
        if positions.ndim == 0:
            return LETTERS[int(positions)]
        return [TestShapes.letters(row) for row in positions]

    @pytest.mark.parametrize("index", INDICES, ids=repr)
    def test_index(self, grid, index):
        result = grid[index]
        expected = POSITIONS[index]
        assert result.batch_size == expected.shape
        assert result.tolist() == self.letters(expected)
        assert type(result) is (NonTensorStack if expected.ndim else NonTensorData)
        assert NonTensorData("a", batch_size=[2, 3])[index].batch_size == expected.shape

    @pytest.mark.parametrize(
        ("name", "args"),
        [
            ("permute", (1, 0)),
            ("transpose", (0, 1)),
            ("reshape", (3, 2)),
            ("reshape", (-1,)),
            ("view", (6,)),
            ("flatten", ()),
            ("unflatten", (1, [3, 1])),
            ("unsqueeze", (1,)),
            ("expand", (4, 2, 3)),
            ("repeat", (2, 1)),
            ("gather", (1, torch.tensor([[0], [2]]))),
            ("unbind", (1,)),
            ("split", (2, 1)),
        ],
    )
    def test_methods(self, grid, name, args):
        result, expected = getattr(grid, name)(*args), getattr(POSITIONS, name)(*args)
        one = getattr(NonTensorData("a", batch_size=[2, 3]), name)(*args)
        if not isinstance(expected, tuple):
            result, expected, one = (result,), (expected,), (one,)
        assert len(result) == len(expected)
        for got, want, single in zip(result, expected, one, strict=True):
            assert got.tolist() == self.letters(want)
            assert single.batch_size == want.shape
            assert single.data == "a"

    def test_squeeze(self, column):
        assert column.unsqueeze(0).squeeze().tolist() == ["a", "b", "c"]

    def test_torch_functions(self, grid):
        assert torch.permute(grid, (1, 0)).tolist() == [["a", "d"], ["b", "e"], ["c", "f"]]
        assert torch.flip(grid, (0,)).tolist() == [["d", "e", "f"], ["a", "b", "c"]]
        assert [part.tolist() for part in torch.unbind(grid, 0)] == [["a", "b", "c"], ["d", "e", "f"]]
        with pytest.raises(TypeError):
            torch.sin(grid)


class TestCombining:
    def test_stack_of_values_is_a_column(self):
        stack = torch.stack([NonTensorData("a"), NonTensorData("a")])
        assert type(stack) is NonTensorStack
        assert stack.tolist() == ["a", "a"]
        assert torch.stack([NonTensorData("a", batch_size=[2]), NonTensorData("b", batch_size=[2])], 1).tolist() == [
            ["a", "b"],
            ["a", "b"],
        ]

    def test_rows_of_a_stack_are_independent(self):
        stack = torch.stack([NonTensorData("a", batch_size=[2]), NonTensorData("b", batch_size=[2])])
        stack[0, 1] = "z"
        assert stack.tolist() == [["a", "z"], ["b", "b"]]

    def test_cat(self):
        equal = torch.cat([NonTensorData("a", batch_size=[2]), NonTensorData("a", batch_size=[3])])
        assert type(equal) is NonTensorData
        assert equal.batch_size == (5,)
        differ = torch.cat([NonTensorData("a", batch_size=[2]), NonTensorStack("b")])
        assert differ.tolist() == ["a", "a", "b"]

    def test_stack_of_columns_of_unequal_length_holds_lists(self):
        stack = torch.stack([NonTensorStack("a", "b"), NonTensorStack("c")])
        assert stack.batch_size == (2,)
        assert stack.tolist() == [["a", "b"], ["c"]]

    def test_meta_data_stays_one(self):
        meta = MetaData("a", batch_size=[2])
        stack = torch.stack([meta, meta], 1)
        assert type(stack) is MetaData
        assert stack.batch_size == (2, 2)
        assert torch.stack([meta, MetaData("b", batch_size=[2])]).tolist() == [["a", "a"], ["b", "b"]]


class TestViewsAndCopies:
    def test_views_share_rows(self, grid):
        grid[0][1] = "X"
        grid.permute(1, 0)[2, 1] = "Y"
        grid[1, 0].data = "Z"
        assert grid.tolist() == [["a", "X", "c"], ["Z", "e", "Y"]]

    @pytest.mark.parametrize(
        "copied",
        [
            lambda g: g[torch.tensor([0, 1])],
            lambda g: g.clone(),
            lambda g: g.contiguous(),
            lambda g: g.expand(2, 2, 3)[0],
            lambda g: g.to("cpu"),
        ],
    )
    def test_copies_do_not(self, grid, copied):
        other = copied(grid)
        other[0, 0] = "X"
        assert grid.tolist() == [["a", "b", "c"], ["d", "e", "f"]]
        assert other.tolist() == [["X", "b", "c"], ["d", "e", "f"]]

    def test_writing_the_source_leaves_clones_alone(self, grid):
        clone = grid.clone()
        view = grid[0]
        grid[0, 0] = "X"
        assert clone.tolist()[0] == ["a", "b", "c"]
        assert view.tolist() == ["X", "b", "c"]

    def test_a_clone_copies_no_rows_until_written(self):
        column = NonTensorStack(*range(100))
        clone = column.clone()
        assert clone._rows.values is column._rows.values
        clone[0] = -1
        assert column.tolist()[0] == 0

    def test_expanded_positions_are_independent(self, column):
        wide = column.expand(2, 3)
        wide[0, 0] = "X"
        assert wide.tolist() == [["X", "b", "c"], ["a", "b", "c"]]

    @pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
    def test_pickle_and_deepcopy(self, grid, duplicate):
        other = duplicate(grid[:, 1:])
        assert other.tolist() == [["b", "c"], ["e", "f"]]
        other[0, 0] = "X"
        assert grid.tolist()[0] == ["a", "b", "c"]
        single = duplicate(NonTensorData("a", batch_size=[2], device="cpu"))
        assert (single.data, single.batch_size, single.device) == ("a", (2,), torch.device("cpu"))

    def test_pickle_of_a_slice_leaves_the_other_rows_out(self):
        column = NonTensorStack(*[f"row {i}" for i in range(10_000)])
        assert len(pickle.dumps(column[:2])) < 1000

    def test_writes_by_index(self, grid):
        grid[torch.tensor([True, False])] = [["x", "y", "z"]]
        grid[1] = NonTensorData("q")
        assert grid.tolist() == [["x", "y", "z"], ["q", "q", "q"]]
        with pytest.raises(TDRuntimeError, match="positions of batch size"):
            grid[0] = ["x", "y"]


class TestEquality:
    def test_elementwise(self):
        two = NonTensorData("a", batch_size=[2])
        assert (two == NonTensorData("a", batch_size=[2])).tolist() == [True, True]
        assert (two != NonTensorData("a", batch_size=[2])).tolist() == [False, False]
        assert (NonTensorStack("a", "b") == two).tolist() == [True, False]
        assert (NonTensorStack("a", "b") != NonTensorStack("a", "c")).tolist() == [False, True]

    def test_with_something_else(self):
        assert (NonTensorData("a") == "a") is False

    def test_unhashable(self):
        with pytest.raises(TypeError, match="unhashable"):
            hash(NonTensorData("a"))

    def test_same_value(self):
        assert same_value(torch.ones(2), torch.ones(2))
        assert not same_value(torch.ones(2), torch.ones(3))
        assert not same_value(torch.ones(2), 1)
        assert same_value(np.ones(2), np.ones(2))
        assert not same_value([np.ones(2)], [np.ones(2)])  # a list of arrays has no truth value
        assert same_value([1, "a"], [1, "a"])


class Tagged(NonTensorData):
    """A subclass with an attribute of its own."""

    def __init__(self, data, tag, **kwargs):
        super().__init__(data, **kwargs)
        self.tag = tag


class TestSubclasses:
    def test_detection(self):
        assert is_non_tensor(Tagged("a", 1))
        assert is_non_tensor(Tagged)
        assert is_non_tensor(NonTensorStack("a"))
        assert not is_non_tensor("a")
        assert not is_non_tensor(torch.zeros(1))
        assert isinstance(NonTensorStack(), NonTensorDataBase)

    def test_shape_changes_keep_class_and_attributes(self):
        part = Tagged("a", 7, batch_size=[2, 3])[0].unsqueeze(0)
        assert type(part) is Tagged
        assert part.tag == 7
        assert part.batch_size == (1, 3)

    def test_columns_give_items_of_the_class_back(self):
        stack = torch.stack([Tagged("a", 1), Tagged("b", 2)])
        assert type(stack) is NonTensorStack
        assert type(stack[1]) is Tagged
        assert stack[1].data == "b"
