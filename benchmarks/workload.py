"""A workload: one piece of work, written for plain dicts and for a container."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from .sides import Side
from .trees import TREES, Tree

Tag = Literal["bulk", "access"]
"""``bulk`` runs a tensor operation on every leaf; ``access`` finds, names, stores or moves entries and runs none."""

Arguments = Callable[[Side, Tree], tuple[Any, ...]]


def alone(side: Side, tree: Tree) -> tuple[Any, ...]:
    """Pass one container."""
    return (side.container(tree),)


def pair(side: Side, tree: Tree) -> tuple[Any, ...]:
    """Pass two containers of one form with different values."""
    return (side.container(tree), side.container(tree, seed=1))


def triple(side: Side, tree: Tree) -> tuple[Any, ...]:
    """Pass three containers of one form with different values."""
    return tuple(side.container(tree, seed=seed) for seed in range(3))


def beside(*values: Any) -> Arguments:
    """Pass one container and the given values."""
    return lambda side, tree: (side.container(tree), *values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """One piece of work; a topic file lists its workloads.

    Attributes:
        name: ``topic/what``.
        tag: what the figures are averaged with.
        floor: the work over plain dicts.
        library: the same work over containers, ours and the peer's alike.
        arguments: makes the fresh arguments that either function is called with.
        trees: the forms it runs on.
        unordered: the result is a list whose order is the library's to choose.
        aliasing: the check includes which results share memory with the arguments.
    """

    name: str
    tag: Tag
    floor: Callable[..., Any]
    library: Callable[..., Any]
    arguments: Arguments = alone
    trees: tuple[Tree, ...] = TREES
    unordered: bool = False
    aliasing: bool = True

    def function(self, side: Side) -> Callable[..., Any]:
        """Return the function that the side runs."""
        return self.floor if side.library is None else self.library


def bulk(
    name: str,
    floor: Callable[..., Any],
    library: Callable[..., Any],
    arguments: Arguments = alone,
    *,
    trees: tuple[Tree, ...] = TREES,
    aliasing: bool = True,
) -> Workload:
    """Make a workload that runs a tensor operation on every leaf."""
    return Workload(
        name=name, tag="bulk", floor=floor, library=library, arguments=arguments, trees=trees, aliasing=aliasing
    )


def access(
    name: str,
    floor: Callable[..., Any],
    library: Callable[..., Any],
    arguments: Arguments = alone,
    *,
    trees: tuple[Tree, ...] = TREES,
    unordered: bool = False,
) -> Workload:
    """Make a workload that finds, names, stores or moves entries."""
    return Workload(
        name=name, tag="access", floor=floor, library=library, arguments=arguments, trees=trees, unordered=unordered
    )


@dataclass(frozen=True, slots=True)
class Case:
    """A workload on a tree: one row of the results."""

    workload: Workload
    tree: Tree

    @property
    def name(self) -> str:
        """The name that ``--only`` is matched with."""
        return f"{self.workload.name}[{self.tree.name}]"
