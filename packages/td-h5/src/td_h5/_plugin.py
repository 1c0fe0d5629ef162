"""What td-h5 provides. Imports nothing of h5py."""

from __future__ import annotations

from collections.abc import Iterable

from td_core.plugins import LazyRef, MethodProvider, StorageBackend, hookimpl


@hookimpl
def td_methods() -> Iterable[MethodProvider]:
    """Yield the methods of tensordicts that read and write HDF5."""
    yield MethodProvider(name="to_h5", target=LazyRef("td_h5._methods:to_h5"), requires=("h5py",))
    yield MethodProvider(name="from_h5", target=LazyRef("td_h5._methods:from_h5"), requires=("h5py",))


@hookimpl
def td_storage_backends() -> Iterable[StorageBackend]:
    """Yield the HDF5 file as a place to save to and load from."""
    yield StorageBackend(
        name="h5",
        save=LazyRef("td_h5._methods:to_h5"),
        load=LazyRef("td_h5._methods:from_h5"),
        recognizes=LazyRef("td_h5._signature:is_hdf5"),
        suffixes=(".h5", ".hdf5"),
        requires=("h5py",),
    )
