"""`TensorDictBase`: the container, put together from its concerns."""

from __future__ import annotations

from collections.abc import MutableMapping

from .._generated.plugin_methods import PluginMethods
from .apply import ApplyMethods
from .cast import CastMethods
from .comparison import ComparisonMethods
from .context import ContextMethods
from .extension import ExtensionMethods
from .flatten import FlattenKeysMethods
from .non_tensor import NonTensorMethods
from .reduction import ReductionMethods
from .torch_function import TorchFunctionMethods
from .where import WhereMethods


class TensorDictBase(
    ApplyMethods,
    FlattenKeysMethods,
    NonTensorMethods,
    ContextMethods,
    ComparisonMethods,
    WhereMethods,
    ReductionMethods,
    CastMethods,
    TorchFunctionMethods,
    ExtensionMethods,
    PluginMethods,
):
    """A batched, nested dict of tensors that behaves like one tensor.

    Every entry shares the leading `batch_size`; indexing, reshaping, stacking, casting and arithmetic act on all
    entries at once. Where the values live is the job of the storage; this class holds all semantics.
    """


MutableMapping.register(TensorDictBase)
