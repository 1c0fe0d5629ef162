"""Memory-mapped tensors."""

from typing import TYPE_CHECKING

from td_core.plugins import lazy_exports

if TYPE_CHECKING:
    from ._tensor import MemoryMappedTensor as MemoryMappedTensor
    from .errors import MemmapFileError as MemmapFileError

__getattr__, __dir__, __all__ = lazy_exports(__name__, {"MemmapFileError": ".errors", "MemoryMappedTensor": "._tensor"})
