"""The trees that grids are run on."""

from __future__ import annotations

import math

from ..trees import Leaf, Node


def floats(*shape: int) -> Leaf:
    """Return an entry of float32 with increasing values."""
    return Leaf(f"(torch.arange({math.prod(shape)}).reshape({shape}).to(torch.float32) - 2)")


def integers(*shape: int) -> Leaf:
    """Return an entry of int64 with increasing values."""
    return Leaf(f"(torch.arange({math.prod(shape)}).reshape({shape}) - 2)")


INNER = Node((3, 4, 2), (("a", floats(3, 4, 2, 2)),))
NESTED = Node(
    (3, 4),
    (("b", floats(3, 4)), ("n", Node((3, 4, 2), (("c", floats(3, 4, 2)), ("m", INNER)))), ("a", floats(3, 4, 1))),
)

TREES: dict[str, Node] = {
    "flat": Node((3, 4), (("a", floats(3, 4)), ("b", integers(3, 4, 2))), names=("t", "u")),
    "nested": NESTED,
    "with non-tensors": Node(
        (3,),
        (
            ("s", Leaf("'text'")),
            ("a", floats(3)),
            ("l", Leaf("['x', 'y', 'z']")),
            ("n", Node((3,), (("o", Leaf("{1}")),))),
        ),
        names=("t",),
    ),
    "singletons": Node(
        (1, 3, 1),
        (("a", floats(1, 3, 1, 2)), ("n", Node((1, 3, 1), (("b", floats(1, 3, 1)),)))),
        names=("t", None, "v"),
    ),
    "no dims": Node((), (("a", floats()), ("b", floats(3)), ("n", Node((2,), (("c", floats(2)),))))),
    "empty": Node((2, 0), (("a", floats(2, 0)), ("n", Node((2, 0))))),
    "no entries": Node((2,)),
    "locked": Node((3, 4), NESTED.entries, names=("t", "u"), device="cpu", lock=True),
}
