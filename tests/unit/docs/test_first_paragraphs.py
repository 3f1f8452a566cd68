"""A page answers one task, and says in its first paragraph which."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.support.pages.prose import PARSER
from tests.support.paths import ROOT

NAVIGATION = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), yaml.BaseLoader)["nav"]
SENTENCES = 3
BEGINNINGS = {"..": "ovnguard ", "adr": "Status: "}
"""How other pages begin than with "This page": README.md, about all tasks, and decisions, which their titles say."""


def pages(entry: Any) -> Iterator[str]:
    """The pages of a part of the navigation."""
    if isinstance(entry, str):
        yield entry
    else:
        for each in entry.values() if isinstance(entry, dict) else entry:
            yield from pages(each)


def first_paragraph(text: str) -> str:
    """The paragraph after the title; nothing if something else follows it, or precedes it."""
    tokens = PARSER.parse(text)
    kinds = [f"{token.type} {token.tag}".strip() for token in tokens[:4]]
    return tokens[4].content if kinds == ["heading_open h1", "inline", "heading_close h1", "paragraph_open p"] else ""


def sentences(paragraph: str) -> int:
    """How many sentences end in the paragraph; what is code ends none."""
    return len(re.findall(r"[.?!](?=\s|$)", re.sub(r"`[^`]*`", "code", paragraph)))


@pytest.mark.parametrize("name", ["../README.md", *pages(NAVIGATION)])
def test_the_first_paragraph_says_which_task_the_page_answers(name: str) -> None:
    paragraph = first_paragraph((ROOT / "docs" / name).read_text(encoding="utf-8"))
    assert paragraph.startswith(BEGINNINGS.get(name.partition("/")[0], "This page "))
    assert sentences(paragraph) <= SENTENCES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n\nThis page. And\nmore.\n\nRest.\n", "This page. And\nmore."),
        ("# A\n\n- This page.\n", ""),
        ("# A\n\n    This page.\n", ""),
        ("# A\n\n## B\n\nThis page.\n", ""),
        ("# A\n\n| This page |\n|---|\n| b |\n", ""),
        ("This page.\n\n# A\n\nThis page.\n", ""),
    ],
)
def test_what_the_first_paragraph_is(text: str, expected: str) -> None:
    assert first_paragraph(text) == expected


def test_how_sentences_are_counted() -> None:
    assert sentences("One [a.md](a.md) of `x. y. z`. Two, 1.29\nto 1.37! Three?") == 3
