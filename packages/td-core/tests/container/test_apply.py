"""apply, apply_, named_apply and their options."""

import threading

import pytest
import torch

from td_core import NonTensorData, TensorDict, TensorDictBase, is_leaf_nontensor
from td_core.errors import (
    BatchSizeError,
    InplaceWriteError,
    LockedError,
    TDKeyError,
    TDRuntimeError,
    TDTypeError,
    TDValueError,
)


@pytest.fixture
def td():
    return TensorDict({"a": torch.ones(2, 3), "n": {"b": torch.zeros(2), "e": {}}, "s": "x"}, batch_size=[2])


def plain(node):
    """The tree as nested dicts, tensors as lists."""
    return {
        key: plain(value)
        if isinstance(value, TensorDictBase)
        else node[key].tolist()
        if is_tensor(value)
        else node[key]
        for key, value in node.items()
    }


def is_tensor(value):
    return isinstance(value, torch.Tensor)


class TestResult:
    def test_new_tree_around_the_results(self, td):
        out = td.apply(lambda x: x + 1)
        assert plain(out) == {"a": [[2.0] * 3] * 2, "n": {"b": [1.0, 1.0], "e": {}}, "s": "x"}
        assert out.batch_size == out["n"].batch_size == (2,)
        assert plain(td)["a"] == [[1.0] * 3] * 2

    def test_results_are_normalised(self):
        td = TensorDict({"a": torch.zeros(2)}, batch_size=[2])
        assert td.apply(lambda x: x.numpy())["a"].tolist() == [0.0, 0.0]
        assert td.apply(lambda x: {"z": x})["a", "z"].tolist() == [0.0, 0.0]
        assert td.apply(lambda x: "text")["a"] == "text"

    def test_results_must_fit(self, td):
        with pytest.raises(BatchSizeError, match="'a'"):
            td.apply(lambda x: x[0])
        with pytest.raises(BatchSizeError, match="'b'"):
            TensorDict({"n": TensorDict({"b": torch.zeros(2, 3)}, [2, 3])}, [2]).apply(lambda x: x[:, 0])

    def test_results_go_to_the_device(self):
        td = TensorDict({"a": torch.zeros(2, device="meta")}, device="meta")
        assert td.apply(lambda x: torch.ones(2))["a"].device.type == "meta"

    def test_lock_is_not_propagated_unless_asked(self, td):
        td.lock_()
        assert not td.apply(lambda x: x).is_locked
        locked = td.apply(lambda x: x, propagate_lock=True)
        assert locked.is_locked
        assert locked["n"].is_locked
        assert not td.unlock_().apply(lambda x: x, propagate_lock=True).is_locked

    def test_non_tensor_data_is_copied(self, td):
        out = td.apply(lambda x: x)
        out.set_("s", "changed")
        assert td["s"] == "x"

    def test_unknown_keywords_are_refused(self, td):
        with pytest.raises(TypeError, match="foo"):
            td.apply(lambda x: x, foo=1)

    def test_errors_of_the_function_surface(self, td):
        with pytest.raises(ZeroDivisionError):
            td.apply(lambda x: 1 / 0)


class TestMetadata:
    @pytest.fixture
    def named(self):
        return TensorDict(
            {"a": torch.ones(2, 3), "n": TensorDict({"b": torch.zeros(2, 3)}, [2, 3])},
            batch_size=[2],
            names=["x"],
            device="cpu",
        )

    def test_inherited(self, named):
        out = named.apply(lambda x: x)
        assert (out.names, out["n"].names) == (["x"], ["x", None])
        assert out["n"].batch_size == (2, 3)
        assert out.device == out["n"].device == torch.device("cpu")

    def test_batch_size_goes_to_every_node_and_erases_names(self, named):
        out = named.apply(lambda x: x, batch_size=[2, 3])
        assert out.batch_size == out["n"].batch_size == (2, 3)
        assert out.names == [None, None]
        shorter = named.apply(lambda x: x.sum(), batch_size=[])
        assert shorter.batch_size == shorter["n"].batch_size == ()
        assert shorter["a"].item() == 6

    def test_batch_size_goes_to_non_tensor_data(self, td):
        assert td.apply(lambda x: x.expand(5, *x.shape), batch_size=[5]).get("s").batch_size == (5,)

    def test_names(self, named):
        out = named.apply(lambda x: x, batch_size=[2, 3], names=["y", "z"])
        assert out.names == out["n"].names == ["y", "z"]
        assert named.apply(lambda x: x, names=["y"])["n"].names == ["y", None]
        assert named.apply(lambda x: x, names=None).names == [None]
        with pytest.raises(TDValueError):
            named.apply(lambda x: x, names=["y", "z"])

    def test_device(self, named):
        cleared = named.apply(lambda x: x, device=None)
        assert cleared.device is None
        assert cleared["n"].device is None
        moved = named.apply(lambda x: x, device="meta")
        assert moved["n", "b"].device.type == "meta"
        assert moved["n"].device == torch.device("meta")


class TestInPlace:
    def test_writes_into_the_leaves(self, td):
        leaf = td["a"]
        assert td.apply_(lambda x: x + 1) is td
        assert td["a"] is leaf
        assert leaf.tolist() == [[2.0] * 3] * 2
        assert td["n", "b"].tolist() == [1.0, 1.0]

    def test_keeps_dtype_and_broadcasts(self, td):
        td.select("a").apply(lambda x: (x[..., :1] + 1).double(), inplace=True, batch_size=[2])
        assert td["a"].dtype == torch.float32
        assert td["a"].tolist() == [[2.0] * 3] * 2

    def test_works_on_locked(self, td):
        td.lock_().apply_(lambda x: x + 1)
        assert td["n", "b"].tolist() == [1.0, 1.0]
        with pytest.raises(InplaceWriteError, match="'a'"):
            td.apply_(lambda x: torch.zeros(2, 5))

    def test_none_leaves_an_entry_as_it_is(self, td):
        td.named_apply(lambda key, x: None if key == "a" else x + 1, inplace=True)
        assert td["a"].tolist() == [[1.0] * 3] * 2
        assert td["n", "b"].tolist() == [1.0, 1.0]

    def test_inplace_is_set_by_apply_(self, td):
        with pytest.raises(TypeError, match="inplace"):
            td.apply_(lambda x: x, inplace=False)


class TestOut:
    def test_entries_are_replaced(self, td):
        node = TensorDict({"b": torch.ones(2)}, [2])
        out = TensorDict({"a": torch.zeros(2, 3), "z": torch.ones(2), "n": node}, [2])
        before = out["a"]
        assert td.apply(lambda x: x + 1, out=out) is out
        assert out["a"] is not before
        assert before.tolist() == [[0.0] * 3] * 2
        assert out["n"] is node
        assert plain(out) == {
            "a": [[2.0] * 3] * 2,
            "z": [1.0, 1.0],
            "n": {"b": [1.0, 1.0], "e": {}},
            "s": "x",
        }

    def test_self_as_out(self, td):
        assert td.apply(lambda x: x + 1, out=td) is td
        assert td["a"].tolist() == [[2.0] * 3] * 2

    def test_locked_out(self, td):
        with pytest.raises(LockedError):
            td.apply(lambda x: x, out=td.clone().lock_())

    def test_conflicting_metadata(self, td):
        with pytest.raises(TDRuntimeError, match="batch size"):
            td.apply(lambda x: x, out=TensorDict(), batch_size=[2])
        with pytest.raises(TDRuntimeError, match="device"):
            td.apply(lambda x: x, out=TensorDict({}, [2]), device="cpu")
        out = TensorDict({}, [2], device="cpu")
        assert td.apply(lambda x: x, out=out, device="cpu", batch_size=[2]) is out


class TestOthers:
    A = TensorDict({"a": torch.ones(2), "n": {"b": torch.ones(2), "m": {"c": torch.ones(2)}}}, [2])

    def test_leaves_are_paired_by_key(self):
        other = self.A.apply(lambda x: x * 2).set("extra", torch.ones(2))
        out = self.A.apply(lambda x, y, z: x + y + z, other, other.to_dict())
        assert plain(out) == {"a": [5.0, 5.0], "n": {"b": [5.0, 5.0], "m": {"c": [5.0, 5.0]}}}

    def test_missing_entry(self):
        with pytest.raises(TDKeyError, match="'n'"):
            self.A.apply(lambda x, y: x, TensorDict({"a": torch.ones(2)}, [2]))

    def test_default_stands_for_leaves_and_nodes(self):
        seen = []
        partial = TensorDict({"a": torch.zeros(2)}, [2])
        self.A.named_apply(lambda key, x, y: seen.append((key, y)), partial, default=None, nested_keys=True)
        assert [key for key, _ in seen] == ["a", ("n", "b"), ("n", "m", "c")]
        assert seen[0][1].tolist() == [0.0, 0.0]
        assert [y for _, y in seen[1:]] == [None, None]

    def test_a_leaf_where_a_node_is_needed(self):
        with pytest.raises(TDTypeError, match="Tensor"):
            self.A.apply(lambda x, y: x, TensorDict({"a": torch.ones(2), "n": torch.ones(2)}, [2]))


def empty_cases():
    """Source, function, and the result for filter_empty None, True and False."""
    leaf = torch.ones(2)
    return {
        "nothing left": ({"a": leaf}, None, None, None, {}),
        "node with nothing left": ({"a": leaf, "n": {"b": leaf}}, "b", {"a"}, {"a"}, {"a", "n"}),
        "only nodes": ({"n": {"b": leaf}}, None, None, None, {"n"}),
        "node empty before": ({"a": leaf, "e": {}}, "a", {"e"}, None, {"e"}),
        "nothing dropped": ({"a": leaf, "e": {}}, "-", {"a", "e"}, {"a"}, {"a", "e"}),
        "empty before": ({}, None, {}, None, {}),
        "non-tensor counts": ({"a": leaf, "s": "x"}, None, {"s"}, {"s"}, {"s"}),
        "node of non-tensor counts": ({"n": {"a": leaf, "s": "x"}}, None, {"n"}, {"n"}, {"n"}),
    }


@pytest.mark.parametrize("case", empty_cases())
@pytest.mark.parametrize(("filter_empty", "column"), [(None, 0), (True, 1), (False, 2)])
@pytest.mark.parametrize("general", [False, True])
def test_filter_empty(case, filter_empty, column, general):
    source, dropped, *expected = empty_cases()[case]
    options = {"device": None} if general else {}  # an option leads off the short way

    def fn(key, x):
        return None if dropped in (None, key) else x

    out = TensorDict(source, [2]).named_apply(fn, filter_empty=filter_empty, **options)
    if expected[column] is None:
        assert out is None
    else:
        assert set(out.keys()) == set(expected[column])


class TestCalls:
    def test_keys(self, td):
        keys = []
        td.named_apply(lambda key, x: keys.append(key))
        td.named_apply(lambda key, x: keys.append(key), nested_keys=True)
        td.named_apply(lambda key, x: keys.append(key), nested_keys=True, batch_size=[2])
        assert keys == ["a", "b", "a", ("n", "b"), "a", ("n", "b")]

    def test_deep_keys(self):
        keys = []
        TensorDict({"a": {"b": {"c": 1}}}).named_apply(lambda key, x: keys.append(key), nested_keys=True)
        assert keys == [("a", "b", "c")]

    def test_call_on_nested(self, td):
        seen = []
        out = td.named_apply(lambda key, x: seen.append((key, type(x))) or x, call_on_nested=True)
        assert seen == [("a", torch.Tensor), ("n", TensorDict), ("s", NonTensorData)]
        assert plain(out) == plain(td)

    def test_is_leaf(self, td):
        out = td.apply(lambda x: x if is_tensor(x) else "new", is_leaf=is_leaf_nontensor)
        assert out["s"] == "new"
        nodes_too = td.apply(lambda x: None if is_tensor(x) else x, is_leaf=lambda cls: True)
        assert set(nodes_too.keys()) == {"n", "s"}

    def test_parameters_are_leaves(self):
        td = TensorDict({"p": torch.nn.Parameter(torch.ones(2))})
        assert td.apply(lambda p: p.detach() * 2)["p"].tolist() == [2.0, 2.0]

    def test_fast_apply_keeps_empty_nodes(self, td):
        assert set(td._fast_apply(lambda x: None).keys()) == {"n", "s"}


class TestThreads:
    def test_equals_the_sequential_version(self, td):
        main = threading.get_ident()
        threads = set()

        def fn(key, x, y):
            threads.add(threading.get_ident())
            return None if key == "a" else x + y

        other = TensorDict({"a": torch.ones(2, 3), "n": {"b": torch.ones(2)}}, [2])
        options = {"nested_keys": True, "default": 3, "filter_empty": True}
        assert plain(td.named_apply(fn, other, num_threads=3, **options)) == plain(td.named_apply(fn, other, **options))
        assert threads - {main}

    def test_nested_default_and_out(self, td):
        out = TensorDict({"n": {"z": torch.ones(2)}}, [2])
        node = out["n"]
        assert td.apply(lambda x, y: x + y, TensorDict({}, [2]), default=1, out=out, num_threads=2) is out
        assert out["n"] is node
        assert plain(out["n"]) == {"z": [1.0, 1.0], "b": [1.0, 1.0], "e": {}}

    def test_inplace(self, td):
        leaf = td["a"]
        assert td.apply_(lambda x: x + 1, num_threads=2) is td
        assert td["a"] is leaf
        assert leaf.tolist() == [[2.0] * 3] * 2

    def test_errors_surface(self, td):
        with pytest.raises(ZeroDivisionError):
            td.apply(lambda x: 1 / 0, num_threads=2)

    def test_one_thread_and_many_nodes_do_not_deadlock(self):
        td = TensorDict({str(i): {"x": {"y": torch.zeros(1)}} for i in range(20)})
        out = td.apply(lambda x: x + 1, num_threads=1)
        assert out["19", "x", "y"].item() == 1


@pytest.mark.slow
def test_compiles(td):
    def fn(td):
        td = td.apply(lambda x: x + 1)
        td = td.named_apply(lambda key, x: x * 2 if key == "b" else x)
        return td.flatten_keys(".").unflatten_keys(".").apply(lambda x, y: x + y, td)

    td = td.exclude("s")
    compiled = torch.compile(fn, fullgraph=True, backend="eager")
    assert plain(compiled(td)) == plain(fn(td))
