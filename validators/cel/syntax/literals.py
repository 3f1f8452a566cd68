"""Literals of CEL as values: numbers with their limits, strings and bytes with their escapes.

Source: CEL language definition, "Values" and "String and Bytes Values".
"""

import re
from typing import Final

from ovnguard.validators.cel.values.cel_values import UInt

INT_MIN: Final = -(2**63)
INT_MAX: Final = 2**63 - 1
UINT_MAX: Final = 2**64 - 1
_SIMPLE: Final = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "`": "`",
    "?": "?",
}
_ESCAPE: Final = re.compile(
    r"\\(?:([abfnrtv\\'\"`?])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))"
)
_MOST_DIGITS: Final = 20
_SURROGATES: Final = range(0xD800, 0xE000)


class LiteralError(Exception):
    """The literal has no value. The text is the parser's message."""


class LexicalError(Exception):
    """The token is not part of the language (an escape that does not exist)."""


def integer(text: str) -> int:
    """Return a signed 64-bit integer, decimal or hexadecimal. Raises `LiteralError`."""
    value = _number(text)
    if value is None or not INT_MIN <= value <= INT_MAX:
        raise LiteralError("invalid int literal")
    return value


def unsigned(text: str) -> UInt:
    """Return an unsigned 64-bit integer, written with its ``u``. Raises `LiteralError`."""
    value = _number(text[:-1])
    if value is None or not 0 <= value <= UINT_MAX:
        raise LiteralError("invalid uint literal")
    return UInt(value)


def _number(text: str) -> int | None:
    """Return the number, None for one far beyond 64 bits."""
    sign, digits = (text[0], text[1:]) if text[0] in "+-" else ("", text)
    hexadecimal = digits.startswith("0x")
    digits = (digits[2:] if hexadecimal else digits).lstrip("0") or "0"
    return int(sign + digits, 16 if hexadecimal else 10) if len(digits) <= _MOST_DIGITS else None


def double(text: str) -> float:
    """Return a double. Raises `LiteralError` if it does not fit."""
    value = float(text)
    if value in {float("inf"), float("-inf")}:
        raise LiteralError("invalid double literal")
    return value


def string(token: str) -> str | bytes:
    """Return a quoted literal, prefixes and quotes included, as text or bytes.

    Raises `LexicalError`, `LiteralError`.
    """
    body = token.replace("\r\n", "\n").replace("\r", "\n")
    prefix = body[: len(body) - len(body.lstrip("rRbB"))].lower()
    body = body[len(prefix) :]
    width = 3 if body[:3] in {'"""', "'''"} else 1
    body = body[width:-width]
    if "b" in prefix:
        return body.encode() if "r" in prefix else _bytes(body)
    return body if "r" in prefix or "\\" not in body else _text(body)


def _parts(body: str) -> list[str | re.Match[str]]:
    parts: list[str | re.Match[str]] = []
    at = 0
    while at < len(body):
        if body[at] == "\\":
            found = _ESCAPE.match(body, at)
            if found is None:
                raise LexicalError
            parts.append(found)
            at = found.end()
        else:
            end = body.find("\\", at)
            end = len(body) if end < 0 else end
            parts.append(body[at:end])
            at = end
    return parts


def _text(body: str) -> str:
    out = []
    for part in _parts(body):
        if isinstance(part, str):
            out.append(part)
        elif part[1]:
            out.append(_SIMPLE[part[1]])
        else:
            out.append(chr(_code_point(part)))
    return "".join(out)


def _code_point(part: re.Match[str]) -> int:
    code = int(part[5], 8) if part[5] else int(part[2] or part[3] or part[4], 16)
    if code > 0x10FFFF or code in _SURROGATES:
        raise LiteralError("invalid unicode code point")
    return code


def _bytes(body: str) -> bytes:
    out = bytearray()
    for part in _parts(body):
        if isinstance(part, str):
            out += part.encode()
        elif part[1]:
            out += _SIMPLE[part[1]].encode()
        elif part[3] or part[4]:
            raise LiteralError("unable to unescape string")
        else:
            out.append(int(part[5], 8) if part[5] else int(part[2], 16))
    return bytes(out)
