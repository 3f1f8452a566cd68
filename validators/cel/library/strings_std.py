"""Strings and patterns of the standard library: ``contains``, ``startsWith``, ``endsWith``, ``matches``.

Source: CEL language definition, "String Functions" and "Regular Expressions".
"""

from validators.cel.library.regex import search
from validators.cel.signature import Overload, overload


def matches(text: str, pattern: str) -> bool:
    """``text.matches(pattern)``: unanchored. Raises `EvalError` for a pattern that RE2 refuses."""
    return search(text, pattern) is not None


def declarations() -> list[Overload]:
    """All overloads of this library."""
    return [
        overload("contains_string", "string.contains(string) -> bool", lambda text, part: part in text),
        overload("ends_with_string", "string.endsWith(string) -> bool", str.endswith),
        overload("starts_with_string", "string.startsWith(string) -> bool", str.startswith),
        overload("matches", "matches(string, string) -> bool", matches),
        overload("matches_string", "string.matches(string) -> bool", matches),
    ]
