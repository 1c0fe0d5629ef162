"""Modules that read and write the entries of a tensordict by key."""

from typing import TYPE_CHECKING

from td_core.plugins import lazy_exports

if TYPE_CHECKING:
    from ._base import TensorDictModuleBase as TensorDictModuleBase
    from ._compile import compile_callable as compile_callable
    from ._module import TensorDictModule as TensorDictModule
    from ._sequential import TensorDictSequential as TensorDictSequential

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "TensorDictModule": "._module",
        "TensorDictModuleBase": "._base",
        "TensorDictSequential": "._sequential",
        "compile_callable": "._compile",
    },
)
