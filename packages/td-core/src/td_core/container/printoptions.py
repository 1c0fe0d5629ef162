"""Options of what `repr` shows."""

from __future__ import annotations

from contextlib import ContextDecorator
from typing import Any

from ..errors import TDTypeError, TDValueError

_DEFAULTS: dict[str, Any] = {
    "show_batch_size": True,
    "show_device": True,
    "show_is_shared": True,
    "show_shape": True,
    "show_field_device": True,
    "show_dtype": True,
    "show_field_is_shared": True,
    "show_grad": False,
    "show_is_contiguous": False,
    "show_is_view": False,
    "show_storage_size": False,
    "plain": False,
    "sort_keys": "alphabetical",
    "compact": True,
    "html": True,
}

_DETAILED_ONLY = (
    "show_is_shared",
    "show_shape",
    "show_field_device",
    "show_field_is_shared",
    "show_grad",
    "show_is_contiguous",
    "show_is_view",
    "show_storage_size",
    "plain",
)
_HIDDEN_UNLESS_VERBOSE = ("show_device", "show_dtype", "show_is_shared", "show_field_device", "show_field_is_shared")

_current = dict(_DEFAULTS)


def get_printoptions() -> dict[str, Any]:
    """Return a copy of the present options of `repr`."""
    return dict(_current)


class set_printoptions(ContextDecorator):  # used as a function
    """Set what `repr` shows, for a `with` block or a decorated function; `set_printoptions(...).set()` for good.

    Args:
        verbose: False hides devices, dtypes and `is_shared`, unless an option sets them.
        **options: see `get_printoptions()`. `compact=True`, the default, prints an entry as its dtype and the dims
            after the batch dims (`f32[3]`), `compact=False` as a `Tensor(...)` line; options that only the latter has
            imply it. `sort_keys` is "alphabetical" or "insertion". `plain` adds mean and std, or min and max.
            `html=False` turns the display of notebooks off.

    Raises:
        TDTypeError: an unknown option.
        TDValueError: an unknown order of the keys.
    """

    def __init__(self, *, verbose: bool = True, **options: Any) -> None:
        unknown = sorted(options.keys() - _DEFAULTS.keys())
        if unknown:
            raise TDTypeError(f"Unknown print options {unknown}. The options are {sorted(_DEFAULTS)}.")
        if options.get("sort_keys", "alphabetical") not in ("alphabetical", "insertion", None):
            raise TDValueError(f"sort_keys must be 'alphabetical' or 'insertion', got {options['sort_keys']!r}.")
        if "compact" not in options and any(name in options for name in _DETAILED_ONLY):
            options["compact"] = False
        hidden = {} if verbose else dict.fromkeys(_HIDDEN_UNLESS_VERBOSE, False)
        self._options = {**hidden, **options}
        self._previous: list[dict[str, Any]] = []

    def set(self) -> None:
        """Set the options for the rest of the program."""
        _current.update(self._options)

    def __enter__(self) -> set_printoptions:
        self._previous.append(dict(_current))
        self.set()
        return self

    def __exit__(self, *exc: object) -> None:
        _current.update(self._previous.pop())
