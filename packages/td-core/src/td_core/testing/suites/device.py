"""Device, dtype, autograd, sharing and memory (rows CORE-139, CORE-192 to CORE-203)."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
import torch

from td_core.abc import Capability
from td_core.testing.gates import needs, shares_values
from td_core.testing.topic import TopicTests, check_leaves, leaves, mapped, same_memory

CASTS = {
    "float": torch.float32, "half": torch.float16, "bfloat16": torch.bfloat16, "double": torch.float64,
    "int": torch.int32, "bool": torch.bool, "float16": torch.float16, "float32": torch.float32,
    "float64": torch.float64, "int8": torch.int8, "int16": torch.int16, "int32": torch.int32, "int64": torch.int64,
    "uint8": torch.uint8, "complex64": torch.complex64, "complex128": torch.complex128,
}  # fmt: skip


class DeviceTests(TopicTests):
    """Where leaves live, what dtype they have, and their gradients."""

    def differentiable(self, device: str | None = None) -> Any:
        """Two floating leaves, one in a node."""
        return self.make({"a": torch.arange(6.0).reshape(2, 3), "n": {"b": torch.ones(2)}}, [2], device=device)

    @pytest.mark.parametrize("name", CASTS)
    def test_cast(self, name: str) -> None:
        """CORE-139: casts every leaf; the original stays."""
        td = self.differentiable()
        new = getattr(td, name)()
        check_leaves(new, mapped(td, lambda value: value.to(CASTS[name])), batch_size=[2])
        assert td["a"].dtype == torch.float32

    def test_type(self) -> None:
        """CORE-139: the dtype by argument."""
        td = self.differentiable()
        check_leaves(td.type(torch.float16), mapped(td, lambda value: value.half()), batch_size=[2])

    def test_dtype_queries(self) -> None:
        """CORE-139: the common dtype, or None; floating when all leaves are."""
        td = self.differentiable()
        assert td.dtype == torch.float32
        assert td.is_floating_point()
        mixed = self.make({"a": torch.ones(2), "b": torch.ones(2, dtype=torch.int64)}, [2])
        assert mixed.dtype is None
        assert not mixed.is_floating_point()

    @needs(Capability.NAMES | Capability.LOCK)
    def test_cast_keeps_names_and_lock(self) -> None:
        """CORE-139, CORE-074: names and lock go on."""
        td = self.sample(names=["x", "y"]).lock_()
        for new in (td.double(), td.to(torch.float16), td.to("cpu"), td.detach()):
            assert new.names == ["x", "y"]
            assert new.is_locked

    def test_device(self) -> None:
        """CORE-192: None, or the device that all entries share; nodes have it too."""
        assert self.differentiable().device is None
        td = self.differentiable("cpu")
        assert td.device == torch.device("cpu")
        assert td["n"].device == torch.device("cpu")

    def test_device_cannot_be_assigned(self) -> None:
        """CORE-192: a RuntimeError that points to `to`."""
        with pytest.raises(RuntimeError, match=r"\bto\b"):
            self.differentiable().device = "cpu"

    @needs(Capability.WRITE)
    def test_device_casts_entries(self) -> None:
        """CORE-005, CORE-008: with a device, what is written is moved to it."""
        td = self.make({}, [2], device="meta")
        td["a"] = torch.zeros(2)
        td["n", "b"] = torch.zeros(2)
        td["m"] = {"c": torch.zeros(2)}
        for key in ("a", ("n", "b"), ("m", "c")):
            assert td[key].device == torch.device("meta")
        assert td["n"].device == td["m"].device == torch.device("meta")

    @needs(Capability.WRITE | Capability.VIEWS)
    def test_devices_may_differ_without_one(self) -> None:
        """CORE-005: without a device entries on different devices live together."""
        td = self.make({"a": torch.zeros(2)}, [2])
        td["b"] = torch.zeros(2, device="meta")
        assert td.device is None
        assert td["a"].device == torch.device("cpu")
        assert td["b"].device == torch.device("meta")

    def test_to_device(self) -> None:
        """CORE-193: sets the device and moves the entries; the same device gives the container itself."""
        td = self.differentiable()
        new = td.to("cpu")
        assert new.device == torch.device("cpu")
        assert td.device is None
        assert new.to("cpu") is new
        assert new.to(torch.device("cpu")) is new
        meta = td.to("meta")
        assert meta.device == meta["a"].device == meta["n", "b"].device == torch.device("meta")

    def test_to_dtype(self) -> None:
        """CORE-193: casts every leaf."""
        td = self.differentiable()
        for new in (td.to(torch.float64), td.to(dtype=torch.float64), td.to(torch.zeros((), dtype=torch.float64))):
            check_leaves(new, mapped(td, lambda value: value.double()), batch_size=[2])

    def test_to_both(self) -> None:
        """CORE-193: device and dtype at once."""
        new = self.differentiable().to("cpu", torch.float16)
        assert new.device == torch.device("cpu")
        check_leaves(new, mapped(self.differentiable(), lambda value: value.half()))

    def test_to_other_container(self) -> None:
        """CORE-193: the device of another container."""
        assert self.differentiable().to(self.differentiable("cpu")).device == torch.device("cpu")

    def test_to_batch_size(self) -> None:
        """CORE-193: the batch size may change on the way."""
        td = self.differentiable()
        assert td.to(batch_size=[]).batch_size == torch.Size([])
        assert td.batch_size == torch.Size([2])

    @pytest.mark.parametrize("non_blocking", [None, True, False])
    def test_to_non_blocking(self, non_blocking: bool | None) -> None:
        """CORE-194: to the host the values are there, whichever way is asked."""
        td = self.differentiable()
        check_leaves(td.to("cpu", non_blocking=non_blocking), leaves(td))

    @pytest.mark.parametrize("num_threads", [1, 4])
    def test_to_with_threads(self, num_threads: int) -> None:
        """CORE-150: the same result as without threads, nodes included."""
        td = self.sample()
        new = td.to(torch.float64, num_threads=num_threads)
        check_leaves(new, mapped(td, lambda value: value.double()), batch_size=[4, 3])
        assert new["node", "deep"].batch_size == torch.Size([4, 3, 2])

    def test_cpu_and_flags(self) -> None:
        """CORE-196: shorthands; the flags need a device."""
        td = self.differentiable()
        assert td.cpu().device == torch.device("cpu")
        assert not td.is_cpu
        assert td.cpu().is_cpu
        assert not td.cpu().is_cuda
        assert td.to("meta").is_meta

    @needs(Capability.VIEWS)
    @needs(Capability.SHARED)
    def test_share_memory(self) -> None:
        """CORE-198: leaves move to shared memory; flagged and locked, nodes too."""
        td = self.differentiable()
        expected = {key: value.clone() for key, value in leaves(td).items()}
        assert not td.is_shared()
        assert td.share_memory_() is td
        assert td.is_shared()
        assert td.is_locked
        assert td["n"].is_locked
        assert all(value.is_shared() for value in leaves(td).values())
        check_leaves(td, expected)

    @needs(Capability.SHARED)
    def test_unlocking_clears_the_shared_flag(self) -> None:
        """CORE-198, TRAP-048: unlocked, it is no longer shared."""
        td = self.differentiable().share_memory_()
        td.unlock_()
        assert not td.is_shared()

    @needs(Capability.SHARED | Capability.NON_TENSOR)
    def test_set_at_non_tensor_shared(self) -> None:
        """CORE-049, TRAP-019: a changed value in shared memory is refused; an equal one is not."""
        td = self.make({"s": "text", "x": torch.zeros(3)}, [3]).share_memory_()
        td.set_at_("s", "text", 0)
        with pytest.raises(RuntimeError):
            td.set_at_("s", "other", 0)
        assert td.get("s").tolist() == ["text"] * 3

    @needs(Capability.GRAD)
    def test_requires_grad(self) -> None:
        """CORE-199: asks and sets for every leaf."""
        td = self.differentiable()
        assert not td.requires_grad
        assert td.requires_grad_() is td
        assert td.requires_grad
        assert td["a"].requires_grad
        assert td["n", "b"].requires_grad
        td.requires_grad_(False)
        assert not td["n", "b"].requires_grad

    @needs(Capability.VIEWS)
    @needs(Capability.GRAD)
    def test_detach_and_data(self) -> None:
        """CORE-199: without gradient, in the same memory."""
        td = self.differentiable().requires_grad_()
        for new in (td.detach(), td.data):
            assert not new.requires_grad
            assert not new["n", "b"].requires_grad
            assert same_memory(new["a"], td["a"])
            check_leaves(new, mapped(td, lambda value: value.detach()), batch_size=[2])
        assert td.requires_grad

    @needs(Capability.GRAD)
    def test_detach_underscore(self) -> None:
        """CORE-199: in place."""
        td = self.differentiable().requires_grad_().clone()
        assert td.requires_grad
        assert td.detach_() is td
        assert not td.requires_grad

    @needs(Capability.GRAD)
    def test_grad(self) -> None:
        """CORE-199: the gradients that exist; None when there are none."""
        td = self.differentiable().requires_grad_()
        assert td.grad is None
        (td["a"].sum() * 2).backward()
        check_leaves(td.grad, {"a": torch.full((2, 3), 2.0)}, batch_size=[2])
        td["n", "b"].sum().backward()
        check_leaves(td.grad, {"a": torch.full((2, 3), 2.0), ("n", "b"): torch.ones(2)}, batch_size=[2])

    @needs(Capability.GRAD)
    def test_zero_grad(self) -> None:
        """CORE-199: set to None, or to zeros."""
        td = self.differentiable().requires_grad_()
        td["a"].sum().backward()
        td.zero_grad(set_to_none=False)
        check_leaves(td.grad, {"a": torch.zeros(2, 3)})
        td.zero_grad()
        assert td.grad is None

    @needs(Capability.VIEWS)
    @needs(Capability.GRAD)
    def test_gradients_flow(self) -> None:
        """CORE-199: operations on containers are differentiable."""
        td = self.differentiable().requires_grad_()
        loss = (td * 3).view(1, 2).sum()["a"]
        loss.backward()
        assert torch.equal(td["a"].grad, torch.full((2, 3), 3.0))

    def test_data_ptr(self) -> None:
        """CORE-201: a container of pointers."""
        td = self.differentiable()
        if Capability.VIEWS not in self.case.capabilities:
            pytest.skip("reading copies")
        assert td.data_ptr()["n", "b"] == td["n", "b"].data_ptr()
        assert td[1:].data_ptr(storage=True)["a"] == td["a"].untyped_storage().data_ptr()

    def test_bytes_and_param_count(self) -> None:
        """CORE-202: bytes and elements of all leaves."""
        td = self.differentiable()
        assert td.bytes() == 8 * 4
        assert td.param_count() == 8
        assert td.double().bytes() == 8 * 8

    @needs(Capability.VIEWS)
    @needs(Capability.VIEWS | Capability.WRITE)
    def test_bytes_of_duplicates(self) -> None:
        """CORE-202: tensors that appear twice are counted once, if asked."""
        value = torch.ones(2, 3)
        td = self.make({}, [2])
        td["a"] = value
        td["n", "b"] = value
        assert td.bytes() == 48
        assert td.bytes(count_duplicates=False) == 24
        assert td.param_count() == 12
        assert td.param_count(count_duplicates=False) == 6

    @needs(Capability.VIEWS)
    def test_consolidate(self) -> None:
        """CORE-203: equal values, all in one storage; a clone or cast loses it."""
        td = self.sample()
        assert not td.is_consolidated()
        new = td.consolidate()
        assert new.is_consolidated()
        check_leaves(new, leaves(td), batch_size=[4, 3])
        assert new["node", "deep"].batch_size == torch.Size([4, 3, 2])
        values = list(leaves(new).values())
        assert all(same_memory(value, values[0]) for value in values)
        assert not new.clone().is_consolidated()
        assert not new.double().is_consolidated()
        check_leaves(td, leaves(self.sample()))

    @needs(Capability.PICKLE)
    def test_consolidate_pickle(self) -> None:
        """CORE-203: pickling keeps it."""
        new = self.sample().consolidate()
        again = pickle.loads(pickle.dumps(new))
        assert again.is_consolidated()
        check_leaves(again, leaves(new), batch_size=[4, 3])

    def test_consolidate_to(self) -> None:
        """CORE-195: moving a consolidated container keeps it."""
        new = self.sample().consolidate().to("cpu")
        assert new.is_consolidated()
        assert new.device == torch.device("cpu")
        check_leaves(new, leaves(self.sample()))

    @shares_values
    @needs(Capability.NON_TENSOR)
    def test_consolidate_non_tensor(self) -> None:
        """CORE-203: non-tensor data is kept aside."""
        new = self.make({"a": torch.ones(2), "s": "text", "w": ["p", "q"]}, [2]).consolidate()
        assert new["s"] == "text"
        assert list(new["w"]) == ["p", "q"]
