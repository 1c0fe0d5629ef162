"""Locks, devices, identity and arguments."""

from __future__ import annotations

from ..relaxations import without_locks
from .rows import Deliberate, any_of, differs, peer_raises, we_raise

ROWS: tuple[Deliberate, ...] = (
    Deliberate(
        "apply-unknown-keyword",
        "apply() refuses keywords that it does not know; the peer ignores them at times.",
        "A misspelt option must not pass in silence.",
        we_raise("unexpected keyword argument 'unknown'"),
    ),
    Deliberate(
        "locked-results",
        "Casts and arithmetic of a locked tensordict are locked; the peer's type() and results without"
        " entries are not.",
        "One rule for all (the peer announces it for type()).",
        lambda case: (
            case.difference.aspect == "locked"
            and "peer False, ours True" in case.difference.detail
            and case.equal_but(without_locks)
        ),
    ),
    Deliberate(
        "to-batch-size-copies",
        "to(batch_size=...) returns a new tensordict; the peer changes the one it is called on.",
        "to() never changes its subject.",
        any_of(
            differs(
                "identity", during=("to", "casts"), code="batch_size=", detail="peer returns the tensordict itself"
            ),
            differs("batch_size", "names", during=("to", "casts"), code="batch_size="),
        ),
    ),
    Deliberate(
        "select-and-exclude-unlock",
        "The nodes in a result of exclude() and select() are unlocked like the result itself; the peer leaves"
        " them locked.",
        "A key can then be set at every depth of the result.",
        lambda case: (
            case.during("exclude", "select", "exclude nothing")
            and case.difference.aspect == "locked"
            and case.equal_but(without_locks)
        ),
    ),
    Deliberate(
        "wrong-types-are-type-errors",
        "An argument of a wrong type raises TypeError; in the peer it fails with AttributeError somewhere inside.",
        "An AttributeError tells nothing of what was asked.",
        lambda case: (
            case.difference.aspect == "error class"
            and isinstance(case.our_error, TypeError)
            and isinstance(case.peer_error, AttributeError)
            and "object has no attribute" in str(case.peer_error)
        ),
    ),
    Deliberate(
        "unknown-keywords-first",
        "apply() with an unknown keyword raises TypeError, whatever else is wrong.",
        "A misspelt option must not pass in silence.",
        lambda case: "unexpected keyword argument 'unknown'" in str(case.our_error),
    ),
    Deliberate(
        "the-lock-comes-first",
        "A structural change of a locked tensordict raises, also where there happens to be nothing to change, "
        "and before other mistakes are looked for.",
        "Whether a program is right must not depend on what is in the tensordict.",
        lambda case: (
            isinstance(case.our_error, RuntimeError) and "a locked tensordict. In-place writes" in str(case.our_error)
        ),
    ),
    Deliberate(
        "norm-is-unlocked",
        "norm() returns an unlocked tensordict, as other reductions; the peer locks it.",
        "One rule for all reductions.",
        differs("locked", during=("norm",), detail="peer True, ours False", but=without_locks),
    ),
    Deliberate(
        "to-another-tensordict",
        "td.to(other) takes over the device of the other one; the peer keeps none, and copies where there is "
        "nothing to do.",
        "As Tensor.to(other).",
        differs("device", "identity", during=("to", "casts"), code=r"td\.to\((td|lib\.TensorDict|other=)"),
    ),
    Deliberate(
        "device-of-what-is-written-back",
        "What a block under `with td.to(...)` wrote comes back to the device of td, none if it has none; in the "
        "peer new nodes keep the other device.",
        "After the block everything is where it was.",
        differs("device", during=("context manager", "contexts", "context manager, written in place")),
    ),
    Deliberate(
        "locked-contexts",
        "`with locked.to(...)` works as long as the block makes no structural change; the peer raises at its end.",
        "In-place writes are allowed in a locked tensordict.",
        peer_raises(
            "Cannot modify locked TensorDict",
            operations=("context manager", "contexts", "context manager, written in place"),
        ),
    ),
    Deliberate(
        "out-wins",
        "apply(out=...) writes to out and returns it, also with inplace=True; the peer then ignores out. "
        "Metadata asked for may equal that of out; the peer refuses it at times.",
        "What is named is what is written.",
        any_of(
            we_raise(
                "given an `out`",
                operations=("apply_", "apply", "apply with others", "named_apply", "apply call_on_nested"),
            ),
            peer_raises("device and out.device must be equal", "batch_size and out.batch_size must be equal"),
            differs(
                "identity",
                "shape",
                "tensor values",
                "dtype",
                "keys",
                "aliasing",
                during=("apply", "apply_", "apply with others", "named_apply", "apply call_on_nested"),
                code=r"out=",
            ),
        ),
    ),
    Deliberate(
        "rename-nothing",
        "rename() without names is allowed where there are no batch dims; the peer raises.",
        "There is nothing to name.",
        peer_raises("Neither a name map nor a name list was passed"),
    ),
    Deliberate(
        "no-saved-path",
        "A tensordict does not remember where it was saved, so there is no saved_path.",
        "The path is known to who saved it, and a file can move.",
        lambda case: case.difference.aspect == "ours lacks" and case.difference.place == "saved_path",
    ),
    Deliberate(
        "grad-of-no-tensors",
        "td.grad is None where there is no tensor with a gradient; the peer returns a tensordict when there are "
        "non-tensor entries.",
        "As for a tensor without gradient.",
        differs("type", during=("gradient helper", "questions"), code="grad", detail="ours NoneType None"),
    ),
    Deliberate(
        "locked-columns-are-written",
        "Writing to some rows of non-tensor entries works in a locked tensordict; the peer raises.",
        "In-place writes are allowed in a locked tensordict.",
        peer_raises("Cannot modify locked TensorDict", operations=("index write", "index write a number")),
    ),
    Deliberate(
        "arguments-of-to",
        "to() raises TypeError for an argument that has no meaning; the peer ignores it.",
        "A misspelt option must not pass in silence.",
        we_raise("where it has no meaning", operations=("casts", "to")),
    ),
    Deliberate(
        "reversed-batches",
        "reversed(td) goes through the batch from its end; the peer raises.",
        "td has a length and can be indexed, and iter(td) goes through the batch.",
        peer_raises("is not reversible"),
    ),
    Deliberate(
        "contexts-of-flattened-keys",
        "`with td.unflatten_keys()` and shape contexts write back what the block wrote, in locked and in renamed "
        "trees; the peer fails for some.",
        "After the block everything is where it was.",
        peer_raises(
            "was not found in the dest tensordict",
            "refine_names: cannot coerce",
            operations=("context manager", "contexts", "context manager, written in place"),
        ),
    ),
)
