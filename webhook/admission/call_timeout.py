"""The time limit of a judgement, from the timeout in the query of an API server's call (``?timeout=5s``).

The API server ignores a late answer, so the judgement must end before the timeout. Source of the query:
k8s.io/apiserver, ``pkg/admission/plugin/webhook`` (``Timeout`` of the request).
"""

import re
from functools import lru_cache
from typing import Final

DEFAULT_SECONDS: Final = 4.0
"""The limit for a call without a timeout: a share of the five seconds in the registration."""
LONGEST_SECONDS: Final = 9.0
"""The limit for longer timeouts: the server closes a connection ten seconds after the request."""
SHARE: Final = 0.8
"""The part of the timeout that a judgement may take; the rest is for transmission."""
_TIMEOUT: Final = re.compile(r"(?:^|&)timeout=([0-9a-z.]{1,64})(?=&|$)")
_DURATION: Final = re.compile(r"(?:[0-9]{1,9}(?:\.[0-9]{1,9})?(?:h|m|s|ms|us|µs|ns))+")
_PART: Final = re.compile(r"([0-9.]+)(ms|us|µs|ns|h|m|s)")
_UNITS: Final = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}


def seconds_of(query: str) -> float:
    """Return the time limit of a call with this query. It is not URL-decoded: an API server sends only the timeout."""
    found = _TIMEOUT.search(query)
    return seconds_for(found[1] if found else None)


@lru_cache(maxsize=64)
def seconds_for(timeout: str | None) -> float:
    """Return the time limit of a judgement in seconds, from the caller's ``timeout``, a duration in Go's notation.

    Any other text counts as no timeout.
    """
    if timeout is None or len(timeout) > 64 or _DURATION.fullmatch(timeout) is None:
        return DEFAULT_SECONDS
    seconds = sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(timeout))
    return min(seconds * SHARE, LONGEST_SECONDS) if seconds > 0 else DEFAULT_SECONDS
