"""CUDA graphs for functions of tensordicts."""

from typing import TYPE_CHECKING

from td_core.plugins import lazy_exports

if TYPE_CHECKING:
    from ._availability import cuda_graph_availability as cuda_graph_availability
    from ._availability import machine_support as machine_support

__getattr__, __dir__, __all__ = lazy_exports(
    __name__, {"cuda_graph_availability": "._availability", "machine_support": "._availability"}
)
