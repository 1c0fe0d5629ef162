"""A reference to an object by name, imported when asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from typing import Generic, TypeVar, cast

from ..errors import TDValueError
from .errors import PluginLoadError

T_co = TypeVar("T_co", covariant=True)

_TARGET = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


@dataclass(frozen=True)  # no slots: typing sets __orig_class__ on LazyRef[int]("a:b"), which frozen slots refuse badly
class LazyRef(Generic[T_co]):
    """Name an object as `"module:attribute"` without importing it.

    Args:
        target: For instance `"td_h5._methods:to_h5"`; the attribute may be dotted.

    Raises:
        TDValueError: `target` does not have that form.

    Example:
        >>> LazyRef("math:sqrt").load()(9.0)
        3.0
    """

    target: str

    def __post_init__(self) -> None:
        if not isinstance(self.target, str) or not _TARGET.fullmatch(self.target):
            raise TDValueError(f"A lazy reference must look like 'package.module:attribute', got {self.target!r}.")

    def load(self) -> T_co:
        """Import the module and return the attribute.

        Raises:
            PluginLoadError: The import failed (the cause is chained), or the module has no such attribute.
        """
        module_name, _, attribute = self.target.partition(":")
        try:
            module = import_module(module_name)
        except Exception as error:  # whatever a third party's module raises while it is imported
            raise PluginLoadError(self.target, f"{type(error).__name__}: {error}") from error
        try:
            return cast("T_co", reduce(getattr, attribute.split("."), module))
        except AttributeError as error:
            raise PluginLoadError(self.target, str(error)) from error
