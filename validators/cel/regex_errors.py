"""The errors of Go's regexp package for patterns that RE2 in C++ reports differently or accepts.

Source: Go package ``regexp/syntax``, ErrorCode.
"""

import re
from typing import Final

MAX_PATTERN: Final = 10_000
_CODES: Final = (
    ("missing ]", "missing closing ]"),
    ("missing )", "missing closing )"),
    ("unexpected )", "unexpected )"),
    ("no argument for repetition operator", "missing argument to repetition operator"),
    ("invalid repetition size", "invalid repeat count"),
    ("bad repetition operator", "invalid nested repetition operator"),
    ("invalid escape sequence", "invalid escape sequence"),
    ("invalid character class range", "invalid character class range"),
    ("invalid perl operator", "invalid or unsupported Perl syntax"),
    ("invalid named capture group", "invalid named capture"),
    ("trailing \\", "trailing backslash at end of expression"),
    ("invalid UTF-8", "invalid UTF-8"),
    ("pattern too large", "expression too large"),
)
_ANY_BYTE: Final = re.compile(r"(?:[^\\]|\\[^C])*\\C")


def go_error(pattern: str, refused: str = "") -> str | None:
    """Return Go's error text, or None if the pattern is valid.

    Without ``refused``, only patterns that C++ would accept are checked for.
    """
    if not refused:
        if len(pattern) > MAX_PATTERN:
            return "error parsing regexp: expression too large"
        if _ANY_BYTE.match(pattern):
            return "error parsing regexp: invalid escape sequence: `\\C`"
        return None
    said, _, what = refused.partition(": ")
    for cpp, go in _CODES:
        if said == cpp:
            return (
                f"error parsing regexp: {go}: `{what}`"
                if what and go[:8] != "trailing"
                else f"error parsing regexp: {go}: ``"
            )
    return f"error parsing regexp: {refused}"
