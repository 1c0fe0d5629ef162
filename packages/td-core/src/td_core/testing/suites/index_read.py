"""Reading by index (rows CORE-065 to CORE-069)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from td_core.abc import Capability
from td_core.testing.gates import needs, shares_values
from td_core.testing.strategies import SUITE_SETTINGS, indices, shapes
from td_core.testing.topic import TopicTests, check_leaves, leaves, mapped, same_memory

INDICES: list[Any] = [
    0,
    -1,
    slice(1, 3),
    slice(None, None, 2),
    slice(4, None),
    None,
    ...,
    range(1, 3),
    [0, 2],
    [[0, 2], [1, 1]],
    [True, False, True, False],
    np.array([0, 2]),
    np.array([True, False, True, False]),
    np.int64(2),
    torch.tensor(2),
    torch.tensor([3, 0]),
    torch.tensor([[3, 0], [1, 1]]),
    torch.tensor([True, False, True, False]),
    torch.tensor([[True, False, True]] * 4),
    torch.tensor(True),
    torch.tensor(False),
    (0, 1),
    (slice(None), 1),
    (slice(None), -1),
    (..., 0),
    (None, 0),
    (0, None, 1),
    (None, ..., None),
    (slice(1, 3), torch.tensor([0, 2])),
    (torch.tensor([0, 1]), torch.tensor([2, 0])),
    (torch.tensor([0, 1]), 1),
    (torch.tensor([[0], [1]]), torch.tensor([2, 0])),
    (torch.tensor([0, 1]), None, torch.tensor([2, 0])),
    (torch.tensor([True, False, True, False]), 0),
    (slice(None), torch.tensor([True, False, True])),
    (0, [1, 2]),
    ([0, 1], slice(0, 2)),
    (range(2), slice(None)),
]


def torch_index(index: Any) -> Any:
    """Spell an index as torch itself understands it."""
    if isinstance(index, range):
        return torch.tensor(list(index), dtype=torch.int64)
    if isinstance(index, np.ndarray):
        return torch.from_numpy(index)
    if isinstance(index, list) and any(isinstance(item, list) for item in index):
        return torch.tensor(index)
    if isinstance(index, tuple):
        return tuple(torch_index(item) for item in index)
    return index


class IndexReadTests(TopicTests):
    """`td[index]` acts on the batch dims of every leaf as it does on a plain tensor."""

    @pytest.mark.parametrize("index", INDICES, ids=repr)
    def test_index(self, index: Any) -> None:
        """CORE-065: each leaf is indexed as a plain tensor, the batch size as an empty one of that shape."""
        td = self.sample()
        expected = mapped(td, lambda value: _leading(value, torch_index(index), 2))
        size = torch.empty(4, 3)[torch_index(index)].shape
        check_leaves(td[index], expected, batch_size=size)

    @pytest.mark.parametrize(
        ("index", "names"),
        [
            ((0, slice(None), [1, 0, 1]), ["y", "z"]),
            (([1, 0, 1], slice(None), 0), ["x", "y"]),
            ((slice(None), 0, [1, 0, 1]), ["x", "z"]),
            ((torch.tensor(0), slice(None), torch.tensor([1, 0, 1])), ["y", "z"]),
            ((torch.tensor([1, 0, 1]), slice(None), torch.tensor([1, 0, 1])), [None, "y"]),
            ((torch.tensor([1, 0, 1]), 0, torch.tensor([1, 0, 1])), [None]),
            ((torch.tensor([1, 0, 1]), None, 0, torch.tensor([1, 0, 1])), [None, None]),
            ((None, torch.tensor([1, 0, 1]), 0), [None, "x", "z"]),
        ],
        ids=repr,
    )
    def test_index_integers_are_no_advanced_indices(self, index: Any, names: list[str | None]) -> None:
        """CORE-065, CORE-069: single positions are picked first; index tensors then merge where torch puts them."""
        value = torch.arange(24).reshape(4, 3, 2)
        td = self.make({"a": value}, [4, 3, 2])
        check_leaves(td[index], {"a": value[index]}, batch_size=value[index].shape)
        if Capability.NAMES in self.case.capabilities:
            td.names = ["x", "y", "z"]
            assert td[index].names == names

    @pytest.mark.parametrize("index", [0, slice(1, 3), [0, 2], torch.tensor([True, False, True, False]), (..., 1)])
    def test_index_keeps_extra_dims_of_nodes(self, index: Any) -> None:
        """CORE-067: a node with more batch dims than its parent keeps the extra ones."""
        td = self.sample()
        new = td[index]
        assert new["node", "deep"].batch_size == torch.Size([*new.batch_size, 2])

    @SUITE_SETTINGS
    @given(data=st.data(), shape=shapes(max_dims=3))
    def test_index_like_plain_tensors(self, data: st.DataObject, shape: tuple[int, ...]) -> None:
        """CORE-065, CORE-067: any index, any batch size: the same as indexing each leaf with torch."""
        td = self.make({"a": torch.arange(_count(shape)).reshape(shape), "n": {"b": torch.ones(*shape, 2)}}, shape)
        index = data.draw(indices(shape))
        try:
            size = torch.empty(shape)[torch_index(index)].shape
        except IndexError:
            with pytest.raises(IndexError):
                td[index]
            return
        expected = mapped(td, lambda value: _leading(value, torch_index(index), len(shape)))
        check_leaves(td[index], expected, batch_size=size)

    @pytest.mark.parametrize("index", [4, -5, (0, 3), [0, 4], torch.tensor([4]), (0, 0, 0)])
    def test_index_out_of_range_raises(self, index: Any) -> None:
        """CORE-065: as on a tensor; an index never reaches past the batch dims."""
        with pytest.raises((IndexError, RuntimeError)):
            self.sample()[index]

    def test_index_with_int_out_of_range_raises(self) -> None:
        """CORE-065: an integer out of range is an IndexError, also where there is no leaf to notice."""
        with pytest.raises(IndexError):
            self.sample()[4]
        with pytest.raises(IndexError):
            self.make({"a": torch.zeros(0, 3)}, [0])[0]

    def test_index_mask_of_wrong_shape_raises(self) -> None:
        """CORE-065: a mask must fit the batch dims."""
        with pytest.raises(IndexError):
            self.sample()[torch.ones(3, dtype=torch.bool)]

    def test_index_with_empty_tuple(self) -> None:
        """CORE-065: `td[()]` is the container itself."""
        td = self.sample()
        assert td[()] is td

    @pytest.mark.parametrize("index", [None, torch.tensor(True), (None, None), (torch.tensor(False),), (None,)])
    def test_index_without_batch_dims(self, index: Any) -> None:
        """CORE-066, TRAP-021: without batch dims, None and a 0-dim boolean tensor are allowed."""
        td = self.make({"a": torch.arange(3.0), "n": {"b": torch.ones(2, 2)}})
        size = torch.empty(())[index].shape
        check_leaves(td[index], mapped(td, lambda value: value[index]), batch_size=size)

    @pytest.mark.parametrize("index", [0, slice(None), [0], torch.tensor([0]), (None, 0)])
    def test_index_without_batch_dims_raises(self, index: Any) -> None:
        """CORE-066, TRAP-021: everything else is refused."""
        with pytest.raises(RuntimeError):
            self.make({"a": torch.arange(3.0)})[index]

    @needs(Capability.VIEWS)
    @needs(Capability.LOCK)
    def test_index_does_not_inherit_the_lock(self) -> None:
        """CORE-068: the result of indexing is unlocked."""
        td = self.sample().lock_()
        for index in (0, slice(2), [0, 1], None):
            assert not td[index].is_locked
            assert not td[index]["node"].is_locked

    @needs(Capability.SHARED | Capability.VIEWS)
    def test_index_of_shared(self) -> None:
        """CORE-068, TRAP-022: an index that keeps the memory keeps the shared flag and the lock; others do not."""
        td = self.sample().share_memory_()
        for index in (0, slice(2), None, ..., (0, slice(1))):
            assert td[index].is_shared()
            assert td[index].is_locked
        for other in ([0, 1], torch.tensor([0, 1]), torch.tensor([True, False, True, False])):
            assert not td[other].is_locked

    @needs(Capability.VIEWS)
    def test_index_shares_memory(self) -> None:
        """CORE-065: integers, slices, None and the ellipsis give views; index lists give copies."""
        td = self.sample()
        for index in (0, slice(1, 3), None, ..., (slice(None), 0)):
            assert same_memory(td[index]["a"], td["a"])
        assert not same_memory(td[[0, 1]]["a"], td["a"])

    @needs(Capability.NAMES)
    @pytest.mark.parametrize(
        ("index", "names"),
        [
            (0, ["y", "z"]),
            ((slice(None), 0), ["x", "z"]),
            (None, [None, "x", "y", "z"]),
            ((slice(None), None), ["x", None, "y", "z"]),
            (slice(1, 3), ["x", "y", "z"]),
            (range(2), ["x", "y", "z"]),
            ([0, 1], ["x", "y", "z"]),
            (torch.tensor([0, 1]), ["x", "y", "z"]),
            (torch.tensor([True, False, True, False]), ["x", "y", "z"]),
            (torch.tensor([[0, 1], [2, 3]]), [None, None, "y", "z"]),
            (torch.ones(4, 3, dtype=torch.bool), [None, "z"]),
            (..., ["x", "y", "z"]),
            ((..., 0), ["x", "y"]),
            ((0, ..., 0), ["y"]),
            ((..., None), ["x", "y", "z", None]),
            ((torch.tensor([0, 1]), torch.tensor([0, 1])), [None, "z"]),
            ((slice(None), torch.tensor([0, 1]), torch.tensor([0, 1])), ["x", None]),
            ((torch.tensor([0, 1]), slice(None), torch.tensor([0, 1])), [None, "y"]),
            ((0, 0, 0), []),
        ],
        ids=repr,
    )
    def test_index_names(self, index: Any, names: list[str | None]) -> None:
        """CORE-069: each kind of index has its rule for the names."""
        td = self.make({"a": torch.arange(24).reshape(4, 3, 2)}, [4, 3, 2], names=["x", "y", "z"])
        new = td[index]
        assert new.names == names
        assert torch.equal(new["a"], torch.arange(24).reshape(4, 3, 2)[torch_index(index)])

    @shares_values
    @needs(Capability.NON_TENSOR)
    def test_index_non_tensor(self) -> None:
        """CORE-067, CORE-158: non-tensor data follows the index."""
        td = self.make({"a": torch.arange(4), "s": ["p", "q", "r", "s"], "one": "text"}, [4])
        assert td[1]["s"] == "q"
        assert list(td[1:3]["s"]) == ["q", "r"]
        assert list(td[[3, 0]]["s"]) == ["s", "p"]
        assert list(td[torch.tensor([True, False, False, True])]["s"]) == ["p", "s"]
        assert td[1]["one"] == td[1:3]["one"] == "text"

    @needs(Capability.NON_TENSOR)
    def test_index_all_non_tensor_kinds_agree(self) -> None:
        """CORE-065: an index list, a tensor and a numpy array mean the same for a column of values."""
        td = self.make({"s": ["p", "q", "r", "s"]}, [4])
        for index in ([2, 1], torch.tensor([2, 1]), np.array([2, 1])):
            assert list(td[index]["s"]) == ["r", "q"]

    def test_index_twice(self) -> None:
        """CORE-065: indexing an indexed container is indexing the tensors twice."""
        td = self.sample()
        check_leaves(td[1:][0], {key: value[1] for key, value in leaves(td).items()}, batch_size=[3])


def _leading(value: torch.Tensor, index: Any, batch_dims: int) -> torch.Tensor:
    """Index the leading `batch_dims` dims of a tensor; an ellipsis must not reach the others."""
    items = index if isinstance(index, tuple) else (index,)
    if any(item is Ellipsis for item in items):
        where = next(i for i, item in enumerate(items) if item is Ellipsis)
        used = sum(_dims_used(item) for item in items)
        items = (*items[:where], *[slice(None)] * (batch_dims - used), *items[where + 1 :])
    return value[items]


def _dims_used(item: Any) -> int:
    if item is None or item is Ellipsis:
        return 0
    if isinstance(item, torch.Tensor) and item.dtype == torch.bool:
        return item.ndim
    return 1


def _count(shape: tuple[int, ...]) -> int:
    return torch.Size(shape).numel()
