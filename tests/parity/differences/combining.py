"""Making one tensordict of several."""

from __future__ import annotations

from dataclasses import replace

from ..relaxations import chained, with_sorted_keys, without_empty_nodes
from ..snapshots import NodeShot, Shot
from .rows import Deliberate, any_of, differs, peer_raises, we_raise


def without_the_masks(shot: Shot) -> Shot | None:
    """Return the snapshot of a padded tensordict without its masks, keys in alphabetic order."""
    if isinstance(shot, NodeShot):
        shot = replace(shot, entries={key: entry for key, entry in shot.entries.items() if key not in ("m", "masks")})
    return with_sorted_keys(shot)


ROWS: tuple[Deliberate, ...] = (
    Deliberate(
        "cat-checks-sizes-first",
        "cat() raises RuntimeError for a dim out of range and for batch sizes that differ, before it looks at "
        "keys, IndexError for an empty list and TypeError for a mix with tensors; the peer IndexError or "
        "KeyError, as it comes.",
        "One error class for one mistake.",
        lambda case: (
            case.during("cat", "cat out=", "stack and cat of unequal ones")
            and case.difference.aspect == "error class"
            and any(
                words in str(case.our_error)
                for words in (
                    "is out of range",
                    "batch sizes must agree",
                    "takes tensordicts or tensors",
                    "needs at least one tensordict",
                )
            )
        ),
    ),
    Deliberate(
        "key-order-of-merges",
        "pad_sequence() and merge_tensordicts() keep the order of the keys; in the peer it is that of a set.",
        "The order of keys must not change from run to run.",
        differs("key order", during=("pad_sequence", "merge_tensordicts")),
    ),
    Deliberate(
        "common-device",
        "The result of stack(), cat() and where() has a device when all have it; the peer takes that of the "
        "first, or raises when one has none.",
        "Tensordicts without a device may hold the same kind of tensors.",
        any_of(
            peer_raises(
                "devices differ, got",
                operations=("stack", "cat", "maybe_dense_stack", "where", "stack out=", "cat out=", "dense_stack_tds"),
            ),
            differs("device", during=("stack", "cat", "maybe_dense_stack", "pad_sequence", "dense_stack_tds")),
        ),
    ),
    Deliberate(
        "pad-sequence-checks-sizes",
        "pad_sequence() raises IndexError where an entry lacks the padded dim, and RuntimeError where batch "
        "sizes differ in another; the peer pads the batch alone, or raises what comes up.",
        "The result would have a batch size that its entries do not have.",
        lambda case: (
            case.during("pad_sequence")
            and (
                peer_raises("tuple index out of range")(case)
                or "pad_dim=" in str(case.our_error)
                or "can only pad dim" in str(case.our_error)
            )
        ),
    ),
    Deliberate(
        "pad-sequence-masks",
        "The masks of pad_sequence() have the nodes of the result; the peer leaves out nodes without tensors.",
        "A mask is looked up under the key of its entry.",
        any_of(
            differs("keys", "key order", during=("pad_sequence",), but=chained(without_empty_nodes, with_sorted_keys)),
            differs("keys", "key order", during=("pad_sequence",), code="return_mask=", but=without_the_masks),
        ),
    ),
    Deliberate(
        "split-into-negative-sizes",
        "split() raises for negative sizes; the peer accepts some of them.",
        "torch.split raises.",
        we_raise("split_size must be positive", "must be non-negative and sum to", operations=("split",)),
    ),
    Deliberate(
        "lazy-stacks-of-unequal-batches",
        "maybe_dense_stack() and lazy_stack() need equal batch sizes; the peer builds a stack that cannot be read.",
        "A lazy stack has one batch size.",
        we_raise("needs equal batch sizes"),
    ),
    Deliberate(
        "pad-sequence-promotes",
        "pad_sequence() stacks entries of different dtypes in the promoted one; the peer in that of the first.",
        "torch.stack promotes, and nothing is cut off.",
        differs("dtype", during=("pad_sequence",)),
    ),
    Deliberate(
        "pad-sequence-keeps-longer-nodes",
        "pad_sequence() keeps the extra batch dims of nodes; the peer cuts them.",
        "Nodes keep their own dims.",
        differs("batch_size", during=("pad_sequence",)),
    ),
    Deliberate(
        "columns-and-values-stack",
        "stack() takes a value for all rows and a column under the same key, and values of other batch sizes "
        "than the batch; the peer refuses them.",
        "A value and a column are the same entry, held in two ways.",
        peer_raises("The shapes of the tensors to stack is incompatible", operations=("stack", "maybe_dense_stack")),
    ),
)
