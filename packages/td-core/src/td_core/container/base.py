"""`TensorDictBase`: the container, put together from its concerns."""

from __future__ import annotations

from collections.abc import MutableMapping

from .._generated.plugin_methods import PluginMethods
from .apply import ApplyMethods
from .autograd import AutogradMethods
from .cast import CastMethods
from .choose import ChooseMethods
from .comparison import ComparisonMethods
from .context import ContextMethods
from .convert import ConvertMethods
from .create import CreateMethods
from .device import DeviceMethods
from .extension import ExtensionMethods
from .flatten import FlattenKeysMethods
from .join import JoinMethods
from .memory import MemoryMethods
from .non_tensor import NonTensorMethods
from .padding import PaddingMethods
from .pickling import PickleMethods
from .ragged import RaggedMethods
from .reduction import ReductionMethods
from .repr import ReprMethods
from .torch_function import TorchFunctionMethods
from .where import WhereMethods


class TensorDictBase(
    ConvertMethods,
    MemoryMethods,
    AutogradMethods,
    DeviceMethods,
    JoinMethods,
    PaddingMethods,
    RaggedMethods,
    PickleMethods,
    ApplyMethods,
    ReprMethods,
    FlattenKeysMethods,
    NonTensorMethods,
    ContextMethods,
    ChooseMethods,
    CreateMethods,
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
