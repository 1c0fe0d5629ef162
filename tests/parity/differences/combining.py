"""Making one tensordict of several."""

from __future__ import annotations

from ..relaxations import with_sorted_keys, without_empty_nodes
from .rows import Deliberate, any_of, differs, error_classes, peer_raises, we_raise

ROWS: tuple[Deliberate, ...] = (
    Deliberate(
        "cat-without-dims",
        "cat() of tensordicts without batch dims raises RuntimeError as for any dim out of range; the peer IndexError.",
        "One error class for one mistake.",
        error_classes("tuple index out of range", operations=("cat", "cat out=")),
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
        "common-device",
        "The result of stack(), cat() and where() has a device when all have it; the peer takes that of the "
        "first, or raises when one has none.",
        "Tensordicts without a device may hold the same kind of tensors.",
        any_of(
            peer_raises(
                "devices differ, got",
                operations=("stack", "cat", "maybe_dense_stack", "where", "stack out=", "cat out="),
            ),
            differs("device", during=("stack", "cat", "maybe_dense_stack", "pad_sequence")),
        ),
    ),
    Deliberate(
        "pad-sequence-checks-sizes",
        "pad_sequence() raises IndexError where an entry lacks the padded dim, and RuntimeError where batch "
        "sizes differ in another; the peer pads the batch alone, or raises what comes up.",
        "The result would have a batch size that its entries do not have.",
        lambda case: (
            case.during("pad_sequence")
            and ("pad_dim=" in str(case.our_error) or "can only pad dim" in str(case.our_error))
        ),
    ),
    Deliberate(
        "pad-sequence-masks",
        "The masks of pad_sequence() have the nodes of the result; the peer leaves out nodes without tensors.",
        "A mask is looked up under the key of its entry.",
        differs("keys", during=("pad_sequence",), but=without_empty_nodes),
    ),
    Deliberate(
        "split-of-nothing",
        "split() with a size below 1 raises, as in torch, also for an empty dim when the size is negative.",
        "torch.split raises.",
        we_raise("split_size must be positive", operations=("split",)),
    ),
)
