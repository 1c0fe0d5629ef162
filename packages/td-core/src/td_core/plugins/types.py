"""What the hooks yield: frozen descriptors that name things without importing them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from ..errors import TDTypeError, TDValueError
from .errors import PluginLoadError
from .lazy import LazyRef

if TYPE_CHECKING:
    from ..container.base import TensorDictBase
    from ..leaves import LeafKind

_NAME = re.compile(r"[A-Za-z_][\w.-]*")


class Availability(NamedTuple):
    """Whether something can be used here, and if not, why not."""

    ok: bool
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Descriptor:
    """Base of the descriptors.

    Args:
        name: The name under which it is found; unique among the descriptors of its hook.
        requires: Top-level import names that must be importable for it to work, such as `("h5py",)`. They are looked
            for without importing them.
    """

    kind: ClassVar[str] = "descriptor"

    name: str
    requires: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise TDValueError(
                f"The name of a {self.kind} must be made of letters, digits, '_', '-' and '.', got {self.name!r}."
            )
        for field in fields(self):
            value, declared = getattr(self, field.name), str(field.type)  # annotations are strings in this module
            optional = declared.endswith("| None") and value is None
            if declared.startswith("LazyRef[") and not optional and not isinstance(value, LazyRef):
                raise TDTypeError(f"{field.name} of the {self.kind} {self.name!r} must be a LazyRef, got {value!r}.")
            if declared.startswith("tuple[") and not isinstance(value, tuple):
                raise TDTypeError(f"{field.name} of the {self.kind} {self.name!r} must be a tuple, got {value!r}.")

    def availability(self) -> Availability:
        """Tell whether what it requires is importable; nothing is imported."""
        missing = [module for module in self.requires if not _importable(module)]
        if not missing:
            return Availability(True)
        return Availability(False, f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed")


def _importable(module: str) -> bool:
    if module in sys.modules:
        return sys.modules[module] is not None  # None is Python's own way to block an import
    return find_spec(module) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageBackend(Descriptor):
    """A place where tensordicts live.

    Args:
        storage: The storage class, whose `capabilities` say what it can do; None if loading gives a dense tensordict.
        save: `save(td, path, **options)` writes a tensordict and returns it on this storage.
        load: `load(path, **options)` is the way back.
        recognizes: `recognizes(path)` tells from the content whether `load` can read it. It must be quick and must not
            import what `requires` names, so that a missing requirement can be reported.
        suffixes: File name endings, such as `(".h5",)`; they decide where `recognizes` is absent.
        priority: Where several backends recognise a path, the highest one loads it.
    """

    kind: ClassVar[str] = "storage backend"

    storage: LazyRef[type[Any]] | None = None
    save: LazyRef[Callable[..., TensorDictBase]] | None = None
    load: LazyRef[Callable[..., TensorDictBase]] | None = None
    recognizes: LazyRef[Callable[[Path], bool]] | None = None
    suffixes: tuple[str, ...] = ()
    priority: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionBackend(Descriptor):
    """A way to run a callable over tensordicts.

    Args:
        wrap: `wrap(function, **options)` returns the callable to use instead; None if the plugin can only tell, for
            now, whether the machine would support it.
        available: Returns an `Availability`; imported only when asked.
        devices: Device types it can run on.
    """

    kind: ClassVar[str] = "execution backend"

    wrap: LazyRef[Callable[..., Callable[..., Any]]] | None = None
    available: LazyRef[Callable[[], Availability]] | None = None
    devices: frozenset[str] = frozenset({"cpu"})

    def availability(self) -> Availability:
        """Tell whether it can be used here, asking `available` if what it requires is there."""
        found = Descriptor.availability(self)  # super() does not work in a dataclass with slots before Python 3.14
        if not found.ok or self.available is None:
            return found
        try:
            return self.available.load()()
        except PluginLoadError as error:
            return Availability(False, str(error))


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodProvider(Descriptor):
    """The implementation of a method for which td-core has a generated delegate.

    Args:
        target: The function; its first parameter is the tensordict, or for a class method whatever its signature says.
    """

    kind: ClassVar[str] = "method"

    target: LazyRef[Callable[..., Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassDescriptor(Descriptor):
    """Base of the descriptors that serve values by their class.

    Args:
        types: The classes, as `"module.QualName"`, so that none is imported to test a value. Subclasses are included.
    """

    types: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafType(ClassDescriptor):
    """A kind of leaf that td-core does not know by itself.

    Args:
        handler: The class of the leaf kind that knows how to index, stack, move and save such a value; it is made
            without arguments.
    """

    kind: ClassVar[str] = "leaf type"

    handler: LazyRef[type[LeafKind]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Converter(ClassDescriptor):
    """A conversion between tensordicts and objects of other classes.

    Args:
        to_td: `to_td(value, **options)` returns a tensordict.
        from_td: `from_td(td, **options)` is the way back, where there is one.
    """

    kind: ClassVar[str] = "converter"

    to_td: LazyRef[Callable[..., TensorDictBase]]
    from_td: LazyRef[Callable[..., Any]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TorchFunction(Descriptor):
    """The meaning of a torch function on tensordicts, for a function that td-core does not handle.

    Args:
        name: The dotted path of the function, such as `"torch.special.erf"`.
        impl: Called with the arguments of the torch function.
    """

    kind: ClassVar[str] = "torch function"

    impl: LazyRef[Callable[..., Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConformanceTarget(Descriptor):
    """Something that the conformance kit can be run on.

    Args:
        suite: Which suite of `td_core.testing`.
        case: The case class that the suite is given.
    """

    kind: ClassVar[str] = "conformance target"

    suite: Literal["storage", "execution", "leaf"]
    case: LazyRef[type[Any]]
