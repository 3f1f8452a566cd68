r"""Regular expressions as the API server runs them: RE2, unanchored, through google-re2.

Go's package and the C++ library accept the same syntax except for ``\C``, which only C++ knows.
"""

import re as scanner
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol

from validators.go.text import quote

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_PATTERN: Final = 65_536
"""Longest accepted pattern, in characters. The API server's only limit is the size of a definition."""
_MEMORY: Final = 64 << 20
_ANY_BYTE: Final = scanner.compile(r"(\\Q(?:(?!\\E).)*(?:\\E)?)|\\C|\\.", scanner.DOTALL)
_COUNT: Final = scanner.compile(r"\{([0-9]+)(?:,([0-9]*))?\}\??$")
_MOST_REPEATS: Final = 1000
_LOOK_BEHIND: Final = scanner.compile(r"\(\?<[=!]")
# Go's words for errors that the C++ library words differently.
_GO_WORDS: Final = {
    "missing ]": "missing closing ]",
    "missing )": "missing closing )",
    "no argument for repetition operator": "missing argument to repetition operator",
    "bad repetition operator": "invalid nested repetition operator",
    "invalid repetition size": "invalid repeat count",
    "trailing \\": "trailing backslash at end of expression",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid named capture group": "invalid named capture",
}


class Pattern(Protocol):
    """A compiled pattern. `search` returns None without a match."""

    def search(self, text: str) -> object | None:
        """Return the first match anywhere in the text."""


class BadPattern(ValueError):
    """The pattern does not compile. The message is Go's."""


@lru_cache(maxsize=4096)
def compile_pattern(pattern: str) -> "Callable[[str], object | None]":
    """Return the search function of a pattern. Raises `BadPattern` if the API server would refuse it."""
    import re2  # noqa: PLC0415 - a schema without patterns does not need the library

    if len(pattern) > MAX_PATTERN:
        raise BadPattern(f"error parsing regexp: expression too large: over {MAX_PATTERN} characters")
    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    try:
        if "\\C" in pattern:
            # Another unknown escape in its place makes the library report an error where Go does.
            re2.compile(_ANY_BYTE.sub(_without_any_byte, pattern), options)
        compiled: Pattern = re2.compile(pattern, options)
    except re2.error as fault:
        raise BadPattern(f"error parsing regexp: {_go_words(fault, pattern)}") from None
    return compiled.search


def _is_bad_count(low: str, high: str | None) -> bool:
    return int(low) > _MOST_REPEATS or (bool(high) and (int(high or 0) > _MOST_REPEATS or int(high or 0) < int(low)))


def _without_any_byte(match: scanner.Match[str]) -> str:
    return "\\y" if match[0] == "\\C" else match[0]


def _go_words(fault: Exception, pattern: str) -> str:
    said = fault.args[0] if fault.args else ""
    text = said.decode(errors="replace") if isinstance(said, bytes) else str(said)
    head, _, rest = text.partition(": ")
    if "\\C" in pattern:
        rest = rest.replace("\\y", "\\C")
    if head == "invalid perl operator" and _LOOK_BEHIND.fullmatch(rest):
        # Go parses this as the start of a name and prints all of it.
        rest = pattern[pattern.index(rest) :]
        head, rest = "invalid named capture group", rest[: rest.find(">") + 1] or rest
    if head == "bad repetition operator" and (count := _COUNT.search(rest)) and _is_bad_count(*count.groups()):
        head, rest = "invalid repetition size", count[0]
    if head == "invalid repetition size":
        rest = rest.removesuffix("?")
    head = _GO_WORDS.get(head, head)
    return f"{head}: `{rest}`" if "`" not in rest else f"{head}: {quote(rest)}"
