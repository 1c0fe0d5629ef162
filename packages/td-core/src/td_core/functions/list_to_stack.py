"""`set_list_to_stack`: accepted from users of the peer, where a switch decides what a list of objects becomes.

Here a list is a column, one item a row, always; the kind of an entry never depends on a switch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ..errors import TDValueError

F = TypeVar("F", bound=Callable[..., object])


class set_list_to_stack:  # a function to its users, as in the peer
    """Confirm that lists of objects become columns: as a context manager, a decorator, or with `.set()`.

    Args:
        mode: True. False is refused, since nothing here stores a list as one shared value; wrap it in `NonTensorData`.

    Raises:
        TDValueError: `mode` is not True.
    """

    def __init__(self, mode: bool = True) -> None:
        if mode is not True:
            raise TDValueError(
                f"set_list_to_stack({mode!r}): a list is always stored as a column, one item a row. To store one for "
                "the whole batch, wrap it: NonTensorData([...])."
            )

    def set(self) -> None:
        """Do nothing: it is so already."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exc: object) -> None:
        return None

    def __call__(self, fn: F) -> F:
        """Return the function as it is."""
        return fn


def list_to_stack() -> bool:
    """Return True: lists of objects become columns."""
    return True
