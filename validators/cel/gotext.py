"""Go's spelling of values, because the API server's texts are printed by Go."""

from typing import Final

_NAMED: Final = {
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


def quote(text: str) -> str:
    """``text`` as Go's ``strconv.Quote`` (``%q``) prints it."""
    return '"' + "".join(map(_quoted_rune, text)) + '"'


def _quoted_rune(rune: str) -> str:
    if rune in _NAMED:
        return _NAMED[rune]
    if rune == " " or (rune.isprintable() and not "\ud800" <= rune <= "\udfff"):
        return rune
    code = ord(rune)
    if code < 0x20 or code == 0x7F:
        return f"\\x{code:02x}"
    if 0xD800 <= code <= 0xDFFF:
        return "\\ufffd"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def format_double(value: float, *, exponents: bool = True) -> str:
    """As ``strconv.FormatFloat(value, 'g', -1, 64)`` prints it, or with 'f' when ``exponents`` is False."""
    if value != value:  # noqa: PLR0124 - NaN is what differs from itself
        return "NaN"
    if value in {float("inf"), float("-inf")}:
        return "+Inf" if value > 0 else "-Inf"
    sign = "-" if str(value)[0] == "-" else ""
    digits, point = _shortest(abs(value))
    if exponents and digits != "0" and not -4 <= point - 1 < 6:
        return _scientific(sign, digits, point)
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    whole, rest = digits[:point].ljust(point, "0"), digits[point:]
    return f"{sign}{whole}.{rest}" if rest else f"{sign}{whole}"


def _scientific(sign: str, digits: str, point: int) -> str:
    tail = f".{digits[1:]}" if len(digits) > 1 else ""
    exponent = point - 1
    return f"{sign}{digits[0]}{tail}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def _shortest(value: float) -> tuple[str, int]:
    """The shortest digits that read back as ``value``, and where the decimal point stands among them."""
    mantissa, _, exponent = f"{value!r}".partition("e")
    whole, _, rest = mantissa.partition(".")
    digits = f"{whole}{rest}".lstrip("0")
    leading = len(f"{whole}{rest}") - len(digits)
    point = len(whole) - leading + int(exponent or 0)
    digits = digits.rstrip("0")
    return (digits, point) if digits else ("0", 1)
