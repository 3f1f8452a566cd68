"""Values as Go prints them: `strconv.Quote`, ``%v``, ``%#v`` and `encoding/json`.

The API server's error texts use these four forms.
"""

import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

SHORT_ESCAPES: Final = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    "\\": "\\\\",
    '"': '\\"',
}
_JSON_ESCAPES: Final = {
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\\": "\\\\",
    '"': '\\"',
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}
INT64_MIN: Final = -(2**63)
INT64_MAX: Final = 2**63 - 1


def quote(text: str) -> str:
    """Return the text as ``strconv.Quote`` and ``%q`` print it: printable characters stay, all others are escaped."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(map(_quoted_rune, text)) + '"'


def _quoted_rune(rune: str) -> str:
    if (short := SHORT_ESCAPES.get(rune)) is not None:
        return short
    code = ord(rune)
    if code < 0x20 or code == 0x7F:
        return f"\\x{code:02x}"
    if 0xD800 <= code <= 0xDFFF:
        # A Go string cannot contain half a surrogate pair. Its JSON decoder replaces it with U+FFFD.
        return "\ufffd"
    if rune == " " or unicodedata.category(rune)[0] in "LMNPS":
        return rune
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def float_text(value: float, exponent_from: int = 6) -> str:
    """Return a float64 as ``%v`` prints it: shortest digits, exponents below 1e-4 and from ``1e<exponent_from>``."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    sign, digits, exponent = _decimal(value)
    if exponent < -4 or exponent >= exponent_from:
        mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
        return f"{sign}{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
    return sign + _plain(digits, exponent)


def float_plain(value: float) -> str:
    """Return a finite float64 as ``strconv.FormatFloat(value, 'f', -1, 64)`` prints it: never with an exponent."""
    sign, digits, exponent = _decimal(value)
    return sign + _plain(digits, exponent)


def _decimal(value: float) -> tuple[str, str, int]:
    """Return sign, shortest digits without trailing zeros, and the decimal exponent of the first digit."""
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    mantissa, _, power = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    if not digits:
        return sign, "0", 0
    leading_zeros = len(whole + fraction) - len(digits)
    exponent = len(whole) - 1 - leading_zeros + int(power or 0)
    return sign, digits.rstrip("0") or "0", exponent


def _plain(digits: str, exponent: int) -> str:
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + digits
    whole = digits[: exponent + 1].ljust(exponent + 1, "0")
    fraction = digits[exponent + 1 :]
    return f"{whole}.{fraction}" if fraction else whole


def scalar(value: object) -> str | None:
    """Return ``%v`` of a number or boolean, or None for anything else."""
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return float_text(value)
    return None


def go_value(value: Any) -> str:
    """Return ``%v`` of a JSON value: lists and maps without commas, strings without quotes."""
    if value is None:
        return "<nil>"
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "[" + " ".join(map(go_value, value)) + "]"
    if isinstance(value, dict):
        return "map[" + " ".join(f"{key}:{go_value(value[key])}" for key in sorted(value)) + "]"
    return scalar(value) or json_text(value)


class Boxed:
    """A string behind a pointer, or of a type with a name of its own: errors print it as JSON, not with ``%q``."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Boxed) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Boxed({self.text!r})"

    def __str__(self) -> str:
        return self.text


class Struct(dict[str, Any]):
    """A Go struct: printed with its fields in their own order, not sorted like the keys of a map."""


def json_text(value: Any) -> str:
    """Return ``json.Marshal`` of a value: no spaces, sorted keys, ``<>&`` and the line separators escaped."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return _json_string(value)
    if isinstance(value, float):
        return _json_float(value)
    if (text := scalar(value)) is not None:
        return text
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{_json_string(key)}:{json_text(value[key])}" for key in _ordered(value)) + "}"
    if isinstance(value, Sequence):
        return "[" + ",".join(map(json_text, value)) + "]"
    return _json_string(str(value))


def _ordered(value: Mapping[str, Any]) -> Iterable[str]:
    return value if isinstance(value, Struct) else sorted(value)


def _json_string(text: str) -> str:
    return '"' + "".join(map(_json_rune, text)) + '"'


def _json_rune(rune: str) -> str:
    if (short := _JSON_ESCAPES.get(rune)) is not None:
        return short
    code = ord(rune)
    if code < 0x20:
        return f"\\u{code:04x}"
    return "\ufffd" if 0xD800 <= code <= 0xDFFF else rune


def _json_float(value: float) -> str:
    magnitude = abs(value)
    if magnitude and (magnitude < 1e-6 or magnitude >= 1e21):
        mantissa, _, exponent = float_text(value, exponent_from=0).partition("e")
        # encoding/json writes e-09 as e-9, but leaves e+21.
        return f"{mantissa}e-{exponent[1:].lstrip('0')}" if exponent.startswith("-") else f"{mantissa}e{exponent}"
    sign, digits, power = _decimal(value)
    return sign + _plain(digits, power)


def go_syntax(value: Any) -> str:
    """Return ``%#v`` of a JSON value, as API servers before 1.35 print objects and lists."""
    if value is None:
        return "interface {}(nil)"
    if isinstance(value, str):
        return quote(value)
    if (text := scalar(value)) is not None:
        return text
    if isinstance(value, Mapping):
        inner = ", ".join(f"{quote(key)}:{go_syntax(value[key])}" for key in sorted(value))
        return f"map[string]interface {{}}{{{inner}}}"
    if isinstance(value, Texts):
        return go_strings(value)
    if isinstance(value, Sequence):
        return "[]interface {}{" + ", ".join(map(go_syntax, value)) + "}"
    return quote(str(value))


class Texts(list[str]):
    """A Go slice of strings, which Go syntax distinguishes from a list of any values."""


class GoText(str):
    """The text of a value in Go syntax, which errors print as it is."""

    __slots__ = ()


ADDRESS: Final = "0xc000000000"
"""What a pointer is printed as: the API server prints an address of its own memory."""


def go_strings(values: Sequence[str]) -> str:
    """Return ``%#v`` of a list of strings."""
    return "[]string{" + ", ".join(map(quote, values)) + "}"


def go_kind(value: Any) -> str:
    """Return encoding/json's name for the kind of a JSON value, as its errors print it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "string"
    return "object" if isinstance(value, Mapping) else "array" if isinstance(value, Sequence) else type(value).__name__
