"""Writing values: in place, at an index, from other tensordicts."""

from __future__ import annotations

from .rows import Deliberate, differs, error_classes, peer_raises, we_raise

ROWS: tuple[Deliberate, ...] = (
    Deliberate(
        "no-trace-of-a-failure",
        "An operation that raises leaves the tensordict as it was; the peer may have done half of it.",
        "A caller who catches the error can go on with what there was.",
        lambda case: case.difference.aspect.startswith("after the error") and case.we_left_no_trace(),
    ),
    Deliberate(
        "numbers-in-columns",
        "A number written to rows of a column is read back as that number; the peer gives a tensor.",
        "Values come out as they went in.",
        lambda case: (
            case.during("index write", "index write a number")
            and case.difference.aspect == "non-tensor value"
            and "tensor(" in case.difference.detail
        ),
    ),
    Deliberate(
        "copy-at-any-index",
        "copy_at_() works for every index; the peer's default (fast=True) raises where its fast path does not apply.",
        "The fast path is a matter of speed, not of what can be asked.",
        peer_raises("copy_at_(..., fast=True) requires", operations=("copy_at_",)),
    ),
    Deliberate(
        "writes-without-batch-dims",
        "td[index] = value without batch dims takes only None, ... and 0-dim booleans, like reads; the peer indexes the"
        " entries themselves, or ignores the index where there are none.",
        "Entries of a tensordict without batch dims have no dim in common that an index could mean.",
        lambda case: "without batch dims" in str(case.our_error) and case.during("index write", "index write a number"),
    ),
    Deliberate(
        "clone-of-strings-in-update",
        "update(inplace=True, clone=True) takes non-tensor values; the peer tries to clone them as tensors and fails.",
        "They are copied like other entries.",
        lambda case: (
            case.during("update") and "clone(): argument 'input' (position 1) must be Tensor" in str(case.peer_error)
        ),
    ),
    Deliberate(
        "values-at-an-index",
        "A number or value written at an index reaches non-tensor entries too; the peer skips single values, or "
        "raises.",
        "The region of every entry is written.",
        lambda case: (
            case.during("index write", "index write a number", "set_at_", "update_at_")
            and (
                peer_raises(
                    "A NonTensorData holds one value for all its elements",
                    "Cannot update a NonTensorDataBase object with a NonTensorStack",
                )(case)
                or differs("non-tensor value", detail=r"ours -?(\d|True|False|tensor|\[)")(case)
            )
        ),
    ),
    Deliberate(
        "columns-are-written",
        "update_(), update(inplace=True), copy_() and the like write columns in place, seen through every view of "
        "them; the peer leaves some as they were.",
        "They behave as tensors do.",
        differs("non-tensor value", during=("update", "update_", "update_at_", "copy_", "copy_at_")),
    ),
    Deliberate(
        "update-at-of-anything",
        "update_at_() takes plain values for non-tensor entries; the peer takes tensors and tensordicts only.",
        "update_() takes them, in the peer too.",
        lambda case: case.during("update_at_") and "Expected value to be one of types" in str(case.peer_error),
    ),
    Deliberate(
        "copy-at-checks-keys",
        "copy_at_() raises KeyError for a missing key; the peer RuntimeError, as its fast path does not apply.",
        "One error class for one mistake.",
        error_classes("copy_at_(..., fast=True) requires", operations=("copy_at_",)),
    ),
    Deliberate(
        "index-writes-as-in-torch",
        "Writing a tensor of another dtype, or one that does not broadcast, at an index raises what torch "
        "raises; the peer passes where no element is written.",
        "Whether a program is right must not depend on the size of a batch.",
        we_raise(
            "Index put requires the source and destination dtypes match",
            "shape mismatch: value tensor of shape",
            operations=("index write", "index write a number", "set_at_", "update_at_"),
        ),
    ),
    Deliberate(
        "failed-writes-of-trees",
        "When an in-place write of a tree fails at an entry, the entries before it are written; which ones they "
        "are differs.",
        "In-place writes cannot be taken back.",
        lambda case: (
            case.difference.aspect.startswith("after the error: ")
            and case.during(
                "index write",
                "update_",
                "update_at_",
                "copy_",
                "copy_at_",
                "set_at_",
                "add_",
                "sub_",
                "mul_",
                "div_",
                "td += other",
                "td -= other",
                "td *= other",
                "td /= other",
                "update",
                "load_state_dict",
            )
        ),
    ),
    Deliberate(
        "columns-without-rows-are-written",
        "Writing to an empty region of non-tensor entries does nothing, and a value is broadcast to a region "
        "with more dims; the peer raises.",
        "So it is with tensors.",
        peer_raises(
            "indexed destination TensorDict batch size is torch.Size([",
            "stack expects a non-empty TensorList",
            "too many indices for tensor",
            operations=("index write", "index write a number", "update_at_", "set_at_", "copy_at_"),
        ),
    ),
    Deliberate(
        "replace-copies",
        "replace() returns a copy; the peer returns the tensordict itself when nothing is replaced.",
        "Changing the result must not change the source at times.",
        differs("identity", during=("replace",)),
    ),
    Deliberate(
        "lists-take-the-dtype",
        "A list or array written at an index is taken in the dtype of the entry; the peer makes a tensor of it first,"
        " which torch then refuses.",
        "A list has no dtype of its own.",
        peer_raises("Index put requires the source and destination dtypes match"),
    ),
    Deliberate(
        "update-needs-a-mapping",
        "update(), update_() and replace() take a mapping or a tensordict, and raise TypeError for anything "
        "else; the peer lets None or a list pass, or raises RuntimeError.",
        "What cannot be read as entries is a mistake.",
        lambda case: "update needs a mapping or a tensordict" in str(case.our_error),
    ),
    Deliberate(
        "replace-nothing",
        "replace(None) returns a copy; the peer raises.",
        "No mapping is what replace() has by default.",
        peer_raises("Cannot use object type <class 'NoneType'>", operations=("replace",)),
    ),
    Deliberate(
        "overwrites-of-other-kinds",
        "Overwriting an entry in place by one of another kind raises InplaceWriteError; the peer replaces some, "
        "or fails with TypeError or AttributeError.",
        "Nothing that is locked or shared may change its kind.",
        lambda case: (
            "Failed to write" in str(case.our_error)
            and (case.peer_error is None or isinstance(case.peer_error, (TypeError, AttributeError)))
        ),
    ),
    Deliberate(
        "arrays-in-rows",
        "An array written to a row of non-tensor values is read back as that array; the peer gives a tensor.",
        "Values come out as they went in.",
        lambda case: (
            case.difference.aspect.endswith("non-tensor value")
            and "ours" in case.difference.detail
            and "array(" in case.difference.detail
        ),
    ),
    Deliberate(
        "values-over-tensors",
        "Writing a value that is no number over a tensor at an index raises, whatever its size; the peer passes "
        "where no element is written.",
        "Whether a program is right must not depend on the size of a batch.",
        we_raise(
            "invalid data type 'str'",
            "must be real number",
            "could not determine the shape",
            operations=("setitem by key", "index write"),
        ),
    ),
    Deliberate(
        "ellipses-in-entries",
        "update_at_() and copy_at_() index the entries as set_at_() does, so that an ellipsis stands for their "
        "own dims too; the peer takes the batch dims alone at times.",
        "The index is that of the entry.",
        lambda case: (
            case.during("update_at_", "copy_at_")
            and ("..." in case.step.code)
            and (case.our_error is None or "must match the existing size" in str(case.our_error))
        ),
    ),
    Deliberate(
        "regions-must-fit",
        "A tensordict written at an index has the batch size of the region, or the end of it; the peer takes "
        "anything where there are no entries.",
        "Whether a program is right must not depend on what is in the tensordict.",
        we_raise("cannot be written to the region of size"),
    ),
    Deliberate(
        "entries-that-share-memory",
        "In-place writes of a tree whose entries share memory (a tensor under two keys) leave the value of one "
        "of them; which one differs.",
        "The order of such writes is not specified.",
        differs("tensor values", during=("copy_", "update_"), code=r"'[a-z]\.[a-z]'"),
    ),
    Deliberate(
        "locked-values-are-loaded",
        "load_state_dict(assign=True) of non-tensor data works in a locked tensordict; the peer raises.",
        "Values are written in place.",
        peer_raises("Cannot modify locked TensorDict", operations=("load_state_dict",)),
    ),
)
