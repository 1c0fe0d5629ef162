"""The harness itself: no difference between a library and itself, and planted faults are found and made small."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch

from .arena import Finding, Libraries, replay
from .comparison import builtin_bases, same_error_class
from .differences import DIFFERENCES
from .grids import GRIDS, programs
from .grids.trees import NESTED
from .libraries import Library
from .operations import OPERATIONS
from .program import Program, Step
from .report import failure_report
from .sequences import Statistics, run_sequence, seeded
from .shrink import shrink


def test_the_peer_agrees_with_itself(peer_twice: Libraries) -> None:
    statistics = Statistics()
    for number in range(60):
        for finding in run_sequence(peer_twice, seeded(1, number), statistics):
            raise AssertionError(failure_report(peer_twice, finding))
    assert statistics.sequences == 60
    assert statistics.succeeded.total() > 3 * statistics.failed.total()


def test_sequences_are_the_same_each_time(peer_twice: Libraries) -> None:
    first, second = Statistics(), Statistics()
    for statistics in (first, second):
        for number in range(5):
            assert not list(run_sequence(peer_twice, seeded(2, number), statistics))
    assert first == second


def with_fault(peer: Library, name: str, change: Callable[[Any], Callable[..., Any]]) -> Library:
    """Return the peer with one method of a subclass of its container changed."""
    original = getattr(peer.module.TensorDict, name)
    faulty = type("TensorDict", (peer.module.TensorDict,), {name: change(original)})
    names = {key: getattr(peer.module, key) for key in dir(peer.module) if not key.startswith("__")}
    module: Any = SimpleNamespace(**{**names, "TensorDict": faulty})
    assert not isinstance(module, ModuleType)
    return Library("faulty", module)


def wrong_values(original: Any) -> Callable[..., Any]:
    def zero_(self: Any) -> Any:
        return original(self).apply_(lambda x: x + 1)

    return zero_


def wrong_error(original: Any) -> Callable[..., Any]:
    def pop(self: Any, *args: Any) -> Any:
        try:
            return original(self, *args)
        except KeyError as error:
            raise IndexError(str(error)) from error

    return pop


def wrong_names(original: Any) -> Callable[..., Any]:
    def transpose(self: Any, dim0: int, dim1: int) -> Any:
        result = original(self, dim0, dim1)
        result.names = None
        return result

    return transpose


def wrong_copy(original: Any) -> Callable[..., Any]:
    def clone(self: Any, recurse: bool = True) -> Any:
        return original(self, False)

    return clone


FAULTS = [
    ("zero_", wrong_values, "out = td.zero_()", "tensor values"),
    ("pop", wrong_error, "out = td.pop('missing')", "error class"),
    ("transpose", wrong_names, "td.names = ['t', 'u']\nout = td.transpose(0, 1)", "names"),
    ("clone", wrong_copy, "out = td.clone()", "aliasing"),
]


@pytest.mark.parametrize(("method", "change", "code", "aspect"), FAULTS)
def test_a_planted_fault_is_found(
    peer_twice: Libraries, method: str, change: Callable[[Any], Callable[..., Any]], code: str, aspect: str
) -> None:
    libraries = Libraries(peer_twice.peer, with_fault(peer_twice.peer, method, change))
    needless = (Step("keys", "out = list(td.keys())"), Step("set", "out = td.set('q', torch.ones(td.batch_size))"))
    _, found = replay(libraries, Program(NESTED, (*needless, Step(method, code))))
    assert isinstance(found, Finding)
    assert found.case.difference.aspect == aspect
    assert found.row is None
    small = shrink(libraries, found)
    assert [step.code for step in small.program.steps] == [code]
    assert len(small.program.source.entries) <= 1
    assert small.case.difference.aspect == aspect


def test_a_write_through_a_view_is_seen(peer_twice: Libraries) -> None:
    def copying(original: Any) -> Callable[..., Any]:
        return lambda self, *args: original(self, *args).clone()

    libraries = Libraries(peer_twice.peer, with_fault(peer_twice.peer, "unsqueeze", copying))
    _, found = replay(libraries, Program(NESTED, (Step("unsqueeze", "out = td.unsqueeze(0)", adopt=True),)))
    assert found is not None
    assert found.case.difference.aspect == "aliasing"


def test_a_script_reproduces_the_difference(peer_twice: Libraries, capsys: pytest.CaptureFixture[str]) -> None:
    program = Program(NESTED, (Step("pop", "out = td.pop('missing')"), Step("set", "out = td.fill_('b', 3)")))
    exec(compile(program.script(("tensordict",)), "<script>", "exec"), {})
    printed = capsys.readouterr().out
    assert "--- tensordict" in printed
    assert "out = TensorDict" in printed


def test_the_nearest_builtin_class_of_an_error_decides() -> None:
    class Both(ValueError, RuntimeError):
        pass

    class Ours(KeyError):
        pass

    assert builtin_bases(Both()) == (ValueError, RuntimeError)
    assert builtin_bases(NotImplementedError()) == (NotImplementedError,)
    assert same_error_class(KeyError(), Ours())
    assert same_error_class(Both(), RuntimeError())
    assert not same_error_class(KeyError(), IndexError())


def test_each_deliberate_difference_has_a_reason() -> None:
    assert len({row.id for row in DIFFERENCES}) == len(DIFFERENCES)
    for row in DIFFERENCES:
        assert row.description.endswith("."), row.id
        assert row.reason.endswith("."), row.id


def test_every_operation_writes_python(peer_twice: Libraries) -> None:
    statistics = Statistics()
    for number in range(150):
        list(run_sequence(peer_twice, seeded(3, number), statistics, length=20))
    executed = statistics.succeeded + statistics.failed
    often = [name for name, entry in OPERATIONS.items() if entry.weight >= 0.5]
    assert [name for name in often if executed[name] == 0] == []


@pytest.mark.parametrize("grid", sorted(GRIDS))
def test_every_cell_is_python(grid: str) -> None:
    for program in programs(grid):
        for step in program.steps:
            compile(step.text(), grid, "exec")


def test_tensors_are_told_apart_by_dtype_and_value(peer_twice: Libraries) -> None:
    from .comparison import compare
    from .snapshots import TensorShot

    def shot(tensor: torch.Tensor) -> TensorShot:
        return TensorShot(tensor, shares=False)

    one = torch.ones(2)
    assert compare(shot(one), shot(one.clone()), "out") is None
    assert compare(shot(one), shot(one.double()), "out") is not None
    assert compare(shot(one), shot(one * 2), "out") is not None
    assert compare(shot(one / 0), shot(one / 0), "out") is None
    assert compare(shot(one * float("nan")), shot(one * float("nan")), "out") is None
