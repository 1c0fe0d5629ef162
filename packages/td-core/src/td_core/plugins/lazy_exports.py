"""Names of a package that are imported when first asked for, so that importing the package stays cheap."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

from ..errors import TDAttributeError


def lazy_exports(
    package: str, exports: Mapping[str, str]
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` for the `__init__` of a package.

    A plugin is listed by importing a module of its package, and so its `__init__`; that must not import what the plugin
    needs. Repeat the names under `TYPE_CHECKING` for type checkers and editors.

    Args:
        package: `__name__` of the package.
        exports: The public names, each with the relative module it comes from.

    Example:
        >>> from td_core.plugins import lazy_exports
        >>> __getattr__, __dir__, __all__ = lazy_exports("td_h5", {"to_h5": "._methods"})
        >>> __all__
        ['to_h5']
    """

    def get(name: str) -> object:
        module = exports.get(name)
        if module is None:
            raise TDAttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(module, package), name)
        setattr(sys.modules[package], name, value)  # from now on it is found without coming here
        return value

    def list_names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *exports})

    return get, list_names, sorted(exports)
