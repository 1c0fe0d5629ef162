"""`_SubTensorDict`: a window on a region of another container."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import torch
from torch import Size

from ..errors import TDNotImplementedError, TDRuntimeError, TDTypeError
from ..leaves import kind_of_type
from ..storage import SubView
from ..structural import Names, parse_index
from .base import TensorDictBase
from .kernel import Kernel, normal_names


class _SubTensorDict(TensorDictBase):
    """A window on `source[idx]`: writes reach the source, new entries are added to it filled with zeros elsewhere.

    Device, lock, flags and names are those of the source, at any time.

    Args:
        source: the container.
        idx: the index over its batch dims. A list counts as a tuple: one item a dim.
        batch_size: a check: the batch size of the region.

    Raises:
        TDTypeError: `source` is not a container.
        TDRuntimeError: the region has another batch size.
        TDIndexError: the index is out of range.
    """

    _storage: SubView

    def __init__(self, source: Any, idx: Any, batch_size: Sequence[int] | None = None) -> None:
        kind = kind_of_type(type(source))
        node = None if kind is None else kind.node(source)
        if node is None:
            raise TDTypeError(f"A view is made on a tensordict, got a {type(source).__name__}.")
        op = region_index(idx, node._batch_size)
        self._storage = SubView(node, op)
        self._batch_size = op.size(node._batch_size)
        if batch_size is not None and Size(batch_size) != self._batch_size:
            raise TDRuntimeError(
                f"The region has the batch size {list(self._batch_size)}, not {list(batch_size)} as was asked for."
            )

    def get_parent_tensordict(self) -> Any:
        """Return the source."""
        return self._storage.source

    @classmethod
    def from_dict(cls, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse: there would be no source.

        Raises:
            TDNotImplementedError: always.
        """
        raise TDNotImplementedError("A view on a region is made by indexing its source, not from a dict.")

    # -- what the source says; assigning it, as building any container does, has no effect ----------------------------

    @property
    def _device(self) -> torch.device | None:
        return self._storage.source._device  # type: ignore[no-any-return]

    @_device.setter
    def _device(self, value: Any) -> None:
        pass

    @property
    def _locked(self) -> bool:
        return self._storage.source._locked  # type: ignore[no-any-return]

    @_locked.setter
    def _locked(self, value: Any) -> None:
        pass

    @property
    def _sharing(self) -> str | None:
        return self._storage.source._sharing  # type: ignore[no-any-return]

    @_sharing.setter
    def _sharing(self, value: Any) -> None:
        pass

    @property
    def _names(self) -> Names | None:
        names = self._storage.source._names
        return None if names is None else normal_names(self._storage.index.names(names))

    @_names.setter
    def _names(self, value: Any) -> None:
        pass


def region_index(idx: Any, batch_size: Size) -> Any:
    """Parse the index of a view: a list counts as a tuple."""
    items = tuple(idx) if isinstance(idx, list) else idx if isinstance(idx, tuple) else (idx,)
    return parse_index(items, batch_size)


Kernel._classes[SubView] = _SubTensorDict
