"""Base of the topic suites: building containers, and checking results against plain tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import pytest
import torch

from td_core import is_tensor_collection
from td_core.errors import TDTypeError

from .case import StorageCase, TreeSpec

Leaves = Mapping[Any, torch.Tensor]


class TopicTests:
    """Tests of one topic, run on the storage that `case` describes.

    Not an ABC on purpose: pytest silently skips classes that cannot be instantiated. A subclass named `Test...`, which
    pytest collects, must set `case`; otherwise its definition fails, and with it the collection.
    """

    case: ClassVar[StorageCase[Any]]

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__name__.startswith("Test") and not isinstance(getattr(cls, "case", None), StorageCase):
            raise TDTypeError(f"{cls.__name__} must define case, an instance of a StorageCase.")

    def make(
        self,
        entries: Mapping[str, Any],
        batch_size: Sequence[int] = (),
        *,
        names: Sequence[str | None] | None = None,
        device: str | None = None,
    ) -> Any:
        """Build a container of the storage under test."""
        if len(batch_size) < self.case.min_batch_dims:
            pytest.skip(f"the storage {self.case.name} needs at least {self.case.min_batch_dims} batch dims")
        where = None if device is None else torch.device(device)
        return self.case.make(TreeSpec(entries=entries, batch_size=batch_size, names=names, device=where))

    def sample(self, *, names: Sequence[str | None] | None = None, finer: bool = True) -> Any:
        """Build the tree most tests use: batch size [4, 3], leaves of several ranks and dtypes, two levels of nodes.

        With `finer`, the inner node has one batch dim more than its parents.
        """
        deep = {"d": torch.arange(24).reshape(4, 3, 2) % 3 == 0}
        node = {
            "c": torch.linspace(-1, 1, 60).reshape(4, 3, 5),
            "deep": TreeSpec(entries=deep, batch_size=(4, 3, 2)) if finer else deep,
        }
        entries = {"a": torch.arange(12.0).reshape(4, 3), "b": torch.arange(24).reshape(4, 3, 2), "node": node}
        return self.make(entries, (4, 3), names=names)


def leaves(td: Any) -> dict[Any, torch.Tensor]:
    """Map the full key of each tensor of the tree to its value."""
    return dict(td.items(include_nested=True, leaves_only=True))


def mapped(td: Any, function: Callable[[torch.Tensor], torch.Tensor]) -> dict[Any, torch.Tensor]:
    """Apply a function to each tensor of the tree by hand: what a leaf-wise operation must give."""
    return {key: function(value) for key, value in leaves(td).items()}


def check_leaves(
    td: Any,
    expected: Leaves,
    *,
    batch_size: Sequence[int] | None = None,
    names: Sequence[str | None] | None = None,
    exact: bool = True,
) -> None:
    """Assert that a container holds exactly these tensors: same keys, shapes, dtypes and values."""
    assert is_tensor_collection(td), f"expected a tensordict, got {type(td).__name__}"
    actual = leaves(td)
    assert set(actual) == set(expected)
    for key, value in expected.items():
        found = actual[key]
        tolerance = 0.0 if exact else None
        try:
            torch.testing.assert_close(found, value, equal_nan=True, rtol=tolerance, atol=tolerance)
        except AssertionError as error:
            raise AssertionError(f"{key}: {error}") from None
        if batch_size is not None:
            assert found.shape[: len(batch_size)] == torch.Size(batch_size), key
    if batch_size is not None:
        assert td.batch_size == torch.Size(batch_size)
    if names is not None:
        assert td.names == list(names)


def same_memory(left: torch.Tensor, right: torch.Tensor) -> bool:
    """Tell whether two tensors live in the same storage."""
    return left.untyped_storage().data_ptr() == right.untyped_storage().data_ptr()
