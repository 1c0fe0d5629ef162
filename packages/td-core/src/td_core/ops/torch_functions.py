"""What a container answers when it is given to a function of torch: `torch.stack(tds)`, `torch.exp(td)`, ...

A table from torch's functions to handlers. A function that is not in it raises TypeError, as for any other type that
torch does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from ..errors import TDTypeError
from ..leaves import kind_of_type
from ..structural import wrap_dim
from .reduce import Scan
from .table import COMPARISONS, OPS, PointwiseOp

Handler = Callable[..., Any]

HANDLERS: dict[Callable[..., Any], Handler] = {}
"""The handler of each function of torch that containers answer."""


def _is_container(value: Any) -> bool:
    kind = kind_of_type(type(value))
    return kind is not None and kind.node(value) is not None


def method_handler(name: str) -> Handler:
    """Make a handler that calls a method of the first argument."""

    def call(input: Any, *args: Any, **kwargs: Any) -> Any:
        if not _is_container(input):
            raise TDTypeError(f"torch.{name} needs the tensordict as its first argument, got {type(input).__name__}.")
        return getattr(input, name)(*args, **kwargs)

    return call


def _reflected_handler(name: str, reflected: str) -> Handler:
    """Make a handler of a binary function, which may have its container on either side."""

    def call(input: Any, other: Any, **kwargs: Any) -> Any:
        if _is_container(input):
            return getattr(input, name)(other, **kwargs)
        alpha = kwargs.pop("alpha", None)
        if kwargs:
            raise TDTypeError(f"torch.{name} of a tensordict does not take {sorted(kwargs)}.")
        return getattr(other if alpha is None else other * alpha, reflected)(input)

    return call


def _leafwise(function: Callable[..., Any]) -> Handler:
    """Make a handler that applies a function of one tensor to every leaf."""

    def call(input: Any, *args: Any, **kwargs: Any) -> Any:
        results = [function(leaf, *args, **kwargs) for leaf in input._leaves()]
        return input._with_leaves(results)._locked_like(input)

    return call


def _filled_like(function: Callable[..., Tensor]) -> Handler:
    """Make a handler of `zeros_like` and its kin, whose result may be on another device."""

    def call(input: Any, *args: Any, device: Any = None, **kwargs: Any) -> Any:
        if device is not None:
            kwargs["device"] = device = torch.device(device)
        result = input._with_leaves([function(leaf, *args, **kwargs) for leaf in input._leaves()])
        return (result if device is None else result._to_device(device))._locked_like(input)

    return call


def _pairwise(function: Callable[..., Tensor]) -> Handler:
    """Make a handler of a function of two operands that has no method."""

    def call(input: Any, other: Any, **kwargs: Any) -> Any:
        def compute(leaf: Tensor, right: Any) -> Tensor:
            return function(leaf, right, **kwargs)

        return input._binary(PointwiseOp(name=function.__name__, signature="binary", function=compute, doc=""), other)

    return call


def _along(function: Callable[..., Tensor]) -> Handler:
    """Make a handler of a function that goes along one batch dim and keeps every shape."""

    def call(input: Any, dim: int, **kwargs: Any) -> Any:
        dim = wrap_dim(dim, len(input._batch_size))
        return input._regrown(Scan((function, (dim,), kwargs)))

    return call


def _combining(name: str) -> Handler:
    """Make a handler of `stack` and `cat`."""

    def call(tensors: Sequence[Any], dim: int = 0, *, out: Any = None) -> Any:
        for value in tensors:
            if not _is_container(value):
                raise TDTypeError(
                    f"torch.{name} takes tensordicts or tensors, not both: got a {type(value).__name__} among them."
                )
        return getattr(type(tensors[0]), name)(tensors, dim, out=out)

    return call


def _where(condition: Any, input: Any, other: Any, *, out: Any = None, pad: Any = None) -> Any:
    if _is_container(condition):
        raise TDTypeError("The condition of torch.where must be a tensor, got a tensordict.")
    if _is_container(input):
        return input.where(condition, other, out=out, pad=pad)
    return other.where(~condition, input, out=out, pad=pad)


def _extreme(name: str, pairwise: str) -> Handler:
    """Make a handler of `max` and `min`, which reduce one argument or combine two."""

    def call(input: Any, *args: Any, **kwargs: Any) -> Any:
        second = args[0] if args else kwargs.get("other")
        if isinstance(second, Tensor) or _is_container(second):
            return getattr(input, pairwise)(second) if _is_container(input) else getattr(second, pairwise)(input)
        return getattr(input, name)(*args, **kwargs)

    return call


def _unbind(input: Any, dim: int = 0) -> Any:
    return input.unbind(dim)


def _detach(input: Any) -> Any:
    return input._map_tensors(torch.detach)._locked_like(input)


def _index_select(input: Any, dim: int, index: Tensor) -> Any:
    return input[(slice(None),) * wrap_dim(dim, len(input._batch_size)) + (index,)]


def _narrow(input: Any, dim: int, start: int, length: int) -> Any:
    dim = wrap_dim(dim, len(input._batch_size))
    return input[(slice(None),) * dim + (slice(start, start + length),)]


def _equal(input: Any, other: Any) -> bool:
    return _is_container(input) and _is_container(other) and bool((input == other).all())


def _allclose(input: Any, other: Any, **kwargs: Any) -> bool:
    return bool(HANDLERS[torch.isclose](input, other, **kwargs).all())


_METHODS = (
    *("clone", "squeeze", "unsqueeze", "permute", "reshape", "flatten", "unflatten", "transpose", "split", "chunk"),
    *("gather", "masked_select", "sum", "nansum", "mean", "nanmean", "prod", "std", "var", "amax", "amin", "cummax"),
    *("flip", "fliplr", "flipud", "roll", "rot90", "tile", "movedim", "moveaxis", "tensor_split", "repeat_interleave"),
    *("cummin", "quantile", "logsumexp", "softmax", "all", "any", "clamp", "numel", "is_floating_point"),
)
"""Functions of torch that are methods of a container under the same name."""

_ALIASES: dict[Handler, str] = {
    torch.swapaxes: "transpose",
    torch.swapdims: "transpose",
    torch.broadcast_to: "expand",
    F.softmax: "softmax",
    torch.clip: "clamp",
    torch.absolute: "abs",
    torch.arccos: "acos",
    torch.arcsin: "asin",
    torch.arctan: "atan",
    torch.fix: "trunc",
    torch.negative: "neg",
    torch.special.erf: "erf",
    torch.special.expit: "sigmoid",
    F.sigmoid: "sigmoid",
    F.tanh: "tanh",
}

_REFLECTED = {
    "add": "__radd__",
    "sub": "__rsub__",
    "mul": "__rmul__",
    "div": "__rtruediv__",
    "mod": "__rmod__",
    **{name: name for name in ("maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor")},
    **{name: name for name in ("logical_and", "logical_or", "logical_xor")},
}
_REFLECTED_ALIASES: dict[Handler, str] = {
    torch.subtract: "sub",
    torch.multiply: "mul",
    torch.divide: "div",
    torch.true_divide: "div",
}
_SWAPPED = {"__lt__": "__gt__", "__gt__": "__lt__", "__le__": "__ge__", "__ge__": "__le__"}
_COMPARISON_ALIASES: dict[Handler, str] = {
    torch.not_equal: "__ne__",
    torch.less: "__lt__",
    torch.less_equal: "__le__",
    torch.greater: "__gt__",
    torch.greater_equal: "__ge__",
}

# What torch.compile calls for an operator between a tensor and a container. It does not tell `td + t` from `td += t`
# (both arrive as `Tensor.add(t, td)`), so operators with an in-place form are not here: in one graph they raise, and
# `td.add(t)` says what is meant.
_TENSOR_METHODS: dict[Handler, str] = {
    Tensor.sub: "sub",
    Tensor.div: "div",
    Tensor.remainder: "mod",
    Tensor.bitwise_and: "bitwise_and",
}
_TENSOR_COMPARISONS: dict[Handler, str] = {
    **dict.fromkeys((Tensor.eq, Tensor.__eq__), "__eq__"),
    **dict.fromkeys((Tensor.ne, Tensor.__ne__), "__ne__"),
    **dict.fromkeys((Tensor.lt, Tensor.__lt__), "__lt__"),
    **dict.fromkeys((Tensor.le, Tensor.__le__), "__le__"),
    **dict.fromkeys((Tensor.gt, Tensor.__gt__), "__gt__"),
    **dict.fromkeys((Tensor.ge, Tensor.__ge__), "__ge__"),
    **dict.fromkeys((Tensor.bitwise_or, Tensor.__or__), "__or__"),
    **dict.fromkeys((Tensor.bitwise_xor, Tensor.__xor__), "__xor__"),
}

_LEAFWISE = (
    *(torch.acosh, torch.asinh, torch.atanh, torch.angle, torch.bernoulli, torch.conj, torch.deg2rad, torch.digamma),
    *(torch.erfinv, torch.exp2, torch.logit, torch.nan_to_num, torch.positive, torch.rad2deg, torch.relu, torch.selu),
    *(torch.sgn, torch.signbit, torch.sinc, torch.square, torch.threshold, torch.celu, torch.dropout),
    *(F.celu, F.dropout, F.elu, F.gelu, F.hardsigmoid, F.hardswish, F.hardtanh, F.leaky_relu, F.logsigmoid, F.mish),
    *(F.relu, F.relu6, F.selu, F.silu, F.softplus, F.softsign, F.tanhshrink, F.threshold),
)
_PAIRWISE = (
    *(torch.atan2, torch.copysign, torch.floor_divide, torch.fmax, torch.fmin, torch.fmod, torch.hypot, torch.isclose),
    *(torch.logaddexp, torch.logaddexp2, torch.nextafter, torch.xlogy),
)
_LIKE = (torch.empty_like, torch.full_like, torch.ones_like, torch.rand_like, torch.randint_like, torch.randn_like)
_ALONG = (torch.cumprod, torch.cumsum, torch.log_softmax, torch.logcumsumexp, F.log_softmax)


def _fill() -> None:
    for op in OPS.values():
        handler = _reflected_handler(op.name, _REFLECTED[op.name]) if op.name in _REFLECTED else method_handler(op.name)
        HANDLERS.update(dict.fromkeys(op.torch_functions, handler))
    for row in COMPARISONS.values():
        handler = _reflected_handler(row.name, _SWAPPED.get(row.name, row.name))
        HANDLERS.update(dict.fromkeys(row.torch_functions, handler))
    HANDLERS.update({function: HANDLERS[OPS[name].torch_functions[0]] for function, name in _REFLECTED_ALIASES.items()})
    for function, name in _COMPARISON_ALIASES.items():
        HANDLERS[function] = HANDLERS[COMPARISONS[name].torch_functions[0]]
    for function, name in _TENSOR_METHODS.items():
        HANDLERS[function] = HANDLERS[OPS[name].torch_functions[0]]
    for function, name in _TENSOR_COMPARISONS.items():
        HANDLERS[function] = _reflected_handler(name, _SWAPPED.get(name, name))
    HANDLERS.update({getattr(torch, name): method_handler(name) for name in _METHODS})
    HANDLERS.update({function: method_handler(name) for function, name in _ALIASES.items()})
    HANDLERS.update({function: _leafwise(function) for function in _LEAFWISE})
    HANDLERS.update({function: _pairwise(function) for function in _PAIRWISE})
    HANDLERS.update({function: _filled_like(function) for function in (torch.zeros_like, *_LIKE)})
    HANDLERS.update({function: _along(function) for function in _ALONG})
    HANDLERS.update(
        {
            torch.stack: _combining("stack"),
            torch.cat: _combining("cat"),
            torch.concat: _combining("cat"),
            torch.concatenate: _combining("cat"),
            torch.where: _where,
            torch.max: _extreme("max", "maximum"),
            torch.min: _extreme("min", "minimum"),
            torch.unbind: _unbind,
            torch.detach: _detach,
            torch.index_select: _index_select,
            torch.narrow: _narrow,
            torch.equal: _equal,
            torch.allclose: _allclose,
        }
    )


_fill()
