"""The figures that the project answers for, from the rows of a run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .results import Row
from .sides import FLOOR, OURS, PEER

BULK_TARGET = 1.25
ACCESS_TARGET = 2.0
PEER_TARGET = 2.0
SLOWEST = 15


def geometric_mean(ratios: Iterable[float]) -> float | None:
    """Average ratios; None if there are none."""
    logarithms = [math.log(ratio) for ratio in ratios]
    return math.exp(math.fsum(logarithms) / len(logarithms)) if logarithms else None


def mean_ratio(rows: Iterable[Row], above: str, below: str) -> float | None:
    """Average the ratio of two sides over the rows that have both."""
    ratios = (row.ratio(above, below) for row in rows)
    return geometric_mean(ratio for ratio in ratios if ratio is not None)


@dataclass(frozen=True, slots=True)
class Group:
    """Averages over rows that have something in common."""

    name: str
    count: int
    ours_to_floor: float | None
    peer_to_floor: float | None
    peer_to_ours: float | None


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run says.

    Attributes:
        bulk: ours over the floor, bulk workloads.
        access: ours over the floor, access workloads.
        peer: the peer over ours, all workloads.
        slower_than_peer: the rows in which ours takes longer than the peer, the worst first.
        slowest: the rows in which ours is furthest above the floor.
        topics: averages by topic.
        trees: averages by tree.
        problems: the rows in which a side did not do the work.
    """

    bulk: float | None
    access: float | None
    peer: float | None
    slower_than_peer: list[Row] = field(default_factory=list)
    slowest: list[Row] = field(default_factory=list)
    topics: list[Group] = field(default_factory=list)
    trees: list[Group] = field(default_factory=list)
    problems: list[Row] = field(default_factory=list)


def summarize(rows: Sequence[Row]) -> Summary:
    """Compute the figures."""
    return Summary(
        bulk=mean_ratio((row for row in rows if row.tag == "bulk"), OURS, FLOOR),
        access=mean_ratio((row for row in rows if row.tag == "access"), OURS, FLOOR),
        peer=mean_ratio(rows, PEER, OURS),
        slower_than_peer=sorted(
            (row for row in rows if (row.ratio(PEER, OURS) or math.inf) < 1), key=lambda row: row.ratio(PEER, OURS) or 1
        ),
        slowest=sorted(rows, key=lambda row: -(row.ratio(OURS, FLOOR) or 0))[:SLOWEST],
        topics=_grouped(rows, [row.topic for row in rows]),
        trees=_grouped(rows, [row.tree for row in rows]),
        problems=[row for row in rows if row.problems],
    )


def _grouped(rows: Sequence[Row], names: Sequence[str]) -> list[Group]:
    members: dict[str, list[Row]] = {}
    for name, row in zip(names, rows, strict=True):
        members.setdefault(name, []).append(row)
    return [
        Group(
            name,
            len(group),
            mean_ratio(group, OURS, FLOOR),
            mean_ratio(group, PEER, FLOOR),
            mean_ratio(group, PEER, OURS),
        )
        for name, group in members.items()
    ]
