"""The base of the modules that work on tensordicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from torch import nn
from typing_extensions import Self

from td_core import TensorDictBase
from td_core.errors import TDKeyError, TDValueError
from td_core.keys import key_parts, unravel_key
from td_core.typing import NestedKey

KeySpec: TypeAlias = NestedKey | Sequence[NestedKey]
"""One key, or a list of keys."""

Inplace: TypeAlias = bool | Literal["empty"]
"""Where results go: True the input, False a new tensordict, "empty" a new one with the batch size of the input."""


class TensorDictModuleBase(nn.Module):
    """A module that takes a tensordict and returns one.

    A subclass sets `in_keys` and `out_keys`, as class attributes or in its constructor.
    """

    in_keys: list[NestedKey]
    out_keys: list[NestedKey]
    _out_keys_source: list[NestedKey] | None = None

    @property
    def out_keys_source(self) -> list[NestedKey]:
        """All keys that the module can write, whatever is selected."""
        return self.out_keys if self._out_keys_source is None else self._out_keys_source

    def select_out_keys(self, *keys: NestedKey) -> Self:
        """Write only these of the current out keys from now on.

        Raises:
            OutKeyNotFoundError: A key is not among the current out keys; `reset_out_keys` brings dropped ones back.
        """
        selected = [unravel_key(key) for key in keys]
        for key in selected:
            if key not in self.out_keys:
                raise OutKeyNotFoundError(key, self.out_keys)
        if self._out_keys_source is None:
            self._out_keys_source = self.out_keys
        self.out_keys = selected
        return self

    def reset_out_keys(self) -> Self:
        """Undo `select_out_keys`."""
        self.out_keys = list(self.out_keys_source)
        self._out_keys_source = None
        return self


class OutKeyNotFoundError(TDValueError):
    """A key to select is not written by the module."""

    def __init__(self, key: NestedKey, out_keys: Sequence[NestedKey]) -> None:
        self.key, self.out_keys = key, list(out_keys)
        super().__init__(f"Cannot select the out key {key!r}: the module writes {self.out_keys}.")


class MissingInputError(TDKeyError):
    """A module failed, and entries that it reads are absent."""

    def __init__(self, module: str, missing: Sequence[NestedKey], present: Iterable[NestedKey]) -> None:
        self.missing = list(missing)
        found = sorted(present, key=str)
        super().__init__(f"{module} reads {self.missing}, which the tensordict does not have. Its keys are: {found}.")


def key_list(keys: KeySpec, role: str) -> list[NestedKey]:
    """Return keys as a list of canonical keys; a string or a tuple of strings counts as one key.

    Raises:
        TDValueError: An item is not a key.
    """
    if key_parts(keys):
        return [unravel_key(keys)]  # type: ignore[arg-type]  # key_parts has told that it is one key
    if not isinstance(keys, (list, tuple)) or not all(key_parts(key) for key in keys):
        raise TDValueError(f"{role} must be a key or a list of keys, got {keys!r}.")
    return [unravel_key(key) for key in keys]


def checked_inplace(inplace: Inplace) -> Inplace:
    """Return `inplace` if it is one of the three choices.

    Raises:
        TDValueError: It is not.
    """
    if inplace is True or inplace is False or inplace == "empty":
        return inplace
    raise TDValueError(f"inplace must be True, False or 'empty', got {inplace!r}.")


def destination(tensordict: TensorDictBase, inplace: Inplace) -> TensorDictBase:
    """Return the tensordict that results are written to."""
    if inplace is True:
        return tensordict
    return tensordict.empty(batch_size=[]) if inplace is False else tensordict.empty()
