"""The check that all sides of a workload do the same work, made once for each case before it is timed.

Compared are the result, the arguments as the call left them (so that in-place work counts), and which leaves of the
result share memory with an argument (so that a view is never timed against a copy).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from .sides import Side
from .workload import Case


class UnfaithfulError(AssertionError):
    """One side of a workload does other work than the floor."""


def check_faithful(case: Case, floor: Side, side: Side) -> None:
    """Run a case once on both sides and compare.

    Raises:
        UnfaithfulError: if result, arguments afterwards or sharing of memory differ.
    """
    workload = case.workload
    expected = _observe(case, floor)
    found = _observe(case, side)
    for what in ("result", "arguments"):
        left, right = expected[what], found[what]
        if workload.unordered and what == "result":
            left, right = sorted(left, key=_signature), sorted(right, key=_signature)
        problem = difference(left, right)
        if problem is not None:
            raise UnfaithfulError(f"{case.name}: {what} of {side.name} differs from the floor's: {problem}")
    if workload.aliasing and not workload.unordered and expected["shared"] != found["shared"]:
        raise UnfaithfulError(
            f"{case.name}: {side.name} shares memory with its arguments in {sum(found['shared'])} leaves of "
            f"{len(found['shared'])}, the floor in {sum(expected['shared'])}; one returns views, the other copies"
        )


def _observe(case: Case, side: Side) -> dict[str, Any]:
    arguments = case.workload.arguments(side, case.tree)
    memory = {_address(leaf) for leaf in _leaves(plain(arguments, side))} - {0}
    result = plain(case.workload.function(side)(*arguments), side)
    after = list(_containers(plain(arguments, side)))
    return {
        "result": result,
        "arguments": after,
        "shared": [_address(leaf) in memory for leaf in _leaves(result) if leaf.numel()],
    }


def _containers(arguments: list[Any]) -> Iterator[Any]:
    """The trees among the arguments; an index or a class may differ between sides."""
    for argument in arguments:
        if isinstance(argument, dict):
            yield argument
        elif isinstance(argument, list):
            yield from (entry for entry in argument if isinstance(entry, dict))


def plain(value: Any, side: Side) -> Any:
    """Turn containers into dicts and sequences into lists, all the way down."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, dict):
        return {key: plain(entry, side) for key, entry in value.items()}
    if isinstance(value, (torch.Size, range)) or type(value) is str:
        return value
    if isinstance(value, (tuple, list)):
        return [plain(entry, side) for entry in value]
    library = side.library
    if library is not None and not isinstance(value, type) and library.is_tensor_collection(value):
        return {key: plain(value.get(key), side) for key in value.keys()}  # noqa: SIM118 (a container iterates rows)
    return value


def difference(expected: Any, found: Any, where: str = "") -> str | None:
    """Describe the first difference of two plain values, or return None. Order of keys does not count."""
    if isinstance(expected, Tensor) and isinstance(found, Tensor):
        return _tensor_difference(expected, found, where)
    if isinstance(expected, dict) and isinstance(found, dict):
        if expected.keys() != found.keys():
            return f"{where or 'top'}: keys {sorted(expected)} and {sorted(found)}"
        problems = (difference(expected[key], found[key], f"{where}/{key}") for key in expected)
        return next((problem for problem in problems if problem is not None), None)
    if isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            return f"{where or 'top'}: {len(expected)} and {len(found)} items"
        pairs = enumerate(zip(expected, found, strict=True))
        problems = (difference(left, right, f"{where}/{number}") for number, (left, right) in pairs)
        return next((problem for problem in problems if problem is not None), None)
    if isinstance(expected, (Tensor, dict, list)) or isinstance(found, (Tensor, dict, list)):
        return f"{where or 'top'}: {type(expected).__name__} and {type(found).__name__}"
    return _value_difference(expected, found, where)


def _value_difference(expected: Any, found: Any, where: str) -> str | None:
    same = type(expected) is type(found) and expected == found
    return None if same else f"{where or 'top'}: {expected!r} and {found!r}"


def _tensor_difference(expected: Tensor, found: Tensor, where: str) -> str | None:
    try:
        torch.testing.assert_close(found, expected, equal_nan=True)
    except AssertionError as error:
        return f"{where or 'top'}: {str(error).splitlines()[0]}"
    return None


def _leaves(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, dict):
        for key in sorted(value):
            yield from _leaves(value[key])
    elif isinstance(value, list):
        for entry in value:
            yield from _leaves(entry)


def _address(leaf: Tensor) -> int:
    return leaf.untyped_storage().data_ptr()


def _signature(value: Any) -> str:
    """Order the values of an unordered listing: equal listings sort equally."""
    if isinstance(value, Tensor):
        return f"tensor {float(value.sum())!r}"
    if isinstance(value, dict):
        return f"dict {[(key, _signature(value[key])) for key in sorted(value)]}"
    if isinstance(value, list):
        return f"list {[_signature(entry) for entry in value]}"
    return repr(value)
