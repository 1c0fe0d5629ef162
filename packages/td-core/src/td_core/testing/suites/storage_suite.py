"""The sum of the topic suites: what a storage is run through."""

from __future__ import annotations

from .applying import ApplyTests
from .batch_size import BatchSizeTests
from .capability import CapabilityTests
from .combining import CombineTests
from .comparison import ComparisonTests
from .compiling import CompileTests
from .contexts import ContextTests
from .conversion import ConversionTests
from .device import DeviceTests
from .index_read import IndexReadTests
from .index_write import IndexWriteTests
from .key_flattening import KeyFlatteningTests
from .keys import KeyTests
from .locks import LockTests
from .names import NameTests
from .non_tensor import NonTensorTests
from .pickling import PickleTests
from .pointwise import PointwiseTests
from .reduction import ReductionTests
from .shapes import ShapeTests
from .stateful import StatefulTests
from .updating import UpdateTests
from .where import WhereTests
from .writing import WriteTests


class StorageSuite(
    KeyTests,
    WriteTests,
    UpdateTests,
    BatchSizeTests,
    IndexReadTests,
    IndexWriteTests,
    ShapeTests,
    CombineTests,
    NameTests,
    LockTests,
    ContextTests,
    KeyFlatteningTests,
    PointwiseTests,
    ComparisonTests,
    ReductionTests,
    WhereTests,
    ApplyTests,
    NonTensorTests,
    DeviceTests,
    ConversionTests,
    PickleTests,
    CompileTests,
    CapabilityTests,
    StatefulTests,
):
    """Every topic. Subclass it as `Test...` and set `case`; each topic can also be used alone."""
