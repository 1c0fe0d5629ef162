"""Doors of the container for code that is not part of td-core: accessors and storage backends."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from ..errors import UnsupportedOperationError
from ..leaves import register_kind_resolver
from ..plugins.leaf_kinds import plugin_kind
from ..plugins.method import available_methods
from ..plugins.registry import registry
from ..plugins.resolve import load_from, storage_backend
from ..typing import StrPath

if TYPE_CHECKING:
    from .base import TensorDictBase

S = TypeVar("S")
A = TypeVar("A")


class ExtensionMethods:
    """Mixin: `ext`, `to_storage` and `available_methods`."""

    __slots__ = ()

    def ext(self: S, accessor: Callable[[S], A]) -> A:
        """Return `accessor(self)`: methods of your own on a tensordict, typed and completed by editors.

        Args:
            accessor: Usually a class that takes the tensordict.

        Example:
            >>> class Norms:
            ...     def __init__(self, td):
            ...         self.td = td
            ...     def total(self):
            ...         return sum(value.norm() for value in self.td.values(True, True))
            >>> TensorDict(a=torch.ones(4)).ext(Norms).total()
            tensor(2.)
        """
        return accessor(self)

    def to_storage(self, name: str, path: StrPath, **options: object) -> TensorDictBase:
        """Write to a storage backend and return what was written, living there.

        Args:
            name: The name of the backend, such as `"h5"`; `python -m td_core plugins` lists them.
            path: Where to write.
            options: Passed on to the backend.

        Raises:
            MissingBackendError: The plugin of the backend cannot be used here.
            PluginLookupError: There is no such backend.
            UnsupportedOperationError: The backend only lives in memory.
        """
        call = f"to_storage({name!r})"
        save = storage_backend(name, call).save
        if save is None:
            raise UnsupportedOperationError(call, name, "PERSISTENT")
        return load_from(registry().storage_backends, name, save, call)(self, path, **options)

    @classmethod
    def available_methods(cls) -> tuple[str, ...]:
        """Return the sorted names of the methods of plugins that can be used here.

        Every such method exists as an attribute, whether or not its plugin is installed.
        """
        return available_methods()


register_kind_resolver(plugin_kind)
