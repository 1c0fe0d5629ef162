"""Grids of operands and modes: arithmetic, comparisons, reductions, casts."""

from __future__ import annotations

from .cells import cells

OPERANDS = """
    2 | 0.5 | True | torch.tensor(2.0) | torch.ones(3) | torch.arange(3.0) | torch.ones(3, 4) | torch.ones(4)
    | torch.ones(3, 1)
    | torch.ones(1) | td | td.clone() | td.select('a') | td.clone().set('z', torch.ones(td.batch_size))
    | lib.TensorDict({})
    | {'a': 1} | None | 'text' | np.float32(2) | [1]"""
MODES = """
     | 0 | 1 | -1 | -2 | 2 | -3 | (0, 1) | (0,) | (-1,) | (0, 0) | keepdim=True | keepdim=False | 0, keepdim=True
     | -1, True
    | (0, 1), keepdim=True | dim=None | dim=() | reduce=True | dim=0, reduce=True | dim=-1, reduce=True | reduce=False
    | dim='feature' | keepdim=True, reduce=True"""
BINARY = ("+", "-", "*", "/", "**", "%", "//", "@", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=")
AUGMENTED = ("+=", "-=", "*=", "/=", "**=")
UNARY = """
    abs | acos | asin | atan | ceil | cos | cosh | erf | erfc | exp | expm1 | floor | frac | lgamma | log | log10
    | log1p
    | log2 | neg | reciprocal | round | sigmoid | sign | sin | sinh | sqrt | tan | tanh | trunc"""
METHODS = """
    add | sub | mul | div | pow | mod | maximum | minimum | clamp_max | clamp_min | rsub | bitwise_and | logical_and"""

GRIDS: dict[str, tuple[str, ...]] = {
    **{f"td {symbol} other": cells(f"out = td {symbol} {{0}}", OPERANDS) for symbol in BINARY},
    **{f"other {symbol} td": cells(f"out = {{0}} {symbol} td", OPERANDS) for symbol in BINARY},
    **{f"td {symbol} other": cells(f"td {symbol} {{0}}", OPERANDS) for symbol in AUGMENTED},
    "logic": cells("out = (td > 0) {0} {1}", ("&", "|", "^"), "(td < 2) | True | torch.tensor(False) | td | 1"),
    "binary methods": cells("out = td.{0}({1})", METHODS, "2 | td | torch.ones(3, 4) | td.select('a')"),
    "binary methods with defaults": cells(
        "out = td.{0}({1}, default={2})",
        "add | mul | sub | div | maximum",
        "td.exclude('a') | td.clone().set('z', torch.ones(td.batch_size))",
        "0.0 | 'intersection' | 'union' | None",
    ),
    "binary methods in place": cells(
        "out = td.{0}_({1})", "add | sub | mul | div | pow | maximum | minimum | clamp_max | clamp_min", "2 | td"
    ),
    "alpha and value": cells(
        "out = td.{0}",
        "add(td, alpha=2) | sub(1, alpha=2) | add_(td, alpha=2) | sub_(td, alpha=2) | addcmul(td, td)"
        " | addcmul(td, td, value=2)"
        " | addcdiv(td, td) | addcmul_(td, td) | lerp(td, 0.5) | lerp(td, td) | lerp_(td, 0.5) | clamp(0, 1)"
        " | clamp(min=0)"
        " | clamp(max=1) | clamp() | clamp(td, td) | clamp(0, td)",
    ),
    "unary": cells("out = {0}.{1}()", "td | td.float()", UNARY),
    "unary in place": cells("out = {0}.{1}_()", "td | td.float()", UNARY),
    "tests": cells("out = td.{0}()", "isfinite | isnan | isneginf | isposinf | isreal"),
    "prefix operators": cells("out = {0}", "-td | abs(td) | ~td | ~(td > 0) | +td"),
    **{
        name: cells(f"out = {{0}}.{name}({{1}})", "td | td.float()", MODES)
        for name in ("mean", "nanmean", "sum", "nansum", "prod", "std", "var")
    },
    "dtype and correction": cells(
        "out = td.{0}",
        "sum(dtype=torch.float64) | sum(0, dtype=torch.float64) | mean(dtype=torch.float64)"
        " | prod(0, dtype=torch.float64)"
        " | std(correction=0) | var(0, correction=0) | sum(dtype=torch.float64, reduce=True) | float().std(reduce=True)"
        " | float().var(correction=0, reduce=True)",
    ),
    **{
        name: cells(f"out = td.{name}({{0}})", " | 0 | -1 | 1 | 2 | -3 | dim=0 | 0, True | dim=None | reduce=True")
        for name in ("min", "max", "amin", "amax", "cummin", "cummax", "logsumexp")
    },
    "indices of extremes": cells("out = td.{0}(0, return_indices=False)", "min | max | cummin | cummax"),
    "norm": cells("out = td.{0}", "norm() | float().norm() | double().norm() | norm(dtype=torch.float64)"),
    "softmax": cells("out = td.softmax({0})", "0 | -1 | 1 | 5 | 0, torch.float64 | dim=0"),
    **{
        name: cells(f"out = {{0}}.{name}({{1}})", "td | (td == td) | td.bool()", " | 0 | -1 | 1 | 2 | -3 | dim=None")
        for name in ("all", "any")
    },
    "casts": cells(
        "out = td.{0}",
        "float() | double() | half() | bfloat16() | int() | bool() | type(torch.int8) | to(torch.float64) | to('cpu')"
        " | to('cpu', torch.float64) | to(dtype=torch.int32) | to(td) | to() | to(batch_size=[]) | cpu()"
        " | to('nonsense')"
        " | to(1.5) | to(torch.zeros(1).double()) | uint8() | complex64() | to(device=None)",
    ),
}
