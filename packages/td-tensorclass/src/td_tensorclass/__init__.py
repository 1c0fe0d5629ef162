"""Dataclasses of tensors."""

from typing import TYPE_CHECKING

from td_core.plugins import lazy_exports

if TYPE_CHECKING:
    from ._methods import to_dataclass as to_dataclass

__getattr__, __dir__, __all__ = lazy_exports(__name__, {"to_dataclass": "._methods"})
