"""Integers of 64 bits as Go's ``strconv`` reads them, from texts of any length."""

from typing import Final

from ovnguard.validators.go.text import INT64_MAX, INT64_MIN, quote
from ovnguard.validators.lazy_pattern import lazy_pattern

_NUMBER: Final = lazy_pattern(r"[+-]?[0-9]+")
_UINT64_MAX: Final = 2**64 - 1
_MOST_DIGITS: Final = 20


class BadNumber(ValueError):
    """The text is not an integer, or one of more than 64 bits. The message is that of ``strconv.Atoi``."""


def atoi(text: str) -> int:
    """Return the integer of ``strconv.Atoi``. Raises `BadNumber`."""
    number = integer(text)
    if number is not None and INT64_MIN <= number <= INT64_MAX:
        return number
    fault = "value out of range" if _NUMBER.fullmatch(text) else "invalid syntax"
    raise BadNumber(f"strconv.Atoi: parsing {quote(text)}: {fault}")


def integer(text: str) -> int | None:
    """Return a decimal number with or without a sign, None for another text and for one far beyond 64 bits.

    Python itself refuses to read more than 4,300 digits, and needs long for fewer.
    """
    if _NUMBER.fullmatch(text) is None:
        return None
    sign, digits = (text[0], text[1:]) if text[0] in "+-" else ("", text)
    digits = digits.lstrip("0") or "0"
    return int(sign + digits) if len(digits) <= _MOST_DIGITS else None


def wrapped(number: int) -> int:
    """Return the number as Go's arithmetic with int64 leaves it: without the bits that do not fit."""
    return (number - INT64_MIN) % (_UINT64_MAX + 1) + INT64_MIN
