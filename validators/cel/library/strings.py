"""Strings: the library ``strings``, version 2, and the functions of the standard library. Indexes count code points.

Source: cel-go ``ext/strings.go``.
"""

from typing import Final

from ovnguard.validators.cel.library.regex import search
from ovnguard.validators.cel.types.errors import CostExceeded, EvalError
from ovnguard.validators.cel.types.overload_declaration import Overload, overload
from ovnguard.validators.cel.values.cel_values import Value
from ovnguard.validators.go.text import SHORT_ESCAPES

_SPACE: Final = (
    "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_QUOTED: Final = str.maketrans(SHORT_ESCAPES)
_LOWER: Final = {ord(upper): upper.lower() for upper in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_UPPER: Final = {ord(lower): lower.upper() for lower in "abcdefghijklmnopqrstuvwxyz"}


MAX_TEXT: Final = 10_000_000


def _out_of_range(at: int) -> EvalError:
    return EvalError(f"index out of range: {at}")


def char_at(text: str, at: int) -> str:
    """``text.charAt(at)``, "" directly after the end. Raises `EvalError`."""
    if not 0 <= at <= len(text):
        raise _out_of_range(at)
    return text[at : at + 1]


def index_of(text: str, part: str, start: int = 0) -> int:
    """``text.indexOf(part, start)``, -1 if there is none. Raises `EvalError` for a negative start."""
    if not part:
        return start
    if start < 0:
        raise _out_of_range(start)
    return text.find(part, start)


def last_index_of(text: str, part: str, start: int | None = None) -> int:
    """``text.lastIndexOf(part, start)``, -1 if there is none. Raises `EvalError` for a negative start."""
    if not part:
        return len(text) if start is None else start
    if start is None:
        if len(text.encode()) < len(part.encode()):
            return -1
        start = len(text) - 1
    if start < 0:
        raise _out_of_range(start)
    return -1 if start >= len(text) else text.rfind(part, 0, start + len(part))


def lower_ascii(text: str) -> str:
    """``text.lowerAscii()``: ASCII letters only."""
    return text.translate(_LOWER)


def upper_ascii(text: str) -> str:
    """``text.upperAscii()``: ASCII letters only."""
    return text.translate(_UPPER)


def replace(text: str, old: str, new: str, limit: int = -1) -> str:
    """``text.replace(old, new, limit)``. A negative limit replaces all.

    Raises `CostExceeded` for a result that cannot be read within the budget of one call.
    """
    count = len(text) + 1 if limit < 0 else min(limit, len(text) + 1)
    if len(text) + count * len(new) > MAX_TEXT and len(text) + min(count, text.count(old)) * len(new) > MAX_TEXT:
        raise CostExceeded
    return text.replace(old, new, count)


def split(text: str, separator: str, limit: int = -1) -> list[str]:
    """``text.split(separator, limit)``. An empty separator splits into characters."""
    if limit == 0:
        return []
    if separator:
        return text.split(separator, -1 if limit < 0 else min(limit, len(text) + 1) - 1)
    if limit < 0 or limit >= len(text):
        return list(text)
    return [*text[: limit - 1], text[limit - 1 :]]


def substring(text: str, start: int, end: int | None = None) -> str:
    """``text.substring(start, end)``. Raises `EvalError`."""
    if end is not None and start > end:
        raise EvalError(f"invalid substring range. start: {start}, end: {end}")
    if not 0 <= start <= len(text):
        raise _out_of_range(start)
    if end is not None and not 0 <= end <= len(text):
        raise _out_of_range(end)
    return text[start:end]


def trim(text: str) -> str:
    """``text.trim()``: Unicode white space on both sides."""
    return text.strip(_SPACE)


def quote(text: str) -> str:
    """``strings.quote(text)``."""
    return f'"{text.translate(_QUOTED)}"'


def join(texts: Value, separator: str = "") -> str:
    """``list.join(separator)``. Raises `EvalError` for an element that is not a string, `CostExceeded`."""
    parts = []
    for one in texts:
        if type(one) is not str:
            raise EvalError(f"join: invalid input: {one}")
        parts.append(one)
    if sum(map(len, parts)) + len(separator) * len(parts) > MAX_TEXT:
        raise CostExceeded
    return separator.join(parts)


def declarations() -> list[Overload]:
    """All overloads of this library."""
    return [
        overload("string_char_at_int", "string.charAt(int) -> string", char_at),
        overload("string_index_of_string", "string.indexOf(string) -> int", index_of),
        overload("string_index_of_string_int", "string.indexOf(string, int) -> int", index_of),
        overload("string_last_index_of_string", "string.lastIndexOf(string) -> int", last_index_of),
        overload("string_last_index_of_string_int", "string.lastIndexOf(string, int) -> int", last_index_of),
        overload("string_lower_ascii", "string.lowerAscii() -> string", lower_ascii),
        overload("string_replace_string_string", "string.replace(string, string) -> string", replace),
        overload("string_replace_string_string_int", "string.replace(string, string, int) -> string", replace),
        overload("string_split_string", "string.split(string) -> list(string)", split),
        overload("string_split_string_int", "string.split(string, int) -> list(string)", split),
        overload("string_substring_int", "string.substring(int) -> string", substring),
        overload("string_substring_int_int", "string.substring(int, int) -> string", substring),
        overload("string_trim", "string.trim() -> string", trim),
        overload("string_upper_ascii", "string.upperAscii() -> string", upper_ascii),
        overload("list_join", "list(string).join() -> string", join),
        overload("list_join_string", "list(string).join(string) -> string", join),
    ]


def quote_declarations() -> list[Overload]:
    """Return what version 1 of the library added, besides formats."""
    return [overload("strings_quote", ":strings.quote(string) -> string", quote)]


def matches(text: str, pattern: str) -> bool:
    """``text.matches(pattern)``, unanchored. Raises `EvalError` for a pattern that RE2 refuses."""
    return search(text, pattern) is not None


def standard_declarations() -> list[Overload]:
    """Return the functions of the standard library.

    Source: CEL language definition, "String Functions" and "Regular Expressions".
    """
    return [
        overload("contains_string", "string.contains(string) -> bool", lambda text, part: part in text),
        overload("ends_with_string", "string.endsWith(string) -> bool", str.endswith),
        overload("starts_with_string", "string.startsWith(string) -> bool", str.startswith),
        overload("matches", "matches(string, string) -> bool", matches),
        overload("matches_string", "string.matches(string) -> bool", matches),
    ]
