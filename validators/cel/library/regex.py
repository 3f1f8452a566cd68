"""Library ``regex``: ``find`` and ``findAll``, and the RE2 engine behind them and ``matches``.

Source: Kubernetes documentation, "CEL in Kubernetes", "Kubernetes regex library"; Go package ``regexp`` for syntax.
"""

from functools import lru_cache
from typing import Any, Final

from ovnguard.validators.cel.types.errors import EvalError
from ovnguard.validators.cel.types.overload_declaration import Overload, overload
from ovnguard.validators.go.regexp_stack import BadPattern
from ovnguard.validators.go.regexp_syntax import rewrite

MAX_PATTERN: Final = 10_000
"""Longest accepted pattern of an expression, in characters."""
_MEMORY: Final = 64 << 20


def _options(options: Any) -> Any:
    options.max_mem = _MEMORY
    options.log_errors = False
    options.never_capture = False
    return options


@lru_cache(maxsize=2048)
def compiled(pattern: str) -> Any:
    """Return the compiled pattern, or Go's text for refusing it."""
    if len(pattern) > MAX_PATTERN:
        return "error parsing regexp: expression too large"
    try:
        written = rewrite(pattern)
    except BadPattern as fault:
        return str(fault)
    import re2  # it takes milliseconds, and most rules have no pattern

    try:
        return re2.compile(written, _options(re2.Options()))
    except re2.error:
        return f"error parsing regexp: expression too large: `{pattern}`"


def search(text: str, pattern: str) -> Any:
    """Return the first match or None. Raises `EvalError` with Go's text for a bad pattern."""
    engine = compiled(pattern)
    if isinstance(engine, str):
        raise EvalError(engine)
    return engine.search(text)


def find(text: str, pattern: str) -> str:
    """``text.find(pattern)``: the first match, "" if there is none."""
    found = _illegal(pattern).search(text)
    return "" if found is None else str(found.group(0))


def find_all(text: str, pattern: str, limit: int = -1) -> list[str]:
    """``text.findAll(pattern, limit)``: matches from the left that do not overlap; all of them if ``limit`` is
    negative.
    """
    engine = _illegal(pattern)
    found: list[str] = []
    last = -1
    for match in engine.finditer(text) if limit else ():
        if match.start() == match.end() == last:
            continue
        last = match.end()
        found.append(str(match.group(0)))
        if len(found) == limit:
            break
    return found


def _illegal(pattern: str) -> Any:
    engine = compiled(pattern)
    if isinstance(engine, str):
        raise EvalError(f"Illegal regex: {engine}")
    return engine


def declarations() -> list[Overload]:
    """All overloads of this library."""
    return [
        overload("string_find_string", "string.find(string) -> string", find),
        overload("string_find_all_string", "string.findAll(string) -> list(string)", find_all),
        overload("string_find_all_string_int", "string.findAll(string, int) -> list(string)", find_all),
    ]
