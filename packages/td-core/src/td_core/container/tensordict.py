"""`TensorDict`: the container over dense storage, a builtin dict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torch import Size, Tensor

from ..devices import normal_device
from ..errors import TDValueError
from ..leaves import kind_of_type, rebatched_value
from ..typing import DeviceLike
from .base import TensorDictBase
from .build import as_size
from .kernel import Kernel
from .lock import set_locked
from .names import check_names
from .transfer import Transfer


class TensorDict(TensorDictBase):
    """A dense container: string keys to tensors, nested containers or non-tensor data.

    Args:
        source: a mapping or container whose entries are taken over. Nested tuple keys create nodes.
        batch_size: the leading sizes shared by every entry. Default: empty; it is never inferred.
        device: where every entry is moved. Default: entries stay where they are and may differ.
        names: a name for each batch dim, None for none.
        non_blocking: how entries are moved to `device`: None, asynchronously, with one synchronisation where needed;
            True, asynchronously without it; False, one blocking copy after the other.
        lock: lock the result.
        **entries: entries by keyword, instead of `source`.

    Raises:
        TDValueError: `source` is no mapping, comes with keyword entries, or `batch_size` cannot be read.
        BatchSizeError: an entry does not start with `batch_size`.
    """

    def __init__(
        self,
        source: Any = None,
        batch_size: Sequence[int] | Size | int | None = None,
        device: DeviceLike | None = None,
        names: Sequence[str | None] | None = None,
        non_blocking: bool | None = None,
        lock: bool = False,
        **entries: Any,
    ) -> None:
        if entries:
            if source is not None:
                raise TDValueError("Give entries either as a mapping or as keywords, not both.")
            source = entries
        self._storage = {}
        self._batch_size = as_size(batch_size)
        self._device = None if device is None else normal_device(device)
        self._names = None if names is None else check_names(names, len(self._batch_size))
        if source is not None:
            self._fill_from(source, non_blocking)
        if lock:
            set_locked(self, True)

    def _fill_from(self, source: Any, non_blocking: bool | None) -> None:
        kind = None if type(source) is dict else kind_of_type(type(source))
        node = None if kind is None else kind.node(source)
        if node is not None:
            size = self._batch_size
            items: Any = [(key, rebatched_value(value, size)) for key, value in node._storage.items()]
        elif type(source) is dict or isinstance(source, Mapping):
            items = source.items()
        else:
            raise TDValueError(
                f"A TensorDict is made from a mapping or another tensordict, got a {type(source).__name__}."
            )
        if self._device is None:
            self._take(items, non_blocking)
            return
        transfer = Transfer(self._device, non_blocking)
        try:
            self._take([(key, _sent(value, transfer)) for key, value in items], non_blocking)
        finally:
            transfer.finish()


def _sent(value: Any, transfer: Transfer) -> Any:
    """Send the tensors of a value on their way, those of nested dicts and containers too."""
    if type(value) is Tensor:
        return value if value.device == transfer.device else transfer.send(value)
    if type(value) is dict:
        return {key: _sent(item, transfer) for key, item in value.items()}
    kind = kind_of_type(type(value))
    node = None if kind is None else kind.node(value)
    if kind is None or node is None or node._device == transfer.device:
        return value
    return kind.wrap(value, node._map_tensors(transfer.send))


Kernel._classes[dict] = TensorDict
