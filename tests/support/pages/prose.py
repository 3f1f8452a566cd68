"""Wraps the prose of Markdown pages, which are the paragraphs that markdown-it finds: in lists and quotations, too.

Headings, tables, code, HTML and definitions of links stay as they are, and so does a paragraph that fits.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from markdown_it import MarkdownIt

WIDTH: Final = 120
PARSER: Final = MarkdownIt("commonmark").enable("table")
_WORD: Final = re.compile(
    r"""(?:
        (?<!`)(`+)(?!`).+?(?<!`)\1(?!`)  # a code span
      | \]\([^)]*\)                      # where a link leads
      | <[A-Za-z/!][^>]*>                # a tag or an address
      | \S
    )+""",
    re.DOTALL | re.VERBOSE,
)
_NOT_FIRST: Final = re.compile(r"[#>|:]|<(?!https?:)|[-+*_=]+$|\d+[.)]$|```|~~~|\[[^\]]*\]:")
"""Words that Markdown reads as a sign where they begin a line: of a heading, a list, a table, HTML and so on."""


def wrapped(text: str, width: int = WIDTH) -> str:
    """The page with each paragraph that has a too long line filled again. What has no gap, as a link, stays long."""
    lines = text.split("\n")
    for start, end, filled in reversed(list(_changes(lines, width))):
        lines[start:end] = filled
    return "\n".join(lines)


def long_lines(text: str) -> list[int]:
    """The numbers of the lines that are too long and that `wrapped` breaks."""
    lines = text.split("\n")
    numbers = (number for start, end, _ in _changes(lines, WIDTH) for number in range(start, end))
    return [number + 1 for number in numbers if len(lines[number]) > WIDTH]


def _changes(lines: list[str], width: int) -> Iterator[tuple[int, int, list[str]]]:
    """The lines from a first one to before another that are filled again, and what takes their place."""
    for opening, inline in pairwise(PARSER.parse("\n".join(lines))):
        if opening.type == "paragraph_open" and inline.map is not None:
            start, end = inline.map
            ends_on_purpose = re.search(r"(?:\\|  )\n", inline.content)
            if max(map(len, lines[start:end])) > width and not ends_on_purpose:
                marker = lines[start].rstrip().removesuffix(inline.content.partition("\n")[0])
                filled = _filled(marker, list(_words(inline.content)), width)
                if filled != lines[start:end]:
                    yield start, end, filled


def _words(content: str) -> Iterator[str]:
    """What stays together, in order."""
    held = ""
    for match in _WORD.finditer(content):
        word = match[0].replace("\n", " ")
        if held and not _NOT_FIRST.match(word):
            yield held
            held = word
        else:
            held = f"{held} {word}".lstrip()
    yield held


def _filled(marker: str, words: list[str], width: int) -> list[str]:
    """Lines of these words, of which the first begins with the marker and the others as far inside."""
    lines = [marker + words[0]]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(re.sub(r"[^>\s]", " ", marker) + word)
    return lines
