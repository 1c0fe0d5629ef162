"""Shape operations and their dims."""

from __future__ import annotations

from ..relaxations import without_empty_nodes, without_locks, without_names
from .rows import Deliberate, differs, error_classes, peer_raises, we_raise

ROWS: tuple[Deliberate, ...] = (
    Deliberate(
        "squeeze-as-context",
        "`with td.squeeze() as squeezed` works without a dim; the peer refuses it.",
        "The inverse is known: the dims that were dropped.",
        peer_raises("as a decorator if the dimension is implicit"),
    ),
    Deliberate(
        "empty-nodes-stay",
        "Pointwise results have the same nodes as the operands; the peer drops empty ones.",
        "The structure of a result must not depend on whether a node happens to be empty.",
        lambda case: case.difference.aspect == "keys" and case.equal_but(without_empty_nodes),
    ),
    Deliberate(
        "expand-as-keeps-longer-nodes",
        "expand_as() keeps the extra batch dims of nodes, as expand() does; the peer cuts them.",
        "Nodes keep their own dims in every shape operation.",
        differs("batch_size", "names", "keys", "locked", during=("expand_as",)),
    ),
    Deliberate(
        "flatten-of-one-dim",
        "flatten() of a single dim returns the tensordict itself with its names; the peer a nameless copy.",
        "Nothing is merged, so nothing is lost; view and reshape to the same shape do the same.",
        lambda case: (
            "flatten(" in case.step.code
            and case.difference.aspect in ("identity", "names")
            and case.equal_but(without_names)
        ),
    ),
    Deliberate(
        "flatten-out-of-range",
        "flatten() raises IndexError for a dim out of range; the peer takes it for the nearest one.",
        "torch.flatten raises.",
        we_raise(
            "is out of range", operations=("flatten", "flatten all", "context manager", "contexts", "torch functions")
        ),
    ),
    Deliberate(
        "numel-of-an-empty-batch",
        "numel() of a batch with a dim of size 0 is 0; the peer says 1.",
        "It is the number of elements of the batch.",
        lambda case: "numel()" in case.step.code and "peer 1, ours 0" in case.difference.detail,
    ),
    Deliberate(
        "all-dims-checked-first",
        "A dim out of range raises IndexError before other arguments are looked at; the peer may complain of"
        " those first.",
        "One error class for one mistake.",
        lambda case: (
            case.difference.aspect == "error class"
            and isinstance(case.our_error, IndexError)
            and "is out of range" in str(case.our_error)
            and not case.during("get", "pop")
        ),
    ),
    Deliberate(
        "dims-are-always-checked",
        "stack() and cat() raise for a dim out of range whatever the entries; the peer checks it in the"
        " entries, if there"
        " are any, and counts their own dims in.",
        "Only batch dims can be meant.",
        we_raise(
            "is out of range",
            operations=("stack", "cat", "stack out=", "cat out=", "repeat_interleave", "maybe_dense_stack"),
        ),
    ),
    Deliberate(
        "no-dims-at-all",
        "squeeze(), repeat() and the like work where no dim is left; the peer raises TypeError.",
        "No dims is a legal number of dims.",
        peer_raises("received an invalid combination of arguments - got ()", "missing 1 required positional arguments"),
    ),
    Deliberate(
        "errors-of-dims",
        "A dim out of range is an IndexError in stack(), cat() and repeat_interleave(); the peer raises "
        "RuntimeError, ValueError or IndexError, from case to case.",
        "One error class for one mistake.",
        error_classes(
            "Stack dim",
            "is out of range for tensordict with shape",
            "requires at least 2 batch dimensions",
            "repeats must have the same size as input",
        ),
    ),
    Deliberate(
        "flatten-without-dims",
        "flatten() without batch dims makes one of size 1, whichever way its dims are written; the peer refuses -1.",
        "torch.flatten does.",
        peer_raises(
            "Incompatible end_dim", "start_dim cannot come after end_dim", operations=("flatten", "context manager")
        ),
    ),
    Deliberate(
        "cutting-keeps-no-lock",
        "Views of an unlocked tensordict are unlocked; in the peer a node that was locked by itself stays locked "
        "in them.",
        "The lock of a result is that of the tensordict it was made from.",
        differs("locked", detail="peer True, ours False", but=without_locks),
    ),
    Deliberate(
        "dims-exist",
        "A dim out of range, a range beyond its end, or a list of repeats of another length raises, whatever the "
        "entries; the peer lets it pass where there are none.",
        "Whether a program is right must not depend on what is in the tensordict.",
        we_raise(
            "is out of range: with",
            "exceed batch dim",
            "must match the existing size",
            operations=("repetitions", "repeat_interleave", "narrow"),
        ),
    ),
    Deliberate(
        "new-dims-have-sizes",
        "expand() raises for -1 in a new dim; the peer lets it pass where there is no entry.",
        "torch raises.",
        we_raise("does not fit the batch size", operations=("expand",)),
    ),
    Deliberate(
        "flatten-of-no-dims",
        "flatten() of a tensordict without batch dims makes one of size 1, whatever its arguments; the peer then "
        "flattens the entries.",
        "Entries of a tensordict keep the dims that are their own.",
        differs("shape", during=("flatten",), code=r"flatten\("),
    ),
    Deliberate(
        "repeats-of-nothing",
        "repeat_interleave() with an empty list of repeats raises what torch raises; the peer TypeError.",
        "As torch.",
        error_classes("torch.Size() takes an iterable", operations=("repeat_interleave", "repetitions")),
    ),
    Deliberate(
        "index-with-nothing",
        "get_at() with () gives the entry itself, as for tensors; the peer raises for non-tensor data.",
        "x[()] is x.",
        peer_raises("Invalid indexing arguments: ()", operations=("get_at",)),
    ),
    Deliberate(
        "batch-sizes-of-flattened-keys",
        "Keys of a locked tensordict are flattened and unflattened anew when its batch size changed; the peer "
        "returns an old result.",
        "A result follows from what is there.",
        differs("batch_size", during=("unflatten_keys", "flatten_keys")),
    ),
)
