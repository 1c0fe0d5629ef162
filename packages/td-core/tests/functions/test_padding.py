"""`pad`, `pad_sequence` and `to_padded_tensor`."""

import pytest
import torch

from td_core import NonTensorStack, TensorDict, pad, pad_sequence
from td_core.errors import TDIndexError, TDRuntimeError, TDValueError


class TestPad:
    def make(self):
        return TensorDict(
            {"a": torch.ones(2, 3), "n": {"b": torch.ones(2, 3, 2)}, "c": NonTensorStack("x", "y")}, [2], names=["t"]
        )

    def test_values(self):
        out = pad(self.make(), [1, 2], value=5)
        assert out.batch_size == out["n"].batch_size == (5,)
        assert out["a"].tolist() == [[5] * 3, [1] * 3, [1] * 3, [5] * 3, [5] * 3]
        assert out["n", "b"].shape == (5, 3, 2)
        assert out["n", "b"].sum() == 12 + 18 * 5
        assert out["c"] == [None, "x", "y", None, None]
        assert out.names == ["t"]

    def test_sizes_start_from_the_first_dim(self):
        td = TensorDict({"a": torch.ones(2, 3)}, [2, 3])
        assert pad(td, [0, 1])["a"].shape == (3, 3)
        assert pad(td, (0, 1, 0, 2)).batch_size == (3, 5)
        assert pad(td, torch.Size([0, 1, 2, 0]))["a"][0].tolist() == [0, 0, 1, 1, 1]
        assert pad(td, [-1, 0])["a"].shape == (1, 3)
        assert pad(td, []).batch_size == (2, 3)

    def test_nodes_with_more_dims(self):
        td = TensorDict({"n": TensorDict({"b": torch.ones(2, 3)}, [2, 3])}, [2])
        assert pad(td, [0, 1])["n"].batch_size == (3, 3)

    def test_shared_value(self):
        assert pad(TensorDict({"s": "hi"}, [2]), [0, 1])["s"] == ["hi", "hi", None]

    def test_errors(self):
        with pytest.raises(TDRuntimeError, match="two sizes"):
            pad(self.make(), [1])
        with pytest.raises(TDRuntimeError, match="2 dims"):
            pad(self.make(), [0] * 4)


class TestPadSequence:
    def make(self):
        return [
            TensorDict({"a": torch.ones(2), "n": {"b": torch.ones(2, 3)}, "s": "x", "only": torch.ones(2)}, [2]),
            TensorDict({"a": torch.ones(4), "n": {"b": torch.ones(4, 3)}, "s": "y"}, [4]),
        ]

    def test_values(self):
        out = pad_sequence(self.make(), padding_value=-1)
        assert out.batch_size == out["n"].batch_size == (2, 4)
        assert out["a"].tolist() == [[1, 1, -1, -1], [1, 1, 1, 1]]
        assert out["n", "b"][0, 2].tolist() == [-1] * 3
        assert out["s"] == [["x", "x", None, None], ["y"] * 4]
        assert "only" not in out

    def test_left(self):
        assert pad_sequence(self.make(), padding_side="left")["a"][0].tolist() == [0, 0, 1, 1]

    @pytest.mark.parametrize(("asked", "key"), [(True, "masks"), ("mine", "mine"), (("q", "mine"), ("q", "mine"))])
    def test_masks(self, asked, key):
        masks = pad_sequence(self.make(), return_mask=asked)[key]
        assert set(masks.keys(True, True)) == {"a", ("n", "b")}
        assert masks["a"].tolist() == masks["n", "b"].tolist() == [[True, True, False, False], [True] * 4]

    def test_values_by_key(self):
        out = pad_sequence(self.make(), padding_value={"a": 3.0, ("n", "b"): 4.0})
        assert out["a"][0, 3] == 3
        assert out["n", "b"][0, 3, 0] == 4
        assert pad_sequence(self.make(), padding_value={"a": 3.0})["n", "b"][0, 3, 0] == 0

    def test_other_dim(self):
        tds = [TensorDict({"a": torch.ones(2, 3)}, [2]), TensorDict({"a": torch.ones(2, 4)}, [2])]
        out = pad_sequence(tds, pad_dim=1)
        assert out.batch_size == (2, 2)
        assert out["a"][0, :, 3].tolist() == [0, 0]
        assert pad_sequence(tds, pad_dim=-1)["a"].shape == (2, 2, 4)

    def test_out(self):
        out = TensorDict({}, [2, 4])
        assert pad_sequence(self.make(), out=out) is out
        assert out["a"].shape == (2, 4)

    def test_errors(self):
        with pytest.raises(TDRuntimeError, match="empty"):
            pad_sequence([])
        with pytest.raises(TDRuntimeError, match="'a'"):
            pad_sequence([TensorDict({"a": torch.ones(2, 3)}, [2]), TensorDict({"a": torch.ones(4, 4)}, [4])])
        with pytest.raises(TDRuntimeError, match="batch sizes"):
            pad_sequence(self.make(), pad_dim=1)
        with pytest.raises(TDIndexError, match="'a'"):
            pad_sequence([TensorDict({"a": torch.tensor(1)})])
        with pytest.raises(TDValueError, match="padding_side"):
            pad_sequence(self.make(), padding_side="x")


class TestToPaddedTensor:
    def nested(self):
        return torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)

    def test_entries(self):
        nested = self.nested()
        td = TensorDict({"x": nested, "plain": torch.ones(2), "n": {"y": nested * 2}}, [2]).lock_()
        out = td.to_padded_tensor(5.0)
        assert out["x"].tolist() == [[1, 1, 5], [1, 1, 1]]
        assert out["n", "y"].tolist() == [[2, 2, 5], [2, 2, 2]]
        assert out["plain"] is td["plain"]
        assert not out.is_locked

    def test_mask_of_a_ragged_batch(self):
        nested = self.nested()
        out = TensorDict({"x": nested}, nested.shape).to_padded_tensor(mask_key=("m", "k"))
        assert out.batch_size == (2, 3)
        assert out["m", "k"].tolist() == [[True, True, False], [True, True, True]]
        with pytest.raises(TDRuntimeError, match="mask_key"):
            TensorDict({"x": nested}, [2]).to_padded_tensor(mask_key="m")
