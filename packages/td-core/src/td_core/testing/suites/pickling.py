"""Pickling and copying (rows CORE-092, CORE-113)."""

from __future__ import annotations

import copy
import io
import pickle

import pytest
import torch

from td_core.abc import Capability
from td_core.testing.gates import needs, shares_values
from td_core.testing.topic import TopicTests, check_leaves, leaves


class PickleTests(TopicTests):
    """A container survives pickle, `torch.save` and `copy`."""

    @needs(Capability.PICKLE)
    @pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
    def test_pickle(self, protocol: int) -> None:
        """CORE-092, CORE-113: values, batch sizes and the class come back."""
        td = self.sample()
        new = pickle.loads(pickle.dumps(td, protocol=protocol))
        check_leaves(new, leaves(td), batch_size=[4, 3])
        assert new["node", "deep"].batch_size == torch.Size([4, 3, 2])
        assert not new.is_locked
        assert type(new) is type(td)

    @needs(Capability.PICKLE | Capability.NAMES)
    def test_pickle_metadata(self) -> None:
        """CORE-092: names and device come back."""
        td = self.make({"a": torch.zeros(2)}, [2], names=["x"], device="cpu")
        new = pickle.loads(pickle.dumps(td))
        assert new.names == ["x"]
        assert new.device == torch.device("cpu")

    @shares_values
    @needs(Capability.PICKLE | Capability.NON_TENSOR)
    def test_pickle_non_tensor(self) -> None:
        """CORE-092: non-tensor data comes back."""
        td = self.make({"s": "text", "w": ["p", "q"], "n": {"o": {1, 2}}}, [2])
        new = pickle.loads(pickle.dumps(td))
        assert new["s"] == "text"
        assert list(new["w"]) == ["p", "q"]
        assert new["n", "o"] == {1, 2}

    @needs(Capability.PICKLE)
    def test_torch_save(self) -> None:
        """CORE-092: `torch.save` and `torch.load`."""
        td = self.sample()
        buffer = io.BytesIO()
        torch.save(td, buffer)
        buffer.seek(0)
        check_leaves(torch.load(buffer, weights_only=False), leaves(td), batch_size=[4, 3])

    @needs(Capability.PICKLE)
    def test_pickle_of_an_empty_container(self) -> None:
        """CORE-092: nothing inside."""
        new = pickle.loads(pickle.dumps(self.make({"n": {}}, [2])))
        assert list(new.keys(True)) == ["n"]
        assert new.batch_size == torch.Size([2])

    @shares_values
    @needs(Capability.NON_TENSOR)
    def test_copies_of_non_tensor_data(self) -> None:
        """CORE-092: copies keep the values."""
        td = self.make({"s": "text", "w": ["p", "q"]}, [2])
        for new in (copy.copy(td), copy.deepcopy(td), td.clone()):
            assert new["s"] == "text"
            assert list(new["w"]) == ["p", "q"]

    @needs(Capability.PERSISTENT)
    def test_reopen(self) -> None:
        """A new handle on the same data reads the same values, and sees later writes."""
        td = self.sample()
        again = self.case.reopen(td)
        check_leaves(again, leaves(td), batch_size=[4, 3])
        if Capability.INPLACE in self.case.capabilities:
            td.fill_("a", 5.0)
            assert self.case.reopen(td)["a"].unique().tolist() == [5.0]
