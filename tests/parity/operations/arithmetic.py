"""Pointwise arithmetic and comparisons, with numbers, tensors and tensordicts."""

from __future__ import annotations

from functools import partial

from ..draw import Draw
from ..state import State
from ..tensors import mask_text, number_text, tensor_of_any_dtype, tensor_text
from .arguments import like_tree
from .registry import add_operation

BINARY_OPERATORS = {"+": 1.0, "-": 1.0, "*": 1.0, "/": 0.7, "**": 0.4, "%": 0.4, "//": 0.2}
LOGICAL_OPERATORS = ("&", "|", "^")
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
INPLACE_OPERATORS = ("+=", "-=", "*=", "/=", "**=")
BINARY_METHODS = (
    "add", "sub", "mul", "div", "pow", "mod", "maximum", "minimum", "clamp_max", "clamp_min", "rsub", "bitwise_and",
    "logical_and",
)  # fmt: skip
BINARY_INPLACE_METHODS = (
    "add_", "sub_", "mul_", "div_", "pow_", "maximum_", "minimum_", "clamp_max_", "clamp_min_",
)  # fmt: skip
UNARY_METHODS = (
    "abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "erf", "erfc", "exp", "expm1", "floor", "frac", "lgamma",
    "log", "log10", "log1p", "log2", "neg", "reciprocal", "round", "sigmoid", "sign", "sin", "sinh", "sqrt", "tan",
    "tanh", "trunc",
)  # fmt: skip
OPERAND_KINDS = ("number", "scalar", "batch", "prefix", "tensor", "td", "other td")
TESTS = ("isfinite", "isnan", "isneginf", "isposinf", "isreal")


def operand(draw: Draw, state: State) -> str:
    """Return the other operand: a number, a tensor, or a tensordict with the same keys, most often."""
    kind = draw.weighted(OPERAND_KINDS, (4, 1, 1, 0.5, 0.4, 4, 0.6))
    if kind == "number":
        return number_text(draw)
    if kind == "scalar":
        return draw.pick(("torch.tensor(2.0)", "torch.tensor(2)", "torch.tensor(1.5, dtype=torch.float64)"))
    if kind == "batch":
        return tensor_of_any_dtype(draw, state.batch_size)
    if kind == "prefix":
        return tensor_of_any_dtype(draw, state.batch_size[:1] if draw.chance(0.5) else (*state.batch_size, 1))
    if kind == "tensor":
        return tensor_text(draw, (3,), "torch.float32")
    if kind == "td":
        return draw.pick(("td", "td.clone()", like_tree(draw, state, state.batch_size, 0.02)))
    return draw.pick(
        (like_tree(draw, state, state.batch_size, 0.5), like_tree(draw, state, (), 0.1), "lib.TensorDict({})")
    )


def operator(symbol: str, draw: Draw, state: State) -> str:
    other = operand(draw, state)
    if draw.chance(0.25) and "td" not in other.lower():
        return f"out = {other} {symbol} td"
    return f"out = td {symbol} {other}"


def comparison(symbol: str, draw: Draw, state: State) -> str:
    other = operand(draw, state)
    if draw.chance(0.1):
        other = draw.pick(("'text'", "None", "[1]", like_tree(draw, state, state.batch_size, 0.02, plain=True)))
    return f"out = td {symbol} {other}"


def logical(symbol: str, draw: Draw, state: State) -> str:
    subject = "td" if draw.chance(0.3) else "(td > 0)"
    other = draw.pick((operand(draw, state), "(td < 1)", mask_text(draw, state.batch_size), "True"))
    return f"out = {subject} {symbol} {other}"


def augmented(symbol: str, draw: Draw, state: State) -> str:
    return f"td {symbol} {operand(draw, state)}"


def method(name: str, draw: Draw, state: State) -> str:
    extra = ""
    if name in ("add", "sub", "add_", "sub_") and draw.chance(0.2):
        extra = ", alpha=2"
    elif not name.endswith("_") and name != "mod" and draw.chance(0.1):
        extra = draw.pick((", default=0.0", ", default='intersection'", ", default=1"))
    return f"out = td.{name}({operand(draw, state)}{extra})"


def unary(name: str, draw: Draw, state: State) -> str:
    subject = "td" if draw.chance(0.7) else draw.pick(("td.float()", "td.double()"))
    return f"out = {subject}.{name}()"


def unary_in_place(name: str, draw: Draw, state: State) -> str:
    return f"out = td.{name}_()"


def test(name: str, draw: Draw, state: State) -> str:
    return f"out = td.{name}()"


def prefix_operator(draw: Draw, state: State) -> str:
    return f"out = {draw.pick(('-td', 'abs(td)', '~td', '~(td > 0)'))}"


def clamp(draw: Draw, state: State) -> str:
    low, high = (draw.pick(("None", "0", "-0.5", "torch.tensor(0.0)", "td")) for _ in range(2))
    return f"out = td.clamp({low}, {high})"


def ternary(draw: Draw, state: State) -> str:
    first, second = (draw.pick(("td", like_tree(draw, state, state.batch_size, 0.0))) for _ in range(2))
    name = draw.pick(("addcmul", "addcdiv", "addcmul_", "addcdiv_", "lerp", "lerp_"))
    if name.startswith("lerp"):
        second = draw.pick(("0.5", "torch.tensor(0.5)", second))
        return f"out = td.{name}({first}, {second})"
    return f"out = td.{name}({first}, {second}{draw.pick(('', ', value=2'))})"


def softmax(draw: Draw, state: State) -> str:
    dim = draw.integer(-state.dims, state.dims - 1) if state.dims else 0
    return f"out = td.{draw.pick(('softmax({0})', 'softmax(dim={0})', 'softmax({0}, torch.float64)')).format(dim)}"


TORCH_FUNCTIONS = ("exp", "sin", "abs", "sqrt", "sigmoid", "tanh", "neg", "isnan", "logical_not", "relu")


def torch_function(draw: Draw, state: State) -> str:
    return f"out = torch.{draw.pick(TORCH_FUNCTIONS)}(td)"


for symbol, often in BINARY_OPERATORS.items():
    add_operation(f"td {symbol} other", partial(operator, symbol), often, adopt=0.1)
for symbol in LOGICAL_OPERATORS:
    add_operation(f"td {symbol} other", partial(logical, symbol), 0.4)
for symbol in COMPARISONS:
    add_operation(f"td {symbol} other", partial(comparison, symbol), 0.4)
for symbol in INPLACE_OPERATORS:
    add_operation(f"td {symbol} other", partial(augmented, symbol), 0.4)
for name in BINARY_METHODS:
    add_operation(name, partial(method, name), 0.25)
for name in BINARY_INPLACE_METHODS:
    add_operation(name, partial(method, name), 0.2)
for name in UNARY_METHODS:
    add_operation(name, partial(unary, name), 0.08)
    add_operation(f"{name}_", partial(unary_in_place, name), 0.05)
for name in TESTS:
    add_operation(name, partial(test, name), 0.08)
add_operation("-td", prefix_operator, 0.5)
add_operation("clamp", clamp, 0.4)
add_operation("ternary", ternary, 0.6)
add_operation("softmax", softmax, 0.2)
add_operation("torch function", torch_function, 0.3)
