"""The topic suites, and `StorageSuite`, their sum."""

from .batch_size import BatchSizeTests as BatchSizeTests
from .index_read import IndexReadTests as IndexReadTests
from .index_write import IndexWriteTests as IndexWriteTests
from .keys import KeyTests as KeyTests
from .updating import UpdateTests as UpdateTests
from .writing import WriteTests as WriteTests
from .shapes import ShapeTests as ShapeTests
from .combining import CombineTests as CombineTests
from .contexts import ContextTests as ContextTests
from .key_flattening import KeyFlatteningTests as KeyFlatteningTests
from .locks import LockTests as LockTests
from .names import NameTests as NameTests
from .applying import ApplyTests as ApplyTests
from .comparison import ComparisonTests as ComparisonTests
from .reduction import ReductionTests as ReductionTests
from .where import WhereTests as WhereTests
from .conversion import ConversionTests as ConversionTests
from .device import DeviceTests as DeviceTests
from .non_tensor import NonTensorTests as NonTensorTests
from .pickling import PickleTests as PickleTests
