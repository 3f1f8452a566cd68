"""What a plain YAML scalar means to kubectl.

kubectl reads YAML 1.1 as go-yaml v2 does: ``yes`` and ``on`` are booleans, ``0777`` is octal, base-60 numbers and
dates stay strings. Anything that would be guessed otherwise here would be another object than the cluster gets.
"""

import math
import re
from typing import Final

_TRUE: Final = frozenset(["true", "True", "TRUE", "y", "Y", "yes", "Yes", "YES", "on", "On", "ON"])
_FALSE: Final = frozenset(["false", "False", "FALSE", "n", "N", "no", "No", "NO", "off", "Off", "OFF"])
_NULL: Final = frozenset(["", "~", "null", "Null", "NULL"])
_SPECIAL: Final = frozenset(sign + word for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")) | {
    ".nan",
    ".NaN",
    ".NAN",
}
_INT: Final = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|[1-9][0-9]*|0)")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_STARTS: Final = frozenset("0123456789+-.")
_INT64_MIN, _UINT64_MAX = -(2**63), 2**64 - 1

Scalar = None | bool | int | float | str


def resolve(text: str) -> Scalar:
    """Return the JSON value of a plain (unquoted, untagged) scalar.

    Raises ValueError for infinities and NaN, which JSON cannot carry.
    """
    if text[:1] in _STARTS:
        return _number(text)
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    return None if text in _NULL else text


def _number(text: str) -> Scalar:
    if text in _SPECIAL:
        raise ValueError(f"{text} is not a JSON number")
    digits = text.replace("_", "")
    if _INT.fullmatch(digits):
        value = _integer(digits)
        if _INT64_MIN <= value <= _UINT64_MAX:
            return value
    if _FLOAT.fullmatch(digits):
        number = float(digits)
        if math.isinf(number):
            return text
        # The way to the API server is JSON, and Go writes 1.0 and 1e3 there without a fraction.
        return int(number) if number.is_integer() and abs(number) < 1e18 else number
    return text


def _integer(digits: str) -> int:
    sign = -1 if digits[0] == "-" else 1
    body = digits.lstrip("+-")
    prefix = body[:2].lower()
    if prefix in ("0x", "0b", "0o"):
        return sign * int(body, 0)
    if len(body) > 1 and body[0] == "0":
        return sign * int(body, 8)
    return sign * int(body)
