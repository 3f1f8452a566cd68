"""Regular expressions as the API server runs them: Go's syntax, unanchored, executed by RE2 in C++ (google-re2)."""

from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol

from ovnguard.validators.go.regexp_stack import BadPattern
from ovnguard.validators.go.regexp_syntax import rewrite

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["MAX_PATTERN", "BadPattern", "compile_pattern"]

MAX_PATTERN: Final = 65_536
"""Longest accepted pattern, in characters. The API server's only limit is the size of a definition."""
_MEMORY: Final = 64 << 20


class Pattern(Protocol):
    """A compiled pattern. `search` returns None without a match."""

    def search(self, text: str) -> object | None:
        """Return the first match anywhere in the text."""


@lru_cache(maxsize=4096)
def compile_pattern(pattern: str) -> "Callable[[str], object | None]":
    """Return the search function of a pattern.

    Raises `BadPattern` if the API server would refuse it, and for one that is too large for RE2 in C++.
    """
    import re2  # a schema without patterns does not need the library

    if len(pattern) > MAX_PATTERN:
        raise BadPattern(f"error parsing regexp: expression too large: over {MAX_PATTERN} characters")
    written = rewrite(pattern)
    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    try:
        compiled: Pattern = re2.compile(written, options)
    except re2.error:
        raise BadPattern(f"error parsing regexp: expression too large: `{pattern}`") from None
    return compiled.search
