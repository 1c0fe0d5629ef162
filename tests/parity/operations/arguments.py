"""Text of the arguments that many operations share: keys, dims, values that fit an entry, trees like the current."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..draw import Draw
from ..state import Entry, Path, State
from ..tensors import FLOATS, tensor_of_any_dtype, tensor_text
from ..trees import KEYS, NODE_KEYS, random_leaf, random_node, random_non_tensor


def key_text(path: Sequence[str]) -> str:
    """Return a key: a string for one part, a tuple for more."""
    return repr(path[0]) if len(path) == 1 else repr(tuple(path))


def present_path(draw: Draw, entries: Sequence[Entry]) -> Path | None:
    """Choose the path of one of these entries, or None where there is none."""
    return draw.pick(entries).path if entries else None


def any_path(draw: Draw, state: State, present: float = 0.85) -> Path:
    """Choose a path, most often of an entry that exists."""
    if state.entries and draw.chance(present):
        return draw.pick(state.entries).path
    return new_path(draw, state)


def new_path(draw: Draw, state: State) -> Path:
    """Choose a path that may well not exist: at the top, in a node, in a new node, or (rarely) through a tensor."""
    last = draw.pick((*KEYS, "z"))
    if state.nodes and draw.chance(0.4):
        return (*draw.pick(state.nodes).path, last)
    if draw.chance(0.2):
        return (draw.pick((*NODE_KEYS, "y")), last)
    if state.tensors and draw.chance(0.05):
        return (*draw.pick(state.tensors).path, last)
    return (last,)


def any_key(draw: Draw, state: State, present: float = 0.85) -> str:
    """Return the text of a key, sometimes nested in odd ways or not a key at all."""
    path = any_path(draw, state, present)
    if draw.chance(0.03):
        return draw.pick(("1", "None", "('a', 1)", "()", "1.5"))
    if draw.chance(0.05):
        return repr((path,)) if len(path) > 1 else repr(path)
    return key_text(path)


def holder_batch_size(state: State, path: Path) -> tuple[int, ...]:
    """Return the batch size of the node that a path lies in (the root's where the node is to be created)."""
    for entry in state.nodes:
        if entry.path == path[:-1]:
            return entry.batch_size
    return state.batch_size


def value_text(draw: Draw, state: State, path: Path) -> str:
    """Return a value for a write under a path: most often one that fits."""
    batch_size = holder_batch_size(state, path)
    if draw.chance(0.06):  # does not fit, most likely
        return draw.pick((tensor_of_any_dtype(draw, (5, 1)), "1.0", "'text'", "[1, 2]", "np.zeros((2, 3))"))
    if draw.chance(0.12):
        return random_node(draw, batch_size, 1, plain=draw.chance(0.4)).text()
    if draw.chance(0.1):
        return random_non_tensor(draw, batch_size).text()
    if draw.chance(0.1) and math.prod(batch_size) > 0:
        return f"np.ones({tuple(batch_size)}, dtype={draw.pick(('np.float32', 'np.float64', 'np.int64', 'bool'))})"
    return random_leaf(draw, batch_size).text()


def like_text(draw: Draw, entry: Entry) -> str:
    """Return a tensor of the entry's shape, most often of its dtype too."""
    if draw.chance(0.1):
        return tensor_of_any_dtype(draw, entry.shape)
    return tensor_text(draw, entry.shape, entry.dtype if entry.dtype else "torch.float32")


def dim_text(draw: Draw, dims: int, wild: float = 0.08) -> int:
    """Return a dim in range, rarely one that is out of it."""
    if dims == 0 or draw.chance(wild):
        return draw.integer(-dims - 2, dims + 1)
    return draw.integer(-dims, dims - 1)


def some_keys(draw: Draw, state: State, low: int = 0, high: int = 3) -> list[str]:
    """Return the text of some distinct keys, most of them present."""
    paths = {any_path(draw, state, present=0.93) for _ in range(draw.integer(low, high))}
    return [key_text(path) for path in sorted(paths)]


def like_tree(draw: Draw, state: State, batch_size: Sequence[int], change: float = 0.1, plain: bool = False) -> str:
    """Return a tree with the current entries under another batch size; `change` is how often one is varied."""
    root = Outline(draw, state, tuple(batch_size), change, plain)
    return root.text((), state.dims)


class Outline:
    """Writes a tree like the current one, with fresh values."""

    def __init__(self, draw: Draw, state: State, batch_size: tuple[int, ...], change: float, plain: bool) -> None:
        self.draw, self.state, self.batch_size, self.change, self.plain = draw, state, batch_size, change, plain

    def text(self, path: Path, skip: int) -> str:
        """Return the node at `path`; its shapes lose their first `skip` dims and gain the new batch size."""
        parts = []
        children = [entry for entry in self.state.entries if entry.path[:-1] == path]
        if self.draw.chance(self.change):
            self.draw.random.shuffle(children)
        for entry in children:
            if self.draw.chance(self.change / 3):
                continue
            parts.append(f"{entry.path[-1]!r}: {self.entry_text(entry, skip)}")
        if self.draw.chance(self.change / 3):
            parts.append(f"'z': {random_leaf(self.draw, self.batch_size).text()}")
        inner = f"{{{', '.join(parts)}}}"
        if self.plain:
            return inner
        own = next((entry.batch_size for entry in self.state.nodes if entry.path == path), self.state.batch_size)
        return f"lib.TensorDict({inner}, batch_size={[*self.batch_size, *own[skip:]]})"

    def entry_text(self, entry: Entry, skip: int) -> str:
        if entry.kind == "node":
            return self.text(entry.path, skip)
        if entry.kind == "non_tensor":
            return "'other'"
        shape = (*self.batch_size, *entry.shape[skip:])
        if self.draw.chance(self.change / 3):
            return tensor_of_any_dtype(self.draw, shape)
        return tensor_text(self.draw, shape, entry.dtype if entry.dtype else FLOATS[0])


def reshaped(draw: Draw, shape: Sequence[int]) -> tuple[int, ...]:
    """Return another shape with as many elements."""
    count = math.prod(shape)
    if count == 0:
        return tuple(draw.random.sample(list(shape), len(shape)))
    result: list[int] = []
    rest = count
    while rest > 1 and len(result) < 3:
        divisor = draw.pick([n for n in range(1, rest + 1) if rest % n == 0])
        result.append(divisor)
        rest //= divisor
    if rest > 1 or draw.chance(0.2):
        result.append(rest)
    return tuple(result)
