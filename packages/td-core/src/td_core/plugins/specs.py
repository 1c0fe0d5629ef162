"""The hooks a plugin may implement, and one protocol a hook for static checking.

A hook takes no arguments and yields descriptors. It is called once, when the registry is filled, and never on the path
of an operation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, Protocol

import pluggy

from .types import (
    ConformanceTarget,
    Converter,
    Descriptor,
    ExecutionBackend,
    LeafType,
    MethodProvider,
    StorageBackend,
    TorchFunction,
)

PROJECT: Final = "td_core"
"""The project name of the hook markers."""

GROUP: Final = "td_core.plugins"
"""The entry-point group in which plugins are found."""

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks a function of a plugin module as the implementation of the hook it is named after."""


class TDSpecs:
    """The hooks."""

    @hookspec
    def td_storage_backends(self) -> Iterable[StorageBackend]:  # type: ignore[empty-body]  # a spec has no body
        """Yield the storages that tensordicts can live on, be saved to or be loaded from.

        Example:
            >>> from td_core.plugins import LazyRef, StorageBackend, hookimpl
            >>> @hookimpl
            ... def td_storage_backends():
            ...     yield StorageBackend(name="mine", load=LazyRef("mine.io:load"), suffixes=(".mine",))
        """

    @hookspec
    def td_execution_backends(self) -> Iterable[ExecutionBackend]:  # type: ignore[empty-body]
        """Yield ways to run a callable over tensordicts.

        Example:
            >>> from td_core.plugins import ExecutionBackend, LazyRef, hookimpl
            >>> @hookimpl
            ... def td_execution_backends():
            ...     yield ExecutionBackend(name="traced", wrap=LazyRef("mine.trace:wrap"))
        """

    @hookspec
    def td_methods(self) -> Iterable[MethodProvider]:  # type: ignore[empty-body]
        """Yield implementations of the methods for which td-core has delegates.

        Example:
            >>> from td_core.plugins import LazyRef, MethodProvider, hookimpl
            >>> @hookimpl
            ... def td_methods():
            ...     yield MethodProvider(name="to_h5", target=LazyRef("td_h5._methods:to_h5"), requires=("h5py",))
        """

    @hookspec
    def td_leaf_types(self) -> Iterable[LeafType]:  # type: ignore[empty-body]
        """Yield kinds of leaves.

        Example:
            >>> from td_core.plugins import LazyRef, LeafType, hookimpl
            >>> @hookimpl
            ... def td_leaf_types():
            ...     yield LeafType(name="ragged", types=("mine.Ragged",), handler=LazyRef("mine.leaf:RaggedKind"))
        """

    @hookspec
    def td_converters(self) -> Iterable[Converter]:  # type: ignore[empty-body]
        """Yield conversions between tensordicts and other classes.

        Example:
            >>> from td_core.plugins import Converter, LazyRef, hookimpl
            >>> @hookimpl
            ... def td_converters():
            ...     yield Converter(name="table", types=("mine.Table",), to_td=LazyRef("mine.convert:to_td"))
        """

    @hookspec
    def td_torch_functions(self) -> Iterable[TorchFunction]:  # type: ignore[empty-body]
        """Yield the meaning of torch functions on tensordicts.

        Example:
            >>> from td_core.plugins import LazyRef, TorchFunction, hookimpl
            >>> @hookimpl
            ... def td_torch_functions():
            ...     yield TorchFunction(name="torch.special.erf", impl=LazyRef("mine.special:erf"))
        """

    @hookspec
    def td_conformance_targets(self) -> Iterable[ConformanceTarget]:  # type: ignore[empty-body]
        """Yield what the conformance kit shall be run on.

        Example:
            >>> from td_core.plugins import ConformanceTarget, LazyRef, hookimpl
            >>> @hookimpl
            ... def td_conformance_targets():
            ...     yield ConformanceTarget(name="mine", suite="storage", case=LazyRef("mine.testing:Case"))
        """


HOOKS: Final[Mapping[str, type[Descriptor]]] = MappingProxyType(
    {
        "td_storage_backends": StorageBackend,
        "td_execution_backends": ExecutionBackend,
        "td_methods": MethodProvider,
        "td_leaf_types": LeafType,
        "td_converters": Converter,
        "td_torch_functions": TorchFunction,
        "td_conformance_targets": ConformanceTarget,
    }
)
"""What each hook yields."""


class ProvidesStorageBackends(Protocol):
    """A plugin module with `td_storage_backends`."""

    def td_storage_backends(self) -> Iterable[StorageBackend]:
        """See `TDSpecs.td_storage_backends`."""
        ...


class ProvidesExecutionBackends(Protocol):
    """A plugin module with `td_execution_backends`."""

    def td_execution_backends(self) -> Iterable[ExecutionBackend]:
        """See `TDSpecs.td_execution_backends`."""
        ...


class ProvidesMethods(Protocol):
    """A plugin module with `td_methods`."""

    def td_methods(self) -> Iterable[MethodProvider]:
        """See `TDSpecs.td_methods`."""
        ...


class ProvidesLeafTypes(Protocol):
    """A plugin module with `td_leaf_types`."""

    def td_leaf_types(self) -> Iterable[LeafType]:
        """See `TDSpecs.td_leaf_types`."""
        ...


class ProvidesConverters(Protocol):
    """A plugin module with `td_converters`."""

    def td_converters(self) -> Iterable[Converter]:
        """See `TDSpecs.td_converters`."""
        ...


class ProvidesTorchFunctions(Protocol):
    """A plugin module with `td_torch_functions`."""

    def td_torch_functions(self) -> Iterable[TorchFunction]:
        """See `TDSpecs.td_torch_functions`."""
        ...


class ProvidesConformanceTargets(Protocol):
    """A plugin module with `td_conformance_targets`."""

    def td_conformance_targets(self) -> Iterable[ConformanceTarget]:
        """See `TDSpecs.td_conformance_targets`."""
        ...
