"""Regular expressions that are compiled when they are first used.

A run needs few of those that its modules define, and compiling one takes 0.1 to 2 ms: a tenth of a short run in sum.
"""

import re
from typing import Any, AnyStr, Generic, cast


class _LazyPattern(Generic[AnyStr]):
    """Gets each attribute from the compiled pattern and keeps it, so that later uses cost no more than with `re`."""

    def __init__(self, pattern: AnyStr, flags: int) -> None:
        self._source: tuple[AnyStr, int] = pattern, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._source), name)
        setattr(self, name, found)
        return found


def lazy_pattern(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return ``re.compile(pattern, flags)``, for its methods and attributes; functions of `re` do not know it."""
    return cast(re.Pattern[AnyStr], _LazyPattern(pattern, flags))
