"""Comparing tensordicts in tests, whatever their storage."""

from __future__ import annotations

from typing import Any

import torch

from ..container.base import TensorDictBase
from ..errors import TDKeyError, TDTypeError
from ..leaves import is_non_tensor, is_tensor_collection


def assert_close(
    actual: TensorDictBase,
    expected: TensorDictBase,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    intersection: bool = False,
    msg: str = "",
) -> bool:
    """Assert that two tensordicts hold the same entries with close values.

    Values are compared leaf by leaf with `torch.testing.assert_close` (so shape and dtype count), non-tensor data by
    equality. The class of the containers, their names and their lock do not matter.

    Args:
        actual: the tensordict under test.
        expected: what it should be.
        rtol: relative tolerance; by default that of the dtype.
        atol: absolute tolerance; by default that of the dtype.
        equal_nan: whether NaN equals NaN.
        intersection: compare only the keys that both have.
        msg: appended to the first line of the failure message.

    Returns:
        True, so that the call can itself be asserted.

    Raises:
        TypeError: an argument is not a tensordict.
        KeyError: the keys differ and `intersection` is off.
        AssertionError: an entry differs; the message names its full key and the mean squared error.
    """
    for value in (actual, expected):
        if not is_tensor_collection(value) or is_non_tensor(value):
            raise TDTypeError(
                f"assert_close compares two tensordicts, got {type(actual).__name__} and {type(expected).__name__}."
            )
    _compare_nodes(actual, expected, (), {"rtol": rtol, "atol": atol, "equal_nan": equal_nan}, intersection, msg)
    return True


assert_allclose_td = assert_close
"""The peer's older name of `assert_close`."""


def _compare_nodes(
    actual: TensorDictBase,
    expected: TensorDictBase,
    prefix: tuple[str, ...],
    tolerance: dict[str, Any],
    intersection: bool,
    msg: str,
) -> None:
    mine, theirs = set(actual.keys()), set(expected.keys())
    if mine != theirs and not intersection:
        where = f" under {prefix!r}" if prefix else ""
        raise TDKeyError(
            f"The keys of the two tensordicts{where} differ: only in the first {sorted(mine - theirs)}, "
            f"only in the second {sorted(theirs - mine)}. Pass intersection=True to compare the common keys."
        )
    for name in sorted(mine & theirs):
        left, right, path = actual.get(name), expected.get(name), (*prefix, name)
        kinds = _kind(left), _kind(right)
        if kinds[0] != kinds[1]:
            raise AssertionError(f"key {path} does not match: {kinds[0]} on one side, {kinds[1]} on the other\t{msg}")
        if kinds[0] == "node":
            _compare_nodes(left, right, path, tolerance, intersection, msg)
        elif kinds[0] == "non-tensor data":
            if left.tolist() != right.tolist():
                raise AssertionError(f"key {path} does not match: {left.tolist()!r} != {right.tolist()!r}\t{msg}")
        else:
            _compare_leaves(left, right, path, tolerance, msg)


def _kind(value: object) -> str:
    if is_non_tensor(value):
        return "non-tensor data"
    return "node" if is_tensor_collection(value) else "tensor"


def _compare_leaves(
    actual: torch.Tensor, expected: torch.Tensor, path: tuple[str, ...], tolerance: dict[str, Any], msg: str
) -> None:
    try:
        torch.testing.assert_close(actual, expected, **tolerance)
    except AssertionError as error:
        raise AssertionError(
            f"key {path} does not match, got mse = {_mean_squared_error(actual, expected)}\t{msg}\n{error}"
        ) from None


def _mean_squared_error(actual: torch.Tensor, expected: torch.Tensor) -> str:
    if actual.shape != expected.shape:
        return "undefined (shapes differ)"
    wide = torch.complex128 if actual.is_complex() or expected.is_complex() else torch.float64
    difference = actual.detach().to("cpu", wide) - expected.detach().to("cpu", wide)
    return f"{difference.abs().square().mean().item():.4f}"
