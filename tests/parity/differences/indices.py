"""Reading at an index."""

from __future__ import annotations

from .rows import Deliberate, any_of, differs, error_classes, peer_raises, we_raise

ROWS: tuple[Deliberate, ...] = (
    Deliberate(
        "gather-nothing",
        "gather() with an empty index gives an empty result, as for tensors; the peer raises.",
        "torch.gather allows it.",
        peer_raises("Cannot use torch.gather with an empty index"),
    ),
    Deliberate(
        "index-of-a-wrong-type",
        "An index of a type that cannot be one raises IndexError in reads and writes; the peer TypeError in writes.",
        "torch raises IndexError for both.",
        error_classes("Invalid index type"),
    ),
    Deliberate(
        "full-slices-make-a-new-tensordict",
        "td[:] is a new tensordict that shares its entries; the peer returns the tensordict itself.",
        "Writing a key to td[:n] must not depend on n being the length. td[()] and td[...] are the tensordict itself.",
        lambda case: (
            case.during("index read")
            and case.difference.aspect == "identity"
            and "peer returns the" in case.difference.detail
            and "slice(" in case.step.code
        ),
    ),
    Deliberate(
        "two-ellipses",
        "An index with two ellipses raises IndexError; the peer RuntimeError.",
        "torch raises IndexError.",
        error_classes("An index can only have one ellipsis"),
    ),
    Deliberate(
        "gather-without-dims",
        "gather() without batch dims raises RuntimeError as for any dim out of range; the peer TypeError.",
        "One error class for one mistake.",
        error_classes("len() of a 0-d tensor", operations=("gather", "lock inheritance")),
    ),
    Deliberate(
        "errors-of-indices",
        "An index that does not fit raises IndexError whatever the entries; the peer raises TypeError or "
        "RuntimeError for non-tensor entries and without batch dims.",
        "torch raises IndexError.",
        error_classes("list indices must be integers", "is not permitted. Got index"),
    ),
    Deliberate(
        "indices-are-integers",
        "A tensor of floats is no index, whatever the entries; the peer lets it pass where there are none.",
        "torch refuses it.",
        we_raise("tensors used as indices must be of integer or boolean type"),
    ),
    Deliberate(
        "indices-are-checked",
        "An index, a mask or a condition that does not fit the batch dims raises IndexError, whatever the "
        "entries; the peer lets it pass where there are none, or where nothing is written.",
        "Whether a program is right must not depend on what is in the tensordict.",
        lambda case: (
            isinstance(case.our_error, IndexError)
            and any(
                words in str(case.our_error)
                for words in (
                    "cannot be indexed by",
                    "too many indices",
                    "The shape of the mask",
                    "is out of range for batch dim",
                    "tensors used as indices",
                )
            )
        ),
    ),
    Deliberate(
        "batchless-indices",
        "An index of a tensordict without batch dims raises RuntimeError; the peer indexes the entries, and "
        "raises IndexError where they have no dim.",
        "Its entries have no dim in common that an index could mean.",
        lambda case: "without batch dims by" in str(case.our_error),
    ),
    Deliberate(
        "gather-with-fewer-dims",
        "gather() with an index of fewer dims keeps the other batch dims, as it keeps those of the entries; the "
        "peer drops them, or fails for a size of 0.",
        "The index is expanded over what follows its dims.",
        any_of(
            differs("batch_size", during=("gather",)),
            peer_raises("is out of bounds for dimension", operations=("gather",)),
        ),
    ),
)
