from __future__ import annotations

import pytest

SOURCE = "packages/td-core/src/td_core"


def function_of(lines: int, docstring_lines: int = 0) -> str:
    docstring = '    """Say.\n' + "    more\n" * (docstring_lines - 2) + '    """\n' if docstring_lines else ""
    return "def f() -> None:\n" + docstring + "    print()\n" * (lines - 1)


def test_small_files_pass(run_tool, plant):
    root = plant({f"{SOURCE}/a.py": "x = 1\n" * 700, f"{SOURCE}/b.py": function_of(60)})
    result = run_tool("check_sizes.py", root)
    assert (result.returncode, result.stdout) == (0, "check_sizes: 0 fault(s), 0 remark(s)\n")


@pytest.mark.parametrize("path", [f"{SOURCE}/a.py", "tests/test_a.py", "noxfile.py"])
def test_long_file_fails(run_tool, plant, path):
    result = run_tool("check_sizes.py", plant({path: "x = 1\n" * 701}))
    assert result.returncode == 1
    assert f"{path}:1: 701 lines, at most 700" in result.stdout


def test_generated_files_are_exempt(run_tool, plant):
    assert run_tool("check_sizes.py", plant({f"{SOURCE}/_generated/a.py": "x = 1\n" * 701})).returncode == 0


def test_long_function_fails(run_tool, plant):
    result = run_tool("check_sizes.py", plant({f"{SOURCE}/a.py": "\n" + function_of(81)}))
    assert result.returncode == 1
    assert "a.py:2: f has 81 lines, at most 80" in result.stdout


def test_function_over_the_aim_is_a_remark(run_tool, plant):
    result = run_tool("check_sizes.py", plant({f"{SOURCE}/a.py": function_of(61)}))
    assert result.returncode == 0
    assert "remark: " in result.stdout
    assert "f has 61 lines; aim at 60" in result.stdout


def test_docstrings_do_not_count(run_tool, plant):
    result = run_tool("check_sizes.py", plant({f"{SOURCE}/a.py": function_of(60, docstring_lines=40)}))
    assert result.stdout == "check_sizes: 0 fault(s), 0 remark(s)\n"
