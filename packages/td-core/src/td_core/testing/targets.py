"""One test class for each conformance target of the installed plugins; pytest collects it for `--td-targets`."""

from __future__ import annotations

from td_core.errors import TDValueError
from td_core.plugins import ConformanceTarget, registry

from .suites import StorageSuite
from .topic import TopicTests

SUITES: dict[str, type[TopicTests]] = {"storage": StorageSuite}


def suite_class(target: ConformanceTarget) -> type[TopicTests]:
    """Build the test class of one target.

    Raises:
        TDValueError: the kit has no such suite.
    """
    if target.suite not in SUITES:
        raise TDValueError(
            f"The conformance target {target.name!r} asks for the suite {target.suite!r}; there are {sorted(SUITES)}."
        )
    name = "Test" + target.name.title().replace("-", "").replace("_", "")
    return type(name, (SUITES[target.suite],), {"case": target.case.load()(), "__doc__": f"Target {target.name}."})


for _target in registry().conformance_targets.values():
    _class = suite_class(_target)
    globals()[_class.__name__] = _class
