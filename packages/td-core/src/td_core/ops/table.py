"""The op table: one row for each elementwise operation.

The typed methods, the torch-function table, the tests and the docs are made from these rows; nothing keeps a second
list of names.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

Signature = Literal["unary", "binary", "scaled", "lerp", "addc"]
"""The arguments after self: none; `other`; `other` and `alpha`; `end` and `weight`; two others and `value`."""

ForeachFunction = Callable[..., Sequence[Tensor]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PointwiseOp:
    """An elementwise operation.

    Attributes:
        name: the name of the method.
        signature: the arguments it takes.
        function: applies it to one tensor.
        doc: what the method returns, after "Return".
        foreach: applies it to a list of tensors at once, if torch can.
        inplace: applies it to one tensor in place, if there is an in-place twin.
        foreach_inplace: applies it to a list of tensors in place, if torch can.
        torch_functions: the functions of torch that this method answers when they are given a container.
    """

    name: str
    signature: Signature
    function: Callable[..., Tensor]
    doc: str
    foreach: ForeachFunction | None = None
    inplace: Callable[..., Tensor] | None = None
    foreach_inplace: ForeachFunction | None = None
    torch_functions: tuple[Callable[..., Any], ...] = ()


def _with_number(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Let a torch function that wants two tensors take a number as the second."""

    def call(leaf: Tensor, other: Any) -> Tensor:
        return function(leaf, other if isinstance(other, Tensor) else torch.as_tensor(other, device=leaf.device))

    return call


def _copied_back(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Make the in-place twin of a function that torch offers out of place only."""

    def call(leaf: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return leaf.copy_(function(leaf, *args, **kwargs))

    return call


def _row(
    name: str,
    signature: Signature,
    doc: str,
    *,
    inplace: bool = True,
    torch_name: str | None = None,
    number: bool = False,
) -> PointwiseOp:
    """Build a row from the functions that torch has under one name."""
    torch_name = torch_name or name
    torch_function = getattr(torch, torch_name)
    function = _with_number(torch_function) if number else torch_function
    twin = None
    if inplace:
        twin = getattr(Tensor, f"{torch_name}_", None) or _copied_back(function)
    return PointwiseOp(
        name=name,
        signature=signature,
        function=function,
        doc=doc,
        foreach=getattr(torch, f"_foreach_{torch_name}", None),
        inplace=twin,
        foreach_inplace=getattr(torch, f"_foreach_{torch_name}_", None) if inplace else None,
        torch_functions=(torch_function,),
    )


_UNARY = {
    "abs": "the absolute value",
    "acos": "the arc cosine",
    "asin": "the arc sine",
    "atan": "the arc tangent",
    "ceil": "the smallest integer not below each value",
    "cos": "the cosine",
    "cosh": "the hyperbolic cosine",
    "erf": "the error function",
    "erfc": "the complementary error function",
    "exp": "the exponential",
    "expm1": "the exponential minus one",
    "floor": "the largest integer not above each value",
    "frac": "the fractional part",
    "lgamma": "the logarithm of the absolute value of the gamma function",
    "log": "the natural logarithm",
    "log10": "the logarithm to base 10",
    "log1p": "the natural logarithm of one plus each value",
    "log2": "the logarithm to base 2",
    "neg": "the negative",
    "reciprocal": "one over each value",
    "round": "the nearest integer (half to even)",
    "rsqrt": "one over the square root",
    "sigmoid": "the logistic function",
    "sign": "the sign",
    "sin": "the sine",
    "sinh": "the hyperbolic sine",
    "sqrt": "the square root",
    "tan": "the tangent",
    "tanh": "the hyperbolic tangent",
    "trunc": "the integer part",
}

_PREDICATES = {
    "isfinite": "whether each value is finite",
    "isinf": "whether each value is infinite",
    "isnan": "whether each value is NaN",
    "isneginf": "whether each value is minus infinity",
    "isposinf": "whether each value is plus infinity",
    "isreal": "whether each value has no imaginary part",
}

_ROWS = (
    *[_row(name, "unary", f"{doc} of each leaf") for name, doc in _UNARY.items()],
    *[_row(name, "unary", doc, inplace=False) for name, doc in _PREDICATES.items()],
    _row("bitwise_not", "unary", "the bitwise complement of each leaf", inplace=False),
    _row("logical_not", "unary", "whether each value is zero", inplace=False),
    _row("add", "scaled", "the sum of each leaf and alpha times `other`"),
    _row("sub", "scaled", "the difference of each leaf and alpha times `other`"),
    _row("rsub", "scaled", "the difference of `other` and alpha times each leaf", inplace=False),
    _row("mul", "binary", "the product of each leaf and `other`"),
    _row("div", "binary", "the quotient of each leaf and `other`"),
    _row("pow", "binary", "each leaf raised to the power `other`"),
    _row("mod", "binary", "the remainder of each leaf by `other`", inplace=False, torch_name="remainder"),
    _row("maximum", "binary", "the larger of each value and `other`", number=True),
    _row("minimum", "binary", "the smaller of each value and `other`", number=True),
    _row("clamp_min", "binary", "each leaf with `other` as its lower bound"),
    _row("clamp_max", "binary", "each leaf with `other` as its upper bound"),
    _row("bitwise_and", "binary", "the bitwise and of each leaf and `other`", inplace=False),
    _row("bitwise_or", "binary", "the bitwise or of each leaf and `other`", inplace=False),
    _row("bitwise_xor", "binary", "the bitwise exclusive or of each leaf and `other`", inplace=False),
    _row("logical_and", "binary", "the logical and of each leaf and `other`", inplace=False, number=True),
    _row("logical_or", "binary", "the logical or of each leaf and `other`", inplace=False, number=True),
    _row("logical_xor", "binary", "the logical exclusive or of each leaf and `other`", inplace=False, number=True),
    _row("lerp", "lerp", "each leaf moved towards `end` by the fraction `weight`"),
    _row("addcmul", "addc", "each leaf plus `value` times the product of the other two"),
    _row("addcdiv", "addc", "each leaf plus `value` times the quotient of the other two"),
)

OPS: dict[str, PointwiseOp] = {row.name: row for row in _ROWS}
"""Every elementwise operation by its method name."""


def _divided_into(leaf: Tensor, other: Any) -> Tensor:
    return other / leaf  # type: ignore[no-any-return]  # a tensor whatever the other operand


def _foreach_divided_into(leaves: list[Tensor], other: Any) -> Sequence[Tensor]:
    if isinstance(other, list):
        return torch._foreach_div(other, leaves)
    return torch._foreach_mul(torch._foreach_reciprocal(leaves), other)  # as Tensor.__rtruediv__ does


def _remainder_into(leaf: Tensor, other: Any) -> Tensor:
    return torch.remainder(other, leaf)


DIVIDED_INTO = PointwiseOp(
    name="__rtruediv__",
    signature="binary",
    function=_divided_into,
    doc="the quotient of `other` and each leaf",
    foreach=_foreach_divided_into,
)
INVERTED = PointwiseOp(
    name="__invert__",
    signature="unary",
    function=operator.invert,  # refuses floating-point tensors with a TypeError, which bitwise_not does not
    doc="the bitwise complement of each leaf",
)
REMAINDER_INTO = PointwiseOp(
    name="__rmod__", signature="binary", function=_remainder_into, doc="the remainder of `other` by each leaf"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonOp:
    """A comparison of two operands.

    Attributes:
        name: the operator method.
        function: compares two tensors, or a tensor and a number.
        unrelated: the answer for an operand that cannot be compared with a container.
        equality: +1 for equality, -1 for inequality, 0 for the rest: what non-tensor data answer.
        torch_functions: the functions of torch that this operator answers.
    """

    name: str
    function: Callable[..., Tensor]
    unrelated: bool
    equality: int = 0
    torch_functions: tuple[Callable[..., Any], ...] = ()


COMPARISONS: dict[str, ComparisonOp] = {
    row.name: row
    for row in (
        ComparisonOp(name="__eq__", function=torch.eq, unrelated=False, equality=1, torch_functions=(torch.eq,)),
        ComparisonOp(name="__ne__", function=torch.ne, unrelated=True, equality=-1, torch_functions=(torch.ne,)),
        ComparisonOp(name="__lt__", function=torch.lt, unrelated=False, torch_functions=(torch.lt,)),
        ComparisonOp(name="__le__", function=torch.le, unrelated=False, torch_functions=(torch.le,)),
        ComparisonOp(name="__gt__", function=torch.gt, unrelated=False, torch_functions=(torch.gt,)),
        ComparisonOp(name="__ge__", function=torch.ge, unrelated=False, torch_functions=(torch.ge,)),
        ComparisonOp(name="__or__", function=torch.bitwise_or, unrelated=False),
        ComparisonOp(name="__xor__", function=torch.bitwise_xor, unrelated=True),
    )
}
"""The operators whose result is a plain mask: no names, unlocked."""
