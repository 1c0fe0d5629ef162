"""`device`, `to` and its shorthands, and the rule of one synchronisation."""

import threading

import pytest
import torch

from td_core import NonTensorStack, TensorDict
from td_core.container.transfer import Transfer, devices_to_wait_for
from td_core.errors import LockedError, TDRuntimeError, TDTypeError, TDValueError

CPU, META = torch.device("cpu"), torch.device("meta")
CUDA, OTHER_CUDA, MPS = torch.device("cuda", 0), torch.device("cuda", 1), torch.device("mps", 0)


def make():
    return TensorDict(
        {
            "a": torch.arange(3.0),
            "n": {"b": torch.ones(3, 2, dtype=torch.int64)},
            "s": "hi",
            "c": NonTensorStack(*"xyz"),
        },
        [3],
        names=["t"],
    )


class TestDevice:
    def test_assignment_points_to_to(self):
        td = make()
        with pytest.raises(TDRuntimeError, match=r"td\.to\(device\)"):
            td.device = "cpu"
        assert td.device is None

    def test_flags_need_a_device(self):
        td = make()
        assert not td.is_cpu
        assert td.to("cpu").is_cpu
        assert not td.to("cpu").is_cuda
        assert td.to("meta").is_meta

    def test_to_device_records_it_everywhere_and_shares_what_did_not_move(self):
        td = make()
        moved = td.to("cpu")
        assert moved is not td
        assert moved.device == moved["n"].device == moved.get("s").device == moved.get("c").device == CPU
        assert moved["a"] is td["a"]
        assert td.device is None
        assert td["n"].device is None
        assert td.get("s").device is None
        assert moved.names == ["t"]
        assert moved["c"] == ["x", "y", "z"]

    def test_to_meta_moves_the_tensors(self):
        moved = make().to("meta")
        assert moved["a"].device == moved["n", "b"].device == META
        assert moved["s"] == "hi"

    def test_nothing_to_do_returns_self(self):
        td = make().to("cpu")
        assert td.to("cpu") is td
        assert td.to(torch.device("cpu")) is td
        assert td.to() is td
        assert td.to(batch_size=[3]) is td

    def test_clear_and_auto_device(self):
        td = make().to("cpu")
        assert td.clear_device_() is td
        assert td.device is None
        assert td["n"].device is None
        assert td.auto_device_().device == CPU
        td.clear_device_()["m"] = torch.ones(3, device="meta")
        assert td.auto_device_().device is None
        assert td["n"].device == CPU


class TestTo:
    def test_dtype_casts_all_leaves(self):
        out = make().to(torch.float64)
        assert out["a"].dtype is out["n", "b"].dtype is torch.float64
        assert out["n", "b"].tolist() == [[1.0, 1.0]] * 3
        assert out.names == ["t"]

    @pytest.mark.parametrize(
        ("args", "kwargs"),
        [
            (("meta", torch.float64), {}),
            (("meta", torch.float64, True), {}),
            ((), {"device": "meta", "dtype": torch.float64}),
            ((torch.ones(1, device="meta", dtype=torch.float64),), {}),
            ((), {"other": torch.ones(1, device="meta", dtype=torch.float64)}),
            ((TensorDict({"x": torch.ones(1, dtype=torch.float64)}, device="meta"),), {}),
            (("meta",), {"dtype": torch.float64, "non_blocking": False}),
            ((None, torch.float64), {"device": "meta"}),
        ],
    )
    def test_every_form_of_device_and_dtype(self, args, kwargs):
        out = make().to(*args, **kwargs)
        assert out.device == META
        assert out["a"].dtype is out["n", "b"].dtype is torch.float64

    def test_other_with_mixed_dtypes_gives_only_the_device(self):
        other = TensorDict(x=torch.ones(1), y=torch.ones(1, dtype=torch.float64), device="meta")
        out = make().to(other=other)
        assert out["a"].dtype is torch.float32
        assert out["n", "b"].dtype is torch.int64
        assert out.device == META

    def test_batch_size_is_that_of_a_new_container(self):
        td = make()
        out = td.to(batch_size=[])
        assert out.batch_size == ()
        assert td.batch_size == (3,)
        assert out["a"] is td["a"]
        assert td.to("meta", batch_size=[]).batch_size == ()

    def test_memory_format_applies_to_images(self):
        td = TensorDict(image=torch.ones(2, 3, 4, 5), vector=torch.ones(2))
        out = td.to(memory_format=torch.channels_last)
        assert out["image"].is_contiguous(memory_format=torch.channels_last)
        assert out["vector"].tolist() == [1, 1]

    def test_cast_filter_sees_full_keys(self):
        seen = []

        def keep_ints(key, value):
            seen.append(key)
            return value.is_floating_point()

        out = make().to(torch.float16, cast_filter=keep_ints)
        assert seen == [("a",), ("n", "b")]
        assert (out["a"].dtype, out["n", "b"].dtype) == (torch.float16, torch.int64)

    def test_inplace_keeps_the_containers(self):
        td = make()
        node = td["n"]
        assert td.to("cpu", torch.float64, inplace=True) is td
        assert td["n"] is node
        assert node["b"].dtype is torch.float64
        assert td.device == node.device == CPU
        with pytest.raises(LockedError):
            td.lock_().to(torch.float32, inplace=True)
        with pytest.raises(LockedError):
            td.to("meta", inplace=True)

    def test_lock_propagates(self):
        td = make().lock_()
        for out in (td.to(torch.float64), td.to("cpu"), td.to("meta")):
            assert out.is_locked
            assert out["n"].is_locked

    @pytest.mark.parametrize(
        ("args", "kwargs"),
        [
            ((1.0,), {}),
            ((TensorDict,), {}),
            (("cpu", "cpu"), {}),
            ((torch.float32, torch.float64), {}),
            (("cpu", torch.float32, True, True), {}),
            ((), {"copy": True}),
            ((), {"nonsense": 1}),
            ((True,), {}),
        ],
    )
    def test_arguments_without_meaning(self, args, kwargs):
        with pytest.raises(TDTypeError, match=r"to\(\)"):
            make().to(*args, **kwargs)

    @pytest.mark.parametrize(
        ("args", "kwargs"),
        [(("cpu",), {"device": "meta"}), ((torch.ones(1),), {"device": "cpu"}), (("cpu",), {"other": torch.ones(1)})],
    )
    def test_one_thing_twice(self, args, kwargs):
        with pytest.raises(TDValueError, match=r"to\(\)"):
            make().to(*args, **kwargs)

    def test_cuda_refuses_other_devices(self):
        with pytest.raises(TDRuntimeError, match="CUDA"):
            make().cuda("cpu")

    def test_cpu_takes_keywords(self):
        assert make().cpu(dtype=torch.float64)["n", "b"].dtype is torch.float64

    def test_context_writes_back_on_the_old_dtype(self):
        td = TensorDict(x=torch.zeros(3), batch_size=[3])
        with td.to(torch.float64) as wide:
            wide["x"] = wide["x"] + 1
            wide["y"] = wide["x"] * 2
        assert td["x"].dtype is torch.float32
        assert td["x"].tolist() == [1, 1, 1]
        assert td["y"].dtype is torch.float64
        assert td["y"].tolist() == [2, 2, 2]

    @pytest.mark.skipif(torch.accelerator.is_available(), reason="there is an accelerator")
    def test_pinning_needs_an_accelerator(self):
        with pytest.raises(TDRuntimeError, match="accelerator"):
            make().pin_memory()
        with pytest.raises(TDRuntimeError, match="accelerator"):
            make().to("cpu", non_blocking_pin=True)

    def test_compiles(self):
        torch._dynamo.reset()

        @torch.compile(fullgraph=True, backend="eager")
        def run(td):
            return td.to(torch.float64).detach()

        out = run(TensorDict({"a": torch.arange(3.0), "n": {"b": torch.ones(3)}}, [3]))
        assert out["n", "b"].dtype is torch.float64
        assert out.batch_size == (3,)


class FakeTensor:
    """Stands for a tensor of a device this machine may lack."""

    def __init__(self, device):
        self.device = device
        self.calls = []

    def dim(self):
        return 1

    def to(self, device, dtype, non_blocking):
        self.calls.append(non_blocking)
        if device == MPS:
            raise RuntimeError("out of memory")
        return self


class TestTransfer:
    @pytest.mark.parametrize(
        ("sources", "destination", "expected"),
        [
            ([CPU], CPU, []),
            ([CPU], META, []),
            ([CPU], CUDA, []),
            ([OTHER_CUDA], CUDA, []),
            ([CUDA], CPU, [CUDA]),
            ([CUDA, OTHER_CUDA, CPU], CPU, [CUDA, OTHER_CUDA]),
            ([CPU], MPS, [MPS]),
            ([MPS], CPU, [MPS]),
        ],
    )
    def test_which_devices_are_waited_for(self, sources, destination, expected):
        assert devices_to_wait_for(sources, destination) == expected

    def run(self, non_blocking, *sources):
        waits = []
        transfer = Transfer(CPU, non_blocking, waits.append)
        tensors = [FakeTensor(source) for source in sources]
        for tensor in tensors:
            transfer.send(tensor)
        transfer.finish()
        return waits, [tensor.calls for tensor in tensors]

    def test_default_is_asynchronous_with_one_wait(self):
        assert self.run(None, CUDA, CUDA) == ([CUDA], [[True], [True]])

    def test_nothing_moved_nothing_to_wait_for(self):
        assert self.run(None, CPU) == ([], [[]])

    def test_true_leaves_waiting_to_the_caller(self):
        assert self.run(True, CUDA) == ([], [[True]])

    def test_false_blocks(self):
        assert self.run(False, CUDA) == ([], [[False]])

    def test_an_error_leaves_nothing_behind(self):
        waits = []
        failing = Transfer(MPS, None, waits.append)
        with pytest.raises(RuntimeError, match="out of memory"):
            failing.send(FakeTensor(CPU))
        failing.finish()
        assert waits == []
        assert self.run(None, CPU)[0] == []

    def test_threads_do_not_see_each_other(self):
        barrier = threading.Barrier(2)
        waits = {}

        def work(name, source):
            seen = waits[name] = []
            transfer = Transfer(CPU, None, seen.append)
            barrier.wait()
            transfer.send(FakeTensor(source))
            barrier.wait()
            transfer.finish()

        threads = [threading.Thread(target=work, args=args) for args in (("still", CPU), ("moved", CUDA))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert waits == {"still": [], "moved": [CUDA]}


def test_auto_device_reaches_nodes() -> None:
    td = TensorDict({"a": torch.ones(2), "n": {"m": {}}}, [2]).auto_device_()
    assert td.device == td["n"].device == td["n", "m"].device == torch.device("cpu")
    td = TensorDict({"a": torch.ones(2), "n": {"b": torch.ones(2, device="meta")}}, [2]).auto_device_()
    assert td.device is None
    assert td["n"].device == torch.device("meta")


def test_a_new_value_keeps_its_dtype_unless_the_context_cast() -> None:
    td = TensorDict({"a": torch.zeros(2, dtype=torch.bool)}, [2])
    with td.to("cpu") as inner:
        inner.set("a", torch.full((2,), 0.5))
    assert td["a"].tolist() == [0.5, 0.5]
    td = TensorDict({"a": torch.zeros(2, dtype=torch.int64)}, [2])
    with td.to(torch.float32) as inner:
        inner.set("a", torch.full((2,), 3.0))
    assert td["a"].dtype == torch.int64
    assert td["a"].tolist() == [3, 3]
