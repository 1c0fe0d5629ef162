"""Batch size, dims and size queries (rows CORE-061 to CORE-063)."""

from __future__ import annotations

import pytest
import torch

from td_core.abc import Capability
from td_core.testing.case import TreeSpec
from td_core.testing.gates import needs
from td_core.testing.topic import TopicTests, check_leaves, leaves


class BatchSizeTests(TopicTests):
    """The batch size: reading it, setting it, finding the largest one."""

    def resizable(self) -> None:
        """Skip the test where the storage derives its batch size."""
        if not self.case.resizable:
            pytest.skip(f"the storage {self.case.name} derives its batch size")

    def test_size_queries(self) -> None:
        """CORE-061: every way to ask for the size."""
        td = self.sample()
        assert td.batch_size == td.shape == td.size() == torch.Size([4, 3])
        assert isinstance(td.batch_size, torch.Size)
        assert td.size(0) == td.size(-2) == 4
        assert td.size(1) == td.size(-1) == 3
        assert td.batch_dims == td.ndim == td.dim() == td.ndimension() == 2
        assert td.numel() == 12

    def test_size_queries_without_batch_dims(self) -> None:
        """CORE-061: without batch dims there is one element."""
        td = self.make({"a": torch.zeros(3)})
        assert td.batch_size == torch.Size([])
        assert td.ndim == 0
        assert td.numel() == 1

    def test_size_of_a_dim_out_of_range_raises(self) -> None:
        """CORE-061: as on a tensor."""
        with pytest.raises(IndexError):
            self.sample().size(2)

    def test_batch_dims_cannot_be_assigned(self) -> None:
        """CORE-061: only the batch size can be set."""
        with pytest.raises(AttributeError):
            self.sample().batch_dims = 1

    def test_batch_size_can_shrink_and_grow(self) -> None:
        """CORE-062: any size that every leaf starts with; `shape` is an alias."""
        self.resizable()
        td = self.make({"a": torch.zeros(4, 3, 2), "b": torch.zeros(4, 3, 5)}, [4, 3])
        td.batch_size = [4]
        assert td.batch_size == torch.Size([4])
        td.shape = torch.Size([4, 3])
        assert td.batch_size == torch.Size([4, 3])
        td.batch_size = []
        assert td.batch_size == torch.Size([])

    def test_batch_size_that_does_not_fit_raises(self) -> None:
        """CORE-062: otherwise a RuntimeError that names the key, and nothing changes."""
        self.resizable()
        td = self.make({"good": torch.zeros(4, 3, 2), "bad_one": torch.zeros(4, 3)}, [4])
        for size in ([4, 3, 2], [3], [4, 2]):
            with pytest.raises(RuntimeError):
                td.batch_size = size
            assert td.batch_size == torch.Size([4])
        with pytest.raises(RuntimeError, match="bad_one"):
            td.batch_size = [4, 3, 2]

    def test_batch_size_checks_nested_leaves(self) -> None:
        """CORE-062: leaves of nodes count too."""
        self.resizable()
        td = self.make({"n": {"x": torch.zeros(4)}}, [4])
        with pytest.raises(RuntimeError):
            td.batch_size = [4, 1]
        assert td.batch_size == td["n"].batch_size == torch.Size([4])

    def test_batch_size_of_nodes(self) -> None:
        """CORE-062, TRAP-015: nodes that do not start with the new size are enlarged, none is ever shrunk."""
        self.resizable()
        td = self.make(
            {
                "same": {"x": torch.zeros(4, 3, 2)},
                "finer": TreeSpec(entries={"x": torch.zeros(4, 3, 2)}, batch_size=(4, 3, 2)),
            },
            [4],
        )
        td.batch_size = [4, 3]
        assert td["same"].batch_size == torch.Size([4, 3])
        assert td["finer"].batch_size == torch.Size([4, 3, 2])
        td.batch_size = [4]
        assert td["same"].batch_size == torch.Size([4, 3])
        assert td["finer"].batch_size == torch.Size([4, 3, 2])

    @needs(Capability.LOCK)
    def test_batch_size_of_a_locked_container(self) -> None:
        """CORE-062, CORE-109: the batch size may change while locked."""
        self.resizable()
        td = self.make({"a": torch.zeros(4, 3)}, [4]).lock_()
        td.batch_size = [4, 3]
        assert td.batch_size == torch.Size([4, 3])

    @needs(Capability.NAMES)
    def test_batch_size_and_names(self) -> None:
        """CORE-062: names are cut or padded to the new length."""
        self.resizable()
        td = self.make({"a": torch.zeros(4, 3, 2)}, [4, 3], names=["x", "y"])
        td.batch_size = [4]
        assert td.names == ["x"]
        td.batch_size = [4, 3, 2]
        assert td.names == ["x", None, None]

    def test_auto_batch_size(self) -> None:
        """CORE-063: the largest common leading shape, each node its own; the container is returned."""
        self.resizable()
        td = self.make({"a": torch.zeros(4, 3, 2), "n": {"x": torch.zeros(4, 3, 7), "y": torch.zeros(4, 3, 7)}}, [4])
        assert td.auto_batch_size_() is td
        assert td.batch_size == torch.Size([4, 3])
        assert td["n"].batch_size == torch.Size([4, 3, 7])

    def test_auto_batch_size_limited(self) -> None:
        """CORE-063: `batch_dims` is a maximum; a smaller size is accepted."""
        self.resizable()
        td = self.make({"a": torch.zeros(4, 3, 2), "n": {"x": torch.zeros(4, 3, 7)}}, [4])
        td.auto_batch_size_(batch_dims=2)
        assert td.batch_size == td["n"].batch_size == torch.Size([4, 3])
        td.auto_batch_size_(batch_dims=1)
        assert td.batch_size == torch.Size([4])
        td = self.make({"a": torch.zeros(4), "b": torch.zeros(4, 2)}, [4])
        td.auto_batch_size_(batch_dims=5)
        assert td.batch_size == torch.Size([4])

    @needs(Capability.NON_TENSOR)
    def test_auto_batch_size_ignores_non_tensor_data(self) -> None:
        """CORE-063: non-tensor data does not constrain the size."""
        self.resizable()
        td = self.make({"a": torch.zeros(4, 3), "s": "text"}, [4])
        td.auto_batch_size_()
        assert td.batch_size == torch.Size([4, 3])
        assert td["s"] == "text"

    def test_auto_batch_size_of_empty_nodes(self) -> None:
        """CORE-063: an empty node takes the size of its parent."""
        self.resizable()
        td = self.make({"a": torch.zeros(4, 3), "n": {}}, [4])
        td.auto_batch_size_()
        assert td.batch_size == td["n"].batch_size == torch.Size([4, 3])

    def test_setting_the_batch_size_touches_no_value(self) -> None:
        """CORE-062: values stay as they are."""
        self.resizable()
        td = self.sample()
        expected = {key: value.clone() for key, value in leaves(td).items()}
        td.batch_size = [4]
        check_leaves(td, expected, batch_size=[4])

    @needs(Capability.NON_TENSOR)
    def test_auto_batch_size_of_non_tensor_data(self) -> None:
        """CORE-014: a column limits the batch size; a value that all rows share follows it."""
        self.resizable()
        td = self.make({"a": torch.ones(2, 3), "c": ["x", "y"], "s": "text"}, [2])
        td.auto_batch_size_()
        assert td.batch_size == torch.Size([2])
        td.auto_batch_size_(0)
        assert td.get("s").batch_size == torch.Size([])
        assert td.get("c").tolist() == ["x", "y"]
