"""The conformance kit: `assert_close`, and test suites that any storage can be run through.

`assert_close` needs nothing but td-core. The suites need the extra `testing` (pytest and hypothesis), and are imported
when first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from td_core.abc import Capability as Capability

from .assertions import assert_allclose_td as assert_allclose_td
from .assertions import assert_close as assert_close
from .case import StorageCase as StorageCase
from .case import TreeSpec as TreeSpec
from .dense import DenseCase as DenseCase

if TYPE_CHECKING:
    from .gates import needs as needs
    from .suites import ApplyTests as ApplyTests
    from .suites import BatchSizeTests as BatchSizeTests
    from .suites import CapabilityTests as CapabilityTests
    from .suites import CombineTests as CombineTests
    from .suites import ComparisonTests as ComparisonTests
    from .suites import CompileTests as CompileTests
    from .suites import ContextTests as ContextTests
    from .suites import ConversionTests as ConversionTests
    from .suites import DeviceTests as DeviceTests
    from .suites import IndexReadTests as IndexReadTests
    from .suites import IndexWriteTests as IndexWriteTests
    from .suites import KeyFlatteningTests as KeyFlatteningTests
    from .suites import KeyTests as KeyTests
    from .suites import LockTests as LockTests
    from .suites import NameTests as NameTests
    from .suites import NonTensorTests as NonTensorTests
    from .suites import PickleTests as PickleTests
    from .suites import PointwiseTests as PointwiseTests
    from .suites import ReductionTests as ReductionTests
    from .suites import ShapeTests as ShapeTests
    from .suites import StatefulTests as StatefulTests
    from .suites import StorageSuite as StorageSuite
    from .suites import UpdateTests as UpdateTests
    from .suites import WhereTests as WhereTests
    from .suites import WriteTests as WriteTests
    from .topic import TopicTests as TopicTests

_LAZY = {"needs": "gates", "TopicTests": "topic"}


def __getattr__(name: str) -> object:
    if name in _LAZY or name.endswith(("Tests", "Suite")):
        module = import_module(f"{__name__}.{_LAZY.get(name, 'suites')}")
        if hasattr(module, name):
            return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
