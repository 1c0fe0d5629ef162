"""Out to plain Python and numpy, and back (rows CORE-206 to CORE-214)."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils import _pytree as pytree

from td_core import TensorDict
from td_core.abc import Capability
from td_core.keys import join_key
from td_core.testing.gates import needs, shares_values
from td_core.testing.topic import TopicTests, check_leaves, leaves, mapped, same_memory


class ConversionTests(TopicTests):
    """`to_dict`, `to_tensordict`, named tuples, numpy, state dicts, pytrees."""

    def test_to_dict(self) -> None:
        """CORE-208: nested plain dicts around the leaves."""
        td = self.sample()
        plain = td.to_dict()
        assert type(plain) is dict
        assert type(plain["node"]["deep"]) is dict
        assert list(plain) == ["a", "b", "node"]
        for key, value in leaves(td).items():
            found = plain
            for part in key if isinstance(key, tuple) else (key,):
                found = found[part]
            assert torch.equal(found, value)  # type: ignore[arg-type]  # a leaf by now

    @shares_values
    @needs(Capability.NON_TENSOR)
    def test_to_dict_non_tensor(self) -> None:
        """CORE-208: non-tensor data is unwrapped."""
        plain = self.make({"s": "text", "n": {"w": ["p", "q"]}}, [2]).to_dict()
        assert plain["s"] == "text"
        assert list(plain["n"]["w"]) == ["p", "q"]

    @needs(Capability.VIEWS)
    def test_to_dict_shares_leaves(self) -> None:
        """CORE-208: the leaves are shared."""
        td = self.sample()
        assert same_memory(td.to_dict()["a"], td["a"])

    def test_to_tensordict(self) -> None:
        """CORE-208: a deep dense copy."""
        td = self.sample()
        new = td.to_tensordict()
        assert isinstance(new, TensorDict)
        check_leaves(new, leaves(td), batch_size=[4, 3])
        assert new["node", "deep"].batch_size == torch.Size([4, 3, 2])
        assert not same_memory(new["a"], td["a"])

    def test_from_dict_instance(self) -> None:
        """CORE-206: a dict becomes a container like this one."""
        td = self.make({"a": torch.zeros(2), "n": {"b": torch.zeros(2)}}, [2])
        new = td.from_dict_instance({"a": torch.ones(2), "n": {"b": torch.ones(2, 3)}}, batch_size=[2])
        check_leaves(new, {"a": torch.ones(2), ("n", "b"): torch.ones(2, 3)}, batch_size=[2])

    @shares_values
    @needs(Capability.NON_TENSOR)
    def test_namedtuple(self) -> None:
        """CORE-209: nested named tuples, and back."""
        td = self.make({"a": torch.arange(2), "n": {"b": torch.ones(2), "s": "text"}}, [2])
        value = td.to_namedtuple()
        assert type(value).__name__ == "GenericDict"
        assert type(value.n).__name__ == "GenericDict"
        assert torch.equal(value.a, torch.arange(2))
        assert torch.equal(value.n.b, torch.ones(2))
        assert value.n.s == "text"
        back = TensorDict.from_namedtuple(value)
        check_leaves(back, leaves(td))
        assert back["n", "s"] == "text"
        tensors = td.exclude(("n", "s")).to_namedtuple()
        assert TensorDict.from_namedtuple(tensors, auto_batch_size=True).batch_size == torch.Size([2])

    def test_numpy(self) -> None:
        """CORE-211: a nested dict of arrays."""
        td = self.sample()
        plain = td.numpy()
        assert isinstance(plain["a"], np.ndarray)
        np.testing.assert_array_equal(plain["a"], np.arange(12.0, dtype=np.float32).reshape(4, 3))
        assert plain["node"]["deep"]["d"].dtype == np.bool_
        np.testing.assert_array_equal(plain["node"]["deep"]["d"], td["node", "deep", "d"].numpy())

    @shares_values
    @needs(Capability.NON_TENSOR)
    def test_numpy_non_tensor(self) -> None:
        """CORE-211: non-tensor data as it is."""
        plain = self.make({"s": "text", "n": {"t": "more"}}, [2]).numpy()
        assert plain["s"] == "text"
        assert plain["n"]["t"] == "more"

    def test_to_struct_array(self) -> None:
        """CORE-210: a structured array of the batch shape, nested dtypes for nodes."""
        td = self.make({"a": torch.arange(2), "n": {"b": torch.ones(2, 3)}}, [2])
        array = td.to_struct_array()
        assert array.shape == (2,)
        assert array.dtype == np.dtype([("a", "i8"), ("n", [("b", "f4", (3,))])])
        np.testing.assert_array_equal(array["a"], [0, 1])
        np.testing.assert_array_equal(array["n"]["b"], np.ones((2, 3)))

    def test_to_pytree(self) -> None:
        """CORE-212: a container is its own pytree of dicts."""
        td = self.make({"a": torch.arange(2), "n": {"b": torch.ones(2)}}, [2])
        value: Any = td.to_pytree()
        assert torch.equal(value["a"], torch.arange(2))
        assert torch.equal(value["n"]["b"], torch.ones(2))

    @needs(Capability.VIEWS)
    def test_pytree_map(self) -> None:
        """CORE-213: containers are nodes of torch's pytrees."""
        td = self.sample()
        new = pytree.tree_map(lambda value: value.flip(0), td)
        check_leaves(new, mapped(td, lambda value: value.flip(0)), batch_size=[4, 3])
        assert len(pytree.tree_leaves(td)) == 4
        flat, spec = pytree.tree_flatten({"x": td, "y": [td]})
        back = pytree.tree_unflatten(flat, spec)
        check_leaves(back["y"][0], leaves(td), batch_size=[4, 3])

    @needs(Capability.VIEWS)
    def test_pytree_with_other_shapes(self) -> None:
        """CORE-213: leaves of other shapes get a batch size that fits."""
        td = self.make({"a": torch.zeros(4, 3), "b": torch.zeros(4, 3, 2)}, [4, 3])
        assert pytree.tree_map(lambda value: value[0], td).batch_size in (torch.Size([3]), torch.Size([]))
        new = pytree.tree_map(lambda value: value.unsqueeze(0), td)
        assert new["a"].shape[: new.ndim] == new.batch_size
        assert new["b"].shape[: new.ndim] == new.batch_size
        assert new["a"].shape == torch.Size([1, 4, 3])

    @needs(Capability.VIEWS)
    def test_pytree_keys(self) -> None:
        """CORE-213: flattening with paths gives the keys."""
        paths = [pytree.keystr(path) for path, _ in pytree.tree_flatten_with_path(self.sample())[0]]
        assert len(paths) == 4
        assert all(part in paths[-1] for part in ("node", "deep", "d"))

    @needs(Capability.NAMES)
    def test_pytree_names(self) -> None:
        """CORE-213: names are kept where they fit."""
        assert pytree.tree_map(lambda value: value, self.sample(names=["x", "y"])).names == ["x", "y"]

    def test_state_dict(self) -> None:
        """CORE-214: an ordered dict of the leaves, flat by default, with a prefix if asked."""
        td = self.sample()
        state = td.state_dict()
        assert isinstance(state, OrderedDict)
        for key, value in leaves(td).items():
            assert torch.equal(state[join_key(key)], value)
        assert "p.node.c" in td.state_dict(prefix="p.")

    @needs(Capability.INPLACE)
    @pytest.mark.parametrize("flatten", [True, False])
    def test_load_state_dict(self, flatten: bool) -> None:
        """CORE-214: what was saved is loaded, from either form."""
        td = self.sample()
        other = self.sample().zero_()
        other.load_state_dict(td.state_dict(flatten=flatten))
        check_leaves(other, leaves(td), batch_size=[4, 3])

    @needs(Capability.INPLACE)
    def test_load_state_dict_strict(self) -> None:
        """CORE-214: other keys are a RuntimeError, unless not strict."""
        td = self.make({"a": torch.zeros(2), "b": torch.zeros(2)}, [2])
        partial = self.make({"a": torch.ones(2)}, [2]).state_dict()
        with pytest.raises(RuntimeError):
            td.load_state_dict(partial)
        td.load_state_dict(partial, strict=False)
        assert td["a"].tolist() == [1.0, 1.0]
        assert td["b"].tolist() == [0.0, 0.0]

    def test_tolist(self) -> None:
        """CORE-207: nested lists, one level a batch dim, of the dicts of the elements."""
        td = self.make({"a": torch.arange(4).view(2, 2), "n": {"b": torch.arange(2)}}, [2])
        listed = td.tolist(convert_tensors=True)
        assert listed == [{"a": [0, 1], "n": {"b": 0}}, {"a": [2, 3], "n": {"b": 1}}]
        rows = td.tolist(convert_nodes=False)
        assert [row.batch_size for row in rows] == [torch.Size([])] * 2
        assert rows[1]["a"].tolist() == [2, 3]
        with pytest.raises(TypeError):
            td.tolist(convert_nodes=False, convert_tensors=True)
