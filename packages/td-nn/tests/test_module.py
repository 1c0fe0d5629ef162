import copy
import sys

import pytest
import torch
from torch import nn

from td_core import TensorDict
from td_core.errors import TDRuntimeError, TDValueError
from td_nn import TensorDictModule


@pytest.fixture
def td():
    return TensorDict({"a": torch.ones(3), "b": torch.arange(3.0), ("n", "c"): torch.full((3,), 2.0)}, batch_size=[3])


def test_reads_calls_and_writes(td):
    module = TensorDictModule(lambda a, c: (a + c, a - c), ["a", ("n", "c")], [("n", "sum"), "difference"])
    result = module(td)
    assert result is td
    assert td["n", "sum"].tolist() == [3, 3, 3]
    assert td["difference"].tolist() == [-1, -1, -1]


def test_keys_are_made_canonical():
    module = TensorDictModule(abs, in_keys="a", out_keys=("n", ("m", "x")))
    assert module.in_keys == ["a"]
    assert module.out_keys == [("n", "m", "x")]
    assert TensorDictModule(abs, in_keys=("n", "c"), out_keys=[("x",)]).in_keys == [("n", "c")]
    assert TensorDictModule(abs, in_keys=["n"], out_keys=[("x",)]).out_keys == ["x"]


@pytest.mark.parametrize("keys", [["a", 3], 3, [[]], None, {"a": "b"}])
def test_what_is_no_key_is_refused(keys):
    with pytest.raises(TDValueError, match="in_keys must be a key or a list of keys"):
        TensorDictModule(abs, in_keys=keys, out_keys=["x"])


def test_what_cannot_be_called_is_refused():
    with pytest.raises(TDValueError, match="needs a module or a function, got 3"):
        TensorDictModule(3, in_keys=["a"], out_keys=["x"])


def test_an_out_key_may_discard(td):
    TensorDictModule(lambda a: (a, a + 1), ["a"], ["_", "x"])(td)
    assert td["x"].tolist() == [2, 2, 2]
    assert "_" not in list(td.keys())


@pytest.mark.parametrize(("results", "found"), [(lambda a: (a, a, a), 3), (lambda a: a, 1), (lambda a: [], 0)])
def test_the_number_of_results_must_fit(td, results, found):
    with pytest.raises(TDRuntimeError, match=f"returned {found} results for 2 out keys"):
        TensorDictModule(results, ["a"], ["x", "y"])(td)


def test_results_in_a_mapping_are_picked_by_key(td):
    TensorDictModule(lambda a: {"y": a + 2, "x": a + 1, "other": a}, ["a"], ["x", "y"])(td)
    assert (td["x"].tolist(), td["y"].tolist()) == ([2, 2, 2], [3, 3, 3])
    assert "other" not in list(td.keys())


def test_a_mapping_without_the_keys_is_one_result(td):
    TensorDictModule(lambda a: TensorDict({"u": a}, batch_size=[3]), ["a"], ["x"])(td)
    assert td["x", "u"].tolist() == [1, 1, 1]


def test_inplace(td):
    def call(**options):
        return TensorDictModule(lambda a: a + 1, ["a"], [("n", "x")], **options)(td.clone())

    assert set(call(inplace=True).keys()) == {"a", "b", "n"}
    only_results = call(inplace=False)
    assert list(only_results.keys()) == ["n"]
    assert only_results.batch_size == torch.Size([])
    assert only_results["n", "x"].tolist() == [2, 2, 2]
    empty = call(inplace="empty")
    assert list(empty.keys()) == ["n"]
    assert empty.batch_size == torch.Size([3])
    with pytest.raises(TDValueError, match="inplace must be True, False or 'empty', got 'no'"):
        call(inplace="no")


def test_tensordict_out_comes_before_inplace(td):
    out = TensorDict({}, batch_size=[3])
    assert TensorDictModule(lambda a: a + 1, ["a"], ["x"], inplace=False)(td, tensordict_out=out) is out
    assert out["x"].tolist() == [2, 2, 2]
    assert "x" not in list(td.keys())


def test_an_absent_input_is_none(td):
    TensorDictModule(lambda a, z: a if z is None else z, ["a", "z"], ["x"])(td)
    assert td["x"].tolist() == [1, 1, 1]


def test_a_failure_with_an_absent_input_names_it(td):
    with pytest.raises(KeyError, match=r"reads \['z'\], which the tensordict does not have") as caught:
        TensorDictModule(torch.add, ["a", "z"], ["x"])(td)
    assert caught.value.missing == ["z"]
    assert isinstance(caught.value.__cause__, TypeError)


def test_another_failure_keeps_its_type_and_names_the_module(td):
    with pytest.raises(ZeroDivisionError) as caught:
        TensorDictModule(lambda a: 1 // 0, ["a"], ["x"])(td)
    if sys.version_info >= (3, 11):
        assert caught.value.__notes__ == ["while calling TensorDictModule(<lambda>, in_keys=['a'], out_keys=['x'])"]


def test_select_and_reset_out_keys(td):
    module = TensorDictModule(lambda a: (a, a + 1, a + 2), ["a"], ["x", "y", "z"])
    assert module.select_out_keys("z", "y") is module
    module(td)
    assert module.out_keys == ["z", "y"]
    assert module.out_keys_source == ["x", "y", "z"]
    assert td["y"].tolist() == [2, 2, 2]
    assert "x" not in list(td.keys())
    with pytest.raises(TDValueError, match="Cannot select the out key 'x'"):
        module.select_out_keys("x")
    assert module.reset_out_keys().out_keys == ["x", "y", "z"]
    assert module(td)["x"].tolist() == [1, 1, 1]


def test_parameters_and_attributes_are_those_of_the_module():
    linear = nn.Linear(2, 3)
    module = TensorDictModule(linear, ["a"], ["x"])
    assert module.out_features == 3
    assert [name for name, _ in module.named_parameters()] == ["module.weight", "module.bias"]
    with pytest.raises(AttributeError, match="no_such"):
        module.no_such  # noqa: B018


def test_copies(td):
    module = copy.deepcopy(TensorDictModule(nn.Linear(1, 2), ["a"], ["x"]))
    td["a"] = torch.ones(3, 1)
    assert module(td)["x"].shape == (3, 2)


def test_repr_shows_the_keys():
    assert "in_keys=['a'], out_keys=['x']" in repr(TensorDictModule(nn.Linear(1, 2), ["a"], ["x"]))
    assert "module=<built-in function abs>" in repr(TensorDictModule(abs, ["a"], ["x"]))


def test_arguments_reach_the_module(td):
    def scaled(a, factor, *, shift):
        return a * factor + shift

    TensorDictModule(scaled, ["a"], ["x"])(td, 3, shift=4)
    assert td["x"].tolist() == [7, 7, 7]
