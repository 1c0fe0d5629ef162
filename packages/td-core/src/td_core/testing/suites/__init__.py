"""The topic suites, and `StorageSuite`, their sum."""

from .batch_size import BatchSizeTests as BatchSizeTests
from .index_read import IndexReadTests as IndexReadTests
from .index_write import IndexWriteTests as IndexWriteTests
from .keys import KeyTests as KeyTests
from .updating import UpdateTests as UpdateTests
from .writing import WriteTests as WriteTests
from .shapes import ShapeTests as ShapeTests
