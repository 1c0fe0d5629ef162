"""The code of the Markdown pages runs and prints what the pages show, and their links lead somewhere."""

from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "check_docs.py"


def test_pages(run_python):
    assert run_python(None, str(TOOL)).endswith(" page(s), 0 fault(s)\n")
