"""Functions of releases after 1.35, where they differ: with Go 1.26, URLs have no colons in their host (1.36); cel-go
0.29 has limits that 0.26 lacks (1.37).

Source: cel-go 0.29 ``ext/lists.go``, ``ext/strings.go``, ``common/stdlib``.
"""

from collections.abc import Callable, Iterator
from typing import Final

from ovnguard.validators.cel.library import k8s_url, lists, strings
from ovnguard.validators.cel.library.named_format import FORMATS, Format
from ovnguard.validators.cel.types.errors import EvalError
from ovnguard.validators.cel.types.overload_declaration import Overload, overload
from ovnguard.validators.cel.values.cel_values import NONE, Optional, Value
from ovnguard.validators.go.url import STRICT_SINCE, is_request_uri, request_fault

SINCE: Final = 37
"""The first release with cel-go 0.29."""
REMOVED: Final = frozenset({"int64_to_duration"})
"""Overloads that cel-go 0.29 lacks."""
_MAX_RANGE: Final = 1_000_000


def url(text: str) -> k8s_url.URL:
    """``url(text)``."""
    return k8s_url.url(text, strict=True)


def is_url(text: str) -> bool:
    """``isURL(text)``."""
    return is_request_uri(text, strict=True)


def _faults(text: str) -> list[str]:
    fault = request_fault(text, strict=True)
    return [] if fault is None else [fault]


_URI: Final = Format("URI", _faults, FORMATS["uri"].max_regex_size)
_FORMATS: Final = {**FORMATS, "uri": _URI}


def uri() -> Format:
    """``format.uri()``."""
    return _URI


def named(name: str) -> Optional:
    """``format.named(name)``."""
    found = _FORMATS.get(name)
    return NONE if found is None else Optional(present=True, value=found)


def range_of(count: int) -> list[Value]:
    """``lists.range(n)``. Raises `EvalError` for a negative and for a large number."""
    if count < 0:
        raise EvalError(f"lists.range: size must be non-negative, got {count}")
    if count > _MAX_RANGE:
        raise EvalError(f"lists.range: size {count} exceeds maximum allowed ({_MAX_RANGE})")
    return lists.range_of(count)


def _clamped(search: Callable[[str, str, int], int]) -> Callable[[str, str, int], int]:
    """Return a search that finds an empty text at the start, but not behind the end."""

    def find(text: str, part: str, start: int) -> int:
        if start < 0:
            raise EvalError(f"index out of range: {start}")
        return search(text, part, start) if part else min(start, len(text))

    return find


def replacements(release: int) -> Iterator[Overload]:
    """Yield the overloads that replace those with the same ids."""
    if release >= STRICT_SINCE:
        for made in (
            overload("string_to_url", "url(string) -> URL", url),
            overload("is_url_string", "isURL(string) -> bool", is_url),
            overload("format.uri", ":format.uri() -> Format", uri),
            overload("format-named", ":format.named(string) -> optional(Format)", named),
        ):
            yield made.of_release(release)
    if release < SINCE:
        return
    for made in (
        overload("lists_range", ":lists.range(int) -> list(int)", range_of),
        overload("string_index_of_string_int", "string.indexOf(string, int) -> int", _clamped(strings.index_of)),
        overload(
            "string_last_index_of_string_int",
            "string.lastIndexOf(string, int) -> int",
            _clamped(strings.last_index_of),
        ),
    ):
        yield made.of_release(release)
