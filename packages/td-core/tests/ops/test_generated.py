"""The generated elementwise methods follow the table."""

from __future__ import annotations

import inspect

import pytest

from td_core import TensorDict
from td_core._generated.pointwise import PointwiseMethods
from td_core.ops.table import OPS


@pytest.mark.parametrize("name", sorted(OPS))
def test_method_of_each_row(name: str) -> None:
    op = OPS[name]
    parameters = list(inspect.signature(getattr(PointwiseMethods, name)).parameters)[1:]
    expected = {
        "unary": [],
        "binary": ["other", "default"],
        "scaled": ["other", "alpha", "default"],
        "lerp": ["end", "weight"],
        "addc": ["other1", "other2", "value"],
    }
    assert parameters == expected[op.signature]
    assert getattr(TensorDict, name).__doc__
    assert hasattr(TensorDict, f"{name}_") == (op.inplace is not None)
