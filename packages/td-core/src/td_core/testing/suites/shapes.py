"""Shape operations on the batch dims (rows CORE-074 to CORE-092, CORE-099, CORE-102)."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from td_core import pad
from td_core.abc import Capability
from td_core.testing.gates import needs
from td_core.testing.strategies import SUITE_SETTINGS, shapes
from td_core.testing.topic import TopicTests, check_leaves, leaves, mapped, same_memory

Operation = Callable[[Any], Any]

# name, operation on a container, the same on a tensor with two leading batch dims [4, 3], names of the result
OPERATIONS: dict[str, tuple[Operation, Operation, list[str | None]]] = {
    "view": (lambda td: td.view(12), lambda t: t.reshape(12, *t.shape[2:]), [None]),
    "view_infer": (lambda td: td.view(2, -1), lambda t: t.reshape(2, 6, *t.shape[2:]), [None, None]),
    "view_sequence": (lambda td: td.view((3, 4)), lambda t: t.reshape(3, 4, *t.shape[2:]), [None, None]),
    "view_size": (lambda td: td.view(size=(3, 4)), lambda t: t.reshape(3, 4, *t.shape[2:]), [None, None]),
    "reshape": (lambda td: td.reshape(12), lambda t: t.reshape(12, *t.shape[2:]), [None]),
    "reshape_infer": (lambda td: td.reshape((6, -1)), lambda t: t.reshape(6, 2, *t.shape[2:]), [None, None]),
    "transpose": (lambda td: td.transpose(0, 1), lambda t: t.transpose(0, 1), ["y", "x"]),
    "transpose_negative": (lambda td: td.transpose(-1, -2), lambda t: t.transpose(0, 1), ["y", "x"]),
    "permute": (lambda td: td.permute(1, 0), lambda t: t.transpose(0, 1), ["y", "x"]),
    "permute_sequence": (lambda td: td.permute((1, 0)), lambda t: t.transpose(0, 1), ["y", "x"]),
    "permute_keyword": (lambda td: td.permute(dims=(-1, 0)), lambda t: t.transpose(0, 1), ["y", "x"]),
    "unsqueeze": (lambda td: td.unsqueeze(0), lambda t: t.unsqueeze(0), [None, "x", "y"]),
    "unsqueeze_middle": (lambda td: td.unsqueeze(1), lambda t: t.unsqueeze(1), ["x", None, "y"]),
    "unsqueeze_last": (lambda td: td.unsqueeze(-1), lambda t: t.unsqueeze(2), ["x", "y", None]),
    "expand": (lambda td: td.expand(2, 4, 3), lambda t: t.expand(2, *t.shape), [None, "x", "y"]),
    "expand_keep": (lambda td: td.expand(2, -1, -1), lambda t: t.expand(2, *t.shape), [None, "x", "y"]),
    "flatten": (lambda td: td.flatten(0, 1), lambda t: t.flatten(0, 1), [None]),
    "flatten_default": (lambda td: td.flatten(), lambda t: t.flatten(0, 1), [None]),
    "unflatten": (lambda td: td.unflatten(0, (2, 2)), lambda t: t.unflatten(0, (2, 2)), [None, None, "y"]),
    "unflatten_infer": (lambda td: td.unflatten(0, [2, -1]), lambda t: t.unflatten(0, (2, 2)), [None, None, "y"]),
}

INHERIT_LOCK = ["view", "reshape", "transpose", "permute", "unsqueeze", "expand", "flatten"]


class ShapeTests(TopicTests):
    """Each operation acts on the batch dims; trailing dims of the leaves and extra dims of nodes follow."""

    @pytest.mark.parametrize("name", OPERATIONS)
    def test_shape_operation(self, name: str) -> None:
        """CORE-076 to CORE-083, CORE-088: each leaf is transformed as a plain tensor; so is the batch size."""
        operation, by_hand, _ = OPERATIONS[name]
        td = self.sample()
        expected = mapped(td, by_hand)
        size = by_hand(torch.empty(4, 3)).shape
        new = operation(td)
        check_leaves(new, expected, batch_size=size)
        assert td.batch_size == torch.Size([4, 3])
        assert new["node", "deep"].batch_size[: len(size)] == size

    @pytest.mark.parametrize(
        "name", ["transpose", "permute", "unsqueeze", "unsqueeze_last", "expand", "view", "flatten"]
    )
    def test_shape_operation_keeps_extra_dims_of_nodes(self, name: str) -> None:
        """CORE-074: a node with more batch dims keeps the extra ones."""
        operation, by_hand, _ = OPERATIONS[name]
        new = operation(self.sample())
        assert new["node", "deep"].batch_size == by_hand(torch.empty(4, 3, 2)).shape

    @needs(Capability.NAMES)
    @pytest.mark.parametrize("name", OPERATIONS)
    def test_shape_operation_names(self, name: str) -> None:
        """CORE-107, TRAP-023, TRAP-031: names follow each operation by its own rule."""
        operation, _, names = OPERATIONS[name]
        td = self.sample(names=["x", "y"])
        if name.startswith(("unflatten", "flatten")):
            assert len(operation(td).names) == len(names)
            return
        assert operation(td).names == names
        assert td.names == ["x", "y"]

    @needs(Capability.LOCK)
    @pytest.mark.parametrize("name", INHERIT_LOCK)
    def test_shape_operation_inherits_the_lock(self, name: str) -> None:
        """CORE-074: the result of a locked container is locked, nodes included; of an unlocked one it is not."""
        operation = OPERATIONS[name][0]
        assert not operation(self.sample()).is_locked
        new = operation(self.sample().lock_())
        assert new.is_locked
        assert new["node", "deep"].is_locked

    @needs(Capability.VIEWS)
    @needs(Capability.LOCK)
    def test_results_that_do_not_inherit_the_lock(self) -> None:
        """CORE-074: these results are unlocked, whatever the source."""
        td = self.sample().lock_()
        results = [
            td.clone(),
            td.clone(False),
            td.copy(),
            td.contiguous(),
            td.empty(),
            td.apply(lambda x: x),
            td.unbind(0)[0],
            td.gather(0, torch.zeros(1, 3, dtype=torch.int64)),
            td.masked_select(torch.ones(4, dtype=torch.bool)),
            torch.stack([td, td]),
            torch.cat([td, td]),
            td.flatten_keys(),
            td == td,
        ]
        assert [new.is_locked for new in results] == [False] * len(results)

    @needs(Capability.VIEWS)
    @pytest.mark.parametrize("name", ["view", "transpose", "permute", "unsqueeze", "expand", "flatten", "unflatten"])
    def test_shape_operation_shares_memory(self, name: str) -> None:
        """CORE-074: unless stated otherwise the result shares memory with its source."""
        td = self.sample()
        assert same_memory(OPERATIONS[name][0](td)["a"], td["a"])

    @needs(Capability.NON_TENSOR)
    @pytest.mark.parametrize("name", OPERATIONS)
    def test_shape_operation_on_non_tensor_data(self, name: str) -> None:
        """CORE-158: non-tensor data follows: its batch size changes, and every position has the value."""
        operation, by_hand, _ = OPERATIONS[name]
        td = self.make({"a": torch.zeros(4, 3), "s": "text"}, [4, 3])
        found = operation(td).get("s")
        size = by_hand(torch.empty(4, 3)).shape
        assert found.batch_size == size
        assert found.tolist() == np.full(size, "text").tolist()

    @needs(Capability.SHARED)
    def test_shared_flag(self) -> None:
        """CORE-075: operations that keep the memory keep the shared flag."""
        td = self.make({"a": torch.zeros(4, 1)}, [4, 1]).share_memory_()
        for new in (
            td.view(2, 2),
            td.transpose(0, 1),
            td.permute(1, 0),
            td.squeeze(1),
            td.unsqueeze(0),
            td.unbind(0)[0],
        ):
            assert new.is_shared()
        for new in (td.clone(), td.select("a")):
            assert not new.is_locked

    def test_view_to_the_same_shape(self) -> None:
        """CORE-076, CORE-078, TRAP-023: the same shape gives the container itself."""
        td = self.sample()
        assert td.view(4, 3) is td
        assert td.view(-1, 3) is td
        assert td.reshape(4, 3) is td

    @pytest.mark.parametrize("shape", [(5,), (-1, -1), (4, 4), (-1, 5), ()])
    def test_view_of_wrong_size_raises(self, shape: tuple[int, ...]) -> None:
        """CORE-076, CORE-078: a size mismatch, or more than one -1, is a RuntimeError."""
        for name in ("view", "reshape"):
            with pytest.raises(RuntimeError):
                getattr(self.sample(), name)(shape)

    @needs(Capability.VIEWS)
    def test_view_of_a_transposed_container(self) -> None:
        """CORE-076, CORE-078: where a view is impossible, `reshape` copies."""
        td = self.sample().transpose(0, 1)
        expected = mapped(td, lambda value: value.reshape(12, *value.shape[2:]))
        check_leaves(td.reshape(12), expected, batch_size=[12])
        with pytest.raises(RuntimeError):
            td.view(12)

    def test_view_dtype(self) -> None:
        """CORE-077: `view(dtype)` reinterprets each leaf; the batch size stays."""
        td = self.make({"a": torch.arange(8.0).reshape(4, 2), "n": {"b": torch.ones(4, 2)}}, [4])
        check_leaves(td.view(torch.int32), mapped(td, lambda value: value.view(torch.int32)), batch_size=[4])
        check_leaves(td.view(torch.uint8), mapped(td, lambda value: value.view(torch.uint8)), batch_size=[4])

    def test_transpose_same_dims(self) -> None:
        """CORE-079: the same dim twice gives the container itself."""
        td = self.sample()
        assert td.transpose(1, 1) is td
        assert td.transpose(1, -1) is td

    @pytest.mark.parametrize("dims", [(0, 2), (-3, 0), (2, 0)])
    def test_transpose_out_of_range_raises(self, dims: tuple[int, int]) -> None:
        """CORE-079: dims outside the batch are a ValueError, on both sides."""
        with pytest.raises(ValueError, match="dim"):
            self.sample().transpose(*dims)

    def test_permute_identity(self) -> None:
        """CORE-080: the identity gives the container itself."""
        td = self.sample()
        assert td.permute(0, 1) is td
        td = self.make({"a": torch.zeros(3)})
        assert td.permute() is td

    @pytest.mark.parametrize("dims", [(0, 0), (0, 2), (-3, 0), (1,), (0, 1, 2)])
    def test_permute_wrong_dims_raises(self, dims: tuple[int, ...]) -> None:
        """CORE-080, TRAP-024: anything that is no permutation of the first dims is a ValueError."""
        with pytest.raises(ValueError):
            self.sample().permute(dims)

    @needs(Capability.NAMES)
    def test_permute_short_list(self) -> None:
        """CORE-080, TRAP-024: a short list permutes the first dims; the names of the others stay."""
        value = torch.arange(24).reshape(4, 3, 2)
        td = self.make({"a": value}, [4, 3, 2], names=["x", "y", "z"])
        new = td.permute(1, 0)
        check_leaves(new, {"a": value.permute(1, 0, 2)}, batch_size=[3, 4, 2], names=["y", "x", "z"])

    def test_squeeze(self) -> None:
        """CORE-081: without a dim, all batch dims of size 1 go, never those of the leaves."""
        td = self.make({"a": torch.arange(4.0).reshape(1, 4, 1, 1), "n": {"b": torch.ones(1, 4, 1, 2)}}, [1, 4, 1])
        expected = mapped(td, lambda value: value.reshape(4, *value.shape[3:]))
        check_leaves(td.squeeze(), expected, batch_size=[4])
        check_leaves(td.squeeze(0), mapped(td, lambda value: value.squeeze(0)), batch_size=[4, 1])
        check_leaves(td.squeeze(-1), mapped(td, lambda value: value.squeeze(2)), batch_size=[1, 4])

    def test_squeeze_nothing(self) -> None:
        """CORE-081, TRAP-026: nothing to remove, or a dim of another size, gives the container itself."""
        td = self.sample()
        assert td.squeeze() is td
        assert td.squeeze(0) is td
        assert td.squeeze(-1) is td

    @pytest.mark.parametrize("dim", [2, -3])
    def test_squeeze_out_of_range_raises(self, dim: int) -> None:
        """CORE-081, TRAP-026: a dim out of range is an IndexError, as on a tensor."""
        with pytest.raises(IndexError):
            self.sample().squeeze(dim)

    @needs(Capability.NAMES)
    def test_squeeze_names(self) -> None:
        """CORE-107, TRAP-025: squeezed dims lose their names, also when no dim is left."""
        td = self.make({"a": torch.zeros(1, 4, 1)}, [1, 4, 1], names=["x", "y", "z"])
        assert td.squeeze().names == ["y"]
        assert td.squeeze(0).names == ["y", "z"]
        assert td.squeeze(-1).names == ["x", "y"]
        td = self.make({"a": torch.zeros(1, 1)}, [1, 1], names=["x", "y"])
        assert td.squeeze().batch_size == torch.Size([])
        assert td.squeeze().names == []

    @pytest.mark.parametrize("dim", [3, -4])
    def test_unsqueeze_out_of_range_raises(self, dim: int) -> None:
        """CORE-082: a dim out of range is an error."""
        with pytest.raises((RuntimeError, IndexError)):
            self.sample().unsqueeze(dim)

    def test_expand_singletons(self) -> None:
        """CORE-083: dims of size 1 grow; nodes keep their extra dims."""
        td = self.make({"a": torch.arange(3.0).reshape(1, 3), "n": {"b": torch.ones(1, 3, 2)}}, [1, 3])
        check_leaves(td.expand(4, 3), mapped(td, lambda value: value.expand(4, *value.shape[1:])), batch_size=[4, 3])
        check_leaves(td.expand([4, -1]), mapped(td, lambda value: value.expand(4, *value.shape[1:])), batch_size=[4, 3])

    def test_expand_without_batch_dims(self) -> None:
        """CORE-083, TRAP-027: a container without batch dims expands to any size."""
        td = self.make({"a": torch.arange(3.0)})
        check_leaves(td.expand(2, 4), {"a": torch.arange(3.0).expand(2, 4, 3)}, batch_size=[2, 4])

    @pytest.mark.parametrize("shape", [(3,), (4, 4), (2, 3), ()])
    def test_expand_wrong_shape_raises(self, shape: tuple[int, ...]) -> None:
        """CORE-083: a shorter or incompatible shape is a RuntimeError."""
        with pytest.raises(RuntimeError):
            self.sample().expand(shape)

    def test_expand_as(self) -> None:
        """CORE-084: to the shape of a tensor or container."""
        td = self.make({"a": torch.arange(3.0)}, [3])
        other = self.make({"a": torch.zeros(2, 3)}, [2, 3])
        for target in (torch.zeros(2, 3), other):
            check_leaves(td.expand_as(target), {"a": torch.arange(3.0).expand(2, 3)}, batch_size=[2, 3])

    @pytest.mark.parametrize("dim", [0, 1, -1, -2])
    def test_unbind(self, dim: int) -> None:
        """CORE-085: a tuple of containers without that dim."""
        td = self.sample()
        positive = dim % 2
        parts = td.unbind(dim)
        assert isinstance(parts, tuple)
        assert len(parts) == td.shape[dim]
        for number, part in enumerate(parts):
            expected = mapped(td, lambda value, n=number: value.select(positive, n))  # type: ignore[misc]
            check_leaves(part, expected, batch_size=[td.shape[1 - positive]])

    @needs(Capability.NAMES)
    def test_unbind_names(self) -> None:
        """CORE-085, CORE-107: the dim loses its name."""
        td = self.sample(names=["x", "y"])
        assert td.unbind(0)[0].names == ["y"]
        assert td.unbind(1)[0].names == ["x"]

    @needs(Capability.VIEWS)
    def test_unbind_shares_memory(self) -> None:
        """CORE-085: leaves are views."""
        td = self.sample()
        assert same_memory(td.unbind(0)[1]["a"], td["a"])

    @pytest.mark.parametrize("dim", [2, -3])
    def test_unbind_out_of_range_raises(self, dim: int) -> None:
        """CORE-085: as on a tensor."""
        with pytest.raises(IndexError):
            self.sample().unbind(dim)

    @pytest.mark.parametrize(
        ("size", "dim"), [(1, 0), (3, 0), (4, 0), (9, 0), (2, 1), (2, -1), ([1, 3], 0), ((2, 1), 1)]
    )
    def test_split(self, size: Any, dim: int) -> None:
        """CORE-086: a tuple of parts, as on a tensor."""
        td = self.sample()
        parts = td.split(size, dim)
        assert isinstance(parts, tuple)
        for number, part in enumerate(parts):
            expected = mapped(td, lambda value, n=number: value.split(size, dim % 2)[n])  # type: ignore[misc]
            check_leaves(part, expected, batch_size=torch.empty(4, 3).split(size, dim)[number].shape)
        assert len(parts) == len(torch.empty(4, 3).split(size, dim))

    @needs(Capability.NAMES)
    def test_split_names(self) -> None:
        """CORE-086, CORE-107: names are kept."""
        td = self.sample(names=["x", "y"])
        for part in (*td.split(2), *td.chunk(2, 1)):
            assert part.names == ["x", "y"]

    @pytest.mark.parametrize(
        ("size", "dim", "error"),
        [
            (2, 2, IndexError),
            (2, -3, IndexError),
            ([], 0, RuntimeError),
            ([1.0, 3], 0, TypeError),
            ([1, 2], 0, RuntimeError),
            ([2, 3], 0, RuntimeError),
            ([5], 0, RuntimeError),
            ("x", 0, TypeError),
            (2.0, 0, TypeError),
            (0, 0, (ValueError, RuntimeError)),
            (-1, 0, (ValueError, RuntimeError)),
            ([5, -1], 0, (ValueError, RuntimeError)),
        ],
    )
    def test_split_errors(self, size: Any, dim: int, error: Any) -> None:
        """CORE-086, TRAP-028: sizes must be positive integers that sum to the dim."""
        with pytest.raises(error):
            self.sample().split(size, dim)

    @pytest.mark.parametrize(("chunks", "dim"), [(1, 0), (2, 0), (3, 0), (9, 0), (2, 1), (2, -1)])
    def test_chunk(self, chunks: int, dim: int) -> None:
        """CORE-087: at most that many parts, as on a tensor."""
        td = self.sample()
        parts = td.chunk(chunks, dim)
        model = torch.empty(4, 3).chunk(chunks, dim)
        assert [part.batch_size for part in parts] == [part.shape for part in model]
        for number, part in enumerate(parts):
            expected = mapped(td, lambda value, n=number: value.chunk(chunks, dim % 2)[n])  # type: ignore[misc]
            check_leaves(part, expected)

    @pytest.mark.parametrize("chunks", [0, -1])
    def test_chunk_non_positive_raises(self, chunks: int) -> None:
        """CORE-087: there must be at least one chunk."""
        with pytest.raises((ValueError, RuntimeError)):
            self.sample().chunk(chunks)

    def test_flatten_some_dims(self) -> None:
        """CORE-088: some of the batch dims are merged; `unflatten` splits them again."""
        value = torch.arange(120).reshape(2, 3, 4, 5)
        td = self.make({"a": value}, [2, 3, 4])
        for start, end in ((0, 1), (1, 2), (0, -1), (-2, -1), (1, 1)):
            end_dim = end % 3
            check_leaves(td.flatten(start, end), {"a": value.flatten(start % 3, end_dim)})
        check_leaves(td.flatten(1, 2).unflatten(1, (3, 4)), {"a": value}, batch_size=[2, 3, 4])
        check_leaves(td.unflatten(-1, (2, -1)), {"a": value.unflatten(2, (2, 2))}, batch_size=[2, 3, 2, 2])

    @needs(Capability.NAMES)
    def test_flatten_names(self) -> None:
        """CORE-088: the merged dims lose their names."""
        td = self.sample(names=["x", "y"])
        assert td.flatten(0, 1).names == [None]

    @pytest.mark.parametrize(
        "call", [lambda td: td.flatten(0, 2), lambda td: td.unflatten(0, (3, 2)), lambda td: td.unflatten(2, (1, 1))]
    )
    def test_flatten_errors(self, call: Operation) -> None:
        """CORE-088: dims and sizes must fit the batch size."""
        with pytest.raises((ValueError, RuntimeError, IndexError)):
            call(self.sample())

    @pytest.mark.parametrize(
        "mask", [torch.tensor([True, False, True, False]), torch.arange(12).reshape(4, 3) % 2 == 0]
    )
    def test_masked_select(self, mask: torch.Tensor) -> None:
        """CORE-089: the selected positions of the leading dims."""
        td = self.sample()
        expected = mapped(td, lambda value: value[mask])
        size = [int(mask.sum()), *torch.Size([4, 3])[mask.ndim :]]
        check_leaves(td.masked_select(mask), expected, batch_size=size)

    @needs(Capability.NAMES | Capability.LOCK)
    def test_masked_select_flags(self) -> None:
        """CORE-089: selected dims that were merged have no name; the result is unlocked."""
        new = self.sample(names=["x", "y"]).lock_().masked_select(torch.ones(4, 3, dtype=torch.bool))
        assert new.names == [None]
        assert not new.is_locked

    def test_masked_select_with_singleton_mask_dim(self) -> None:
        """CORE-089, TRAP-032: a trailing singleton dim of the mask is squeezed; the result follows the rank it had."""
        td = self.make({"a": torch.arange(12.0).reshape(4, 3)}, [4])
        mask = torch.tensor([[True], [False], [True], [False]])
        check_leaves(td.masked_select(mask), {"a": torch.arange(12.0).reshape(4, 3)[[0, 2]]}, batch_size=[2])

    def test_gather(self) -> None:
        """CORE-090: along a batch dim, with an index of batch shape expanded to the right."""
        td = self.sample()
        index = torch.tensor([[0, 3, 1], [2, 2, 0]])

        def by_hand(value: torch.Tensor) -> torch.Tensor:
            wide = index.reshape(2, 3, *[1] * (value.ndim - 2)).expand(2, 3, *value.shape[2:])
            return value.gather(0, wide)

        for new in (td.gather(0, index), td.gather(-2, index), torch.gather(td, 0, index)):
            check_leaves(new, mapped(td, by_hand), batch_size=[2, 3])

    @needs(Capability.NAMES)
    def test_gather_names(self) -> None:
        """CORE-090, CORE-107: names are kept."""
        td = self.sample(names=["x", "y"])
        assert td.gather(1, torch.zeros(4, 1, dtype=torch.int64)).names == ["x", "y"]

    @pytest.mark.parametrize("dim", [2, -3])
    def test_gather_out_of_range_raises(self, dim: int) -> None:
        """CORE-090: a dim outside the batch is an error."""
        with pytest.raises((RuntimeError, IndexError)):
            self.sample().gather(dim, torch.zeros(4, 3, dtype=torch.int64))

    def test_contiguous(self) -> None:
        """CORE-091: contiguous leaves, same values; `is_contiguous` is the AND over the entries."""
        td = self.sample()
        new = td.transpose(0, 1).contiguous()
        check_leaves(new, mapped(td, lambda value: value.transpose(0, 1)), batch_size=[3, 4])
        assert new.is_contiguous()
        assert all(value.is_contiguous() for value in leaves(new).values())

    @needs(Capability.VIEWS)
    def test_is_contiguous(self) -> None:
        """CORE-091: one entry that is not contiguous suffices."""
        assert self.sample().is_contiguous()
        assert not self.sample().transpose(0, 1).is_contiguous()
        assert not self.make({"a": torch.zeros(2), "n": {"b": torch.zeros(3, 2).T}}, [2]).is_contiguous()

    def test_clone(self) -> None:
        """CORE-092: equal values in other memory."""
        td = self.sample()
        new = td.clone()
        check_leaves(new, leaves(td), batch_size=[4, 3])
        assert new["node", "deep"].batch_size == torch.Size([4, 3, 2])
        assert not same_memory(new["a"], td["a"])
        new["a"].zero_()
        assert td["a"].sum() == 66

    @needs(Capability.VIEWS)
    def test_clone_without_recursion(self) -> None:
        """CORE-092, TRAP-014: new nodes around the same leaves."""
        td = self.sample()
        for new in (td.clone(False), td.copy(), copy.copy(td)):
            check_leaves(new, leaves(td), batch_size=[4, 3])
            assert new is not td
            assert same_memory(new["a"], td["a"])
            assert same_memory(new["node", "c"], td["node", "c"])

    @needs(Capability.NAMES | Capability.LOCK)
    def test_clone_flags(self) -> None:
        """CORE-092, CORE-107: names are kept, the lock is not."""
        td = self.sample(names=["x", "y"]).lock_()
        for new in (td.clone(), td.copy(), td.contiguous()):
            assert new.names == ["x", "y"]
            assert not new.is_locked

    def test_deepcopy(self) -> None:
        """CORE-092: `copy.deepcopy` copies the leaves."""
        td = self.sample()
        new = copy.deepcopy(td)
        check_leaves(new, leaves(td), batch_size=[4, 3])
        assert not same_memory(new["a"], td["a"])

    def test_pad(self) -> None:
        """CORE-099: pairs (before, after) for each dim, from the first one; any sequence."""
        td = self.make({"a": torch.ones(2, 3), "n": {"b": torch.ones(2, 3, 2)}}, [2, 3])
        new = pad(td, (0, 1, 2, 0), value=5.0)
        assert new.batch_size == torch.Size([3, 5])
        for key, one in (("a", torch.ones(2, 3)), (("n", "b"), torch.ones(2, 3, 2))):
            expected = torch.full((3, 5, *one.shape[2:]), 5.0)
            expected[:2, 2:] = one
            assert torch.equal(new[key], expected)
        assert pad(td, [1, 1])["a"].tolist() == [[0.0] * 3, [1.0] * 3, [1.0] * 3, [0.0] * 3]

    @pytest.mark.parametrize("sizes", [(1,), (1, 1, 1), (0,) * 6])
    def test_pad_wrong_length_raises(self, sizes: tuple[int, ...]) -> None:
        """CORE-099: an odd number of sizes, or more than the batch has dims."""
        with pytest.raises(RuntimeError):
            pad(self.sample(), sizes)

    @needs(Capability.NAMES)
    def test_pad_names(self) -> None:
        """CORE-099: names are kept."""
        assert pad(self.sample(names=["x", "y"]), (1, 1)).names == ["x", "y"]

    @pytest.mark.parametrize(
        ("by_function", "by_method"),
        [
            (lambda td: torch.squeeze(td), lambda td: td.squeeze()),
            (lambda td: torch.unsqueeze(td, 0), lambda td: td.unsqueeze(0)),
            (lambda td: torch.permute(td, (1, 0)), lambda td: td.permute(1, 0)),
            (lambda td: torch.transpose(td, 0, 1), lambda td: td.transpose(0, 1)),
            (lambda td: torch.reshape(td, (12,)), lambda td: td.reshape(12)),
            (lambda td: torch.flatten(td, 0, 1), lambda td: td.flatten(0, 1)),
            (lambda td: torch.unflatten(td, 0, (2, 2)), lambda td: td.unflatten(0, (2, 2))),
            (lambda td: torch.clone(td), lambda td: td.clone()),
            (lambda td: torch.unbind(td, 1)[0], lambda td: td.unbind(1)[0]),
            (lambda td: torch.split(td, 2)[1], lambda td: td.split(2)[1]),
            (
                lambda td: torch.masked_select(td, torch.tensor([True, False, True, False])),
                lambda td: td.masked_select(torch.tensor([True, False, True, False])),
            ),
        ],
    )
    def test_torch_function(self, by_function: Operation, by_method: Operation) -> None:
        """CORE-102: torch's functions do what the methods do."""
        td = self.sample()
        new = by_method(td)
        check_leaves(by_function(td), leaves(new), batch_size=new.batch_size)

    @pytest.mark.parametrize(
        ("function", "value"), [(torch.zeros_like, 0), (torch.ones_like, 1), (lambda td: torch.full_like(td, 2.0), 2)]
    )
    def test_torch_like_functions(self, function: Operation, value: int) -> None:
        """CORE-102: zeros, ones and full of the same tree."""
        td = self.make({"a": torch.arange(4.0), "n": {"b": torch.arange(4.0)}}, [4])
        check_leaves(function(td), mapped(td, lambda leaf: torch.full_like(leaf, value)), batch_size=[4])

    @pytest.mark.parametrize("function", [torch.empty_like, torch.rand_like, torch.randn_like])
    def test_torch_random_like_functions(self, function: Operation) -> None:
        """CORE-102: the same tree with other values."""
        td = self.make({"a": torch.arange(4.0), "n": {"b": torch.arange(8.0).reshape(4, 2)}}, [4])
        new = function(td)
        assert {key: value.shape for key, value in leaves(new).items()} == {
            key: value.shape for key, value in leaves(td).items()
        }
        assert new.batch_size == torch.Size([4])

    @pytest.mark.parametrize("function", [torch.linalg.inv, torch.fft.fft, torch.nn.functional.embedding])
    def test_torch_function_unknown_raises(self, function: Operation) -> None:
        """CORE-102: a function without meaning here is a TypeError."""
        with pytest.raises(TypeError):
            function(self.sample())

    @SUITE_SETTINGS
    @given(shape=shapes(min_dims=2, max_dims=4), data=st.data())
    def test_permute_and_view_like_plain_tensors(self, shape: tuple[int, ...], data: st.DataObject) -> None:
        """CORE-076, CORE-080: any permutation, and back; any view, and back."""
        value = torch.arange(torch.Size(shape).numel() * 2).reshape(*shape, 2)
        td = self.make({"n": {"a": value}}, shape)
        dims = data.draw(st.permutations(range(len(shape))))
        new = td.permute(dims)
        check_leaves(new, {("n", "a"): value.permute(*dims, len(shape))}, batch_size=[shape[dim] for dim in dims])
        back = [dims.index(dim) for dim in range(len(shape))]
        check_leaves(new.permute(back), {("n", "a"): value}, batch_size=shape)
        flat = td.view(-1)
        check_leaves(flat, {("n", "a"): value.reshape(-1, 2)}, batch_size=[torch.Size(shape).numel()])
        check_leaves(flat.view(shape), {("n", "a"): value}, batch_size=shape)

    @pytest.mark.parametrize("empty", [(), [], torch.Size([])], ids=["tuple", "list", "size"])
    def test_shape_operations_to_no_dims(self, empty: Any) -> None:
        """CORE-074: no dims is a legal shape."""
        td = self.make({"a": torch.arange(1)}, [1])
        for new in (td.view(empty), td.reshape(empty), td.squeeze(), td.view(empty).expand(empty)):
            assert new.batch_size == torch.Size([])
            check_leaves(new, {"a": torch.tensor(0)})

    def test_view_of_another_width_must_fit(self) -> None:
        """CORE-074: a dtype of another width may not change a batch dim."""
        td = self.make({"a": torch.ones(3), "b": torch.ones(3, 2)}, [3])
        with pytest.raises(RuntimeError):
            td.view(torch.uint8)
        assert td.select("b").view(torch.uint8)["b"].shape == torch.Size([3, 8])

    @needs(Capability.NON_TENSOR)
    def test_view_as_dtype_leaves_columns_alone(self) -> None:
        """CORE-074: columns have no dtype."""
        td = self.make({"b": torch.ones(2, 2), "c": ["x", "y"]}, [2])
        assert td.view(torch.int32).get("c").tolist() == ["x", "y"]

    @needs(Capability.NON_TENSOR)
    @pytest.mark.parametrize("method", ["new_zeros", "new_ones", "new_empty"])
    def test_new_batches_of_columns(self, method: str) -> None:
        """CORE-068: a column is filled with its first value."""
        td = self.make({"a": torch.ones(2), "c": ["x", "y"]}, [2])
        new = getattr(td, method)(2, 3)
        assert new["a"].shape == torch.Size([2, 3])
        assert new.get("c").tolist() == [["x"] * 3] * 2

    def test_chunk_and_split_of_an_empty_dim(self) -> None:
        """CORE-083: as many empty chunks as asked, as for a tensor; one piece of size 0."""
        td = self.make({"a": torch.ones(2, 0, 3)}, [2, 0])
        plain = torch.ones(2, 0, 3)
        assert [c.batch_size for c in td.chunk(5, 1)] == [c.shape[:2] for c in plain.chunk(5, 1)]
        assert [c.batch_size for c in td.split(0, 1)] == [c.shape[:2] for c in plain.split(0, 1)]

    @needs(Capability.NAMES)
    def test_roll_without_dims_keeps_names(self) -> None:
        """CORE-088: the batch is rolled as one dim, and keeps its shape and names in every node."""
        td = self.sample(names=["x", "y"])
        new = td.roll(2)
        check_leaves(new, mapped(td, lambda v: v.flatten(0, 1).roll(2, 0).view(v.shape)), batch_size=[4, 3])
        assert new.names == ["x", "y"]
        assert new["node"].names == ["x", "y"]

    def test_narrow_errors(self) -> None:
        """CORE-083: IndexError for the start, RuntimeError for the end, as for a tensor."""
        td = self.sample()
        with pytest.raises(IndexError):
            td.narrow(0, 5, 0)
        with pytest.raises(RuntimeError):
            td.narrow(0, 3, 2)

    def test_pad_method(self) -> None:
        """CORE-100: the method and the function are one."""
        td = self.sample()
        new = td.pad([1, 0, 0, 2], 3)
        check_leaves(new, leaves(pad(td, [1, 0, 0, 2], 3)), batch_size=[5, 5])
        assert (new["a"][0] == 3).all()
