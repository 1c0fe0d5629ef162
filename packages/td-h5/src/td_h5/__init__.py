"""Tensordicts in HDF5 files."""

from typing import TYPE_CHECKING

from td_core.plugins import lazy_exports

if TYPE_CHECKING:
    from ._methods import from_h5 as from_h5
    from ._methods import to_h5 as to_h5
    from .errors import H5FormatError as H5FormatError

__getattr__, __dir__, __all__ = lazy_exports(
    __name__, {"H5FormatError": ".errors", "from_h5": "._methods", "to_h5": "._methods"}
)
