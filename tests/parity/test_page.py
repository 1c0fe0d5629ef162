"""The page of differences says what the table says."""

from .page import PAGE, render


def test_the_page_is_up_to_date() -> None:
    text = PAGE.read_text()
    assert render(text) == text, "run `python -m tests.parity.page`"
