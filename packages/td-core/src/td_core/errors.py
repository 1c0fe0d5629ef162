"""Every deliberate exception of the td packages.

Each derives from `TDError` and from the built-in exception a caller would expect, so both
`except TDError` and `except KeyError` work.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class TDError(Exception):
    """Base of every deliberate exception of the td packages."""

    def __reduce__(self) -> tuple[Any, ...]:
        # The constructors build the text from fields; a copy from another process takes both as they are.
        return _restore, (type(self), self.args, vars(self))


def _restore(kind: type[TDError], arguments: tuple[Any, ...], fields: dict[str, Any]) -> TDError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(fields)
    return error


class TDKeyError(TDError, KeyError):
    """A key is missing, malformed, or already taken."""

    def __str__(self) -> str:  # KeyError prints the repr of its argument; a sentence reads better as it is
        return str(self.args[0]) if self.args else ""


class TDValueError(TDError, ValueError):
    """An argument has the right type and a wrong value."""


class KeyThroughLeafError(TDKeyError, TDValueError):
    """A nested key leads through an entry that is not a tensordict."""

    def __init__(self, leaf: object, kind: type, below: object) -> None:
        super().__init__(f"{leaf!r} is a {kind.__name__}, not a tensordict, so it has no entry {below!r}.")


class TDTypeError(TDError, TypeError):
    """An argument has the wrong type."""


class TDRuntimeError(TDError, RuntimeError):
    """The operation cannot be done on this container in its present state."""


class TDIndexError(TDError, IndexError):
    """An index or a dimension is out of range."""


class TDAttributeError(TDError, AttributeError):
    """The attribute does not exist or cannot be set."""


class TDNotImplementedError(TDError, NotImplementedError):
    """The operation has no meaning here, or is not offered for this kind of value."""


class TDFileNotFoundError(TDError, FileNotFoundError):
    """There is nothing at the path."""


class LockedError(TDRuntimeError):
    """A structural change was asked of a locked tensordict."""

    def __init__(self, action: str = "modify") -> None:
        self.action = action
        super().__init__(
            f"Cannot {action} a locked tensordict. In-place writes of values (set_, update_, fill_) are allowed; "
            "for a structural change call unlock_() on the root, or work on a clone()."
        )


class BatchSizeError(TDRuntimeError):
    """A value does not start with the batch size of the tensordict it is written to."""

    def __init__(self, key: object, shape: Iterable[int], batch_size: Iterable[int]) -> None:
        self.key, self.shape, self.batch_size = key, tuple(shape), tuple(batch_size)
        super().__init__(
            f"The entry {key!r} has shape {list(self.shape)}, which does not start with the batch size "
            f"{list(self.batch_size)} of the tensordict. Reshape the value, or use a smaller batch size."
        )


class InplaceWriteError(TDValueError, RuntimeError):
    """A value could not be copied into the existing entry."""

    def __init__(self, key: object, reason: str) -> None:
        self.key = key
        super().__init__(f"Failed to write {key!r} in place: {reason}. Use set() to replace the entry instead.")


class UnsupportedOperationError(TDNotImplementedError, RuntimeError):
    """The storage declines this operation (see its `capabilities`)."""

    def __init__(self, operation: str, storage: str, capability: str) -> None:
        self.operation, self.storage, self.capability = operation, storage, capability
        super().__init__(
            f"{operation} needs the capability {capability}, which the storage {storage} does not declare. "
            "Call to_tensordict() first to work on a dense copy."
        )


def missing_key(key: object, present: Iterable[str], owner: str = "tensordict") -> TDKeyError:
    """Build the error for a key that is not there, naming the sorted keys that are."""
    return TDKeyError(f"The key {key!r} was not found in the {owner}. Its keys are: {sorted(present)}.")
