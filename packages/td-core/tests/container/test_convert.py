"""Conversions from and to Python, numpy and torch objects."""

import dataclasses
from collections import OrderedDict, namedtuple
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from torch.utils import _pytree as pytree

from td_core import NonTensorData, NonTensorStack, TensorDict, from_dict, lazy_stack
from td_core.errors import TDTypeError, TDValueError


class Pair(NamedTuple):
    first: Any
    second: Any


@dataclasses.dataclass
class Sample:
    x: Any
    y: Any


def source():
    return {"a": torch.randn(4, 3), "n": {"b": torch.randn(4, 5), "c": torch.randn(4, 5, 2)}, "s": "hi"}


class TestFromDict:
    def test_batch_size_is_empty_by_default(self):
        td = TensorDict.from_dict(source())
        assert td.batch_size == td["n"].batch_size == ()
        assert td["s"] == "hi"

    def test_batch_size_is_found_on_request(self):
        td = TensorDict.from_dict(source(), auto_batch_size=True)
        assert td.batch_size == (4,)
        assert td["n"].batch_size == (4, 5)
        assert from_dict(source(), auto_batch_size=True)["n"].batch_size == (4, 5)

    @pytest.mark.parametrize(
        ("dims", "root", "node"), [(0, (), ()), (1, (4,), (4,)), (2, (4,), (4, 5)), (9, (4,), (4, 5))]
    )
    def test_batch_dims_limits_it(self, dims, root, node):
        td = TensorDict.from_dict(source(), batch_dims=dims)
        assert (td.batch_size, td["n"].batch_size) == (root, node)
        assert TensorDict.from_dict(source(), batch_dims=dims, auto_batch_size=False).batch_size == ()

    def test_given_batch_size(self):
        assert TensorDict.from_dict(source(), batch_size=[4])["n"].batch_size == (4,)
        assert TensorDict.from_dict(source(), batch_size=4).batch_size == (4,)
        with pytest.raises(TDValueError, match="batch_dims"):
            TensorDict.from_dict(source(), batch_size=[4], batch_dims=1)
        with pytest.raises(RuntimeError):
            TensorDict.from_dict(source(), batch_size=[5])

    def test_names_are_those_of_the_result(self):
        td = TensorDict.from_dict(source(), auto_batch_size=True, names=["t"])
        assert td.names == ["t"]
        assert td["n"].names == ["t", None]
        with pytest.raises(TDValueError, match="names"):
            TensorDict.from_dict(source(), names=["t"])

    def test_device(self):
        td = TensorDict.from_dict(source(), device="meta")
        assert td["n"].device == td["n", "b"].device == torch.device("meta")

    def test_the_source_is_not_changed(self):
        given = source()
        td = TensorDict.from_dict(given)
        td["n", "new"] = torch.ones(1)
        assert list(given["n"]) == ["b", "c"]
        other = TensorDict.from_dict(td, auto_batch_size=True)
        assert other is not td
        assert td.batch_size == ()
        other["n", "newer"] = torch.ones(4, 5)
        assert "newer" not in td["n"]

    def test_tuple_keys_and_other_mappings(self):
        td = TensorDict.from_dict(OrderedDict({("a", "b"): 1, "c": 2.0}))
        assert td["a", "b"] == 1
        with pytest.raises(TDTypeError, match="list"):
            TensorDict.from_dict([1])

    def test_instance_keeps_the_structure_of_lists_and_dicts(self):
        model = TensorDict({"n": {"x": torch.ones(2)}, "d": torch.ones(2)})
        td = model.from_dict_instance({"n": {"x": torch.zeros(2)}, "d": {"y": 1}})
        assert td["n", "x"].tolist() == [0, 0]
        assert td["d", "y"] == 1
        assert model.from_dict_instance({"n": {"x": torch.zeros(2)}}, auto_batch_size=True)["n"].batch_size == (2,)

    def test_compiles(self):
        torch._dynamo.reset()

        @torch.compile(fullgraph=True, backend="eager")
        def run(a, b):
            td = TensorDict.from_dict({"a": a, "n": {"b": b}}, batch_size=[3])
            return (td + 1).to_dict()

        out = run(torch.zeros(3), torch.ones(3))
        assert out["n"]["b"].tolist() == [2, 2, 2]


class TestToDict:
    def make(self):
        return TensorDict(
            {"a": torch.ones(2), "n": {"b": torch.ones(2)}, "s": "hi", "l": NonTensorStack("x", "y"), "none": None}, [2]
        )

    def test_shares_tensors_and_unwraps_the_rest(self):
        td = self.make()
        out = td.to_dict()
        assert out["a"] is td["a"]
        assert out["n"]["b"] is td["n", "b"]
        assert (out["s"], out["l"], out["none"]) == ("hi", ["x", "y"], None)
        assert type(out["n"]) is dict
        assert "none" not in td.to_dict(retain_none=False)

    def test_conversions(self):
        td = self.make()
        assert td.to_dict(convert_tensors=True)["n"] == {"b": [1.0, 1.0]}
        assert type(td.to_dict(convert_tensors="numpy")["n"]["b"]) is np.ndarray
        assert td.to_dict(tolist_first=True, convert_tensors=True)["n"] == [{"b": 1.0}, {"b": 1.0}]
        with pytest.raises(TDValueError, match="numpy"):
            td.to_dict(convert_tensors="x")

    def test_to_tensordict_is_an_unlocked_deep_copy(self):
        td = self.make().lock_()
        new = td.to_tensordict()
        assert not new.is_locked
        assert new["n", "b"].data_ptr() != td["n", "b"].data_ptr()
        assert (new == td).all()
        dense = lazy_stack([TensorDict({"x": torch.ones(2)}), TensorDict({"x": torch.zeros(2)})]).to_tensordict()
        assert type(dense) is TensorDict
        assert dense["x"].tolist() == [[1, 1], [0, 0]]

    def test_numpy(self):
        td = self.make()
        out = td.numpy()
        out["n"]["b"][0] = 5
        assert td["n", "b"].tolist() == [5, 1]
        assert (out["s"], out["l"]) == ("hi", ["x", "y"])


class TestNamedTuple:
    def test_round_trip(self):
        td = TensorDict({"a": torch.ones(2), "n": {"b": torch.ones(2, 3)}, "s": "hi"}, [2])
        out = td.to_namedtuple()
        assert type(out).__name__ == type(out.n).__name__ == "GenericDict"
        assert out._fields == ("a", "n", "s")
        assert out.a is td["a"]
        assert out.s == "hi"
        back = TensorDict.from_namedtuple(out)
        assert back.batch_size == ()
        assert back["n", "b"] is td["n", "b"]
        assert TensorDict.from_namedtuple(out, auto_batch_size=True)["n"].batch_size == (2, 3)
        assert type(TensorDict({"a": 1}).to_namedtuple()) is type(TensorDict({"a": 2}).to_namedtuple())

    def test_own_class(self):
        out = TensorDict({"first": 1, "second": {"x": 2}}).to_namedtuple(dest_cls=Pair)
        assert type(out) is Pair
        assert out.second.x == 2

    @pytest.mark.parametrize("key", ["class", "_private", "not a name"])
    def test_keys_that_are_no_names(self, key):
        with pytest.raises(TDValueError, match=key):
            TensorDict({key: torch.ones(1)}).to_namedtuple()

    def test_other_input(self):
        with pytest.raises(TDTypeError, match="named tuple"):
            TensorDict.from_namedtuple((1, 2))


class TestStructArray:
    dtype = np.dtype(
        [
            ("name", "U10"),
            ("age", "i4"),
            ("w", "f4", (2,)),
            ("in", [("x", "f8"), ("y", "U3")]),
            ("ok", "?"),
            ("raw", "S3"),
        ]
    )

    def make(self):
        array = np.zeros(3, self.dtype)
        array["name"], array["age"], array["raw"] = ["Rex", "Fido", "Al"], [9, 3, 1], [b"x", b"yy", b""]
        array["in"]["x"], array["in"]["y"] = [1.5, 2.5, 3.5], ["p", "q", "r"]
        return array

    def test_entries(self):
        td = TensorDict.from_struct_array(self.make())
        assert td.batch_size == td["in"].batch_size == (3,)
        assert td["age"].tolist() == [9, 3, 1]
        assert td["w"].shape == (3, 2)
        assert td["in", "x"].tolist() == [1.5, 2.5, 3.5]
        assert td["name"] == ["Rex", "Fido", "Al"]
        assert td[1]["name"] == "Fido"
        assert type(td[1]["name"]) is str
        assert td[1:].to_struct_array()["name"].tolist() == ["Fido", "Al"]

    def test_memory_is_shared(self):
        array = np.zeros(3, [("a", "i4"), ("b", "f4")])
        td = TensorDict.from_struct_array(array)
        array["a"][1] = 7
        td["b"][2] = 2.5
        assert td["a"].tolist() == [0, 7, 0]
        assert array["b"].tolist() == [0, 0, 2.5]

    def test_round_trip(self):
        array = self.make()
        back = TensorDict.from_struct_array(array).to_struct_array()
        assert back.shape == array.shape
        assert back.dtype == array.dtype
        assert (back == array).all()

    @pytest.mark.parametrize("shape", [(), (2,), (2, 3), (0,)])
    def test_shapes(self, shape):
        td = TensorDict.from_struct_array(np.zeros(shape, self.dtype))
        assert td.batch_size == td["in"].batch_size == shape
        assert td.to_struct_array().shape == shape

    def test_unaligned_big_endian_and_read_only_fields_are_copied(self):
        array = np.zeros(2, [("pad", "S1"), ("x", ">f8"), ("y", "f8")])
        array["x"], array["y"] = [1.0, 2.0], [3.0, 4.0]
        array.flags.writeable = False
        td = TensorDict.from_struct_array(array)
        assert td["x"].tolist() == [1, 2]
        assert td["y"].tolist() == [3, 4]

    def test_nested_batch_size_and_missing_dtypes(self):
        td = TensorDict({"n": TensorDict({"x": torch.ones(2, 3, 4)}, [2, 3])}, [2])
        array = td.to_struct_array()
        assert array["n"]["x"].shape == (2, 3, 4)
        with pytest.raises(TDTypeError, match="bfloat16"):
            TensorDict({"x": torch.ones(2, dtype=torch.bfloat16)}, [2]).to_struct_array()
        assert TensorDict({}, [2]).to_struct_array().shape == (2,)

    def test_columns_of_objects(self):
        td = TensorDict({"mixed": NonTensorStack(1, "a"), "one": "x"}, [2])
        assert td.to_struct_array()["mixed"].tolist() == [1, "a"]
        assert td.to_struct_array()["one"].tolist() == ["x", "x"]

    def test_options(self):
        array = np.zeros((2, 3), [("a", "f4")])
        assert TensorDict.from_struct_array(array, batch_size=[2]).batch_size == (2,)
        assert TensorDict.from_struct_array(array, batch_dims=1).batch_size == (2,)
        assert TensorDict.from_struct_array(array, device="meta")["a"].device.type == "meta"
        with pytest.raises(TDTypeError, match="structured"):
            TensorDict.from_struct_array(np.zeros(3))


class TestFromAny:
    def test_a_nest_of_everything(self):
        array = np.zeros(2, [("f", "i4")])
        td = TensorDict.from_any(
            {
                "tuple": (1, "x"),
                "pair": Pair(1, {"k": 2}),
                "data": Sample(torch.ones(1), "s"),
                "array": array,
                "numbers": [1, 2],
                "list": ["a", 1],
                "none": None,
            }
        )
        assert td["tuple", "0"] == 1
        assert td["tuple", "1"] == "x"
        assert td["pair", "second", "k"] == 2
        assert td["data", "y"] == "s"
        assert td["array"].batch_size == (2,)
        assert td["numbers"].tolist() == [1, 2]
        assert td["list"] == ["a", 1]
        assert td["none"] is None

    def test_what_has_no_conversion(self):
        value = object()
        assert TensorDict.from_any(value) is value
        assert TensorDict.from_any("text") == "text"
        td = TensorDict()
        assert TensorDict.from_any(td) is td

    def test_tuples_and_dataclasses(self):
        assert TensorDict.from_tuple((torch.ones(3, 2), torch.ones(3)), auto_batch_size=True).batch_size == (3,)
        assert TensorDict.from_tuple([1, (2,)])["1", "0"] == 2
        td = TensorDict.from_dataclass(Sample(torch.ones(3), Sample(torch.ones(3, 2), 1)), batch_size=[])
        assert td["y", "x"].shape == (3, 2)
        with pytest.raises(TDTypeError, match="dataclass"):
            TensorDict.from_dataclass(Sample)
        with pytest.raises(TDTypeError, match="tuple"):
            TensorDict.from_tuple({"a": 1})


class TestNest:
    @pytest.mark.parametrize(
        "nest",
        [
            [1, {"a": (1, 2), 3: 5, ("z", "y"): [1.0]}],
            Pair(1, (2, [3])),
            OrderedDict(b=1, a={}),
            {"e": [], "t": (), (1, 2): 1, "0": 2, 0: 3, "_pytree_type": 4},
            [[[1]], Pair({}, [])],
            namedtuple("Point", "x y")(1, 2),
        ],
    )
    def test_round_trip(self, nest):
        back = TensorDict.from_pytree(nest).to_pytree()
        assert back == nest
        assert type(back) is type(nest)

    def test_leaves_become_tensors(self):
        back = TensorDict.from_pytree({"a": 1, "b": np.ones(2), "c": [True]}).to_pytree()
        assert all(isinstance(leaf, torch.Tensor) for leaf in (back["a"], back["b"], back["c"][0]))
        assert TensorDict.from_pytree(3).item() == 3

    def test_other_leaves_and_containers_stay(self):
        td = TensorDict({"x": torch.ones(1)})
        back = TensorDict.from_pytree({"s": "text", "n": None, "td": td}).to_pytree()
        assert back["s"] == "text"
        assert back["n"] is None
        assert back["td"]["x"] is td["x"]
        assert td.to_pytree() is td

    def test_batch_size(self):
        nest = {"a": torch.ones(3, 2), "b": [torch.ones(3)]}
        assert TensorDict.from_pytree(nest, auto_batch_size=True)["b"].batch_size == (3,)
        assert TensorDict.from_pytree(nest, batch_size=[3]).batch_size == (3,)


class TestTorchPytree:
    def make(self):
        return TensorDict({"a": torch.ones(2, 3), "s": "hi", "n": {"b": torch.ones(2, 4)}}, [2], names=["t"])

    def test_leaves_and_paths(self):
        td = self.make()
        leaves, _ = pytree.tree_flatten_with_path(td)
        assert [pytree.keystr(path) for path, _ in leaves] == ["['a']", "['n']['b']"]
        assert leaves[1][1] is td["n", "b"]

    def test_map_keeps_the_rest(self):
        td = self.make().lock_()
        out = pytree.tree_map(lambda x: x + 1, td)
        assert out["n", "b"].tolist() == [[2] * 4] * 2
        assert out["s"] == "hi"
        assert list(out.keys()) == ["a", "s", "n"]
        assert (out.batch_size, out.names) == (td.batch_size, ["t"])
        assert not out.is_locked

    def test_changed_shapes_get_the_batch_size_that_still_fits(self):
        td = TensorDict({"a": torch.ones(2, 3, 4), "n": {"b": torch.ones(2, 3)}}, [2, 3], names=["t", "u"])
        out = pytree.tree_map(lambda x: x[:, :1], td)
        assert (out.batch_size, out.names) == ((2, 1), ["t", None])
        assert pytree.tree_map(torch.sum, td).batch_size == ()

    def test_device_follows(self):
        td = TensorDict({"n": {"a": torch.ones(1)}}, device="cpu")
        assert pytree.tree_map(lambda x: x + 1, td)["n"].device == torch.device("cpu")
        assert pytree.tree_map(lambda x: x.to("meta"), td).device is None

    @pytest.mark.parametrize("leaf", [0, None, "text", (1, 2), torch.Size([1])])
    def test_any_object_can_be_a_leaf(self, leaf):
        out = pytree.tree_map(lambda _: leaf, self.make())
        assert out["n"].get("b").data == leaf
        found, spec = pytree.tree_flatten(out, is_leaf=lambda x: x is leaf)
        assert found == [leaf, leaf]
        assert spec == pytree.tree_structure(self.make())
        assert "b" in repr(out)

    def test_structures_compare_keys_names_and_data_not_sizes(self):
        spec = pytree.tree_structure(self.make())
        assert spec == pytree.tree_structure(self.make()[:1])
        assert spec != pytree.tree_structure(self.make().exclude("a"))
        other = self.make()
        other["s"] = "ho"
        assert spec != pytree.tree_structure(other)
        other["s"] = NonTensorData("hi")
        assert spec == pytree.tree_structure(other)

    def test_structure_as_json(self):
        spec = pytree.tree_structure(self.make().exclude("s"))
        assert pytree.treespec_loads(pytree.treespec_dumps(spec)) == spec
        with pytest.raises(TDTypeError, match="'s'"):
            pytree.treespec_dumps(pytree.tree_structure(self.make()))

    def test_lazy_stack(self):
        stack = lazy_stack([TensorDict({"x": torch.ones(i + 1)}) for i in range(2)])
        assert [leaf.numel() for leaf in pytree.tree_leaves(stack)] == [1, 2]
        out = pytree.tree_map(lambda x: x * 3, stack)
        assert out[1]["x"].tolist() == [3, 3]
