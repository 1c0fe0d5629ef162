"""`--td-targets`: the suites on what the plugins offer."""

from __future__ import annotations

import subprocess
import sys

import pytest

from td_core.errors import TDError
from td_core.plugins import ConformanceTarget, LazyRef
from td_core.testing import DenseCase, StorageSuite
from td_core.testing.targets import suite_class


def run_pytest(tmp_path, *arguments):
    command = [sys.executable, "-m", "pytest", "-p", "td_core.testing.pytest_plugin", "-p", "no:cacheprovider", "-q"]
    return subprocess.run([*command, *arguments], cwd=tmp_path, capture_output=True, text=True)


def test_named_target(tmp_path):
    result = run_pytest(tmp_path, "--td-targets=dense", "-k", "test_set_returns or test_depth")
    assert result.returncode == 0, result.stdout
    assert "2 passed" in result.stdout


def test_all_targets(tmp_path):
    result = run_pytest(tmp_path, "--td-targets", "--collect-only", "-k", "test_depth")
    assert "TestDense::test_depth" in result.stdout


def test_unknown_target(tmp_path):
    result = run_pytest(tmp_path, "--td-targets=nope")
    assert result.returncode == pytest.ExitCode.USAGE_ERROR
    assert "no conformance target ['nope']" in result.stderr + result.stdout


def test_without_the_option_nothing_changes(tmp_path):
    (tmp_path / "test_mine.py").write_text("def test_mine(): pass\n")
    result = run_pytest(tmp_path)
    assert result.returncode == 0
    assert "1 passed" in result.stdout


def test_class_of_a_target():
    case = LazyRef("td_core.testing:DenseCase")
    built = suite_class(ConformanceTarget(name="my-store", suite="storage", case=case))
    assert built.__name__ == "TestMyStore"
    assert issubclass(built, StorageSuite)
    assert isinstance(built.case, DenseCase)


def test_unknown_suite():
    target = ConformanceTarget(name="mine", suite="leaf", case=LazyRef("td_core.testing:DenseCase"))
    with pytest.raises(TDError, match="leaf"):
        suite_class(target)
