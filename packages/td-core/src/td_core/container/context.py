"""Context managers: `with td.view(-1) as flat:` and the like, and `with td.unlock_():`.

A method that can serve as one leaves in `_origin` what to do at the end: a weak reference to the container it came from
and the op, or the lock state to restore. Entering moves it to a stack, so that contexts nest.
"""

from __future__ import annotations

from typing import Any

from typing_extensions import Self

from ..errors import TDRuntimeError
from ..structural import StructuralOp
from .combine import CombineMethods
from .lock import set_locked


class ContextMethods(CombineMethods):
    """`__enter__` and `__exit__`."""

    _contexts: list[Any] | None = None

    def __enter__(self) -> Self:
        origin = self._origin
        if origin is not None and origin[0] == "lock":
            self._origin = None  # a lock state is restored once; what a view is of stays known
        if self._contexts is None:
            self._contexts = []
        self._contexts.append(origin)
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: object) -> None:
        origin = self._contexts.pop() if self._contexts else None
        if origin is None:
            return
        source_ref, op = origin
        if source_ref == "lock":
            set_locked(self, op)
            return
        source = source_ref()
        if source is None or exc_type is not None:
            return
        _write_back(self, source, op)


def _write_back(result: Any, source: Any, op: Any) -> None:
    """Undo the op on the result, and merge it into the container it came from: new references, no deletions."""
    if isinstance(op, StructuralOp):
        inverse = op.inverse(source._batch_size)
        if inverse is None:
            raise TDRuntimeError(
                f"{type(op).__name__.lower()} has no inverse, so it cannot be used as a context manager."
            )
        back = result._transform(inverse)
        shared = op.shares_storage
    else:
        back = op(result)
        shared = True
    if not source._locked:
        source.update(back)
    elif not shared:
        source.update_(back)
