"""The first difference between two snapshots, or between two outcomes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from .snapshots import MappingShot, NodeShot, NonTensorShot, PlainShot, SequenceShot, Shot, TensorShot, UnreadableShot

ASPECTS_BY_THEMSELVES = (
    "names", "batch_size", "keys", "key order", "tensor values", "non-tensor value", "non-tensor batch_size", "locked",
    "device", "dtype", "shape", "aliasing", "identity", "length", "value",
)  # fmt: skip


@dataclass(frozen=True)
class Difference:
    """What differs: `aspect` is its kind, `place` where it was seen, `detail` says the two sides in words."""

    aspect: str
    place: str
    detail: str

    def group(self) -> str:
        """Return the difference without numbers, keys and quoted words, for counting alike ones together."""
        place = re.sub(r"\[.*", "", self.place)
        if self.aspect.rpartition(": ")[2] in ASPECTS_BY_THEMSELVES:
            return f"{self.aspect} of {place}"
        return f"{self.aspect} of {place}: {generalised(self.detail)}"


VARYING = tuple(
    (re.compile(pattern), word)
    for pattern, word in (
        (r"0x[0-9a-f]+", "ADDRESS"),
        (r"torch\.Size\(\[[^\]]*\]\)", "SHAPE"),
        (r"tensor\(.*", "TENSOR"),
        (r"\[[^\]]*\]", "LIST"),
        (r"\((-?\d+, ?)*-?\d*\)", "SHAPE"),
        (r"\('[^)]*'\)", "KEY"),
        (r"'.{1,2}'", "KEY"),
        (r"-?\b\d+(\.\d+)?\b", "N"),
    )
)


def generalised(text: str) -> str:
    """Return a message without what varies from case to case."""
    for pattern, word in VARYING:
        text = pattern.sub(word, text)
    return text[:160]


def compare(peer: Shot, ours: Shot, place: str) -> Difference | None:
    """Return the first difference between two snapshots, or None."""
    if isinstance(peer, UnreadableShot) or isinstance(ours, UnreadableShot):
        return compare_unreadable(peer, ours, place)
    if type(peer) is not type(ours):
        return Difference("type", place, f"peer {describe(peer)}, ours {describe(ours)}")
    if isinstance(peer, TensorShot) and isinstance(ours, TensorShot):
        return compare_tensors(peer, ours, place)
    if isinstance(peer, NodeShot) and isinstance(ours, NodeShot):
        return compare_nodes(peer, ours, place)
    if isinstance(peer, SequenceShot) and isinstance(ours, SequenceShot):
        if peer.kind != ours.kind or len(peer.items) != len(ours.items):
            detail = f"peer {peer.kind} of {len(peer.items)}, ours {ours.kind} of {len(ours.items)}"
            return Difference("length" if peer.kind == ours.kind else "type", place, detail)
        pairs = zip(peer.items, ours.items, strict=True)
        return first(compare(a, b, f"{place}[{i}]") for i, (a, b) in enumerate(pairs))
    if isinstance(peer, MappingShot) and isinstance(ours, MappingShot):
        if peer.kind != ours.kind:
            return Difference("type", place, f"peer {peer.kind}, ours {ours.kind}")
        return compare_entries(peer.items, ours.items, place)
    if isinstance(peer, NonTensorShot) and isinstance(ours, NonTensorShot):
        if peer.batch_size != ours.batch_size:
            return Difference("non-tensor batch_size", place, f"peer {peer.batch_size}, ours {ours.batch_size}")
        return compare_plain(peer.values, ours.values, place, "non-tensor value")
    if isinstance(peer, PlainShot) and isinstance(ours, PlainShot):
        return compare_plain(peer.value, ours.value, place, "value")
    raise TypeError(f"no comparison for {type(peer).__name__}")


def first(differences: Any) -> Difference | None:
    """Return the first difference that is one."""
    return next((found for found in differences if found is not None), None)


def compare_unreadable(peer: Shot, ours: Shot, place: str) -> Difference | None:
    if isinstance(peer, UnreadableShot) and isinstance(ours, UnreadableShot):
        if same_error_class(peer.error, ours.error):
            return None
        return Difference("error class", place, f"peer {error_text(peer.error)}, ours {error_text(ours.error)}")
    if isinstance(peer, UnreadableShot):
        return Difference("peer unreadable", place, error_text(peer.error))
    assert isinstance(ours, UnreadableShot)
    return Difference("ours unreadable", place, error_text(ours.error))


def compare_tensors(peer: TensorShot, ours: TensorShot, place: str) -> Difference | None:
    a, b = peer.tensor, ours.tensor
    for aspect, left, right in (
        ("shape", tuple(a.shape), tuple(b.shape)),
        ("dtype", a.dtype, b.dtype),
        ("device", a.device, b.device),
        ("requires_grad", a.requires_grad, b.requires_grad),
    ):
        if left != right:
            return Difference(aspect, place, f"peer {left}, ours {right}")
    if not same_values(a, b):
        return Difference("tensor values", place, f"peer {brief(a)}, ours {brief(b)}")
    if peer.shares != ours.shares:
        words = {True: "shares memory with the current tensordict", False: "has memory of its own"}
        return Difference("aliasing", place, f"peer {words[peer.shares]}, ours {words[ours.shares]}")
    return None


def same_values(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Tell whether two tensors hold equal values, NaNs and rounding in the last places aside."""
    if torch.equal(a, b):
        return True
    if not (a.is_floating_point() or a.is_complex()):
        return False
    return torch.allclose(a, b, rtol=1e-5, atol=1e-6, equal_nan=True)


def compare_nodes(peer: NodeShot, ours: NodeShot, place: str) -> Difference | None:
    for aspect in ("lazy", "batch_size", "names", "device", "locked"):
        left, right = getattr(peer, aspect), getattr(ours, aspect)
        if left != right:
            return Difference(aspect, place, f"peer {left}, ours {right}")
    return compare_entries(peer.entries, ours.entries, place)


def compare_entries(peer: dict[Any, Shot], ours: dict[Any, Shot], place: str) -> Difference | None:
    if list(peer) != list(ours):
        same_set = set(peer) == set(ours)
        return Difference("key order" if same_set else "keys", place, f"peer {list(peer)}, ours {list(ours)}")
    return first(compare(peer[key], ours[key], f"{place}[{key!r}]") for key in peer)


def compare_plain(a: Any, b: Any, place: str, aspect: str) -> Difference | None:
    if same_plain(a, b):
        return None
    return Difference(aspect, place, f"peer {brief(a)}, ours {brief(b)}")


def same_plain(a: Any, b: Any) -> bool:
    """Tell whether two plain values agree; objects of either library's own are compared by class name."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return type(a) is type(b) and a.dtype == b.dtype and bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return a.dtype == b.dtype and same_values(a, b)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same_plain(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) and isinstance(b, float) and a != a and b != b:
        return True
    if type(a) is not type(b):
        return type(a).__name__ == type(b).__name__ and type(a).__module__ != type(b).__module__
    return bool(a == b)


def builtin_bases(error: BaseException) -> tuple[type[BaseException], ...]:
    """Return the builtin exceptions that an `except` clause would name to catch this error: the nearest ones."""
    bases = [
        cls
        for cls in type(error).__mro__
        if cls.__module__ == "builtins" and issubclass(cls, Exception) and cls is not Exception
    ]
    return tuple(cls for cls in bases if not any(other is not cls and issubclass(other, cls) for other in bases))


def same_error_class(peer: BaseException, ours: BaseException) -> bool:
    """Tell whether code that catches the peer's error by a builtin class catches ours."""
    bases = builtin_bases(peer)
    return isinstance(ours, bases) if bases else True


def error_text(error: BaseException) -> str:
    """Return the class and the first line of the message."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:200] if lines else ''}"


def describe(shot: Shot) -> str:
    """Return the kind of a snapshot in words."""
    if isinstance(shot, PlainShot):
        return f"{type(shot.value).__name__} {brief(shot.value)}"
    return type(shot).__name__.removesuffix("Shot").lower()


def brief(value: Any) -> str:
    """Return a short repr on one line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 120 else text[:117] + "..."
