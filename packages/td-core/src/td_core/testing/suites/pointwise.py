"""Elementwise operations, one test a row of the op table (rows CORE-121 to CORE-124)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest
import torch

from td_core.abc import Capability
from td_core.ops.table import OPS
from td_core.testing.gates import needs
from td_core.testing.topic import TopicTests, check_leaves, leaves, mapped

ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.mod]
IN_PLACE_ARITHMETIC = [operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ipow]
ALL = sorted(OPS)
IN_PLACE = sorted(name for name, row in OPS.items() if row.inplace is not None)
ARGUMENTS = {"unary": 0, "binary": 1, "scaled": 1, "lerp": 2, "addc": 2}


def by_hand(name: str, values: list[torch.Tensor]) -> torch.Tensor:
    """Call a row's own torch function on plain tensors."""
    row = OPS[name]
    return row.function(*values[: ARGUMENTS[row.signature] + 1])


class PointwiseTests(TopicTests):
    """Leaf by leaf, matched by key; the tree, names, device and lock go on."""

    def operands(self, name: str) -> list[Any]:
        """Three containers with values in the domain of the operation, keys in another order each."""
        integers = "bitwise" in name
        generator = torch.Generator().manual_seed(1)
        result = []
        for order in (("a", "n", "b"), ("b", "n", "a"), ("n", "a", "b")):
            values: dict[str, Any] = {}
            for key, shape in (("a", (4, 3)), ("b", (4, 3, 2)), ("n", (4, 3, 5))):
                value = torch.rand(shape, generator=generator) * 0.6 + 0.2
                values[key] = (value * 10).to(torch.int64) if integers else value
            values["n"] = {"c": values["n"]}
            result.append(self.make({key: values[key] for key in order}, (4, 3)))
        return result

    @pytest.mark.parametrize("name", ALL)
    def test_pointwise_containers(self, name: str) -> None:
        """CORE-121, CORE-122, TRAP-039: every row of the table, with containers as operands."""
        tds = self.operands(name)
        arguments = tds[1 : ARGUMENTS[OPS[name].signature] + 1]
        maps = [leaves(td) for td in tds]
        expected = {key: by_hand(name, [values[key] for values in maps]) for key in maps[0]}
        before = {key: value.clone() for key, value in maps[0].items()}
        new = getattr(tds[0], name)(*arguments)
        check_leaves(new, expected, batch_size=[4, 3], exact=False)
        assert list(new.keys(True)) == list(tds[0].keys(True))
        check_leaves(tds[0], before)

    @needs(Capability.INPLACE)
    @pytest.mark.parametrize("name", IN_PLACE)
    def test_pointwise_in_place(self, name: str) -> None:
        """CORE-121, CORE-123: the in-place twin writes into the same memory and returns the container."""
        tds = self.operands(name)
        arguments = tds[1 : ARGUMENTS[OPS[name].signature] + 1]
        maps = [leaves(td) for td in tds]
        expected = {key: by_hand(name, [values[key] for values in maps]) for key in maps[0]}
        before = tds[0]["a"]
        assert getattr(tds[0], f"{name}_")(*arguments) is tds[0]
        check_leaves(tds[0], expected, batch_size=[4, 3], exact=False)
        torch.testing.assert_close(self.case.raw_read(tds[0], ("n", "c")), expected["n", "c"])
        if Capability.VIEWS in self.case.capabilities:
            torch.testing.assert_close(before, expected["a"])

    @pytest.mark.parametrize("name", sorted(name for name, row in OPS.items() if row.signature in ("binary", "scaled")))
    def test_pointwise_number(self, name: str) -> None:
        """CORE-121: a number goes to every leaf."""
        td = self.operands(name)[0]
        number = 3 if "bitwise" in name else 0.5
        check_leaves(
            getattr(td, name)(number), mapped(td, lambda value: OPS[name].function(value, number)), exact=False
        )

    @pytest.mark.parametrize("name", sorted(name for name, row in OPS.items() if row.torch_functions))
    def test_pointwise_torch_function(self, name: str) -> None:
        """CORE-121, CORE-102: the functions of torch do what the methods do."""
        tds = self.operands(name)
        arguments = tds[1 : ARGUMENTS[OPS[name].signature] + 1]
        if OPS[name].signature == "lerp":
            arguments = [arguments[0], 0.5]
        expected = leaves(getattr(tds[0], name)(*arguments))
        for function in OPS[name].torch_functions:
            check_leaves(function(tds[0], *arguments), expected, batch_size=[4, 3])

    @pytest.mark.parametrize("function", ARITHMETIC)
    def test_operators(self, function: Callable[[Any, Any], Any]) -> None:
        """CORE-121: the operators, with a number and with a container."""
        one, two, _ = self.operands("add")
        theirs = leaves(two)
        expected = {key: function(value, theirs[key]) for key, value in leaves(one).items()}
        check_leaves(function(one, two), expected, batch_size=[4, 3], exact=False)
        check_leaves(function(one, 2), mapped(one, lambda value: function(value, 2)), exact=False)

    @pytest.mark.parametrize("function", [operator.add, operator.sub, operator.mul, operator.truediv])
    def test_reflected_operators(self, function: Callable[[Any, Any], Any]) -> None:
        """CORE-121: a number on the left."""
        td = self.operands("add")[0]
        check_leaves(function(2, td), mapped(td, lambda value: function(2, value)), batch_size=[4, 3], exact=False)

    def test_unary_operators(self) -> None:
        """CORE-121: minus, abs, invert."""
        td = self.operands("add")[0]
        check_leaves(-td, mapped(td, torch.neg))
        check_leaves(abs(-td), leaves(td))
        mask = td > 0.5
        check_leaves(~mask, mapped(mask, torch.logical_not))
        check_leaves(mask & ~mask, mapped(mask, torch.zeros_like))

    @needs(Capability.INPLACE)
    @pytest.mark.parametrize("function", IN_PLACE_ARITHMETIC)
    def test_in_place_operators(self, function: Callable[[Any, Any], Any]) -> None:
        """CORE-123: the augmented assignments write in place."""
        td = self.operands("add")[0]
        before = td["a"]
        expected = mapped(td, lambda value: function(value.clone(), 2))
        assert function(td, 2) is td
        check_leaves(td, expected, exact=False)
        if Capability.VIEWS in self.case.capabilities:
            torch.testing.assert_close(before, expected["a"])

    @needs(Capability.INPLACE | Capability.LOCK)
    def test_in_place_locked(self) -> None:
        """CORE-123: allowed on a locked container."""
        one, two, _ = self.operands("add")
        expected = {key: value + leaves(two)[key] for key, value in leaves(one).items()}
        one.lock_()
        one += two
        check_leaves(one, expected)
        assert one.is_locked

    def test_pointwise_with_tensor(self) -> None:
        """CORE-121, TRAP-040: a tensor is aligned with the batch dims and expanded to the right of each leaf."""
        td = self.make({"a": torch.ones(3, 2), "n": {"b": torch.ones(3)}}, [3])
        other = torch.tensor([1.0, 2.0, 3.0])
        expected = {"a": torch.ones(3, 2) * other[:, None], ("n", "b"): other}
        check_leaves(td * other, expected, batch_size=[3])
        check_leaves(td + torch.tensor(2.0), mapped(td, lambda value: value + 2))

    def test_pointwise_tensor_enlarges_the_batch(self) -> None:
        """TRAP-040: a tensor with more dims broadcasts over the batch dims."""
        td = self.make({"a": torch.ones(3, 2)}, [3])
        other = torch.tensor([[1.0], [2.0], [3.0]])
        new = td + other
        assert new.batch_size == torch.Size([3, 3])
        assert torch.equal(new["a"], torch.ones(3, 2) + other[..., None])

    @needs(Capability.NAMES | Capability.LOCK)
    def test_pointwise_flags(self) -> None:
        """CORE-121, CORE-074, CORE-107: names and lock go on."""
        td = self.make({"a": torch.ones(2, 3), "n": {"b": torch.ones(2)}}, [2], names=["x"]).lock_()
        for new in (td + 1, td * td, -td, td.exp(), td.lerp(td, 0.5)):
            assert new.names == ["x"]
            assert new.is_locked
        assert not (td.clone() + 1).is_locked

    def test_pointwise_device(self) -> None:
        """CORE-121: the device goes on, and nodes keep their batch size."""
        td = self.make({"a": torch.ones(2)}, [2], device="cpu")
        assert (td + 1).device == torch.device("cpu")
        assert (self.sample().select("node") * 2)["node", "deep"].batch_size == torch.Size([4, 3, 2])

    @pytest.mark.parametrize("function", [operator.add, operator.mul, operator.pow])
    def test_pointwise_other_keys_raises(self, function: Callable[[Any, Any], Any]) -> None:
        """CORE-122: differing key sets are a KeyError that lists the extra keys."""
        td = self.make({"a": torch.ones(2), "extra": torch.ones(2)}, [2])
        other = self.make({"a": torch.ones(2)}, [2])
        for one, two in ((td, other), (other, td)):
            with pytest.raises(KeyError, match="extra"):
                function(one, two)

    def test_pointwise_default(self) -> None:
        """CORE-122: a default value stands for missing keys; "intersection" keeps the common ones."""
        td = self.make({"a": torch.ones(2), "extra": torch.full((2,), 3.0)}, [2])
        other = self.make({"a": torch.ones(2)}, [2])
        new = td.add(other, default=torch.tensor(5.0))
        check_leaves(new, {"a": torch.full((2,), 2.0), "extra": torch.full((2,), 8.0)})
        check_leaves(td.add(other, default="intersection"), {"a": torch.full((2,), 2.0)})

    def test_scalar_arguments(self) -> None:
        """CORE-124: `alpha`, `value`, `weight`, `min` and `max` as in torch."""
        one, two, three = self.operands("add")
        a, b, c = leaves(one), leaves(two), leaves(three)
        check_leaves(one.add(two, alpha=2), {key: a[key] + 2 * b[key] for key in a}, exact=False)
        check_leaves(one.sub(two, alpha=2), {key: a[key] - 2 * b[key] for key in a}, exact=False)
        check_leaves(one.add(1, alpha=2), {key: a[key] + 2 for key in a}, exact=False)
        check_leaves(one.addcmul(two, three, value=2), {key: a[key] + 2 * b[key] * c[key] for key in a}, exact=False)
        check_leaves(one.addcdiv(two, three, value=2), {key: a[key] + 2 * b[key] / c[key] for key in a}, exact=False)
        check_leaves(one.lerp(two, 0.25), {key: a[key] + 0.25 * (b[key] - a[key]) for key in a}, exact=False)
        check_leaves(one.clamp(0.3, 0.5), {key: a[key].clamp(0.3, 0.5) for key in a})
        check_leaves(one.clamp(min=0.3), {key: a[key].clamp(min=0.3) for key in a})
        check_leaves(one.clamp(two, three), {key: a[key].clamp(b[key], c[key]) for key in a})

    def test_power_of_a_number(self) -> None:
        """CORE-121: a number raised to a container is not supported."""
        with pytest.raises((NotImplementedError, TypeError)):
            2 ** self.operands("pow")[0]

    @pytest.mark.parametrize("other", ["text", None, object()])
    def test_pointwise_with_anything_else_raises(self, other: Any) -> None:
        """CORE-121: operands without meaning are a TypeError."""
        with pytest.raises(TypeError):
            self.operands("add")[0] + other
