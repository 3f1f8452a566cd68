r"""The classes that ``\p{...}`` names in Go's regular expressions, in the version of Unicode of Go 1.25 and 1.26.

``unicode_classes.txt`` has the ranges; ``tests/support/unicode_classes`` prints it from Go's own tables. A range is the
distance of its first code point from the end of the one before, and its length if that is not one.

Source: Go, package ``unicode``; ``regexp/syntax/parse.go`` (unicodeTable).
"""

from functools import cache
from pathlib import Path
from typing import Final

CodePoints = tuple[tuple[int, int], ...]
"""Ranges of code points, first and last, in ascending order."""

LAST: Final = 0x10FFFF
_SURROGATES: Final = (0xD800, 0xDFFF)
_FILE: Final = Path(__file__).with_name("unicode_classes.txt")
_ASCII: Final[CodePoints] = ((0, 0x7F),)
# The long s and the sign for kelvin are the letters s and k in another case.
_ASCII_FOLDED: Final[CodePoints] = ((0, 0x7F), (0x17F, 0x17F), (0x212A, 0x212A))


def named_class(name: str, *, folded: bool) -> CodePoints | None:
    """Return the code points of a class, None for an unknown one. ``folded``: without regard to case."""
    name = _canonical(name)
    match name:
        case "Any":
            return ((0, LAST),)
        case "Assigned":
            return complement(_ranges("Cn"))
        case "Ascii":
            return _ASCII_FOLDED if folded else _ASCII
        case "Lc":
            name = "LC"
    name = _aliases().get(name, name)
    if not name.isalpha() or name not in _lines():
        return None
    return _merged(_ranges(name) + _ranges(f"{name}~")) if folded else _ranges(name)


def complement(ranges: CodePoints) -> CodePoints:
    """Return all other code points."""
    found, start = [], 0
    for low, high in ranges:
        if low > start:
            found.append((start, low - 1))
        start = high + 1
    return (*found, (start, LAST)) if start <= LAST else tuple(found)


def without_surrogates(ranges: CodePoints) -> CodePoints:
    """Return the ranges that text can have."""
    low, high = _SURROGATES
    parts = (
        (one, last)
        for first, last in ranges
        for one, last in ((first, min(last, low - 1)), (max(first, high + 1), last))
    )
    return tuple((first, last) for first, last in parts if first <= last)


def _canonical(name: str) -> str:
    kept = "".join(char for char in name if char not in "_- ")
    return "".join(_upper(char) if index == 0 else _lower(char) for index, char in enumerate(kept))


def _upper(char: str) -> str:
    return char.upper() if char.isascii() else char


def _lower(char: str) -> str:
    return char.lower() if char.isascii() else char


@cache
def _lines() -> dict[str, str]:
    """The ranges of each class as written, by its name."""
    text = _FILE.read_text(encoding="ascii")
    found = (line.partition(" ") for line in text.splitlines() if "=" not in line)
    return {name: ranges for name, _, ranges in found if name != "#"}


@cache
def _aliases() -> dict[str, str]:
    text = _FILE.read_text(encoding="ascii")
    found = (line.partition("=") for line in text.splitlines() if "=" in line and not line.startswith("#"))
    return {_canonical(alias): name for alias, _, name in found}


@cache
def _ranges(name: str) -> CodePoints:
    found, last = [], 0
    for written in _lines().get(name, "").split():
        gap, _, more = written.partition("+")
        first = last + int(gap, 16)
        last = first + int(more or "0", 16)
        found.append((first, last))
    return tuple(found)


def _merged(ranges: CodePoints) -> CodePoints:
    found: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return tuple(found)
