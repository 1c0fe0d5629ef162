"""The container over a storage that is no dict, through the conformance kit: semantics must not depend on the dict."""

from __future__ import annotations

from td_core import TensorDictBase
from td_core.abc import DENSE_CAPABILITIES, Capability, Storage
from td_core.keys import require_parts
from td_core.testing import StorageCase, StorageSuite


class MappingStorage(Storage):
    """Only what a storage must define, around a dict."""

    name = "mapping"
    capabilities = DENSE_CAPABILITIES & ~Capability.COMPILE

    def __init__(self, values):
        self.values_by_name = values

    def __getitem__(self, key):
        return self.values_by_name[key]

    def __setitem__(self, key, value):
        self.values_by_name[key] = value

    def __delitem__(self, key):
        del self.values_by_name[key]

    def __iter__(self):
        return iter(self.values_by_name)

    def __len__(self):
        return len(self.values_by_name)

    def __repr__(self):
        return f"MappingStorage({list(self)})"


def wrapped(td):
    values = {key: wrapped(value) if isinstance(value, TensorDictBase) else value for key, value in td._storage.items()}
    return TensorDictBase._build(MappingStorage(values), td._batch_size, td._device, td._names)


class MappingCase(StorageCase):
    name = "mapping"
    capabilities = MappingStorage.capabilities
    resizable = False

    def make(self, spec):
        return wrapped(spec.to_dense())

    def raw_read(self, container, key):
        for part in require_parts(key):
            container = container._storage[part]
        return container

    def raw_write(self, container, key, value):
        self.raw_read(container, key).copy_(value)


class TestMapping(StorageSuite):
    case = MappingCase()
