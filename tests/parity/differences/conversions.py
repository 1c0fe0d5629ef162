"""Conversions from and to other objects."""

from __future__ import annotations

import re

from .rows import Deliberate, differs, error_classes, peer_raises, we_raise

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
        "assert_close() compares non-tensor entries too, all in the order of keys, and raises what it finds first; "
        "the peer looks for missing keys in the whole tree before.",
        "Only one error can be reported.",
        lambda case: (
            case.during("assert_close")
            and (case.difference.aspect == "error class" or isinstance(case.our_error, AssertionError))
        ),
    ),
    Deliberate(
        "no-tensors-to-join",
        "cat_from_tensordict() and stack_from_tensordict() without tensors raise ValueError; the peer RuntimeError.",
        "The tensordict is the argument, and it has the wrong value.",
        error_classes("expects a non-empty TensorList", operations=("cat_from_tensordict", "stack_from_tensordict")),
    ),
    Deliberate(
        "values-of-any-class",
        "from_dict_instance() takes non-tensor entries that are dicts; the peer calls the class of the entry "
        "with them.",
        "What was built from a tensordict can be converted back.",
        peer_raises("NonTensorData.__init__() got an unexpected keyword argument", operations=("from_dict",)),
    ),
    Deliberate(
        "lists-stay-values",
        "A list held as one non-tensor value stays one when the tensordict is copied; the peer makes a tensor of it.",
        "What kind an entry is, is fixed when it is written.",
        differs("type", during=("dense constructor",), detail="peer tensor, ours nontensor"),
    ),
    Deliberate(
        "sizes-given-are-taken",
        "from_dict() with a batch size and auto_batch_size=True takes the size that is given, and checks it; the "
        "peer checks it at times.",
        "A given size answers what auto_batch_size asks.",
        lambda case: (
            case.during("from_dict", "make_tensordict", "conversions")
            and ("batch_size=" in case.step.text())
            and (
                we_raise("which does not start with the batch size")(case)
                or case.difference.aspect == "non-tensor batch_size"
            )
        ),
    ),
)
