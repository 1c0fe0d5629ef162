"""Reductions (rows CORE-129 to CORE-134)."""

from __future__ import annotations

import gc
from typing import Any

import pytest
import torch

from td_core.abc import Capability
from td_core.testing.case import TreeSpec
from td_core.testing.gates import needs, shares_values
from td_core.testing.topic import TopicTests, check_leaves, leaves, mapped

REDUCTIONS = ["mean", "nanmean", "sum", "nansum", "prod", "std", "var"]


class ReductionTests(TopicTests):
    """`mean sum prod std var` and their kin: over leaves, over batch dims, over the whole container."""

    def floats(self, names: list[str | None] | None = None) -> Any:
        """Batch size [4, 3], floating leaves of three ranks, one of them NaN in places."""
        generator = torch.Generator().manual_seed(0)
        values = [torch.rand(shape, generator=generator) for shape in ((4, 3), (4, 3, 2), (4, 3, 2, 5))]
        deep = TreeSpec(entries={"c": values[2]}, batch_size=(4, 3, 2))
        return self.make({"a": values[0], "n": {"b": values[1], "deep": deep}}, (4, 3), names=names)

    @pytest.mark.parametrize("name", REDUCTIONS)
    def test_reduce_everything(self, name: str) -> None:
        """CORE-129, TRAP-001: without arguments each leaf becomes a scalar, the batch size empty."""
        td = self.floats()
        new = getattr(td, name)()
        check_leaves(new, mapped(td, lambda value: getattr(value, name)()), batch_size=[], exact=False)
        assert new.names == []

    @pytest.mark.parametrize("name", REDUCTIONS)
    def test_reduce_dim_none(self, name: str) -> None:
        """CORE-130, TRAP-036: an explicit None is a full reduction too."""
        td = self.floats()
        check_leaves(
            getattr(td, name)(dim=None), mapped(td, lambda value: getattr(value, name)()), batch_size=[], exact=False
        )

    @pytest.mark.parametrize("name", REDUCTIONS)
    @pytest.mark.parametrize("dim", [0, 1, -1, -2])
    @pytest.mark.parametrize("keepdim", [False, True])
    def test_reduce_dim(self, name: str, dim: int, keepdim: bool) -> None:
        """CORE-129, CORE-130: over a batch dim; negative dims count from the batch dims; nodes recurse."""
        td = self.floats()
        size = torch.empty(4, 3).sum(dim, keepdim=keepdim).shape
        new = getattr(td, name)(dim=dim, keepdim=keepdim)
        expected = mapped(td, lambda value: getattr(value, name)(dim % 2, keepdim=keepdim))
        check_leaves(new, expected, batch_size=size, exact=False)

    @pytest.mark.parametrize("name", [name for name in REDUCTIONS if name != "prod"])
    def test_reduce_several_dims(self, name: str) -> None:
        """CORE-130: a tuple of dims."""
        td = self.floats()
        for dims in ((0, 1), (-1, 0), (0,)):
            positive = tuple(dim % 2 for dim in dims)
            size = torch.empty(4, 3).sum(dims).shape
            expected = mapped(td, lambda value, d=positive: getattr(value, name)(d))  # type: ignore[misc]
            check_leaves(getattr(td, name)(dim=dims), expected, batch_size=size, exact=False)

    @pytest.mark.parametrize("name", REDUCTIONS)
    @pytest.mark.parametrize("dim", [2, -3])
    def test_reduce_dim_out_of_range_raises(self, name: str, dim: int) -> None:
        """CORE-130: a dim outside the batch is an IndexError, as on a tensor."""
        with pytest.raises(IndexError):
            getattr(self.floats(), name)(dim=dim)

    @pytest.mark.parametrize("name", ["mean", "sum", "std"])
    def test_reduce_keepdim_without_dim(self, name: str) -> None:
        """CORE-131: the batch size becomes all ones, and so do the leaves' shapes."""
        td = self.make({"a": torch.arange(12.0).reshape(4, 3), "n": {"b": torch.arange(24.0).reshape(4, 3, 2)}}, [4, 3])
        new = getattr(td, name)(keepdim=True)
        expected = mapped(td, lambda value: getattr(value, name)().reshape([1] * value.ndim))
        check_leaves(new, expected, batch_size=[1, 1], exact=False)

    @needs(Capability.NAMES)
    def test_reduce_names(self) -> None:
        """CORE-130, CORE-131, CORE-107: names of reduced dims go, unless the dims are kept."""
        td = self.floats(names=["x", "y"])
        assert td.sum().names == []
        assert td.sum(dim=0).names == ["y"]
        assert td.sum(dim=-1).names == ["x"]
        assert td.sum(dim=0, keepdim=True).names == ["x", "y"]
        assert td.sum(keepdim=True).names == ["x", "y"]

    @shares_values
    @needs(Capability.NON_TENSOR)
    def test_reduce_non_tensor(self) -> None:
        """CORE-129: non-tensor data passes through."""
        td = self.make({"a": torch.ones(2), "s": "text"}, [2])
        assert td.sum()["s"] == "text"
        assert td.sum(dim=0)["s"] == "text"
        assert td.sum()["a"] == 2

    def test_reduce_dtype_and_correction(self) -> None:
        """CORE-129: `dtype` and `correction` as in torch."""
        td = self.floats()
        check_leaves(td.sum(dtype=torch.float64), mapped(td, lambda value: value.sum(dtype=torch.float64)), exact=False)
        check_leaves(
            td.mean(dim=0, dtype=torch.float64),
            mapped(td, lambda value: value.mean(0, dtype=torch.float64)),
            exact=False,
        )
        check_leaves(td.std(dim=0, correction=0), mapped(td, lambda value: value.std(0, correction=0)), exact=False)
        check_leaves(td.var(correction=2), mapped(td, lambda value: value.var(correction=2)), exact=False)

    def test_nan_reductions(self) -> None:
        """CORE-129: `nanmean` and `nansum` skip NaN."""
        value = torch.tensor([1.0, float("nan"), 3.0])
        td = self.make({"a": value}, [3])
        assert td.nansum()["a"] == 4
        assert td.nanmean(dim=0)["a"] == 2
        assert td.sum()["a"].isnan()

    @pytest.mark.parametrize("name", ["all", "any"])
    @pytest.mark.parametrize("options", [{"dim": 0}, {"dim": -1, "keepdim": True}, {"dim": (0, 1)}, {"dim": (-1,)}])
    def test_truth_over_dims(self, name: str, options: dict[str, Any]) -> None:
        """CORE-127: `all` and `any` over one dim or several, as torch's."""
        flags = torch.arange(24).view(2, 3, 4) % 5 > 0
        td = self.make({"a": flags, "n": {"b": flags[..., 0]}}, [2, 3])
        dims = options["dim"] if isinstance(options["dim"], tuple) else (options["dim"],)
        over = {**options, "dim": tuple(d % 2 for d in dims)}
        out = getattr(td, name)(**options)
        expected = getattr(flags, name)(**over)
        assert out.batch_size == expected.shape[:-1]
        assert torch.equal(out["a"], expected)
        assert torch.equal(out["n", "b"], getattr(flags[..., 0], name)(**over))

    @pytest.mark.parametrize("name", REDUCTIONS)
    def test_reduce_all_leaves_together(self, name: str) -> None:
        """CORE-132: `reduce=True` gives one scalar over the elements of all leaves."""
        td = self.floats()
        together = torch.cat([value.flatten() for value in leaves(td).values()])
        torch.testing.assert_close(getattr(td, name)(reduce=True), getattr(together, name)())

    def test_reduce_all_leaves_over_a_dim(self) -> None:
        """CORE-132, TRAP-037: with a dim the leaves are concatenated along that dim, then reduced over it."""
        one, two = torch.rand(4, 3), torch.rand(4, 3)
        td = self.make({"a": one, "n": {"b": two}}, [4, 3])
        for dim in (0, 1):
            expected = torch.cat([one, two], dim)
            torch.testing.assert_close(td.sum(dim=dim, reduce=True), expected.sum(dim))
            torch.testing.assert_close(td.mean(dim=dim, reduce=True), expected.mean(dim))

    def test_reduce_all_leaves_of_other_shapes_raises(self) -> None:
        """CORE-132: shapes that cannot be concatenated are a RuntimeError."""
        with pytest.raises(RuntimeError):
            self.make({"a": torch.ones(2, 3), "b": torch.ones(2)}, [2]).sum(dim=0, reduce=True)

    def test_reduce_all_leaves_forwards_keywords(self) -> None:
        """CORE-132, TRAP-037: `dtype` and `correction` count there too."""
        td = self.make({"a": torch.arange(3.0), "b": torch.arange(3.0) + 5}, [3])
        together = torch.cat([torch.arange(3.0), torch.arange(3.0) + 5])
        assert td.sum(reduce=True, dtype=torch.float64).dtype == torch.float64
        torch.testing.assert_close(td.std(reduce=True, correction=0), together.std(correction=0))

    def test_reductions_make_no_cycle(self) -> None:
        """CORE-133, TRAP-038: nothing is left for the garbage collector."""
        td = self.floats()
        td.sum()
        gc.collect()
        gc.disable()
        try:
            td.sum()
            td.mean(dim=0)
            td.sum(reduce=True)
            assert gc.collect() == 0
        finally:
            gc.enable()

    def test_norm(self) -> None:
        """CORE-134: the norm of each leaf."""
        td = self.floats()
        check_leaves(td.norm(), mapped(td, lambda value: value.norm()), batch_size=[], exact=False)

    @needs(Capability.NON_TENSOR)
    def test_softmax_keeps_columns(self) -> None:
        """CORE-129: what keeps the batch keeps columns as they are."""
        td = self.make({"a": torch.zeros(2), "c": ["x", "y"]}, [2])
        new = td.softmax(0)
        assert new["a"].tolist() == [0.5, 0.5]
        assert new.get("c").tolist() == ["x", "y"]
