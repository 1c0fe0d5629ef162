"""Snapshots without one of their aspects, to say that two results are equal but for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .comparison import same_plain
from .snapshots import MappingShot, NodeShot, NonTensorShot, PlainShot, SequenceShot, Shot, TensorShot


def transformed(shot: Shot, change: Callable[[Shot], Shot | None]) -> Shot | None:
    """Return the snapshot with every entry of every node changed; an entry for which None comes back is left out.

    The items of a sequence keep their places.
    """
    if isinstance(shot, NodeShot):
        changed = {key: transformed(entry, change) for key, entry in shot.entries.items()}
        shot = replace(shot, entries={key: entry for key, entry in changed.items() if entry is not None})
    elif isinstance(shot, SequenceShot):
        items = [transformed(item, change) for item in shot.items]
        shot = replace(shot, items=[PlainShot(None) if item is None else item for item in items])
    elif isinstance(shot, MappingShot):
        found = {key: transformed(item, change) for key, item in shot.items.items()}
        shot = replace(shot, items={key: item for key, item in found.items() if item is not None})
    return change(shot)


def without_empty_nodes(shot: Shot) -> Shot | None:
    """Return the snapshot without nodes that hold no entry at any depth."""
    return transformed(shot, lambda entry: None if isinstance(entry, NodeShot) and not entry.entries else entry)


def without_non_tensors(shot: Shot) -> Shot | None:
    """Return the snapshot without non-tensor entries and the nodes that hold nothing else."""
    rest = transformed(shot, lambda entry: None if isinstance(entry, NonTensorShot) else entry)
    return None if rest is None else without_empty_nodes(rest)


def without_sharing(shot: Shot) -> Shot | None:
    """Return the snapshot without what it says of shared memory."""
    return transformed(shot, lambda entry: replace(entry, shares=False) if isinstance(entry, TensorShot) else entry)


def with_equal_values_as_one(shot: Shot) -> Shot | None:
    """Return the snapshot with every list of equal plain values replaced by one of them."""

    def collapse(entry: Shot) -> Shot:
        if not isinstance(entry, SequenceShot) or not entry.items:
            return entry
        head, *rest = entry.items
        if not isinstance(head, PlainShot):
            return entry
        return head if all(isinstance(x, PlainShot) and same_plain(head.value, x.value) for x in rest) else entry

    return transformed(shot, collapse)


def without_names(shot: Shot) -> Shot | None:
    """Return the snapshot with all dims nameless."""
    return transformed(
        shot, lambda entry: replace(entry, names=(None,) * len(entry.names)) if isinstance(entry, NodeShot) else entry
    )


def without_locks(shot: Shot) -> Shot | None:
    """Return the snapshot with every node unlocked."""
    return transformed(shot, lambda entry: replace(entry, locked=False) if isinstance(entry, NodeShot) else entry)


def with_sorted_keys(shot: Shot) -> Shot | None:
    """Return the snapshot with the entries of every node in alphabetic order."""
    return transformed(
        shot,
        lambda entry: (
            replace(entry, entries=dict(sorted(entry.entries.items()))) if isinstance(entry, NodeShot) else entry
        ),
    )


def with_sorted_items(shot: Shot) -> Shot | None:
    """Return the snapshot with the items of every list in an order of their own."""

    def rank(item: Shot) -> str:
        if isinstance(item, SequenceShot) and item.items:  # a pair of key and value
            return repr(item.items[0])
        return type(item).__name__ + (repr(item.tensor) if isinstance(item, TensorShot) else repr(item))

    return transformed(
        shot,
        lambda entry: replace(entry, items=sorted(entry.items, key=rank)) if isinstance(entry, SequenceShot) else entry,
    )


def without_none(shot: Shot) -> Shot | None:
    """Return the snapshot without entries whose value is None, and without nodes that hold nothing else."""

    def nothing(entry: Shot) -> bool:
        if isinstance(entry, PlainShot):
            return entry.value is None
        if isinstance(entry, NonTensorShot):
            return entry.values is None
        return isinstance(entry, (MappingShot, NodeShot)) and not (
            entry.items if isinstance(entry, MappingShot) else entry.entries
        )

    return transformed(shot, lambda entry: None if nothing(entry) else entry)


def with_wide_floats(shot: Shot) -> Shot | None:
    """Return the snapshot with every floating-point tensor in double precision."""
    return transformed(
        shot,
        lambda entry: (
            replace(entry, tensor=entry.tensor.double())
            if isinstance(entry, TensorShot) and entry.tensor.is_floating_point()
            else entry
        ),
    )


def chained(*changes: Callable[[Shot], Shot | None]) -> Callable[[Shot], Shot | None]:
    """Return the change that makes all of these, one after the other."""

    def change(shot: Shot) -> Shot | None:
        current: Shot | None = shot
        for one in changes:
            current = None if current is None else one(current)
        return current

    return change


def without_details(shot: Shot) -> Shot | None:
    """Return the snapshot without what several rows of the table are about: names, locks, widths, empty nodes."""
    return chained(without_names, without_locks, with_wide_floats, without_empty_nodes)(shot)
