"""From a name to a descriptor that can be used here, or to the error that says what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn, TypeVar

from .errors import MissingBackendError, PluginLoadError
from .known import KNOWN_EXECUTION_BACKENDS, KNOWN_METHODS, KNOWN_STORAGE_BACKENDS, KnownSource
from .lazy import LazyRef
from .loader import selected_plugins
from .registry import registry
from .table import Table
from .types import Descriptor, ExecutionBackend, MethodProvider, StorageBackend

D = TypeVar("D", bound=Descriptor)
T = TypeVar("T")


def method_provider(name: str, call: str) -> MethodProvider:
    """Return the provider of a method; `call` names in errors what the caller wrote."""
    return _usable(registry().methods, name, KNOWN_METHODS, call)


def storage_backend(name: str, call: str) -> StorageBackend:
    """Return a storage backend; `call` names in errors what the caller wrote."""
    return _usable(registry().storage_backends, name, KNOWN_STORAGE_BACKENDS, call)


def execution_backend(name: str, call: str) -> ExecutionBackend:
    """Return an execution backend; `call` names in errors what the caller wrote."""
    return _usable(registry().execution_backends, name, KNOWN_EXECUTION_BACKENDS, call)


def load_from(table: Table[Any], name: str, ref: LazyRef[T], call: str) -> T:
    """Load what the descriptor `name` of a table refers to.

    Raises:
        MissingBackendError: It could not be imported; the cause is chained.
    """
    try:
        return ref.load()
    except PluginLoadError as error:
        raise MissingBackendError.failed_to_load(call, table.provider(name).distribution, error) from error


def _usable(table: Table[D], name: str, known: Mapping[str, KnownSource], call: str) -> D:
    """Look a name up and check that what it requires is there.

    Raises:
        MissingBackendError: One of our own plugins should provide it and cannot, or a requirement is missing.
        PluginLookupError: Nobody provides or knows it.
        PluginConflictError: Two plugins claim it.
    """
    source = known.get(name)
    if source is not None and not table.is_claimed(name):
        _raise_missing(call, source)
    descriptor = table[name]
    found = descriptor.availability()
    if not found.ok:
        distribution = table.provider(name).distribution
        install = source.install if source is not None and source.distribution == distribution else distribution
        raise MissingBackendError.requirement_missing(call, distribution, found.reason, install)
    return descriptor


def _raise_missing(call: str, source: KnownSource) -> NoReturn:
    records = registry().plugins_of(source.distribution)
    for record in records:
        for error in record.errors:
            raise MissingBackendError.failed_to_load(call, source.distribution, error) from error
    for record in records:
        if record.status == "left out":
            selection = ",".join(sorted(selected_plugins() or ()))
            raise MissingBackendError.left_out(call, source.distribution, record.name, selection)
    for record in records:
        raise MissingBackendError.outdated(call, source.distribution, record.version, source.install)
    installed = [record.label for record in registry().plugins if record.name != "builtin"]
    raise MissingBackendError.not_installed(call, source.distribution, source.install, installed)
