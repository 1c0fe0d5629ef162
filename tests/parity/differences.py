"""The known and deliberate differences from the peer: one table, each row with its reason.

A difference that no row explains fails the parity tests. `python -m tests.parity.survey` lists the unexplained ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .comparison import Difference, compare
from .execution import Outcome, Raised, Returned
from .program import Step
from .relaxations import (
    with_equal_values_as_one,
    with_sorted_items,
    with_sorted_keys,
    without_empty_nodes,
    without_locks,
    without_names,
    without_non_tensors,
    without_none,
    without_sharing,
)
from .snapshots import Shot


@dataclass(frozen=True)
class Case:
    """A step on which the libraries differ, and what each came to."""

    step: Step
    peer: Outcome
    ours: Outcome
    difference: Difference

    @property
    def peer_error(self) -> Exception | None:
        """The error the peer raised."""
        return self.peer.result.error if isinstance(self.peer.result, Raised) else None

    @property
    def our_error(self) -> Exception | None:
        """The error we raised."""
        return self.ours.result.error if isinstance(self.ours.result, Raised) else None

    def during(self, *operations: str) -> bool:
        """Tell whether the step is one of these operations."""
        return self.step.operation in operations

    def equal_but(self, change: Callable[[Shot], Shot | None]) -> bool:
        """Tell whether the results are equal once both are changed in this way."""
        peer, ours = self.peer.result, self.ours.result
        if not isinstance(peer, Returned) or not isinstance(ours, Returned):
            return False
        left, right = change(peer.out), change(ours.out)
        if left is None or right is None:
            return left is right
        return compare(left, right, "out") is None

    def we_left_no_trace(self) -> bool:
        """Tell whether the operation raised in both, and ours left the tensordict as it was."""
        if self.our_error is None or self.peer_error is None or self.ours.before is None:
            return False
        before, after = without_sharing(self.ours.before), without_sharing(self.ours.td)
        return before is not None and after is not None and compare(before, after, "td") is None


Matcher = Callable[[Case], bool]


@dataclass(frozen=True)
class Deliberate:
    """A difference that is meant: what it is, why, and how it is recognised."""

    id: str
    description: str
    reason: str
    matches: Matcher


def peer_raises(*words: str, operations: tuple[str, ...] = ()) -> Matcher:
    """Match an error of the peer that has one of these texts in it, where we return."""

    def matches(case: Case) -> bool:
        if case.peer_error is None or case.our_error is not None or (operations and not case.during(*operations)):
            return False
        return any(word in str(case.peer_error) for word in words)

    return matches


def we_raise(*words: str, operations: tuple[str, ...] = ()) -> Matcher:
    """Match an error of ours that has one of these texts in it, where the peer returns."""

    def matches(case: Case) -> bool:
        if case.our_error is None or case.peer_error is not None or (operations and not case.during(*operations)):
            return False
        return any(word in str(case.our_error) for word in words)

    return matches


def error_classes(*words: str, operations: tuple[str, ...] = ()) -> Matcher:
    """Match two errors of different classes, where the peer's has one of these texts in it."""

    def matches(case: Case) -> bool:
        if case.difference.aspect != "error class" or (operations and not case.during(*operations)):
            return False
        return any(word in str(case.peer_error) for word in words)

    return matches


UNSPECIFIED = ("type", "keys", "lazy", "batch_size", "non-tensor value", "non-tensor batch_size")
ORDERINGS = ("==", "!=", "<", "<=", ">", ">=", "&", "|", "^")

DIFFERENCES: tuple[Deliberate, ...] = (
    Deliberate(
        "get-missing-key",
        "get() of a missing key without a default raises KeyError; the peer returns None.",
        "A silent None hides misspelt keys. Pass a default to have one.",
        lambda case: (
            case.during("get", "get_at", "get_non_tensor")
            and isinstance(case.our_error, KeyError)
            and case.peer_error is None
        ),
    ),
    Deliberate(
        "no-trace-of-a-failure",
        "An operation that raises leaves the tensordict as it was; the peer may have done half of it.",
        "A caller who catches the error can go on with what there was.",
        lambda case: case.difference.aspect.startswith("after the error") and case.we_left_no_trace(),
    ),
    Deliberate(
        "reductions-over-columns",
        "Reductions pass columns of non-tensor values through; the peer raises where there is one.",
        "A non-tensor entry passes through every other reduction, in the peer too.",
        peer_raises("requires this object to be cast to a regular TensorDict"),
    ),
    Deliberate(
        "mixed-tuples-stay",
        "A tuple of unlike values is kept as it is; the peer makes an array of strings of it.",
        "Values come out as they went in.",
        lambda case: "<U" in case.difference.detail and case.difference.aspect.startswith("non-tensor"),
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
        "squeeze-as-context",
        "`with td.squeeze() as squeezed` works without a dim; the peer refuses it.",
        "The inverse is known: the dims that were dropped.",
        peer_raises("as a decorator if the dimension is implicit"),
    ),
    Deliberate(
        "apply-unknown-keyword",
        "apply() refuses keywords that it does not know; the peer ignores them at times.",
        "A misspelt option must not pass in silence.",
        we_raise("unexpected keyword argument 'unknown'"),
    ),
    Deliberate(
        "gather-nothing",
        "gather() with an empty index gives an empty result, as for tensors; the peer raises.",
        "torch.gather allows it.",
        peer_raises("Cannot use torch.gather with an empty index"),
    ),
    Deliberate(
        "empty-nodes-stay",
        "Pointwise results have the same nodes as the operands; the peer drops empty ones.",
        "The structure of a result must not depend on whether a node happens to be empty.",
        lambda case: case.difference.aspect == "keys" and case.equal_but(without_empty_nodes),
    ),
    Deliberate(
        "clamp-mixed-bounds",
        "clamp() takes a tensordict for one bound and a number for the other; the peer refuses the mix.",
        "Each bound has a clear meaning by itself.",
        peer_raises("Mixed tensordict and non-tensordict min/max values", operations=("clamp", "alpha and value")),
    ),
    Deliberate(
        "logical-and-with-a-number",
        "logical_and() takes a number, as other binary methods do; the peer raises TypeError.",
        "The operand is made a tensor.",
        peer_raises("argument 'other' (position 1) must be Tensor", operations=("logical_and", "binary methods")),
    ),
    Deliberate(
        "copy-at-any-index",
        "copy_at_() works for every index; the peer's default (fast=True) raises where its fast path does not apply.",
        "The fast path is a matter of speed, not of what can be asked.",
        peer_raises("copy_at_(..., fast=True) requires", operations=("copy_at_",)),
    ),
    Deliberate(
        "cat-without-dims",
        "cat() of tensordicts without batch dims raises RuntimeError as for any dim out of range; the peer IndexError.",
        "One error class for one mistake.",
        error_classes("tuple index out of range", operations=("cat", "cat out=")),
    ),
    Deliberate(
        "device-names-and-longer-nodes",
        "A named tensordict with a device takes a node with more batch dims; the peer raises ValueError.",
        "The peer hands the parent's names to the moved node although it has more dims.",
        peer_raises("the length of the dimension names must equate"),
    ),
    Deliberate(
        "non-tensors-into-out",
        "cat and stack with out= replace non-tensor entries of out; the peer raises where their kinds differ.",
        "A value and a column are the same entry, held in two ways.",
        peer_raises("Cannot update a NonTensorDataBase with a NonTensorStack"),
    ),
    Deliberate(
        "empty-columns",
        "A column without rows can be reshaped, stacked and copied; the peer raises or loses dims.",
        "Zero rows are a legal number of rows.",
        lambda case: (
            peer_raises("items cannot be empty")(case)
            or (case.difference.aspect == "non-tensor batch_size" and ", ours (0" in case.difference.detail)
        ),
    ),
    Deliberate(
        "nothing-to-compare-in-non-tensors",
        "What a non-tensor entry becomes in a comparison with a number, and in reductions of it, is not specified.",
        "It has no meaning; equality of two tensordicts is specified and compared.",
        lambda case: (
            case.difference.aspect
            in ("type", "keys", "lazy", "batch_size", "non-tensor value", "non-tensor batch_size")
            and ("> 0" in case.step.code or any(f"td {symbol} other" == case.step.operation for symbol in ORDERINGS))
            and case.equal_but(without_non_tensors)
        ),
    ),
    Deliberate(
        "kernel-not-implemented",
        "Where torch has no kernel for a dtype, the error is RuntimeError or its subclass NotImplementedError.",
        "The fused functions of torch and the ones for single tensors differ in this.",
        lambda case: (
            case.difference.aspect == "error class"
            and isinstance(case.our_error, RuntimeError)
            and "not implemented for" in str(case.peer_error)
        ),
    ),
    Deliberate(
        "index-of-a-wrong-type",
        "An index of a type that cannot be one raises IndexError in reads and writes; the peer TypeError in writes.",
        "torch raises IndexError for both.",
        error_classes("Invalid index type"),
    ),
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
        "create-nested-through-a-tensor",
        "create_nested() below a tensor raises KeyError; the peer replaces the tensor.",
        "An entry must not be lost to a path that goes through it.",
        we_raise("is already present and is a", operations=("create_nested",)),
    ),
    Deliberate(
        "expand-as-keeps-non-tensors",
        "expand_as() keeps non-tensor entries; the peer drops them.",
        "No shape operation loses entries.",
        lambda case: (
            case.during("expand_as") and case.difference.aspect == "keys" and case.equal_but(without_non_tensors)
        ),
    ),
    Deliberate(
        "prod-of-several-dims",
        "prod() takes one dim; a tuple raises TypeError. The peer accepts it where there is no entry to reduce.",
        "torch.prod takes one dim.",
        we_raise("prod reduces one dim at a time"),
    ),
    Deliberate(
        "writes-without-batch-dims",
        "td[index] = value without batch dims takes only None, ... and 0-dim booleans, like reads; the peer indexes the"
        " entries themselves, or ignores the index where there are none.",
        "Entries of a tensordict without batch dims have no dim in common that an index could mean.",
        lambda case: "without batch dims" in str(case.our_error) and case.during("index write", "index write a number"),
    ),
    Deliberate(
        "shared-values-stay-shared",
        "A value shared by all rows is read back as that value after a shape operation; the peer may give lists.",
        "What kind an entry is, is fixed when it is written.",
        lambda case: case.difference.aspect in ("type", "value", "length") and case.equal_but(with_equal_values_as_one),
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
        "comparisons-have-no-names",
        "Comparisons and masked_select drop names; the peer keeps them where there is no tensor entry.",
        "The names of a result must not depend on whether there are entries.",
        lambda case: (
            case.during("masked_select", *(f"td {symbol} other" for symbol in ORDERINGS))
            and case.difference.aspect == "names"
            and case.equal_but(without_names)
        ),
    ),
    Deliberate(
        "names-of-unflattened-dims",
        "unflatten() leaves the new dims nameless; the peer gives the old name to the last of them.",
        "None of the new dims is what the name meant.",
        lambda case: (
            case.difference.aspect == "names" and "unflatten(" in case.step.code and case.equal_but(without_names)
        ),
    ),
    Deliberate(
        "names-of-index-tensors",
        "An index tensor with several dims makes nameless dims; the peer gives the name to the last of them.",
        "None of the new dims is what the name meant.",
        lambda case: (
            case.during("index read")
            and case.difference.aspect == "names"
            and ("reshape(" in case.step.code or "[[" in case.step.code)
            and case.equal_but(without_names)
        ),
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
        "in-place-update-of-missing-keys",
        "set_(), update_() and update_at_() raise KeyError for every key that is missing; the peer skips or adds some.",
        "A value that goes nowhere is a mistake.",
        we_raise("was not found in the", operations=("set_", "update_", "update_at_", "copy_", "copy_at_")),
    ),
    Deliberate(
        "prod-keepdim",
        "prod(keepdim=True) without a dim keeps the dims, as sum and mean do; the peer ignores keepdim.",
        "One rule for all reductions.",
        lambda case: case.during("prod") and case.difference.aspect in ("shape", "batch_size", "names"),
    ),
    Deliberate(
        "two-ellipses",
        "An index with two ellipses raises IndexError; the peer RuntimeError.",
        "torch raises IndexError.",
        error_classes("An index can only have one ellipsis"),
    ),
    Deliberate(
        "empty-tuple-as-key",
        "The empty tuple is refused as a key with KeyError; the peer lets it through or fails with IndexError.",
        "It names no entry.",
        lambda case: isinstance(case.our_error, KeyError) and "got () of type tuple" in str(case.our_error),
    ),
    Deliberate(
        "gather-without-dims",
        "gather() without batch dims raises RuntimeError as for any dim out of range; the peer TypeError.",
        "One error class for one mistake.",
        error_classes("len() of a 0-d tensor", operations=("gather",)),
    ),
    Deliberate(
        "expand-as-keeps-longer-nodes",
        "expand_as() keeps the extra batch dims of nodes, as expand() does; the peer cuts them.",
        "Nodes keep their own dims in every shape operation.",
        lambda case: case.during("expand_as") and case.difference.aspect == "batch_size",
    ),
    Deliberate(
        "clone-of-strings-in-update",
        "update(inplace=True, clone=True) takes non-tensor values; the peer tries to clone them as tensors and fails.",
        "They are copied like other entries.",
        peer_raises("clone(): argument 'input' (position 1) must be Tensor", operations=("update",)),
    ),
    Deliberate(
        "dims-count-from-the-root",
        "A negative dim of min, max, cummin and cummax counts from the batch dims of the root; the peer takes"
        " it for each"
        " node by itself.",
        "It is the same dim in every entry, as in the other reductions.",
        lambda case: (
            case.during("min", "max", "amin", "amax", "cummin", "cummax")
            and case.difference.aspect == "batch_size"
            and "[" in case.difference.place
        ),
    ),
    Deliberate(
        "min-and-max-keep-the-structure",
        "min, max, cummin and cummax keep non-tensor entries and empty nodes; the peer drops them.",
        "All reductions do.",
        lambda case: (
            case.during("min", "max", "amin", "amax", "cummin", "cummax", "logsumexp")
            and case.equal_but(without_non_tensors)
        ),
    ),
    Deliberate(
        "more-torch-functions",
        "torch functions that the peer does not know work.",
        "The table of torch functions is generated from torch's own list.",
        peer_raises("Multiple dispatch failed for", "no implementation found for"),
    ),
    Deliberate(
        "aligned-operands",
        "A tensor operand of &, | and ^ is aligned with the batch dims, as in arithmetic; the peer broadcasts"
        " it from the"
        " right.",
        "One rule for all binary operators.",
        lambda case: (
            case.step.operation in ("td & other", "td | other", "td ^ other", "bitwise_and", "logical_and", "logic")
            and peer_raises("must match the size of tensor")(case)
        ),
    ),
    Deliberate(
        "key-order-of-merges",
        "pad_sequence() and merge_tensordicts() keep the order of the keys; in the peer it is that of a set.",
        "The order of keys must not change from run to run.",
        lambda case: (
            case.during("pad_sequence", "merge_tensordicts")
            and case.difference.aspect == "key order"
            and case.equal_but(with_sorted_keys)
        ),
    ),
    Deliberate(
        "replaced-keys-go-to-the-end",
        "rename_key_, cat_tensors and stack_tensors put the new entry at the end, also where one of that name"
        " was there.",
        "The entry is a new one.",
        lambda case: (
            case.during("rename_key_", "cat_tensors", "stack_tensors", "entries joined")
            and case.difference.aspect == "key order"
            and case.equal_but(with_sorted_keys)
        ),
    ),
    Deliberate(
        "pad-sequence-of-non-tensors",
        "pad_sequence() stacks non-tensor entries on any device; the peer fails where a device is set.",
        "They are not padded, so there is nothing that could fail.",
        peer_raises("pad_sequence failed for key", operations=("pad_sequence",)),
    ),
    Deliberate(
        "to-batch-size-copies",
        "to(batch_size=...) returns a new tensordict; the peer changes the one it is called on.",
        "to() never changes its subject.",
        lambda case: (
            "batch_size=" in case.step.code
            and case.during("to", "casts")
            and case.difference.aspect in ("identity", "batch_size", "names")
        ),
    ),
    Deliberate(
        "columns-with-three-dims",
        "A list nested to the depth of three batch dims is a column; the peer fails.",
        "So it is with one and two.",
        peer_raises("'list' object has no attribute 'shape'"),
    ),
    Deliberate(
        "items-in-the-order-of-keys",
        "items() and values() go in the order of keys(), children before their node; the peer's yield the node first.",
        "zip(td.keys(...), td.values(...)) must pair what belongs together.",
        lambda case: case.during("items", "values") and "True" in case.step.code and case.equal_but(with_sorted_items),
    ),
    Deliberate(
        "numel-of-an-empty-batch",
        "numel() of a batch with a dim of size 0 is 0; the peer says 1.",
        "It is the number of elements of the batch.",
        lambda case: "numel()" in case.step.code and "peer 1, ours 0" in case.difference.detail,
    ),
    Deliberate(
        "none-is-a-value",
        "numpy() and to_namedtuple() keep entries whose value is None; the peer drops them.",
        "to_dict() keeps them, in the peer too.",
        lambda case: (
            case.during("numpy", "namedtuple", "conversions")
            and case.difference.aspect == "keys"
            and case.equal_but(without_none)
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
        "all-dims-checked-first",
        "A dim out of range raises IndexError before other arguments are looked at; the peer may complain of"
        " those first.",
        "One error class for one mistake.",
        lambda case: (
            case.during("chunk", "flatten", "rot90", "fliplr", "flipud")
            and case.difference.aspect == "error class"
            and isinstance(case.our_error, IndexError)
            and "is out of range" in str(case.our_error)
        ),
    ),
    Deliberate(
        "struct-array-of-nothing",
        "to_struct_array() without entries gives an array without fields; the peer fails.",
        "Zero fields are legal in numpy.",
        peer_raises("not enough values to unpack", operations=("struct array", "conversions")),
    ),
    Deliberate(
        "malformed-keys",
        "What cannot be a key (a number, None, a tuple that is not all strings) raises KeyError in every"
        " method; the peer"
        " raises RuntimeError, IndexError or TypeError, each method its own.",
        "One error class for one mistake.",
        lambda case: (
            case.difference.aspect == "error class"
            and "A key must be a string or a non-empty tuple" in str(case.our_error)
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
)


def explanation(case: Case) -> Deliberate | None:
    """Return the row of the table that explains a difference, or None."""
    return next((row for row in DIFFERENCES if row.matches(case)), None)
