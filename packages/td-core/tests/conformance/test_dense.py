"""The dense storage through the conformance kit."""

from td_core.testing import DenseCase, StorageSuite


class TestDense(StorageSuite):
    case = DenseCase()
