"""The topic suites, and `StorageSuite`, their sum."""

from .applying import ApplyTests as ApplyTests
from .batch_size import BatchSizeTests as BatchSizeTests
from .capability import CapabilityTests as CapabilityTests
from .combining import CombineTests as CombineTests
from .comparison import ComparisonTests as ComparisonTests
from .compiling import CompileTests as CompileTests
from .contexts import ContextTests as ContextTests
from .conversion import ConversionTests as ConversionTests
from .device import DeviceTests as DeviceTests
from .index_read import IndexReadTests as IndexReadTests
from .index_write import IndexWriteTests as IndexWriteTests
from .key_flattening import KeyFlatteningTests as KeyFlatteningTests
from .keys import KeyTests as KeyTests
from .locks import LockTests as LockTests
from .names import NameTests as NameTests
from .non_tensor import NonTensorTests as NonTensorTests
from .pickling import PickleTests as PickleTests
from .pointwise import PointwiseTests as PointwiseTests
from .reduction import ReductionTests as ReductionTests
from .shapes import ShapeTests as ShapeTests
from .stateful import StatefulTests as StatefulTests
from .storage_suite import StorageSuite as StorageSuite
from .updating import UpdateTests as UpdateTests
from .where import WhereTests as WhereTests
from .writing import WriteTests as WriteTests
