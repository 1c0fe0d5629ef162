"""Conversions between containers and the objects of Python, numpy and torch."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from keyword import iskeyword
from typing import Any, Literal

import numpy as np
from torch import Tensor

from ..errors import TDTypeError, TDValueError
from ..leaves import kind_of
from ..typing import DeviceLike
from .build import (
    BatchSize,
    Sizing,
    from_dataclass_fields,
    from_mapping,
    from_mapping_like,
    from_named_tuple,
    from_object,
    from_sequence,
    from_structured,
)
from .kernel import Kernel
from .nest import from_nest, to_nest
from .state_dict import StateDictMethods
from .struct_array import to_structured


class ConvertMethods(StateDictMethods):
    """`from_dict`, `to_dict` and their relatives for other types.

    All `from_*` methods find the batch size alike: it is empty by default, `batch_size` gives it, `auto_batch_size`
    takes the largest leading shape that all entries share (in every node), at most `batch_dims` dims of it.
    """

    # -- dicts --------------------------------------------------------------------------------------------------------

    @classmethod
    def from_dict(
        cls,
        input_dict: Any,
        batch_size: BatchSize = None,
        device: DeviceLike | None = None,
        batch_dims: int | None = None,
        names: Sequence[str | None] | None = None,
        *,
        auto_batch_size: bool | None = None,
    ) -> Any:
        """Build from a (nested) dict, or copy a tensordict; the input is not changed.

        Args:
            input_dict: the dict or tensordict.
            batch_size: the batch size of the root. Default: empty.
            device: where to move every entry.
            batch_dims: the most batch dims to find; implies `auto_batch_size`.
            names: the names of the batch dims.
            auto_batch_size: find the largest batch size, in every node.

        Raises:
            TDValueError: a batch size is both given and to be found.
            TDTypeError: `input_dict` is no dict.
        """
        if batch_size is not None and batch_dims is None and auto_batch_size:
            auto_batch_size = None  # the given size answers what auto_batch_size asks
        return from_mapping(input_dict, Sizing("from_dict", batch_size, auto_batch_size, batch_dims, device, names))

    def from_dict_instance(
        self,
        input_dict: Mapping[Any, Any],
        batch_size: BatchSize = None,
        device: DeviceLike | None = None,
        batch_dims: int | None = None,
        names: Sequence[str | None] | None = None,
        *,
        auto_batch_size: bool | None = None,
    ) -> Any:
        """Build from a dict as `from_dict` does; sub-dicts take the class of the entry here under the same key."""
        sizing = Sizing("from_dict_instance", batch_size, auto_batch_size, batch_dims, device, names)
        return from_mapping_like(self, input_dict, sizing)

    def to_dict(
        self,
        *,
        retain_none: bool = True,
        convert_tensors: bool | Literal["numpy"] = False,
        tolist_first: bool = False,
    ) -> dict[str, Any]:
        """Return a nested dict; it shares the tensors, and has non-tensor data as plain values.

        Args:
            retain_none: keep entries that are None.
            convert_tensors: turn tensors into nested lists, or with `"numpy"` into arrays.
            tolist_first: turn nested containers with batch dims into lists of dicts.
        """
        return _to_dict(self, _conversion(convert_tensors), retain_none, tolist_first)

    def tolist(
        self,
        *,
        convert_nodes: bool = True,
        convert_tensors: bool | Literal["numpy"] = False,
        tolist_first: bool = False,
    ) -> Any:
        """Return the elements as nested lists, one level a batch dim.

        Args:
            convert_nodes: turn the elements into dicts; else they stay containers.
            convert_tensors: as in `to_dict`.
            tolist_first: as in `to_dict`.

        Returns:
            A list; without batch dims, the dict or container itself.

        Raises:
            TDTypeError: `convert_tensors` or `tolist_first`, and the elements stay containers.
        """
        if not convert_nodes:
            if convert_tensors or tolist_first:
                raise TDTypeError(
                    "tolist(convert_nodes=False) keeps tensors and nodes as they are: nothing to convert."
                )
            return _to_lists(self, lambda element: element)
        convert = _conversion(convert_tensors)
        return _to_lists(self, lambda element: _to_dict(element, convert, True, tolist_first))

    def to_tensordict(self, *, retain_none: bool | None = None) -> Any:
        """Return an unlocked, dense copy, whatever the storage; nested containers of any class become dense too."""
        storage: dict[str, Any] = {}
        for key, value in self._storage.items():
            kind = kind_of(value)
            node: Any = kind.node(value)
            storage[key] = kind.clone(value) if node is None else node.to_tensordict(retain_none=retain_none)
        return Kernel._build(storage, self._batch_size, self._device, self._names)

    # -- numpy --------------------------------------------------------------------------------------------------------

    def numpy(self) -> dict[str, Any]:
        """Return a nested dict of arrays that share memory with the tensors; non-tensor data as plain values."""
        return _to_dict(self, Tensor.numpy, True, False)

    def to_struct_array(self) -> np.ndarray[Any, Any]:
        """Return a structured array of shape `batch_size` with a field for each entry.

        Raises:
            TDTypeError: an entry has a dtype that numpy lacks.
        """
        return to_structured(self)

    @classmethod
    def from_struct_array(
        cls,
        struct_array: np.ndarray[Any, Any],
        device: DeviceLike | None = None,
        *,
        auto_batch_size: bool | None = None,
        batch_dims: int | None = None,
        batch_size: BatchSize = None,
    ) -> Any:
        """Build from a structured array; numeric fields share its memory, other fields become columns.

        The batch size is the shape of the array, unless the arguments say otherwise.

        Raises:
            TDTypeError: it is not a structured array.
        """
        sizing = Sizing("from_struct_array", batch_size, auto_batch_size, batch_dims, device)
        return from_structured(struct_array, sizing)

    # -- tuples, dataclasses, anything --------------------------------------------------------------------------------

    def to_namedtuple(self, dest_cls: type | None = None) -> Any:
        """Return a named tuple, nested containers as named tuples too; tensors are shared, non-tensor data is plain.

        Args:
            dest_cls: the class of the outermost one. Default: a generic class called `GenericDict`.

        Raises:
            TDValueError: a key cannot be the name of a field.
        """
        values = {}
        for key, value in self._storage.items():
            kind = kind_of(value)
            node: Any = kind.node(value)
            values[key] = kind.unwrap(value) if node is None else node.to_namedtuple()
        return (dest_cls or _generic_class(tuple(values)))(**values)

    @classmethod
    def from_namedtuple(
        cls,
        named_tuple: Any,
        *,
        auto_batch_size: bool | None = None,
        batch_dims: int | None = None,
        device: DeviceLike | None = None,
        batch_size: BatchSize = None,
    ) -> Any:
        """Build from a (nested) named tuple.

        Raises:
            TDTypeError: it is not a named tuple.
        """
        return from_named_tuple(named_tuple, Sizing("from_namedtuple", batch_size, auto_batch_size, batch_dims, device))

    @classmethod
    def from_tuple(
        cls,
        obj: Any,
        *,
        auto_batch_size: bool | None = None,
        batch_dims: int | None = None,
        device: DeviceLike | None = None,
        batch_size: BatchSize = None,
    ) -> Any:
        """Build from a tuple or list, with positions as keys.

        Raises:
            TDTypeError: it is something else.
        """
        return from_sequence(obj, Sizing("from_tuple", batch_size, auto_batch_size, batch_dims, device))

    @classmethod
    def from_dataclass(
        cls,
        dataclass: Any,
        *,
        auto_batch_size: bool | None = None,
        batch_dims: int | None = None,
        device: DeviceLike | None = None,
        batch_size: BatchSize = None,
    ) -> Any:
        """Build from an instance of a dataclass, with an entry a field.

        Raises:
            TDTypeError: it is something else.
        """
        return from_dataclass_fields(
            dataclass, Sizing("from_dataclass", batch_size, auto_batch_size, batch_dims, device)
        )

    @classmethod
    def from_any(
        cls,
        obj: Any,
        *,
        auto_batch_size: bool | None = None,
        batch_dims: int | None = None,
        device: DeviceLike | None = None,
        batch_size: BatchSize = None,
    ) -> Any:
        """Convert a nest of dicts, tuples, named tuples, dataclasses and structured arrays.

        Number lists become tensors, other lists columns of non-tensor data. An object that has no conversion is
        returned as it is.
        """
        return from_object(obj, Sizing("from_any", batch_size, auto_batch_size, batch_dims, device))

    # -- pytrees ------------------------------------------------------------------------------------------------------

    @classmethod
    def from_pytree(
        cls,
        pytree: Any,
        *,
        batch_size: BatchSize = None,
        auto_batch_size: bool | None = None,
        batch_dims: int | None = None,
    ) -> Any:
        """Convert a nest of lists, tuples, named tuples and dicts, so that `to_pytree` can rebuild it.

        Numbers and arrays become tensors, and stay tensors on the way back. A bare leaf is returned as a tensor.
        """
        return from_nest(pytree, Sizing("from_pytree", batch_size, auto_batch_size, batch_dims))

    def to_pytree(self) -> Any:
        """Rebuild the nest that `from_pytree` converted; another container is returned as it is."""
        return to_nest(self)


_CONVERSIONS: dict[Any, Any] = {False: None, True: Tensor.tolist, "numpy": Tensor.numpy}


def _conversion(convert_tensors: Any) -> Any:
    """Return the function for the tensors, None to keep them."""
    if convert_tensors not in (True, False, "numpy"):
        raise TDValueError(f"convert_tensors must be True, False or 'numpy', got {convert_tensors!r}.")
    return _CONVERSIONS[convert_tensors]


def _to_dict(td: Kernel, convert: Any, retain_none: bool, tolist_first: bool) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in td._storage.items():
        if type(value) is Tensor:
            out[key] = value if convert is None else convert(value)
            continue
        kind = kind_of(value)
        node = kind.node(value)
        if node is not None:
            out[key] = _to_dicts(node, convert, retain_none, tolist_first)
        elif kind.is_non_tensor:
            plain = value.tolist() if tolist_first else kind.unwrap(value)
            if plain is not None or retain_none:
                out[key] = plain
        else:
            out[key] = value if convert is None else convert(value)
    return out


def _to_dicts(node: Any, convert: Any, retain_none: bool, tolist_first: bool) -> Any:
    """Return a nested container as a dict, or with `tolist_first` as lists of the dicts of its elements."""
    if not tolist_first:
        return _to_dict(node, convert, retain_none, tolist_first)
    return _to_lists(node, lambda element: _to_dict(element, convert, retain_none, tolist_first))


def _to_lists(td: Any, convert: Callable[[Any], Any]) -> Any:
    """Return nested lists, of the batch shape, of the converted elements."""
    if not td._batch_size:
        return convert(td)
    return [_to_lists(row, convert) for row in td.unbind(0)]


@lru_cache(maxsize=256)
def _generic_class(fields: tuple[str, ...]) -> Any:
    """The named tuple class of nodes with these keys; one class for equal keys."""
    for field in fields:
        if not field.isidentifier() or iskeyword(field) or field.startswith("_"):
            raise TDValueError(
                f"The key {field!r} cannot be the name of a field of a named tuple: those are identifiers that do "
                "not start with an underscore. Rename the entry first."
            )
    return namedtuple("GenericDict", fields)
