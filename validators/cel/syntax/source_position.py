"""Positions in the text of an expression, and errors as cel-go shows them at a position.

Source of the form: cel-go, ``common.Error.ToDisplayString``: ``ERROR: <input>:line:column: message``, the line, and a
caret.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

MAX_ERRORS = 100
_MAX_SNIPPET = 16384


NOWHERE: Final = -1
"""The position of errors about the whole text."""


class Issue(NamedTuple):
    """One error at an offset in code points, or `NOWHERE`."""

    pos: int
    message: str


class CompileIssues(Exception):
    """The expression does not parse or does not type-check. ``text`` shows every issue in order of position."""

    def __init__(self, source: str, issues: Sequence[Issue]) -> None:
        ordered = sorted(issues[:MAX_ERRORS], key=lambda issue: issue.pos)
        shown = [show(source, issue) for issue in ordered]
        if len(issues) > MAX_ERRORS:
            shown.append(f"{len(issues) - MAX_ERRORS} more errors were truncated")
        self.text = "\n".join(shown)
        self.line, self.column = line_and_column(source, max(ordered[0].pos, 0))
        super().__init__(self.text)


def line_and_column(source: str, pos: int) -> tuple[int, int]:
    """Return line and column, both from 1."""
    before = source[:pos]
    return before.count("\n") + 1, pos - (before.rfind("\n") + 1) + 1


def show(source: str, issue: Issue) -> str:
    """Return the error, its line and a caret. Full-width dots are under characters of more than one byte."""
    if issue.pos == NOWHERE:
        return f"ERROR: <input>:-1:0: {issue.message}"
    line, column = line_and_column(source, issue.pos)
    head = f"ERROR: <input>:{line}:{column}: {issue.message}"
    snippet = source.split("\n")[line - 1].replace("\t", " ")
    if len(snippet.encode(errors="surrogatepass")) > _MAX_SNIPPET:
        return head
    dots = "".join("." if rune.isascii() else "\uff0e" for rune in snippet[: column - 1])
    at = snippet[column - 1 : column]
    return f"{head}\n | {snippet}\n | {dots}{'^' if at.isascii() else chr(0xFF3E)}"
