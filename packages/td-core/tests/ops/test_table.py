"""Every row of the op table against its torch function, leaf by leaf, over dtypes that foreach treats differently."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from td_core import TensorDict
from td_core.ops.table import OPS, PointwiseOp

DTYPES = (torch.float32, torch.float64, torch.bfloat16, torch.complex64, torch.int64, torch.uint8, torch.bool)
OTHERS = {"unary": 0, "binary": 1, "scaled": 1, "lerp": 2, "addc": 2}
Outcome = dict[str, torch.Tensor] | str


def tree(dtypes: list[torch.dtype], seed: int) -> TensorDict:
    """A container with one leaf a dtype, every second one in a node."""
    generator = torch.Generator().manual_seed(seed)
    leaves = [(torch.rand(3, 2, generator=generator) * 4 - 1).to(dtype) for dtype in dtypes]
    flat = {f"k{i}": leaf for i, leaf in enumerate(leaves) if not i % 2}
    node = TensorDict({f"k{i}": leaf for i, leaf in enumerate(leaves) if i % 2}, [3])
    return TensorDict({**flat, "node": node}, [3])


def flat(td: TensorDict) -> dict[str, torch.Tensor]:
    return {key if isinstance(key, str) else key[-1]: value for key, value in td.items(True, True)}


def by_hand(op: PointwiseOp, td: TensorDict, others: list[Any]) -> Outcome:
    """Apply the torch function to each leaf; the name of the error when a leaf refuses."""
    columns = [flat(other) if isinstance(other, TensorDict) else None for other in others]
    try:
        return {
            key: op.function(
                leaf,
                *[other if column is None else column[key] for other, column in zip(others, columns, strict=True)],
            )
            for key, leaf in flat(td).items()
        }
    except (RuntimeError, TypeError) as error:
        return type(error).__name__


def check(actual: Any, expected: Outcome) -> None:
    assert isinstance(expected, dict)
    found = flat(actual)
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        torch.testing.assert_close(found[key], value, equal_nan=True, msg=lambda text, key=key: f"{key}: {text}")


@pytest.mark.parametrize("name", sorted(OPS))
@settings(max_examples=12, deadline=None)
@given(dtypes=st.lists(st.sampled_from(DTYPES), min_size=1, max_size=4), seed=st.integers(0, 5))
def test_row_over_dtypes(name: str, dtypes: list[torch.dtype], seed: int) -> None:
    """Same values and dtypes as torch gives leaf by leaf, and a torch error where a leaf gives one."""
    op = OPS[name]
    td = tree(dtypes, seed)
    others = [tree(dtypes, seed + 1 + i) for i in range(OTHERS[op.signature])]
    expected = by_hand(op, td, others)
    if isinstance(expected, str):
        with pytest.raises((RuntimeError, TypeError)):
            getattr(td, name)(*others)
    else:
        check(getattr(td, name)(*others), expected)


@pytest.mark.parametrize("name", sorted(name for name, op in OPS.items() if op.signature in ("binary", "scaled")))
@pytest.mark.parametrize("number", [2, 0.5, True, 1 + 2j])
def test_row_with_a_number(name: str, number: complex) -> None:
    op = OPS[name]
    for dtype in DTYPES:
        td = tree([dtype, dtype], 0)
        expected = by_hand(op, td, [number])
        if isinstance(expected, str):
            with pytest.raises((RuntimeError, TypeError)):
                getattr(td, name)(number)
        else:
            check(getattr(td, name)(number), expected)


@pytest.mark.parametrize("name", sorted(name for name, op in OPS.items() if op.inplace is not None))
def test_in_place_keeps_memory(name: str) -> None:
    op = OPS[name]
    td = tree([torch.float32, torch.float64, torch.float32], 3).apply(lambda leaf: leaf.abs() + 0.1)
    others = [td.clone() * 0.5 for _ in range(OTHERS[op.signature])]
    expected = by_hand(op, td.clone(), others)
    addresses = {key: leaf.data_ptr() for key, leaf in flat(td).items()}
    assert getattr(td.lock_(), f"{name}_")(*others) is td
    check(td, expected)
    assert {key: leaf.data_ptr() for key, leaf in flat(td).items()} == addresses


def test_in_place_failure_is_not_applied_twice() -> None:
    """A leaf that refuses must not make the leaves before it change twice."""
    td = TensorDict(a=torch.zeros(2), b=torch.zeros(2, dtype=torch.int64))
    with pytest.raises(RuntimeError, match="can't be cast"):
        td.add_(1.5)
    assert td["a"].max() <= 1.5
    assert td["b"].tolist() == [0, 0]


def test_every_row_has_a_torch_twin_for_foreach() -> None:
    """The list functions are torch's own, so a typo in a name would silently cost speed."""
    listed = {name for name, op in OPS.items() if op.foreach is not None}
    assert {"add", "sub", "mul", "div", "pow", "exp", "sqrt", "clamp_min", "maximum", "lerp", "addcmul"} <= listed
