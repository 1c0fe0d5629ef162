"""Writing by index (rows CORE-070 to CORE-073)."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from td_core import TensorDict
from td_core.abc import Capability
from td_core.testing.gates import needs
from td_core.testing.strategies import SUITE_SETTINGS, indices, shapes
from td_core.testing.suites.index_read import torch_index
from td_core.testing.topic import TopicTests, check_leaves, leaves


class IndexWriteTests(TopicTests):
    """`td[index] = value` writes into the region in place."""

    @needs(Capability.INPLACE)
    @pytest.mark.parametrize(
        "index",
        [
            1,
            -1,
            slice(1, 3),
            slice(None, None, 2),
            ...,
            range(1, 3),
            [0, 2],
            torch.tensor([3, 0]),
            torch.tensor([True, False, True, False]),
            torch.tensor([[True, False, True]] * 4),
            (slice(None), 1),
            (..., 0),
            (1, 2),
            (torch.tensor([0, 1]), torch.tensor([2, 0])),
            (slice(1, 3), [0, 2]),
        ],
        ids=repr,
    )
    def test_write_container(self, index: Any) -> None:
        """CORE-070, CORE-072: a container of the indexed batch size is written entry by entry."""
        td = self.sample(finer=False)
        expected = {key: value.clone() for key, value in leaves(td).items()}
        plain = torch_index(index)
        for value in expected.values():
            value.view(4, 3, -1)[_closed(plain)] = 1
        size = torch.empty(4, 3)[plain].shape
        part = TensorDict(
            {
                key: torch.ones_like(torch.empty(4, 3, *value.shape[2:])[_closed(plain)]).to(value.dtype)
                for key, value in expected.items()
            },
            batch_size=size,
        )
        td[index] = part
        check_leaves(td, expected, batch_size=[4, 3])
        for key, value in expected.items():
            assert torch.equal(self.case.raw_read(td, key), value)

    @needs(Capability.INPLACE)
    def test_write_dict(self) -> None:
        """CORE-070: a dict is converted first, nested ones too."""
        td = self.sample(finer=False)
        expected = {key: value.clone() for key, value in leaves(td).items()}
        td[1] = {"a": torch.full((3,), 5.0), "node": {"c": torch.full((3, 5), 6.0)}}
        expected["a"][1] = 5.0
        expected["node", "c"][1] = 6.0
        check_leaves(td, expected)

    @needs(Capability.INPLACE)
    @pytest.mark.parametrize("value", [0, 1, True])
    def test_write_number(self, value: Any) -> None:
        """CORE-070, TRAP-017: a number goes to every entry, nodes included."""
        td = self.sample()
        expected = {key: leaf.clone() for key, leaf in leaves(td).items()}
        for leaf in expected.values():
            leaf[1:3] = value
        td[1:3] = value
        check_leaves(td, expected)

    @needs(Capability.INPLACE)
    def test_write_tensor(self) -> None:
        """CORE-070, TRAP-017: a tensor is written to every entry, and broadcasts as in torch."""
        td = self.make({"x": torch.zeros(4, 3), "n": {"y": torch.zeros(4, 3)}}, [4])
        td[1] = torch.tensor([1.0, 2.0, 3.0])
        for key in ("x", ("n", "y")):
            assert td[key].tolist() == [[0.0] * 3, [1.0, 2.0, 3.0], [0.0] * 3, [0.0] * 3]

    @needs(Capability.INPLACE)
    def test_write_mask(self) -> None:
        """CORE-070: a mask and a number."""
        td = self.make({"x": torch.arange(4.0)}, [4])
        td[torch.tensor([True, False, True, False])] = -1.0
        assert td["x"].tolist() == [-1.0, 1.0, -1.0, 3.0]

    @needs(Capability.INPLACE)
    def test_write_expands_on_the_left(self) -> None:
        """CORE-071, TRAP-016: a value whose batch size is the trailing part of the region's is expanded."""
        td = self.make({"x": torch.zeros(4, 3, 2)}, [4, 3])
        td[1:3] = TensorDict({"x": torch.ones(3, 2)}, batch_size=[3])
        assert torch.equal(td["x"][1:3], torch.ones(2, 3, 2))
        assert torch.equal(td["x"][0], torch.zeros(3, 2))

    @needs(Capability.INPLACE)
    def test_write_with_smaller_batch_size(self) -> None:
        """CORE-071, TRAP-016: a value with fewer batch dims works when its leaves have the shape of the region."""
        td = self.make({"x": torch.zeros(4, 3, 2)}, [4, 3])
        value = TensorDict({"x": torch.ones(2, 3, 2)}, batch_size=[])
        td[1:3] = value
        assert torch.equal(td["x"][1:3], torch.ones(2, 3, 2))
        assert value.batch_size == torch.Size([])

    @needs(Capability.INPLACE)
    def test_write_does_not_broadcast_singletons(self) -> None:
        """CORE-071, TRAP-016: dims of size 1 are not broadcast; the error names both sizes and the index."""
        td = self.make({"x": torch.zeros(2, 4)}, [2, 4])
        with pytest.raises(RuntimeError) as caught:
            td[:] = TensorDict({"x": torch.ones(1, 4)}, batch_size=[1, 4])
        assert "[1, 4]" in str(caught.value)
        assert "[2, 4]" in str(caught.value)
        assert torch.equal(td["x"], torch.zeros(2, 4))

    @needs(Capability.INPLACE)
    def test_write_of_wrong_size_raises(self) -> None:
        """CORE-071: a value that does not fit the region is a RuntimeError."""
        td = self.make({"x": torch.zeros(4, 3)}, [4])
        with pytest.raises(RuntimeError):
            td[1:3] = TensorDict({"x": torch.ones(3, 3)}, batch_size=[3])
        with pytest.raises(RuntimeError):
            td[0] = TensorDict({"x": torch.ones(2)}, batch_size=[2])

    @needs(Capability.WRITE | Capability.INPLACE)
    def test_write_new_key(self) -> None:
        """CORE-072, TRAP-018: a key only the value has appears full-size, zero outside the region."""
        td = self.make({"x": torch.zeros(4, 3)}, [4])
        td[1:3] = TensorDict({"x": torch.ones(2, 3), "new": torch.full((2, 5), 7, dtype=torch.int32)}, batch_size=[2])
        expected = torch.zeros(4, 5, dtype=torch.int32)
        expected[1:3] = 7
        assert td["new"].dtype == torch.int32
        assert torch.equal(td["new"], expected)
        assert torch.equal(td["x"][1:3], torch.ones(2, 3))

    @needs(Capability.WRITE | Capability.INPLACE)
    def test_write_new_nested_key(self) -> None:
        """CORE-072: the same inside nodes, and for whole nodes."""
        td = self.make({"n": {"x": torch.zeros(4)}}, [4])
        td[0] = {"n": {"new": torch.tensor(2.0)}, "m": {"z": torch.tensor(3.0)}}
        assert td["n", "new"].tolist() == [2.0, 0.0, 0.0, 0.0]
        assert td["m", "z"].tolist() == [3.0, 0.0, 0.0, 0.0]
        assert td["n", "x"].tolist() == [0.0] * 4

    @needs(Capability.INPLACE)
    def test_write_leaves_other_keys(self) -> None:
        """CORE-072: keys that only the destination has are untouched."""
        td = self.make({"x": torch.zeros(4), "y": torch.arange(4.0)}, [4])
        td[2] = {"x": torch.tensor(1.0)}
        assert td["x"].tolist() == [0.0, 0.0, 1.0, 0.0]
        assert td["y"].tolist() == [0.0, 1.0, 2.0, 3.0]

    @needs(Capability.INPLACE | Capability.LOCK)
    def test_write_locked(self) -> None:
        """CORE-072, TRAP-018: on a locked container existing keys are written, new ones refused."""
        td = self.make({"x": torch.zeros(4)}, [4]).lock_()
        td[1] = {"x": torch.tensor(1.0)}
        assert td["x"].tolist() == [0.0, 1.0, 0.0, 0.0]
        with pytest.raises(RuntimeError):
            td[1] = {"new": torch.tensor(1.0)}
        assert set(td.keys()) == {"x"}

    @needs(Capability.NON_TENSOR | Capability.WRITE)
    def test_write_non_tensor(self) -> None:
        """CORE-049, CORE-072: non-tensor data is written row by row."""
        td = self.make({"s": "text", "x": torch.zeros(3)}, [3])
        td[1] = {"s": "other", "x": torch.tensor(1.0)}
        assert td["s"] == ["text", "other", "text"]
        assert td["x"].tolist() == [0.0, 1.0, 0.0]
        td[:2] = td[1:].clone()
        assert td["s"] == ["other", "text", "text"]

    @needs(Capability.INPLACE)
    def test_write_into_itself(self) -> None:
        """CORE-070: rows may be copied within a container."""
        td = self.sample(finer=False)
        expected = {key: value.clone() for key, value in leaves(td).items()}
        for value in expected.values():
            value[0] = value[3].clone()
        td[0] = td[3]
        check_leaves(td, expected)

    @needs(Capability.INPLACE)
    @SUITE_SETTINGS
    @given(data=st.data(), shape=shapes(max_dims=3))
    def test_write_like_plain_tensors(self, data: st.DataObject, shape: tuple[int, ...]) -> None:
        """CORE-070: writing at any index is writing at that index of each leaf."""
        start = {"a": torch.arange(torch.Size(shape).numel()).reshape(shape), ("n", "b"): torch.ones(*shape, 2)}
        td = self.make({"a": start["a"].clone(), "n": {"b": torch.ones(*shape, 2)}}, shape)
        index = data.draw(indices(shape))
        plain = torch_index(index)
        try:
            region = torch.empty(shape)[plain].shape
        except IndexError:
            return
        expected = {key: value.clone() for key, value in start.items()}
        expected["a"][plain] = -1
        # the extra dim of "b" moves to the front, so that an ellipsis cannot reach it
        expected["n", "b"].movedim(-1, 0).unbind(0)[0][plain] = -1
        expected["n", "b"].movedim(-1, 0).unbind(0)[1][plain] = -1
        part = {"a": torch.full(region, -1), "n": {"b": torch.full((*region, 2), -1.0)}}
        td[index] = TensorDict(part, batch_size=region)
        check_leaves(td, expected, batch_size=shape)

    @needs(Capability.INPLACE)
    def test_sub_tensordict_writes_through(self) -> None:
        """CORE-073: `_get_sub_tensordict` is a view whose writes reach the source."""
        td = self.make({"x": torch.zeros(4, 3)}, [4])
        view = td._get_sub_tensordict(1)
        assert view.batch_size == torch.Size([])
        view.set_("x", torch.ones(3))
        assert torch.equal(td["x"][1], torch.ones(3))
        assert torch.equal(td["x"][0], torch.zeros(3))


def _closed(index: Any) -> Any:
    """Spell an ellipsis out over two batch dims."""
    items = index if isinstance(index, tuple) else (index,)
    if any(item is Ellipsis for item in items):
        where = next(i for i, item in enumerate(items) if item is Ellipsis)
        items = (*items[:where], *[slice(None)] * (3 - len(items)), *items[where + 1 :])
    return items
