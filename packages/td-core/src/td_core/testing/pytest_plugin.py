"""pytest plugin: `--td-targets` runs the conformance suites on what the installed plugins offer.

Switch it on with `-p td_core.testing.pytest_plugin`, or with `pytest_plugins = ["td_core.testing.pytest_plugin"]` in
the root conftest. It imports nothing but pytest itself; the suites are imported when they are collected.
"""

from __future__ import annotations

from pathlib import Path

import pytest

_TARGETS = Path(__file__).with_name("targets.py")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--td-targets`."""
    parser.getgroup("td").addoption(
        "--td-targets",
        nargs="?",
        const="",
        default=None,
        metavar="NAMES",
        help="run the conformance suites on the conformance targets of all installed plugins, or on those named "
        "(comma-separated), instead of collecting tests from files",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Collect the targets where `--td-targets` is given, and have asserts of the kit explained."""
    pytest.register_assert_rewrite("td_core.testing.topic", "td_core.testing.suites")
    names = config.getoption("td_targets")
    if names is not None:
        config.args = [str(_TARGETS)]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep only the targets that were named."""
    names = config.getoption("td_targets")
    if not names:
        return
    wanted = set(names.split(","))
    found = {item.cls.case.name for item in items if isinstance(item, pytest.Function) and item.cls is not None}
    if not wanted <= found:
        raise pytest.UsageError(f"no conformance target {sorted(wanted - found)}; there are {sorted(found)}")
    kept = [item for item in items if isinstance(item, pytest.Function) and item.cls.case.name in wanted]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept
