"""Entries that are Python values (rows CORE-154 to CORE-161)."""

# torch types its functions for tensors only, and here they are given containers
# mypy: disable-error-code="attr-defined, index, arg-type"

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from td_core import NonTensorData, is_non_tensor
from td_core.abc import Capability
from td_core.testing.gates import needs, shares_values
from td_core.testing.topic import TopicTests

VALUES: list[Any] = ["text", None, {1, 2}, b"bytes", len, frozenset({"a"}), object(), range]


class NonTensorTests(TopicTests):
    """What goes in comes out as it was, and follows the operations of its container."""

    def words(self) -> Any:
        """A column of four words, a shared word, and a nested column."""
        return self.make(
            {"w": ["p", "q", "r", "s"], "one": "text", "x": torch.arange(4), "n": {"w": list("abcd")}}, [4]
        )

    @shares_values
    @needs(Capability.NON_TENSOR)
    @pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
    def test_any_value_round_trips(self, value: Any) -> None:
        """CORE-154, CORE-155: any object, through the constructor, `set` and brackets."""
        td = self.make({"x": torch.zeros(2), "v": value}, [2])
        assert td["v"] == value
        assert td.get_non_tensor("v") == value
        if Capability.WRITE in self.case.capabilities:
            td.set("w", value)
            td["n", "u"] = value
            assert td["w"] == value
            assert td["n", "u"] == value

    @shares_values
    @needs(Capability.NON_TENSOR)
    def test_access(self) -> None:
        """CORE-155: brackets give the value, `get` the wrapper."""
        td = self.words()
        assert td["one"] == "text"
        assert list(td["w"]) == ["p", "q", "r", "s"]
        assert is_non_tensor(td.get("one"))
        assert is_non_tensor(td.get("w"))
        assert not is_non_tensor(td.get("x"))
        assert td.get("one").tolist() == ["text"] * 4
        assert td.get("w").tolist() == ["p", "q", "r", "s"]
        assert list(td["n", "w"]) == list("abcd")

    @shares_values
    @needs(Capability.NON_TENSOR)
    def test_get_non_tensor(self) -> None:
        """CORE-155: the value, or the default."""
        td = self.words()
        assert td.get_non_tensor("one") == "text"
        assert list(td.get_non_tensor(("n", "w"))) == list("abcd")
        assert td.get_non_tensor("missing", "default") == "default"
        with pytest.raises(KeyError):
            td.get_non_tensor("missing")

    @shares_values
    @needs(Capability.NON_TENSOR | Capability.WRITE)
    @pytest.mark.parametrize("value", [5, 1.5, [1, 2, 3], np.arange(3)], ids=repr)
    def test_set_non_tensor(self, value: Any) -> None:
        """CORE-155: stored as it is, without conversion to a tensor, at any depth."""
        td = self.words()
        assert td.set_non_tensor("v", value) is td
        td.set_non_tensor(("n", "v"), value)
        for found in (td["v"], td["n", "v"]):
            assert not isinstance(found, torch.Tensor)
            np.testing.assert_array_equal(np.asarray(found), np.asarray(value))

    @needs(Capability.NON_TENSOR)
    def test_is_non_tensor_by_key(self) -> None:
        """CORE-155: asks about one entry; a missing key is a KeyError."""
        td = self.words()
        assert td.is_non_tensor("one")
        assert td.is_non_tensor("w")
        assert td.is_non_tensor(("n", "w"))
        assert not td.is_non_tensor("x")
        assert not td.is_non_tensor("n")
        with pytest.raises(KeyError):
            td.is_non_tensor("missing")

    @needs(Capability.NON_TENSOR)
    def test_non_tensor_items(self) -> None:
        """CORE-155: the non-tensor entries, of this level or of all."""
        td = self.words()
        assert {key for key, _ in td.non_tensor_items()} == {"w", "one"}
        nested = dict(td.non_tensor_items(include_nested=True))
        assert set(nested) == {"w", "one", ("n", "w")}
        assert nested["n", "w"].tolist() == list("abcd")

    @needs(Capability.NON_TENSOR)
    def test_filter_non_tensor_data(self) -> None:
        """CORE-155: the tensors alone, at every depth."""
        new = self.words().filter_non_tensor_data()
        assert set(new.keys(True, True)) == {"x"}
        assert "w" not in new
        assert ("n", "w") not in new
        assert torch.equal(new["x"], torch.arange(4))

    @needs(Capability.NON_TENSOR)
    def test_shape_operations_on_columns(self) -> None:
        """CORE-158: columns follow every shape operation."""
        td = self.words()
        assert td.view(2, 2).get("w").tolist() == [["p", "q"], ["r", "s"]]
        assert td.reshape(2, 2).permute(1, 0).get("w").tolist() == [["p", "r"], ["q", "s"]]
        assert td.view(2, 2).transpose(0, 1).get("w").tolist() == [["p", "r"], ["q", "s"]]
        assert td.expand(2, 4).get("w").tolist() == [["p", "q", "r", "s"]] * 2
        assert td.unsqueeze(0).get("w").tolist() == [["p", "q", "r", "s"]]
        assert td.unsqueeze(0).squeeze(0).get("w").tolist() == ["p", "q", "r", "s"]
        assert td.view(2, 2).flatten().get("w").tolist() == ["p", "q", "r", "s"]
        assert td.unflatten(0, (2, 2)).get(("n", "w")).tolist() == [["a", "b"], ["c", "d"]]
        assert [part["w"] for part in td.unbind(0)] == ["p", "q", "r", "s"]
        assert [list(part["w"]) for part in td.split(3)] == [["p", "q", "r"], ["s"]]
        assert td.gather(0, torch.tensor([3, 3, 0])).get("w").tolist() == ["s", "s", "p"]
        assert td.masked_select(torch.tensor([True, False, False, True])).get("w").tolist() == ["p", "s"]
        assert torch.cat([td, td[:1]]).get("w").tolist() == ["p", "q", "r", "s", "p"]
        assert torch.stack([td, td], 1).get("w").tolist() == [["p", "p"], ["q", "q"], ["r", "r"], ["s", "s"]]
        assert td.clone().get("w").tolist() == ["p", "q", "r", "s"]

    @shares_values
    @needs(Capability.NON_TENSOR)
    def test_pointwise_passes_non_tensor_data(self) -> None:
        """CORE-121: arithmetic leaves non-tensor data alone."""
        new = self.words() + 1
        assert list(new["w"]) == ["p", "q", "r", "s"]
        assert new["one"] == "text"
        assert new["x"].tolist() == [1, 2, 3, 4]

    @needs(Capability.NON_TENSOR)
    def test_stack_of_equal_values(self) -> None:
        """CORE-156: stacking gives a value per position, also for equal ones."""
        one = self.make({"s": "text"}, [2])
        new = torch.stack([one, one.clone()])
        assert new.get("s").tolist() == [["text", "text"], ["text", "text"]]
        assert new.get("s").batch_size == torch.Size([2, 2])

    @needs(Capability.NON_TENSOR | Capability.WRITE)
    def test_indexed_write_of_columns(self) -> None:
        """CORE-049, CORE-157: rows of a column are written; a shared value becomes a column when it must."""
        td = self.words()
        td[1] = td[0].clone()
        assert list(td["w"]) == ["p", "p", "r", "s"]
        assert list(td["n", "w"]) == ["a", "a", "c", "d"]
        assert td.get("one").tolist() == ["text"] * 4
        td.set_at_("one", "new", 2)
        assert td.get("one").tolist() == ["text", "text", "new", "text"]

    @shares_values
    @needs(Capability.NON_TENSOR | Capability.WRITE)
    def test_set_wrapper(self) -> None:
        """CORE-152, CORE-154: a wrapper may be written, and takes the batch size of the container."""
        td = self.words()
        td["v"] = NonTensorData("value", batch_size=[4])
        td["u"] = NonTensorData("value")
        assert td["v"] == td["u"] == "value"
        assert td.get("u").batch_size == torch.Size([4])

    @shares_values
    @needs(Capability.NON_TENSOR | Capability.WRITE)
    def test_subclass(self) -> None:
        """CORE-159: subclasses of the wrapper work as it does."""

        class Label(NonTensorData):
            pass

        td = self.words()
        td["v"] = Label("value", batch_size=[4])
        assert td["v"] == "value"
        assert td.is_non_tensor("v")
        assert "v" not in list(td.keys(leaves_only=True))

    @shares_values
    @needs(Capability.NON_TENSOR | Capability.WRITE)
    def test_replace_kind(self) -> None:
        """CORE-008: a tensor may replace a value, and a value a tensor."""
        td = self.words()
        td["one"] = torch.ones(4)
        td["x"] = "value"
        assert torch.equal(td["one"], torch.ones(4))
        assert td["x"] == "value"

    @needs(Capability.NON_TENSOR)
    def test_wrong_length_column_raises(self) -> None:
        """CORE-008: a list of values must start with the batch size."""
        with pytest.raises(RuntimeError):
            self.make({"w": ["p", "q", "r"]}, [2])

    @needs(Capability.NON_TENSOR)
    def test_nested_lists(self) -> None:
        """CORE-156: nested lists give values for several batch dims."""
        td = self.make({"w": [["a", "b"], ["c", "d"]]}, [2, 2])
        assert td.get("w").tolist() == [["a", "b"], ["c", "d"]]
        assert td[1, 0]["w"] == "c"
        assert list(td[:, 1]["w"]) == ["b", "d"]
