"""Random trees: nested tensordicts as specifications that print themselves as constructor calls and can be shrunk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from .draw import Draw
from .tensors import tensor_of_any_dtype

KEYS = ("a", "b", "c", "d", "e")
NODE_KEYS = ("n", "m", "a")
NAMES = ("t", "u", "v", "w")
NON_TENSORS = ("'text'", "None", "{1, 2}", "frozenset({1})", "print", "slice(1)")


@dataclass(frozen=True)
class Leaf:
    """An entry, as an expression."""

    expression: str

    def text(self) -> str:
        """Return the expression."""
        return self.expression


@dataclass(frozen=True)
class Node:
    """A tensordict: entries by key, and the arguments of its constructor (`plain` nodes are written as a dict)."""

    batch_size: tuple[int, ...]
    entries: tuple[tuple[str, Entry], ...] = ()
    names: tuple[str | None, ...] | None = None
    device: str | None = None
    lock: bool = False
    plain: bool = False

    def text(self) -> str:
        """Return the constructor call."""
        entries = ", ".join(f"{key!r}: {entry.text()}" for key, entry in self.entries)
        if self.plain:
            return f"{{{entries}}}"
        arguments = [f"{{{entries}}}", f"batch_size={list(self.batch_size)}"]
        if self.names is not None:
            arguments.append(f"names={list(self.names)}")
        if self.device is not None:
            arguments.append(f"device={self.device!r}")
        if self.lock:
            arguments.append("lock=True")
        return f"lib.TensorDict({', '.join(arguments)})"

    def smaller(self) -> Iterator[Node]:
        """Yield simpler versions of the tree, the boldest first."""
        for position, (key, entry) in enumerate(self.entries):
            before, after = self.entries[:position], self.entries[position + 1 :]
            yield replace(self, entries=before + after)
            if isinstance(entry, Node):
                for inner in entry.smaller():
                    yield replace(self, entries=(*before, (key, inner), *after))
        if self.names is not None:
            yield replace(self, names=None)
        if self.device is not None:
            yield replace(self, device=None)
        if self.lock:
            yield replace(self, lock=False)


Entry: TypeAlias = Leaf | Node


def random_batch_size(draw: Draw) -> tuple[int, ...]:
    """Return 0 to 3 dims, mostly small and not empty."""
    dims = draw.weighted((0, 1, 2, 3), (1, 4, 4, 2))
    return tuple(draw.weighted((0, 1, 2, 3, 4), (0.2, 1.5, 3, 3, 2)) for _ in range(dims))


def random_names(draw: Draw, dims: int) -> tuple[str | None, ...]:
    """Return names for this many dims, some of them None."""
    chosen = (*NAMES, "x", "y", "z")[: max(len(NAMES), dims)]
    return tuple(name if draw.chance(0.8) else None for name in draw.random.sample(chosen, dims))


def random_non_tensor(draw: Draw, batch_size: tuple[int, ...]) -> Leaf:
    """Return a value that is no tensor: one for all rows, or one a row."""
    if batch_size and len(batch_size) < 3 and 0 not in batch_size and draw.chance(0.4):
        return Leaf(repr(column(batch_size, "r")))
    return Leaf(draw.pick(NON_TENSORS))


def column(shape: tuple[int, ...], prefix: str) -> list[Any]:
    """Return nested lists of this shape, with a string of its own in each place."""
    size, *rest = shape
    if not rest:
        return [f"{prefix}{row}" for row in range(size)]
    return [column(tuple(rest), f"{prefix}{row}") for row in range(size)]


def random_leaf(draw: Draw, batch_size: tuple[int, ...]) -> Leaf:
    """Return an entry that starts with the batch size."""
    if draw.chance(0.1):
        return random_non_tensor(draw, batch_size)
    trailing = tuple(draw.integer(1, 3) for _ in range(draw.weighted((0, 1, 2), (3, 4, 1))))
    return Leaf(tensor_of_any_dtype(draw, batch_size + trailing))


def random_node(
    draw: Draw, batch_size: tuple[int, ...], depth: int, keys: tuple[str, ...] = KEYS, plain: bool = False
) -> Node:
    """Return a nested node, with its own longer batch size at times."""
    own = batch_size
    if not plain and draw.chance(0.3) and len(batch_size) < 4:
        own = (*batch_size, draw.integer(1, 3))
    entries: list[tuple[str, Entry]] = [(key, random_leaf(draw, own)) for key in draw.some(keys, 0, 3)]
    taken = {key for key, _ in entries}
    if depth > 0 and draw.chance(0.3):
        key = draw.pick([key for key in NODE_KEYS if key not in taken])
        entries.append((key, random_node(draw, own, depth - 1, keys, plain)))
    return Node(own, tuple(entries), plain=plain)


def random_tree(draw: Draw) -> Node:
    """Return the tree that a program starts from."""
    batch_size = random_batch_size(draw)
    entries: list[tuple[str, Entry]] = [(key, random_leaf(draw, batch_size)) for key in draw.some(KEYS, 1, 4)]
    taken = {key for key, _ in entries}
    nodes = [key for key in NODE_KEYS if key not in taken and draw.chance(0.4)]
    entries += [(key, random_node(draw, batch_size, depth=2, plain=draw.chance(0.3))) for key in nodes]
    draw.random.shuffle(entries)
    names = random_names(draw, len(batch_size)) if draw.chance(0.3) else None
    device = "cpu" if draw.chance(0.2) else None
    return Node(batch_size, tuple(entries), names, device, lock=draw.chance(0.1))
