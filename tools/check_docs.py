"""Run the Python code of the Markdown pages, and check the links between them.

The ```python blocks of one page run in order, in one namespace, in a temporary folder; a block after the line
`<!-- no-run -->` is left out. Where a ```text block follows, it is what the code must print. A relative link must lead
to a file that exists.

Usage: `python tools/check_docs.py [ROOT]`. Exits with 1 and one line a fault.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path

BLOCK = re.compile(
    r"^(?P<skip><!-- no-run -->\n)?```python\n(?P<code>.*?)^```$(?:\n+```text\n(?P<output>.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)]*)?\)")
PATTERNS = ("*.md", "packages/*/*.md", "docs/**/*.md", "examples/**/*.md", "benchmarks/*.md")


def pages(root: Path) -> list[Path]:
    """The Markdown pages of the repository."""
    return sorted({page for pattern in PATTERNS for page in root.glob(pattern)})


def link_faults(page: Path, text: str) -> Iterator[str]:
    """Relative links that lead nowhere."""
    for target in LINK.findall(text):
        if "://" not in target and not target.startswith("mailto:") and not (page.parent / target).exists():
            yield f"{page}: the link to {target} leads nowhere"


def code_faults(page: Path, text: str) -> Iterator[str]:
    """The first block of a page that raises, and every block that prints something else than the page shows."""
    namespace: dict[str, object] = {"__name__": "__page__"}
    for match in BLOCK.finditer(text):
        if match["skip"]:
            continue
        line = text.count("\n", 0, match.start("code"))
        code = compile("\n" * line + match["code"], str(page), "exec")  # line numbers are those of the page
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                exec(code, namespace)
        except Exception:  # whatever a page raises is its fault, and is reported
            yield f"{page}:{line + 1}: the block raised\n{traceback.format_exc()}"
            return
        if match["output"] is not None and printed.getvalue() != match["output"]:
            yield f"{page}:{line + 1}: the block printed\n{printed.getvalue()}The page shows\n{match['output']}"


def main(arguments: list[str]) -> int:
    """Print the faults; return the exit status."""
    root = (Path(arguments[0]) if arguments else Path(__file__).parents[1]).resolve()
    faults: list[str] = []
    for page in pages(root):
        text = page.read_text(encoding="utf-8")
        faults += link_faults(page, text)
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            faults += code_faults(page, text)
            os.chdir(root)
    print(*faults, f"check_docs: {len(pages(root))} page(s), {len(faults)} fault(s)", sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
