import pytest
import torch
from torch import nn

from td_core import TensorDict
from td_core.errors import TDTypeError, TDValueError
from td_nn import TensorDictModule, TensorDictSequential


def plus(number):
    return lambda x: x + number


@pytest.fixture
def td():
    return TensorDict({"a": torch.ones(3), "b": torch.zeros(3)}, batch_size=[3])


@pytest.fixture
def sequence():
    return TensorDictSequential(
        TensorDictModule(plus(1), ["a"], ["c"]),
        TensorDictModule(plus(10), ["c"], [("n", "d")]),
        TensorDictModule(plus(100), ["b"], ["e"]),
    )


def test_runs_in_order(td, sequence):
    assert sequence(td) is td
    assert td["c"].tolist() == [2, 2, 2]
    assert td["n", "d"].tolist() == [12, 12, 12]
    assert td["e"].tolist() == [100, 100, 100]


def test_keys(sequence):
    assert sequence.in_keys == ["a", "b"]
    assert sequence.out_keys == ["c", ("n", "d"), "e"]


@pytest.mark.parametrize(("inplace", "batch_size"), [(False, []), ("empty", [3])])
def test_inplace(td, sequence, inplace, batch_size):
    result = TensorDictSequential(*sequence, inplace=inplace)(td)
    assert result.batch_size == torch.Size(batch_size)
    assert set(result.keys()) == {"c", "n", "e"}
    assert result["n", "d"].tolist() == [12, 12, 12]
    assert set(td.keys()) == {"a", "b"}


def test_selected_out_keys(td, sequence):
    selected = TensorDictSequential(*sequence, selected_out_keys=[("n", "d")])
    assert selected(td) is td
    assert set(td.keys()) == {"a", "b", "n"}
    assert selected.out_keys == [("n", "d")]
    assert selected.reset_out_keys().out_keys == ["c", ("n", "d"), "e"]
    with pytest.raises(TDValueError, match="Cannot select the out key 'zz'"):
        TensorDictSequential(*sequence, selected_out_keys=["zz"])


def test_tensordict_out(td, sequence):
    out = TensorDict({}, batch_size=[3])
    assert sequence(td, tensordict_out=out) is out
    assert out["e"].tolist() == [100, 100, 100]
    assert set(td.keys()) == {"a", "b"}


@pytest.mark.parametrize(
    ("selection", "in_keys", "out_keys"),
    [
        ({"out_keys": [("n", "d")]}, ["a"], ["c", ("n", "d")]),
        ({"out_keys": ["c"]}, ["a"], ["c"]),
        ({"in_keys": ["b"]}, ["b"], ["e"]),
        ({"in_keys": ["c"]}, ["c"], [("n", "d")]),
        ({}, ["a", "b"], ["c", ("n", "d"), "e"]),
    ],
)
def test_select_subsequence(sequence, selection, in_keys, out_keys):
    selected = sequence.select_subsequence(**selection)
    assert selected.in_keys == in_keys
    assert selected.out_keys == out_keys


def test_select_subsequence_of_nothing(sequence):
    with pytest.raises(TDValueError, match=r"No module of the sequence leads from \['zz'\] to its out_keys"):
        sequence.select_subsequence(in_keys=["zz"])
    with pytest.raises(TDValueError, match="No module of the sequence"):
        sequence.select_subsequence(out_keys=["zz"])


def test_select_subsequence_keeps_modules_that_rewrite_an_entry():
    rewrite = TensorDictModule(plus(5), ["x"], ["x"])
    sequence = TensorDictSequential(TensorDictModule(plus(1), ["a"], ["x"]), rewrite)
    assert len(sequence.select_subsequence(out_keys=["x"])) == 2


def test_partial_tolerant(td):
    steps = [TensorDictModule(plus(1), ["absent"], ["c"]), TensorDictModule(plus(2), ["a"], ["d"])]
    TensorDictSequential(*steps, partial_tolerant=True)(td)
    assert td["d"].tolist() == [3, 3, 3]
    assert "c" not in list(td.keys())
    with pytest.raises(KeyError, match="absent"):
        TensorDictSequential(*steps)(td)


def test_plain_functions_take_the_tensordict(td):
    TensorDictSequential(lambda td: td.set("q", td["a"] * 7))(td)
    assert td["q"].tolist() == [7, 7, 7]
    with pytest.raises(TDTypeError, match="must be callable, got 3"):
        TensorDictSequential(3)


def test_positions_slices_and_names(sequence):
    assert len(sequence) == 3
    assert sequence[0].out_keys == ["c"]
    assert sequence[-1].out_keys == ["e"]
    assert sequence[:2].out_keys == ["c", ("n", "d")]
    with pytest.raises(TDTypeError, match="have no names; cannot look up 'first'"):
        sequence["first"]
    named = TensorDictSequential({"first": sequence[0], "second": sequence[1]})
    assert named["second"] is sequence[1]
    assert list(dict(named.module.named_children())) == ["first", "second"]
    assert named.select_subsequence(out_keys=["c"])["first"] is sequence[0]


def test_state_and_training():
    torch.manual_seed(0)
    net = TensorDictSequential(
        TensorDictModule(nn.Linear(2, 8), ["x"], ["h"]),
        TensorDictModule(nn.Tanh(), ["h"], ["h"]),
        TensorDictModule(nn.Linear(8, 1), ["h"], ["y"]),
    )
    assert "module.0.module.weight" in net.state_dict()
    data = TensorDict({"x": torch.randn(64, 2)}, batch_size=[64])
    target = data["x"].sum(-1, keepdim=True)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.03)
    for _ in range(150):
        loss = (net(data)["y"] - target).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.05


@pytest.mark.slow
def test_the_compile_backend(td, sequence):
    from td_nn import compile_callable

    compiled = compile_callable(sequence, backend="eager", fullgraph=True)
    result = compiled(td)
    assert result["n", "d"].tolist() == [12, 12, 12]
    assert compiled.in_keys == ["a", "b"]
