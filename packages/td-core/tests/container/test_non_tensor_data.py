"""The wrappers of Python values (rows CORE-152 to CORE-157, CORE-159)."""

from __future__ import annotations

import pickle

import pytest
import torch

from td_core import NonTensorData, NonTensorStack, TensorDict, is_non_tensor


class TestNonTensorData:
    def test_attributes(self):
        """CORE-152"""
        data = NonTensorData("x", batch_size=[2, 3], device="cpu", names=["p", "q"])
        assert data.data == "x"
        assert data.batch_size == torch.Size([2, 3])
        assert data.device == torch.device("cpu")
        assert data.names == ["p", "q"]
        assert data.tolist() == [["x"] * 3] * 2

    def test_without_batch_dims(self):
        """CORE-152"""
        value = object()
        assert NonTensorData(value).batch_size == torch.Size([])
        assert NonTensorData(value).tolist() is value

    def test_wrapping_does_not_nest(self):
        """CORE-152"""
        assert NonTensorData(NonTensorData("x")).data == "x"

    def test_data_can_be_set(self):
        """CORE-152"""
        data = NonTensorData("x", batch_size=[2])
        data.data = "y"
        assert data.data == "y"
        assert data.update(NonTensorData("z", batch_size=[2])).data == "z"
        assert data.update_(NonTensorData("w", batch_size=[2])).data == "w"
        assert data.tolist() == ["w", "w"]

    def test_calling(self):
        """CORE-153"""
        assert NonTensorData(lambda value, *, more: value + more)(3, more=4) == 7
        with pytest.raises(TypeError):
            NonTensorData("x")(3)

    def test_detection(self):
        """CORE-154"""
        for yes in (NonTensorData("x"), NonTensorStack("a", "b"), NonTensorData, NonTensorStack):
            assert is_non_tensor(yes)
        for no in ("x", torch.ones(1), TensorDict(), {}, None):
            assert not is_non_tensor(no)

    def test_subclass(self):
        """CORE-159"""

        class Label(NonTensorData):
            pass

        label = Label("x", batch_size=[2])
        assert is_non_tensor(label)
        assert label.data == "x"
        td = TensorDict({"l": label}, batch_size=[2])
        assert td["l"] == "x"
        assert isinstance(td.get("l"), Label)
        assert td[0]["l"] == "x"

    def test_equality(self):
        """CORE-126"""
        assert (NonTensorData("x", batch_size=[2]) == NonTensorData("x", batch_size=[2])).tolist() == [True, True]
        assert (NonTensorData("x", batch_size=[2]) == NonTensorData("y", batch_size=[2])).tolist() == [False, False]

    def test_maybe_to_stack(self):
        """CORE-157"""
        data = NonTensorData("x")
        assert data.maybe_to_stack() is data
        stack = NonTensorData("x", batch_size=[2]).maybe_to_stack()
        assert isinstance(stack, NonTensorStack)
        assert stack.tolist() == ["x", "x"]
        assert stack.batch_size == torch.Size([2])

    def test_shape_operations(self):
        """CORE-158"""
        data = NonTensorData("x", batch_size=[4, 3])
        assert data.view(12).batch_size == torch.Size([12])
        assert data.permute(1, 0).batch_size == torch.Size([3, 4])
        assert data[0].batch_size == torch.Size([3])
        assert data[0].data == "x"
        assert data.expand(2, 4, 3).batch_size == torch.Size([2, 4, 3])

    def test_pickle(self):
        """CORE-152"""
        data = pickle.loads(pickle.dumps(NonTensorData({"a": 1}, batch_size=[2])))
        assert data.data == {"a": 1}
        assert data.batch_size == torch.Size([2])


class TestNonTensorStack:
    def test_items(self):
        """CORE-156"""
        stack = NonTensorStack("a", "b", "c")
        assert stack.tolist() == ["a", "b", "c"]
        assert stack.batch_size == torch.Size([3])
        assert stack[0].data == "a"
        assert stack[1:].tolist() == ["b", "c"]
        assert stack[torch.tensor([2, 0])].tolist() == ["c", "a"]
        assert [item.data for item in stack.unbind(0)] == ["a", "b", "c"]

    def test_from_list(self):
        """CORE-156"""
        stack = NonTensorStack.from_list([["a", "b"], ["c", "d"]])
        assert stack.tolist() == [["a", "b"], ["c", "d"]]
        assert stack.batch_size == torch.Size([2, 2])
        assert stack[1, 0].data == "c"

    def test_of_batched_items(self):
        """CORE-156"""
        items = [NonTensorData(value, batch_size=[3]) for value in "ab"]
        assert NonTensorStack(*items).tolist() == [["a"] * 3, ["b"] * 3]
        assert NonTensorStack(*items, stack_dim=1).tolist() == [["a", "b"]] * 3

    def test_data_of_different_values_raises(self):
        """CORE-156"""
        assert NonTensorStack("a", "a").data == "a"
        with pytest.raises(AttributeError, match="tolist"):
            _ = NonTensorStack("a", "b").data

    def test_torch_stack(self):
        """CORE-156"""
        new = torch.stack([NonTensorData("a"), NonTensorData("a")])
        assert isinstance(new, NonTensorStack)
        assert new.tolist() == ["a", "a"]

    def test_pickle(self):
        """CORE-156"""
        assert pickle.loads(pickle.dumps(NonTensorStack("a", "b"))).tolist() == ["a", "b"]
