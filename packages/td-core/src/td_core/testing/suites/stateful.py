"""Random programs against a model of plain dicts of tensors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
import torch
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from td_core import TensorDict
from td_core.abc import Capability
from td_core.testing.case import StorageCase, TreeSpec
from td_core.testing.gates import needs
from td_core.testing.strategies import SUITE_SETTINGS
from td_core.testing.topic import TopicTests, check_leaves

Path = tuple[str, ...]
Model = dict[str, Any]  # name -> tensor or Model
BATCH = (3, 2)

paths: st.SearchStrategy[Path] = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(tuple)
rows = st.one_of(st.integers(-3, 2), st.builds(slice, st.integers(0, 3), st.integers(0, 3)))
numbers = st.integers(-5, 5)


def key_of(path: Path) -> Any:
    """Spell a path as a key."""
    return path[0] if len(path) == 1 else path


def walk(model: Model, prefix: Path = ()) -> Iterator[tuple[Path, torch.Tensor]]:
    """Yield the leaves of a model."""
    for name, value in model.items():
        if isinstance(value, dict):
            yield from walk(value, (*prefix, name))
        else:
            yield (*prefix, name), value


def find(model: Model, path: Path) -> Any:
    """Return what is at a path, or None."""
    value: Any = model
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return None
        value = value[name]
    return value


def blocked(model: Model, path: Path) -> bool:
    """Tell whether a path leads through a tensor."""
    return any(isinstance(find(model, path[:depth]), torch.Tensor) for depth in range(1, len(path)))


def put(model: Model, path: Path, value: Any) -> None:
    """Write at a path, creating nodes."""
    for name in path[:-1]:
        model = model.setdefault(name, {})
    model[path[-1]] = value


def take(model: Model, path: Path) -> Any:
    """Remove what is at a path, and return it."""
    return find(model, path[:-1]).pop(path[-1])


class ContainerMachine(RuleBasedStateMachine):
    """Does the same to a container and to a model, and compares them after every step."""

    case: ClassVar[StorageCase[Any]]

    def __init__(self) -> None:
        super().__init__()
        self.td: Any = self.case.make(TreeSpec(entries={"a": torch.zeros(*BATCH)}, batch_size=BATCH))
        self.model: Model = {"a": torch.zeros(*BATCH)}
        self.locked = False

    @rule(path=paths, number=numbers, trailing=st.sampled_from([(), (2,)]))
    def set(self, path: Path, number: int, trailing: tuple[int, ...]) -> None:
        """Write a tensor."""
        value = torch.full((*BATCH, *trailing), float(number))
        if self.locked:
            with pytest.raises((RuntimeError, KeyError)):
                self.td.set(key_of(path), value)
        elif blocked(self.model, path):
            with pytest.raises(KeyError):
                self.td.set(key_of(path), value)
        else:
            self.td.set(key_of(path), value.clone())
            put(self.model, path, value)

    @rule(path=paths, number=numbers)
    def set_in_place(self, path: Path, number: int) -> None:
        """Overwrite a tensor, or find no such entry."""
        target = find(self.model, path)
        if isinstance(target, torch.Tensor):
            self.td.set_(key_of(path), torch.full(target.shape, number))
            target.fill_(number)
        elif target is None and len(path) == 1:
            with pytest.raises(KeyError):
                self.td.set_(key_of(path), torch.full(BATCH, number))

    @rule(path=paths)
    def get(self, path: Path) -> None:
        """Read whatever is there."""
        target = find(self.model, path)
        assert (key_of(path) in self.td) == (target is not None)
        if isinstance(target, torch.Tensor):
            assert torch.equal(self.td[key_of(path)], target)
        elif target is not None:
            assert set(self.td[key_of(path)].keys()) == set(target)
        else:
            assert self.td.get(key_of(path), None) is None

    @rule(path=paths)
    def delete(self, path: Path) -> None:
        """Remove an entry."""
        if self.locked:
            with pytest.raises((RuntimeError, KeyError)):
                del self.td[key_of(path)]
        elif find(self.model, path) is None:
            with pytest.raises((KeyError, ValueError)):
                del self.td[key_of(path)]
        else:
            del self.td[key_of(path)]
            take(self.model, path)

    @precondition(lambda self: not self.locked)
    @rule(old=paths, new=paths)
    def rename(self, old: Path, new: Path) -> None:
        """Move an entry to an unrelated key."""
        related = old[: len(new)] == new or new[: len(old)] == old
        if related or find(self.model, old) is None or blocked(self.model, new):
            return
        self.td.rename_key_(key_of(old), key_of(new))
        value = take(self.model, old)
        if find(self.model, new) is not None:
            take(self.model, new)  # the entry is a new one, and so the last
        put(self.model, new, value)

    @rule(row=rows, number=numbers)
    def write_rows(self, row: Any, number: int) -> None:
        """Write some rows of every entry."""
        part = {key_of(path): torch.full(value[row].shape, float(number)) for path, value in walk(self.model)}
        self.td[row] = TensorDict(part, batch_size=torch.empty(BATCH)[row].shape)
        for _, value in walk(self.model):
            value[row] = number

    @rule(row=rows)
    def read_rows(self, row: Any) -> None:
        """Read some rows."""
        expected = {key_of(path): value[row] for path, value in walk(self.model)}
        check_leaves(self.td[row], expected, batch_size=torch.empty(BATCH)[row].shape)

    @rule(number=numbers)
    def arithmetic(self, number: int) -> None:
        """Add out of place."""
        check_leaves(self.td + number, {key_of(path): value + number for path, value in walk(self.model)})

    @rule()
    def add_in_place(self) -> None:
        """Add in place."""
        self.td += 1
        for _, value in walk(self.model):
            value += 1

    @rule(path=paths)
    def select(self, path: Path) -> None:
        """Select one entry."""
        target = find(self.model, path)
        if target is None:
            with pytest.raises((KeyError, ValueError)):
                self.td.select(key_of(path))
            return
        expected = dict(walk(target, path)) if isinstance(target, dict) else {path: target}
        check_leaves(self.td.select(key_of(path)), {key_of(key): value for key, value in expected.items()})

    @rule(path=paths)
    def exclude(self, path: Path) -> None:
        """Drop one entry."""
        expected = {key_of(key): value for key, value in walk(self.model) if key[: len(path)] != path}
        check_leaves(self.td.exclude(key_of(path)), expected)

    @rule(number=numbers, path=paths)
    def update(self, path: Path, number: int) -> None:
        """Merge a nested dict."""
        if self.locked or blocked(self.model, path):
            return
        value = torch.full(BATCH, float(number))
        nested: Any = value.clone()
        for name in reversed(path):
            nested = {name: nested}
        self.td.update(nested)
        put(self.model, path, value)

    @rule()
    def flatten_and_back(self) -> None:
        """Flatten the keys, and unflatten them."""
        expected = {key_of(path): value for path, value in walk(self.model)}
        check_leaves(self.td.flatten_keys().unflatten_keys(), expected, batch_size=BATCH)

    @rule()
    def shape_and_back(self) -> None:
        """Go through four shape operations that cancel out."""
        expected = {key_of(path): value for path, value in walk(self.model)}
        check_leaves(self.td.permute(1, 0).unsqueeze(0).squeeze(0).permute(1, 0), expected, batch_size=BATCH)

    @rule()
    def stack_and_unbind(self) -> None:
        """Unbind, and stack again."""
        expected = {key_of(path): value for path, value in walk(self.model)}
        check_leaves(torch.stack(self.td.unbind(0), 0), expected, batch_size=BATCH)

    @rule()
    def lock(self) -> None:
        """Lock."""
        self.td.lock_()
        self.locked = True

    @rule()
    def unlock(self) -> None:
        """Unlock."""
        self.td.unlock_()
        self.locked = False

    @invariant()
    def equal(self) -> None:
        """Check that both hold the same, in the same order."""
        check_leaves(self.td, {key_of(path): value for path, value in walk(self.model)}, batch_size=BATCH)
        assert list(self.td.keys()) == list(self.model)
        assert self.td.is_locked == self.locked


class StatefulTests(TopicTests):
    """Runs the machine."""

    @needs(Capability.WRITE | Capability.DELETE | Capability.RENAME | Capability.INPLACE | Capability.LOCK)
    def test_random_programs(self) -> None:
        """CORE-030 to CORE-056, CORE-065 to CORE-072, CORE-109: any program gives what plain dicts give."""
        run_state_machine_as_test(
            type("Machine", (ContainerMachine,), {"case": self.case}),
            settings=settings(SUITE_SETTINGS, max_examples=25, stateful_step_count=20),
        )
