from __future__ import annotations

PAGE = """# Title

[guide](docs/guide.md#part) and [site](https://example.org)

```python
x = 40
```

```python
assert x + 2 == 42
```

<!-- no-run -->
```python
raise SystemExit("not run")
```
"""


def test_good_pages_pass(run_tool, plant):
    result = run_tool("check_docs.py", plant({"README.md": PAGE, "docs/guide.md": "[back](../README.md)"}))
    assert result.returncode == 0, result.stdout
    assert "check_docs: 2 page(s), 0 fault(s)" in result.stdout


def test_dead_link_is_found(run_tool, plant):
    result = run_tool("check_docs.py", plant({"README.md": PAGE}))
    assert result.returncode == 1
    assert "the link to docs/guide.md leads nowhere" in result.stdout


def test_failing_block_is_found_at_its_line(run_tool, plant):
    page = PAGE.replace("== 42", "== 43")
    result = run_tool("check_docs.py", plant({"README.md": page, "docs/guide.md": ""}))
    assert result.returncode == 1
    assert 'README.md", line 10' in result.stdout
    assert "AssertionError" in result.stdout


def test_output_is_compared_with_the_text_block_that_follows(run_tool, plant):
    page = "```python\nprint(6 * 7)\n```\n\n```text\n42\n```\n"
    assert run_tool("check_docs.py", plant({"README.md": page})).returncode == 0
    result = run_tool("check_docs.py", plant({"README.md": page.replace("6 * 7", "6 * 8")}))
    assert result.returncode == 1
    assert "README.md:2: the block printed\n48\nThe page shows\n42\n" in result.stdout


def test_output_without_a_text_block_is_free(run_tool, plant):
    page = "```python\nprint(1)\n```\n\nSome words.\n\n```text\n2\n```\n"
    assert run_tool("check_docs.py", plant({"README.md": page})).returncode == 0
