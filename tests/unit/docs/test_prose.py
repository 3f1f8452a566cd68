"""Prose fits into 120 characters. Rows of tables, headings, code and what has no gap, such as a link, may be longer."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.pages.prose import PARSER, WIDTH, long_lines, wrapped
from tests.support.paths import ROOT
from tests.support.soak import limit

FOLDERS = (".github", "deploy", "docs")
PAGES = sorted([*ROOT.glob("*.md"), *(page for name in FOLDERS for page in (ROOT / name).rglob("*.md"))])
NARROW = 30
MARKERS = (
    "",
    "- ",
    "12. ",
    "> ",
    "- > ",
    "- a\n    - ",
    "- a\n\n  ",
    "| a |\n|---|\n| b |\n\n",
    "# ",
    "    ",
    "```\n",
)
WORDS = ("word", "-", "+", "*", "1.", "2)", "#", "##a", ">", "|", "a|b", "=", "---", "***", "```", "~~~", "``a ` b``")
MORE = (
    "`a  b c`",
    "`",
    "**bold",
    "text**",
    "[a",
    "[a b](c)",
    "[x](y 'z z')",
    "![p q](r)",
    "<b>",
    "<!-- a b -->",
    "<a:b>",
    "[a]:",
)
"""Words that Markdown may read as signs, each alone, at the start of a line or next to others."""


def shown(text: str) -> str:
    """What a reader sees of the page, whose gaps may be ends of lines."""
    return " ".join(PARSER.render(text).split())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_line_is_too_long(page: Path, request: pytest.FixtureRequest) -> None:
    text = page.read_text(encoding="utf-8")
    if request.config.getoption("--update") and (filled := wrapped(text)) != text:
        page.write_text(text := filled, encoding="utf-8")
    found = [f"{page.relative_to(ROOT)}:{number}" for number in long_lines(text)]
    command = "pytest tests/unit/docs --update"
    assert found == [], f"prose of more than {WIDTH} characters, which {command} wraps"


@limit(180)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_looks_the_same_when_it_is_wrapped(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert shown(wrapped(text, NARROW)) == shown(text)


@limit(180)
@given(st.sampled_from(MARKERS), st.lists(st.sampled_from(WORDS + MORE), min_size=5, max_size=30))
def test_any_prose_looks_the_same_when_it_is_wrapped(marker: str, words: list[str]) -> None:
    text = f"{marker}word {' '.join(words)}\n"
    narrow = wrapped(text, NARROW)
    assert shown(narrow) == shown(text)
    assert wrapped(narrow, NARROW) == narrow


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one two three four five six seven", "one two three four five six\nseven"),
        ("- one two three four five six seven", "- one two three four five six\n  seven"),
        ("12. one two three four five six seven", "12. one two three four five\n    six seven"),
        ("> one two three four five six seven", "> one two three four five six\n> seven"),
        ("one two three four five six - seven", "one two three four five six -\nseven"),
        ("one two three four five `six seven`", "one two three four five\n`six seven`"),
        ("one two three four [five six](seven)", "one two three four [five\nsix](seven)"),
        ("| one two three four | five six seven |\n|---|---|", "| one two three four | five six seven |\n|---|---|"),
        ("[one]: two 'three four five six seven'", "[one]: two 'three four five six seven'"),
        ("# one two three four five six seven", "# one two three four five six seven"),
        ("one two three four five six sev\\\neight", "one two three four five six sev\\\neight"),
        ("a-word-without-a-gap-that-is-too-long", "a-word-without-a-gap-that-is-too-long"),
        ("short\nlines stay as\nthey are", "short\nlines stay as\nthey are"),
    ],
)
def test_a_paragraph_breaks_at_gaps_and_hangs_inside(text: str, expected: str) -> None:
    assert wrapped(text, NARROW) == expected


def test_a_line_is_named_that_can_be_broken() -> None:
    assert long_lines(f"{'a ' * 80}\n\n{'a' * 130}\n\n```\n{'a ' * 80}\n```\n\nshort\n{'b ' * 70}\n") == [1, 10]
