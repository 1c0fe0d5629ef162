"""Non-tensor data inside a container."""

import pytest
import torch

from td_core import MetaData, NonTensorData, NonTensorStack, TensorDict, is_leaf_nontensor
from td_core.errors import BatchSizeError, LockedError, TDKeyError, TDRuntimeError


@pytest.fixture
def td():
    return TensorDict(
        {"s": "a", "t": torch.arange(6).view(2, 3), "col": ["x", "y"], "n": {"u": None}}, batch_size=[2], device="cpu"
    )


def test_reading_gives_python_values(td):
    assert td["s"] == "a"
    assert td["col"] == ["x", "y"]
    assert td["n", "u"] is None
    assert type(td.get("s")) is NonTensorData
    assert type(td.get("col")) is NonTensorStack
    assert td.get("s").batch_size == (2,)
    assert td.get("s").device == torch.device("cpu")


@pytest.mark.parametrize("value", ["text", b"bytes", None, {1, 2}, len, object(), ("a", "b"), torch.float32, range(3)])
def test_objects_come_out_as_they_went_in(value):
    td = TensorDict({"v": value}, batch_size=[2])
    assert td["v"] is value
    assert td.get("v").batch_size == (2,)


@pytest.mark.parametrize("value", [["a", "b"], [["a", "b"], ["c", "d"]], [["a"], []], [1, "a"], [{"k": 1}, {}]])
def test_lists_come_out_as_they_went_in(value):
    td = TensorDict({"v": value}, batch_size=[2])
    assert td["v"] == value
    assert td[1]["v"] == value[1]


def test_a_column_must_have_a_row_a_position():
    with pytest.raises(BatchSizeError, match=r"'v' has shape \[3\]"):
        TensorDict({"v": ["a", "b", "c"]}, batch_size=[2])


def test_insertion_fits_the_batch_size():
    td = TensorDict({}, batch_size=[2])
    td["v"] = NonTensorData("a", batch_size=[3])
    assert td.get("v").batch_size == (2,)
    td["v"] = NonTensorData("a", batch_size=[2, 5])
    assert td.get("v").batch_size == (2, 5)


def test_indexing_follows_the_batch(td):
    assert td[0]["s"] == "a"
    assert td[0]["col"] == "x"
    assert td[torch.tensor([False, True])]["col"] == ["y"]
    assert td[[1, 0, 1]]["col"] == ["y", "x", "y"]


def test_shape_operations_follow_the_batch(td):
    wide = td.unsqueeze(0).expand(3, 2).reshape(6)
    assert wide["col"] == ["x", "y"] * 3
    assert wide["s"] == "a"
    assert wide.get("s").batch_size == (6,)
    assert td.unsqueeze(-1).permute(1, 0)["col"] == [["x", "y"]]


def test_stack_and_cat(td):
    assert torch.stack([td, td], 1)["col"] == [["x", "x"], ["y", "y"]]
    assert torch.stack([td, td])["s"] == [["a", "a"], ["a", "a"]]
    assert torch.cat([td, td])["col"] == ["x", "y", "x", "y"]
    assert torch.cat([td, td])["s"] == "a"
    meta = TensorDict({"m": MetaData("k")}, batch_size=[2])
    assert torch.stack([meta, meta])["m"] == "k"


def test_indexed_write_makes_a_column(td):
    td[0] = TensorDict({"s": "b", "t": torch.zeros(3, dtype=torch.long), "col": "z", "n": {"u": None}})
    assert td["s"] == ["b", "a"]
    assert td["col"] == ["z", "y"]
    assert type(td.get(("n", "u"))) is NonTensorData  # the same value: nothing happened


def test_set_at_(td):
    td.lock_()
    assert td.set_at_("s", "q", 1) is td
    assert td["s"] == ["a", "q"]
    entry = td.get("s")
    td.set_at_("s", "q", 1)
    assert td.get("s") is entry
    td.set_at_("s", ["1", "2"], slice(None))
    assert td["s"] == ["1", "2"]
    with pytest.raises(TDRuntimeError):
        td.set_at_("s", ["1", "2", "3"], slice(None))


def test_views_write_through_as_tensors_do(td):
    td[0].set_("col", "W")
    td[1:].set_at_("col", "V", 0)
    assert td["col"] == ["W", "V"]


def test_arithmetic_leaves_it_alone(td):
    total = td.clone().update({"t": torch.zeros(2, 3)}) + 1
    assert total["s"] == "a"
    assert total["col"] == ["x", "y"]
    total.set_at_("col", "changed", 0)
    assert td["col"] == ["x", "y"]


def test_in_place_writes(td):
    entry = td.get("s")
    td.lock_()
    td.set_("s", "b")
    assert td.get("s") is entry
    assert td["s"] == "b"
    td.update_({"col": ["1", "2"]})
    assert td["col"] == ["1", "2"]


def test_get_non_tensor(td):
    assert td.get_non_tensor("s") == "a"
    assert td.get_non_tensor("col") == ["x", "y"]
    assert td.get_non_tensor(("n", "u")) is None
    assert td.get_non_tensor("t") is td["t"]
    assert td.get_non_tensor("missing", 3) == 3
    with pytest.raises(TDKeyError, match="missing"):
        td.get_non_tensor("missing")


def test_set_non_tensor_stores_without_conversion(td):
    assert td.set_non_tensor("w", 3) is td
    assert td["w"] == 3
    assert type(td.get("w")) is NonTensorData
    value = torch.zeros(1)
    assert td.set_non_tensor(("new", "w"), value)["new", "w"] is value
    assert td.set_non_tensor("w", [1, 2])["w"] == [1, 2]
    assert td.get("w").batch_size == (2,)
    td.set_non_tensor("w", NonTensorStack("p", "q"))
    assert td[1]["w"] == "q"
    with pytest.raises(LockedError):
        td.lock_().set_non_tensor("w", 1)


def test_is_non_tensor(td):
    assert td.is_non_tensor("s")
    assert td.is_non_tensor(("n", "u"))
    assert not td.is_non_tensor("t")
    assert not td.is_non_tensor("n")
    with pytest.raises(TDKeyError):
        td.is_non_tensor("missing")


def test_non_tensor_items(td):
    assert [(key, value.unwrap()) for key, value in td.non_tensor_items()] == [("s", "a"), ("col", ["x", "y"])]
    assert [key for key, _ in td.non_tensor_items(include_nested=True)] == ["s", "col", ("n", "u")]


def test_filter_non_tensor_data(td):
    rest = td.filter_non_tensor_data()
    assert set(rest.keys(True)) == {"t", "n"}
    assert rest["t"] is td["t"]
    assert rest.device == td.device
    assert "s" in td


def test_keys_hide_it_from_leaves_unless_asked(td):
    assert set(td.keys(True, True)) == {"t"}
    assert set(td.keys(True, True, is_leaf=is_leaf_nontensor)) == {"t", "s", "col", ("n", "u")}


def test_comparison_is_by_position(td):
    other = td.clone().set("col", ["x", "z"])
    assert (td == other)["col"].tolist() == [True, False]
    assert (td == other)["s"].tolist() == [True, True]


def test_a_subclass_works_where_the_base_does():
    class Text(NonTensorData):
        pass

    td = TensorDict({"a": Text("x"), "t": torch.zeros(2)}, batch_size=[2])
    assert td["a"] == "x"
    assert type(td.get("a")) is Text
    assert type(td[0].get("a")) is Text
    assert td.is_non_tensor("a")
    assert set(td.keys(True, True)) == {"t"}
    assert (td + 1)["a"] == "x"
    assert torch.stack([td, td])[0, 1]["a"] == "x"


def test_many_rows_stay_one_object():
    n = 50_000
    td = TensorDict({"s": [str(i) for i in range(n)], "x": torch.arange(n)}, batch_size=[n])
    shuffled = td[torch.randperm(n)]
    assert shuffled["s"] == [str(i) for i in shuffled["x"].tolist()]
    assert td[10:20]["s"] == [str(i) for i in range(10, 20)]
    assert td[td["x"] > n - 3]["s"] == [str(n - 2), str(n - 1)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "fn",
    [
        lambda td: td + 1,
        lambda td: td[1],
        lambda td: td[:1],
        lambda td: td[torch.tensor([1, 1, 0])],
        lambda td: td.unsqueeze(0).permute(1, 0),
        lambda td: td.expand(2, 2),
        lambda td: torch.stack([td, td]),
        lambda td: torch.cat([td, td]),
        lambda td: td.clone(),
        lambda td: td.apply(lambda x: x + 1),
    ],
)
def test_compiled_code_carries_it(fn):
    td = TensorDict({"t": torch.ones(2), "s": "a", "col": ["x", "y"]}, batch_size=[2])
    out = torch.compile(fn, fullgraph=True, backend="eager")(td)
    expected = fn(td)
    assert out["s"] == expected["s"]
    assert out["col"] == expected["col"]
    if out.batch_size:
        first = (0,) * out.batch_dims
        out.set_at_("col", "new", first)
        expected.set_at_("col", "new", first)
        assert out["col"] == expected["col"]


def test_a_value_is_not_overwritten_by_a_tensor() -> None:
    td = TensorDict({"s": "text"}, [2])
    for write in (lambda: td.set_("s", torch.ones(2)), lambda: td.set("s", torch.ones(2), inplace=True)):
        with pytest.raises(ValueError, match="Failed to write 's' in place"):
            write()
    assert td["s"] == "text"


def test_an_empty_region_of_a_value_is_written_without_a_trace() -> None:
    td = TensorDict({"s": "text"}, [2])
    td[torch.tensor([False, False])] = TensorDict({"s": "other"}, [0])
    assert td["s"] == "text"
    assert td.entry_class("s") is NonTensorData


def test_new_values_at_an_index_without_batch_dims() -> None:
    td = TensorDict({}, [])
    td[None] = TensorDict({"n": {"z": ["r0"]}, "s": "x"}, [1])
    assert td["n", "z"] == "r0"
    assert td["s"] == "x"


def test_tensors_and_values_do_not_mix_in_cat() -> None:
    one, two = TensorDict({"a": torch.ones(2)}, [2]), TensorDict({"a": "text"}, [2])
    for first, second in ((one, two), (two, one)):
        with pytest.raises((TypeError, ValueError)):
            torch.cat([first, second])
