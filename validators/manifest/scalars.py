"""The value of a YAML scalar as kubectl and the runners of rule suites read it.

They read YAML 1.1 as go-yaml v2 does (used by sigs.k8s.io/yaml): ``yes`` and ``on`` are booleans, ``0777`` is octal,
base-60 numbers and dates stay strings. Any difference would make another object than the one the cluster gets.

Source: go.yaml.in/yaml/v2, ``resolve.go``; sigs.k8s.io/yaml, ``convertToJSONableObject``.
"""

import base64
import math
import re
import struct
from typing import Final

from ovnguard.validators.go.text import float_text
from ovnguard.validators.lazy_pattern import lazy_pattern

_TRUE: Final = frozenset(["true", "True", "TRUE", "y", "Y", "yes", "Yes", "YES", "on", "On", "ON"])
_FALSE: Final = frozenset(["false", "False", "FALSE", "n", "N", "no", "No", "NO", "off", "Off", "OFF"])
_NULL: Final = frozenset(["", "~", "null", "Null", "NULL"])
_SPECIAL: Final = {
    **{sign + word: float(sign + "inf") for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")},
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
}
_INT: Final = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|[1-9][0-9]*|0)")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
# What begins with a point is read like a Go literal: an underscore must be between two digits.
_POINTED: Final = lazy_pattern(r"\.[0-9](?:_?[0-9])*(?:[eE][-+]?[0-9](?:_?[0-9])*)?")
_STARTS: Final = frozenset("0123456789+-.")
_DATE: Final = lazy_pattern(
    r"[0-9]{4}-([0-9]{1,2})-([0-9]{1,2})(?:(?:[Tt]|[ ])[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:[.,][0-9]+)?"
    r"(?:Z|[-+][0-9]{2}:[0-9]{2})?)?"
)
_INT64: Final = range(-(2**63), 2**63)
_INT64_MIN, _UINT64_MAX = -(2**63), 2**64 - 1
# More digits than any base needs for 64 bits. Python refuses to convert some thousands of them.
_MOST_DIGITS: Final = 80
_EXACT: Final = 2.0**53
_PREFIX: Final = "tag:yaml.org,2002:"
_KINDS: Final = frozenset({"bool", "int", "float", "null", "timestamp"})

Scalar = None | bool | int | float | str


def resolve(text: str) -> Scalar:
    """Return the JSON value of a plain (unquoted, untagged) scalar.

    Raises ValueError for infinities and NaN, which JSON cannot represent.
    """
    if text[:1] in _STARTS:
        return _json_value(text, _number(text))
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    return None if text in _NULL else text


def tagged(tag: str, text: str) -> Scalar:
    """Return the JSON value of a scalar with a tag. A tag that YAML itself does not define yields a string.

    Raises ValueError if the text is not valid for the tag.
    """
    kind = tag.removeprefix(_PREFIX) if tag.startswith(_PREFIX) else ""
    if kind == "binary":
        return _binary(text)
    if kind not in _KINDS:
        return text
    value = _number(text) if text[:1] in _STARTS else resolve(text)
    found = "timestamp" if kind == "timestamp" and _DATE.fullmatch(text) else _kind(value)
    if kind == "float" and found == "int" and value in _INT64:
        found = "float"
    if found != kind:
        raise ValueError(f"cannot decode !!{found} `{text}` as a !!{kind}")
    return _json_value(text, value)


def key_text(text: str) -> str | None:
    """Return the key that a plain scalar becomes in a JSON object, or None if it cannot be a key."""
    value = _number(text) if text[:1] in _STARTS else resolve(text)
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float_key(value)
    return str(value) if value is not None and value in _INT64 else None


def whole(number: float) -> int | float:
    """Return the number that arrives when Go writes a float64 as JSON and the API server reads it.

    Go writes a float without a fraction as an integer, in its shortest digits.
    """
    if not number.is_integer() or abs(number) >= -_INT64_MIN:
        return number
    if abs(number) < _EXACT:
        return int(number)
    mantissa, _, power = repr(number).partition("e")
    digits, _, fraction = mantissa.partition(".")
    exact = int(digits + fraction) * 10 ** (int(power) - len(fraction)) if power else int(number)
    return exact if exact in _INT64 else number


def _number(text: str) -> int | float | str:
    """Return what go-yaml makes of a scalar that begins like a number, before it becomes JSON."""
    if text in _SPECIAL:
        return _SPECIAL[text]
    if text[0] == ".":
        return _float(text.replace("_", ""), text) if _POINTED.fullmatch(text) else text
    digits = text.replace("_", "")
    if len(digits) <= _MOST_DIGITS and _INT.fullmatch(digits):
        value = _integer(digits)
        if _INT64_MIN <= value <= _UINT64_MAX:
            return value
    return _float(digits, text) if _FLOAT.fullmatch(digits) else text


def _float(digits: str, text: str) -> float | str:
    number = float(digits)
    return text if math.isinf(number) else number


def _integer(digits: str) -> int:
    sign = -1 if digits[0] == "-" else 1
    body = digits.lstrip("+-")
    prefix = body[:2].lower()
    if prefix in ("0x", "0b", "0o"):
        return sign * int(body, 0)
    if len(body) > 1 and body[0] == "0":
        return sign * int(body, 8)
    return sign * int(body)


def _json_value(text: str, value: Scalar) -> Scalar:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{text} is not a JSON number")
        return whole(value)
    if isinstance(value, int) and value not in _INT64:
        return float(value)
    return value


def _kind(value: Scalar) -> str:
    if value is None:
        return "null"
    kinds = {bool: "bool", int: "int", float: "float", str: "str"}
    return kinds[type(value)]


def _binary(text: str) -> str:
    try:
        raw = base64.b64decode(text.replace("\r", "").replace("\n", ""), validate=True)
    except ValueError:
        raise ValueError("!!binary value contains invalid base64 data") from None
    # JSON has no bytes: Go replaces each one that is not UTF-8 with U+FFFD.
    return re.sub("[\udc80-\udcff]", "\ufffd", raw.decode("utf-8", "surrogateescape"))


def _float_key(value: float) -> str:
    """Return the key as ``strconv.FormatFloat(value, 'g', -1, 32)`` prints it: in the digits of a float32."""

    def single(number: float) -> float:
        try:
            return float(struct.unpack("f", struct.pack("f", number))[0])
        except OverflowError:
            return math.copysign(math.inf, number)

    near = single(value)
    if not math.isfinite(near):
        return ".nan" if math.isnan(near) else ".inf" if near > 0 else "-.inf"
    return float_text(next(short for digits in range(1, 10) if single(short := float(f"{near:.{digits}g}")) == near))
