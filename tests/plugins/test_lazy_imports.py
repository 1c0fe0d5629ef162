"""What must not be imported, and when: after `import td_core`, after listing the plugins, after the first use."""

import json

import pytest

HEAVY = [
    "torch._dynamo",
    "torch._inductor",
    "torch.onnx",
    "sympy",
    "functorch",
    "triton",
    "sklearn",
    "matplotlib",
    "pandas",
]
"""Nobody needs these to make or save a tensordict. Only what `import torch` has not loaded itself counts."""

OURS = ["td_h5", "td_nn", "td_memmap", "td_cuda", "td_tensorclass"]

PREAMBLE = """
import json, sys
import torch
before = set(sys.modules)
"""

EPILOGUE = """
print(json.dumps(sorted(set(sys.modules) - before)))
"""


@pytest.fixture
def imported_by(run_python):
    def imported(code):
        return set(json.loads(run_python(PREAMBLE + code + EPILOGUE).splitlines()[-1]))

    return imported


def under(modules, packages):
    return sorted(name for name in modules if any(name == top or name.startswith(f"{top}.") for top in packages))


def test_import_td_core(imported_by):
    modules = imported_by("import td_core")
    assert "td_core" in modules
    assert under(modules, [*HEAVY, *OURS, "h5py"]) == []


def test_listing_the_plugins(imported_by):
    modules = imported_by(
        "from td_core.plugins import plugin_report, registry\n"
        "assert [record.status for record in registry().plugins] == ['loaded'] * 6, registry().plugins\n"
        "plugin_report(registry())\n"
        "import td_core\n"
        "td_core.TensorDict.available_methods()\n"
        "dir(sys.modules['td_h5'])\n"
    )
    assert under(modules, [*HEAVY, "h5py"]) == []
    assert under(modules, ["td_h5", "td_nn", "td_memmap", "td_tensorclass"]) == [
        "td_h5",
        "td_h5._plugin",
        "td_memmap",
        "td_memmap._plugin",
        "td_nn",
        "td_nn._plugin",
        "td_tensorclass",
        "td_tensorclass._plugin",
    ]


def test_first_use(imported_by, tmp_path):
    modules = imported_by(
        "import td_core\n"
        "td = td_core.TensorDict({'x': torch.ones(3)}, batch_size=[3])\n"
        f"td.to_h5({str(tmp_path / 'x.h5')!r})\n"
        f"assert td_core.TensorDict.from_h5({str(tmp_path / 'x.h5')!r})['x'].sum() == 3\n"
    )
    assert {"h5py", "td_h5._methods"} <= modules
    assert under(modules, [*HEAVY, "td_nn._module", "td_memmap._tensor", "td_tensorclass._methods"]) == []


def test_the_command_lists_everything(run_python):
    lines = run_python(None, "-m", "td_core", "plugins").splitlines()
    rows = {line.split()[0]: line for line in lines if line.startswith("  ")}
    for name in ("builtin", "nn", "memmap", "h5", "cuda", "tensorclass"):
        assert " loaded " in rows[name] or name in ("h5",), rows[name]
    assert rows["to_h5"].split()[1:] == ["td-h5", "ok"]
    assert rows["compile"].split()[1:] == ["td-nn", "ok"]
    assert rows["to_dataclass"].split()[1:] == ["td-tensorclass", "ok"]
    assert rows["cuda-graph"].split()[1:3] == ["td-cuda", "not"]
    assert "Problems" not in lines
