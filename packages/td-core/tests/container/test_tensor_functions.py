"""Functions on tensors and rows (rows CORE-217 and CORE-218)."""

from __future__ import annotations

import pytest
import torch

from td_core import TensorDict, expand_as_right, expand_right, isin, remove_duplicates


class TestRows:
    def test_isin(self):
        """CORE-217"""
        td = TensorDict({"a": torch.tensor([[1, 2], [3, 4], [1, 2]])}, batch_size=[3])
        reference = TensorDict({"a": torch.tensor([[1, 2], [5, 6]])}, batch_size=[2])
        assert isin(td, reference, "a").tolist() == [True, False, True]

    def test_isin_nested_key(self):
        """CORE-217"""
        td = TensorDict({"n": {"a": torch.tensor([1, 2, 3])}}, batch_size=[3])
        reference = TensorDict({"n": {"a": torch.tensor([3, 1])}}, batch_size=[2])
        assert isin(td, reference, ("n", "a")).tolist() == [True, False, True]

    def test_isin_missing_key_raises(self):
        """CORE-217"""
        td = TensorDict({"a": torch.zeros(3)}, batch_size=[3])
        for one, two in ((td, td.exclude("a")), (td.exclude("a"), td)):
            with pytest.raises(KeyError):
                isin(one, two, "a")

    def test_remove_duplicates(self):
        """CORE-217"""
        td = TensorDict({"a": torch.tensor([1, 2, 1, 3, 2]), "b": torch.arange(5)}, batch_size=[5])
        new = remove_duplicates(td, "a")
        assert new["a"].tolist() == [1, 2, 3]
        assert new["b"].tolist() == [0, 1, 3]
        assert new.batch_size == torch.Size([3])

    def test_remove_duplicates_along_another_dim(self):
        """CORE-217"""
        td = TensorDict({"a": torch.tensor([[1, 2, 1], [3, 4, 3]])}, batch_size=[2, 3])
        assert remove_duplicates(td, "a", dim=1)["a"].tolist() == [[1, 2], [3, 4]]

    def test_remove_duplicates_missing_key_raises(self):
        """CORE-217"""
        with pytest.raises(KeyError):
            remove_duplicates(TensorDict({"a": torch.zeros(3)}, batch_size=[3]), "x")


class TestExpand:
    def test_expand_as_right(self):
        """CORE-218"""
        new = expand_as_right(torch.tensor([1.0, 2.0]), torch.zeros(2, 3))
        assert new.tolist() == [[1.0] * 3, [2.0] * 3]

    def test_expand_right(self):
        """CORE-218"""
        new = expand_right(torch.tensor([1.0, 2.0]), (2, 3, 4))
        assert new.shape == torch.Size([2, 3, 4])
        assert new[1].unique().tolist() == [2.0]

    def test_singletons(self):
        """CORE-218"""
        assert expand_as_right(torch.ones(1), torch.zeros(2, 3)).shape == torch.Size([2, 3])

    @pytest.mark.parametrize(("shape", "dest"), [((2, 3), (2,)), ((3,), (2, 3)), ((2, 2), (2, 3))])
    def test_errors(self, shape, dest):
        """CORE-218"""
        with pytest.raises(RuntimeError):
            expand_as_right(torch.ones(shape), torch.zeros(dest))
        with pytest.raises(RuntimeError):
            expand_right(torch.ones(shape), dest)

    def test_tensordict_destination(self):
        """CORE-218"""
        td = TensorDict({"a": torch.ones(2)}, batch_size=[2])
        new = expand_as_right(td, TensorDict(batch_size=[2, 5]))
        assert new.batch_size == torch.Size([2, 5])
        assert torch.equal(new["a"], torch.ones(2, 5))
