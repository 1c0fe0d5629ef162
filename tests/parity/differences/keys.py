"""Keys: what is one, what a missing one means, in which order they come."""

from __future__ import annotations

import ast
import re

from ..relaxations import with_sorted_items, with_sorted_keys
from .rows import Deliberate, differs, error_classes, peer_raises, we_raise


def nested_choice(text: str) -> bool:
    """Tell whether keys_to_update names a node and something in it."""
    found = re.search(r"keys_to_update=(\[.*\])", text)
    if found is None:
        return False
    keys = [(key,) if isinstance(key, str) else key for key in ast.literal_eval(found[1])]
    return any(a != b and a == b[: len(a)] for a in keys for b in keys)


ROWS: tuple[Deliberate, ...] = (
    Deliberate(
        "create-nested-through-a-tensor",
        "create_nested() below a tensor raises KeyError; the peer replaces the tensor.",
        "An entry must not be lost to a path that goes through it.",
        we_raise("is already present and is a", operations=("create_nested",)),
    ),
    Deliberate(
        "in-place-update-of-missing-keys",
        "set_(), update_() and update_at_() raise KeyError for every key that is missing; the peer skips or adds some.",
        "A value that goes nowhere is a mistake.",
        we_raise("was not found in the", operations=("set_", "update_", "update_at_", "copy_", "copy_at_")),
    ),
    Deliberate(
        "empty-tuple-as-key",
        "The empty tuple is refused as a key with KeyError; the peer lets it through or fails with IndexError.",
        "It names no entry.",
        lambda case: isinstance(case.our_error, KeyError) and "got () of type tuple" in str(case.our_error),
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
        "items-in-the-order-of-keys",
        "items() and values() go in the order of keys(), children before their node; the peer's yield the node first.",
        "zip(td.keys(...), td.values(...)) must pair what belongs together.",
        lambda case: case.during("items", "values") and "True" in case.step.code and case.equal_but(with_sorted_items),
    ),
    Deliberate(
        "path-through-a-value",
        "A key that leads through a non-tensor entry raises KeyError in writes; the peer does nothing at all.",
        "A write that goes nowhere must not pass in silence.",
        we_raise(
            "is already present and is a NonTensor",
            operations=("set", "setitem by key", "set in a node", "setdefault", "update", "set_non_tensor"),
        ),
    ),
    Deliberate(
        "keys-with-is-leaf",
        "keys(), items() and values() stop at a node that is_leaf accepts; the peer lists what is in it as well.",
        "A leaf has no entries.",
        differs("length", "value", during=("keys", "items", "values"), code="lambda cls|is_leaf"),
    ),
    Deliberate(
        "renamed-entries-must-fit",
        "rename_key_() raises where the entry does not fit the longer batch size of the node it is moved to; the "
        "peer puts it there.",
        "No method may leave an entry that breaks the batch size.",
        we_raise("which does not start with the batch size", operations=("rename_key_",)),
    ),
    Deliberate(
        "joins-below-their-inputs",
        "cat_tensors() and stack_tensors() refuse an out_key that leads through an entry that is no tensordict, "
        "one of those they join included.",
        "The path is taken: nothing is removed before the result is stored.",
        lambda case: (
            case.during("cat_tensors", "stack_tensors") and "is already present and is a" in str(case.our_error)
        ),
    ),
    Deliberate(
        "joins-of-tensors-only",
        "cat_tensors() and stack_tensors() take tensors; the peer also takes an empty node, or complains of "
        "another entry first.",
        "There is nothing to join in a node.",
        lambda case: "joins tensors, and the entry" in str(case.our_error),
    ),
    Deliberate(
        "split-keys-once",
        "split_keys() raises for a key that is in two of the sets; the peer gives it to the first, or fails "
        "half-way, or where the default would do.",
        "An entry goes to one place.",
        lambda case: (
            case.during("split_keys")
            and (
                "is in more than one set" in str(case.our_error)
                or peer_raises("not found in TensorDict with keys")(case)
            )
        ),
    ),
    Deliberate(
        "membership-of-other-types",
        "`x in td.keys()` is False for what cannot be a key; the peer raises TypeError.",
        "keys() is a view like that of a dict.",
        peer_raises("Membership checks are only supported for strings"),
    ),
    Deliberate(
        "unravel-checks-keys",
        "unravel_key() raises KeyError for what is no nested key; the peer returns an empty tuple.",
        "The empty tuple names no entry; unravel_key_to_tuple() is the form that tells.",
        we_raise("A key must be a string or a non-empty tuple", operations=("unravel_key",)),
    ),
    Deliberate(
        "keys-to-update-are-a-union",
        "keys_to_update with a node and one of its children means the whole node; the peer decides it "
        "differently in update() and update_().",
        "Asking for more keys must not write less.",
        lambda case: (
            case.during("update", "update_", "update_at_")
            and "keys_to_update=" in case.step.text()
            and case.difference.aspect in ("tensor values", "non-tensor value", "keys", "shape", "aliasing", "dtype")
            and nested_choice(case.step.text())
        ),
    ),
    Deliberate(
        "order-of-fromkeys",
        "fromkeys() keeps the order in which keys first come; in the peer a key that comes again moves to the end.",
        "So does dict.fromkeys().",
        differs("key order", during=("fromkeys",), but=with_sorted_keys),
    ),
    Deliberate(
        "tensor-over-a-node-in-place",
        "Overwriting a node by something else in place raises InplaceWriteError, a ValueError; the peer raises "
        "KeyError or does nothing.",
        "The value cannot be copied into the entry, as for any other mismatch.",
        lambda case: (
            "the entry is a tensordict, the value" in str(case.our_error)
            and (case.peer_error is None or isinstance(case.peer_error, KeyError))
        ),
    ),
    Deliberate(
        "writes-into-tensors-are-key-errors",
        "A key that leads through a tensor raises KeyError in set_non_tensor(); the peer fails with AttributeError.",
        "One error class for one mistake.",
        error_classes("has no attribute '_set_non_tensor'", "has no attribute '_set_at_tuple'"),
    ),
    Deliberate(
        "joining-an-entry-twice",
        "cat_tensors() and stack_tensors() take the same key several times; the peer fails at the second one.",
        'td.cat_tensors("a", "a", ...) has a clear meaning.',
        lambda case: (
            case.during("entries joined", "cat_tensors", "stack_tensors") and isinstance(case.peer_error, KeyError)
        ),
    ),
    Deliberate(
        "through-tensors",
        "A key that leads through a tensor raises KeyError in get_non_tensor(), and None is its default where "
        "that was asked; the peer fails with AttributeError.",
        "As in get().",
        lambda case: any(words in str(case.peer_error) for words in ("_get_non_tensor", "_is_non_tensor_leaf")),
    ),
    Deliberate(
        "one-key-tuples",
        '("a",) is a member of the tensordict, not of td.keys(), which has plain strings; the peer says that it is.',
        "list(td.keys()) does not have it either.",
        differs("value", during=("membership",), code=r"in td\.keys\(\)"),
    ),
    Deliberate(
        "missing-keys-first",
        "set_() and update_() look for the key before they look at the value; the peer looks at the value first.",
        "A missing key is the mistake that explains the other.",
        lambda case: (
            case.during("set_", "update_", "update_at_", "copy_", "copy_at_")
            and case.difference.aspect == "error class"
            and isinstance(case.our_error, KeyError)
        ),
    ),
    Deliberate(
        "key-errors-of-fromkeys",
        "fromkeys() raises KeyError for a key that leads through an entry it made before; the peer ValueError as well.",
        "As set().",
        error_classes("is a Tensor, not a tensordict", operations=("fromkeys", "set", "setdefault")),
    ),
    Deliberate(
        "moved-nodes-fit",
        "A node or value that rename_key_() moves into a node with more batch dims is given them; the peer "
        "leaves it as it was.",
        "A node starts with the batch size of its parent.",
        differs("batch_size", "non-tensor batch_size", during=("rename_key_",)),
    ),
    Deliberate(
        "nodes-of-copies-are-new",
        "exclude() and select() return new nodes at every depth, so that a key or a name set in the result does "
        "not change the source; in the peer deeper nodes are shared.",
        "What the result holds in common with the source is the tensors.",
        lambda case: (
            case.difference.place.startswith("earlier")
            and case.during(
                "update", "rename_", "set in a node", "setdefault", "names =", "refine_names", "load_state_dict"
            )
        ),
    ),
)
