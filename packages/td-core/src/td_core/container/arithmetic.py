"""Arithmetic: the hooks behind the generated elementwise methods, and the operators.

Results keep the structure, names, device and lock of the container; non-tensor data pass through.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor
from typing_extensions import Self

from .._generated.pointwise import PointwiseMethods
from ..errors import TDNotImplementedError, TDRuntimeError, TDTypeError
from ..ops import DIVIDED_INTO, INVERTED, NUMBERS, OPS, REMAINDER_INTO, PointwiseOp, align, check_leaves, kernels
from .lock import LockMethods

_ADD, _SUB, _RSUB, _MUL, _DIV, _POW, _MOD = (OPS[name] for name in ("add", "sub", "rsub", "mul", "div", "pow", "mod"))
_NEG, _ABS, _AND = OPS["neg"], OPS["abs"], OPS["bitwise_and"]


class ArithmeticMethods(PointwiseMethods, LockMethods):
    """Elementwise methods and arithmetic operators."""

    # -- hooks of the generated methods -------------------------------------------------------------------------------

    def _unary(self, op: PointwiseOp) -> Self:
        return self._with_leaves(kernels.unary(op, self._leaves()))._locked_like(self)

    def _unary_(self, op: PointwiseOp) -> Self:
        return self._write_through(op)

    def _binary(self, op: PointwiseOp, other: Any, default: Any = None, alpha: float | None = None) -> Self:
        result = self._combined(op, other, default, alpha)
        if result is NotImplemented:
            raise _unsupported(op.name, other)
        return result  # type: ignore[no-any-return]  # a container like self

    def _binary_(self, op: PointwiseOp, other: Any, alpha: float | None = None) -> Self:
        result = self._combined_(op, other, alpha)
        if result is NotImplemented:
            raise _unsupported(f"{op.name}_", other)
        return result  # type: ignore[no-any-return]  # self

    def _ternary(self, op: PointwiseOp, first: Any, second: Any, value: float | None = None) -> Self:
        left, leaves, first, second = self._aligned_pair(op.name, first, second)
        results = kernels.ternary(op, leaves, first, second, **({} if value is None else {"value": value}))
        return left._with_leaves(results)._locked_like(self)  # type: ignore[no-any-return]  # a container like self

    def _ternary_(self, op: PointwiseOp, first: Any, second: Any, value: float | None = None) -> Self:
        left, _, first, second = self._aligned_pair(op.name, first, second)
        self._require_same_batch(left, op)
        return self._write_through(op, first, second, **({} if value is None else {"value": value}))

    # -- with another operand -----------------------------------------------------------------------------------------

    def _combined(self, op: PointwiseOp, other: Any, default: Any = None, alpha: float | None = None) -> Any:
        """Return the result of a binary operation, or NotImplemented for an operand of unknown type."""
        if type(other) in NUMBERS:
            return self._with_leaves(kernels.binary(op, self._leaves(), other, alpha))._locked_like(self)
        left, leaves, right, stretches = align(self, other, default)
        if right is NotImplemented:
            return NotImplemented
        results = kernels.binary(op, leaves, right, alpha)
        if stretches:
            check_leaves(left, results)
        return left._with_leaves(results)._locked_like(self)

    def _combined_(self, op: PointwiseOp, other: Any, alpha: float | None = None) -> Any:
        """Apply a binary operation in place; NotImplemented for an operand of unknown type."""
        left, _, right, _ = align(self, other)
        if right is NotImplemented:
            return NotImplemented
        self._require_same_batch(left, op)
        if alpha is None:
            return self._write_through(op, right)
        if not isinstance(right, list):
            return self._write_through(op, right * alpha)
        return self._write_through(op, right, alpha=alpha)

    def _aligned_pair(self, what: str, first: Any, second: Any) -> tuple[Any, list[Tensor], Any, Any]:
        """Align two more operands, the second one after the first may have enlarged the batch."""
        left, _, right, _ = align(self, first)
        left, leaves, second_right, _ = align(left, second)
        if right is not NotImplemented and left is not self:
            right = align(left, first).right
        for given, aligned in ((first, right), (second, second_right)):
            if aligned is NotImplemented:
                raise _unsupported(what, given)
        if isinstance(second_right, Tensor):
            second_right = [second_right] * len(leaves)
        return left, leaves, right, second_right

    def _require_same_batch(self, left: Any, op: PointwiseOp) -> None:
        if left is not self:
            raise TDRuntimeError(
                f"{op.name}_ cannot enlarge the batch size {list(self._batch_size)} to {list(left._batch_size)} in "
                f"place. Use {op.name}."
            )

    def _write_through(self, op: PointwiseOp, *operands: Any, **kwargs: Any) -> Self:
        """Apply an operation to the stored values in place."""
        leaves, stored = self._gather()
        if not stored:
            self._require_writable(f"{op.name}_()")
        kernels.inplace(op, leaves, *operands, **kwargs)
        if not stored:
            self._write_back(iter(leaves))
        return self

    def clamp(self, min: Any = None, max: Any = None, *, out: Any = None) -> Self:
        """Return each leaf clamped to `[min, max]`; where `min > max` the result is `max`.

        Args:
            min: a number, a tensor, a container, or None for no lower bound.
            max: the same for the upper bound.
            out: a container that the result is copied into, and that is returned.

        Raises:
            TDTypeError: no bound at all.
        """
        if min is None and max is None:
            raise TDTypeError("clamp needs min or max, got neither.")
        if type(min) in NUMBERS and type(max) in NUMBERS:
            raised = kernels.binary(OPS["clamp_min"], self._leaves(), min)
            result = self._with_leaves(kernels.binary(OPS["clamp_max"], list(raised), max))._locked_like(self)
        else:
            result = self if min is None else self._binary(OPS["clamp_min"], min)
            result = result if max is None else result._binary(OPS["clamp_max"], max)
        if out is None:
            return result
        out.update_(result)
        return out  # type: ignore[no-any-return]  # the caller's container

    # -- operators ----------------------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Self:
        return self._combined(_ADD, other)  # type: ignore[no-any-return]  # or NotImplemented, as operators do

    __radd__ = __add__

    def __iadd__(self, other: Any) -> Self:
        return self._combined_(_ADD, other)  # type: ignore[no-any-return]  # or NotImplemented

    def __sub__(self, other: Any) -> Self:
        return self._combined(_SUB, other)  # type: ignore[no-any-return]  # or NotImplemented

    def __rsub__(self, other: Any) -> Self:
        return self._combined(_RSUB, other)  # type: ignore[no-any-return]  # or NotImplemented

    def __isub__(self, other: Any) -> Self:
        return self._combined_(_SUB, other)  # type: ignore[no-any-return]  # or NotImplemented

    def __mul__(self, other: Any) -> Self:
        return self._combined(_MUL, other)  # type: ignore[no-any-return]  # or NotImplemented

    __rmul__ = __mul__

    def __imul__(self, other: Any) -> Self:
        return self._combined_(_MUL, other)  # type: ignore[no-any-return]  # or NotImplemented

    def __truediv__(self, other: Any) -> Self:
        return self._combined(_DIV, other)  # type: ignore[no-any-return]  # or NotImplemented

    def __rtruediv__(self, other: Any) -> Self:
        return self._combined(DIVIDED_INTO, other)  # type: ignore[no-any-return]  # or NotImplemented

    def __itruediv__(self, other: Any) -> Self:
        return self._combined_(_DIV, other)  # type: ignore[no-any-return]  # or NotImplemented

    def __pow__(self, other: Any) -> Self:
        return self._combined(_POW, other)  # type: ignore[no-any-return]  # or NotImplemented

    def __rpow__(self, other: Any) -> Self:
        raise TDNotImplementedError(
            f"Raising {other!r} to the power of a tensordict is not supported. Wrap the base in a tensordict with the "
            "same keys, and use pow()."
        )

    def __ipow__(self, other: Any) -> Self:
        return self._combined_(_POW, other)  # type: ignore[no-any-return]  # or NotImplemented

    def __mod__(self, other: Any) -> Self:
        return self._combined(_MOD, other)  # type: ignore[no-any-return]  # or NotImplemented

    def __rmod__(self, other: Any) -> Self:
        return self._combined(REMAINDER_INTO, other)  # type: ignore[no-any-return]  # or NotImplemented

    def __and__(self, other: Any) -> Self:
        return self._combined(_AND, other)  # type: ignore[no-any-return]  # or NotImplemented

    __rand__ = __and__

    def __neg__(self) -> Self:
        return self._unary(_NEG)

    def __abs__(self) -> Self:
        return self._unary(_ABS)

    def __invert__(self) -> Self:
        return self._unary(INVERTED)


def _unsupported(what: str, other: Any) -> TDTypeError:
    return TDTypeError(
        f"{what} takes a number, a tensor or a tensordict as its operand, got {other!r} of type {type(other).__name__}."
    )
