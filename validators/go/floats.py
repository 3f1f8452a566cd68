"""Floating-point numbers as Go's ``strconv.ParseFloat`` reads them, from texts of any length."""

import re
from math import isfinite
from typing import Final

from ovnguard.validators.lazy_pattern import lazy_pattern

_DECIMAL: Final = lazy_pattern(
    r"([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))(?:e([+-]?)([0-9]+))?", re.IGNORECASE | re.ASCII
)
_HEXADECIMAL: Final = lazy_pattern(
    r"([+-]?0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+))p([+-]?)([0-9]+)", re.IGNORECASE | re.ASCII
)
_SPECIAL: Final = lazy_pattern(r"[+-]?inf(?:inity)?|nan", re.IGNORECASE | re.ASCII)
_HEX_START: Final = lazy_pattern(r"[+-]?0x", re.IGNORECASE)
_SEPARATOR: Final = lazy_pattern(r"(?<=[0-9])_(?=[0-9])", re.ASCII)
_HEX_SEPARATOR: Final = lazy_pattern(r"(?<=[0-9a-fx])_(?=[0-9a-f])", re.IGNORECASE | re.ASCII)
_EXPONENT_DIGITS: Final = 5
"""Go reads no more digits of an exponent."""


def parse_float(text: str) -> float | None:
    """Return the number, None for another text and for a number that is too large. Underscores may separate digits."""
    if _SPECIAL.fullmatch(text):
        return float(text)
    hexadecimal = _HEX_START.match(text) is not None
    plain = (_HEX_SEPARATOR if hexadecimal else _SEPARATOR).sub("", text) if "_" in text else text
    found = (_HEXADECIMAL if hexadecimal else _DECIMAL).fullmatch(plain)
    if found is None:
        return None
    mantissa, sign, digits = found.groups()
    exponent = f"{sign or ''}{(digits or '').lstrip('0')[:_EXPONENT_DIGITS] or '0'}"
    try:
        value = float.fromhex(f"{mantissa}p{exponent}") if hexadecimal else float(f"{mantissa}e{exponent}")
    except OverflowError:
        return None
    return value if isfinite(value) else None
