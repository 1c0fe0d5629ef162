"""Conversions from and to other objects."""

from __future__ import annotations

import re

from .rows import Deliberate, differs, peer_raises, we_raise

ROWS: tuple[Deliberate, ...] = (
    Deliberate(
        "from-dict-copies",
        "from_dict() of a tensordict gives a new one; the peer may return its argument.",
        "What is built from a source must not change with it.",
        lambda case: (
            case.difference.aspect == "identity"
            and "from_dict" in case.step.code
            and "peer returns the" in case.difference.detail
        ),
    ),
    Deliberate(
        "struct-array-of-nothing",
        "to_struct_array() without entries gives an array without fields; the peer fails.",
        "Zero fields are legal in numpy.",
        peer_raises("not enough values to unpack", operations=("struct array", "conversions")),
    ),
    Deliberate(
        "from-dict-of-a-tensordict",
        "from_dict() of a tensordict honours batch_size, batch_dims, names and device, in an unlocked copy; the "
        "peer returns its argument and ignores them.",
        "Options mean the same for every source.",
        lambda case: (
            re.search(r"(from_dict|from_dict_instance|make_tensordict)\(td[,)]", case.step.text()) is not None
            and case.difference.aspect in ("batch_size", "names", "device", "locked", "non-tensor batch_size")
        ),
    ),
    Deliberate(
        "one-source-of-the-batch-size",
        "from_dict_instance() raises where a batch size is both given and to be found; the peer drops one of them.",
        "Only one can be meant.",
        we_raise("takes either batch_size, or auto_batch_size and batch_dims"),
    ),
    Deliberate(
        "empty-dicts-fit",
        "The batch size that is found is not limited by an empty sub-dict; in the peer it then is empty.",
        "An empty node fits any batch size.",
        differs(
            "batch_size",
            during=("from_dict", "namedtuple", "make_tensordict", "conversions", "from_tuple"),
            detail=r"peer \(\)",
        ),
    ),
    Deliberate(
        "batch-dims-in-every-node",
        "from_any(batch_dims=...) finds the batch size of every node, as from_dict() does; the peer ignores it.",
        "Options mean the same for every source.",
        differs("batch_size", during=("from_any",)),
    ),
    Deliberate(
        "assert-close-order",
        "assert_close() compares entries in the order of keys, and raises what it finds first; the peer looks "
        "for missing keys in the whole tree before.",
        "Only one error can be reported.",
        lambda case: case.during("assert_close") and case.difference.aspect == "error class",
    ),
)
