"""Parses JSON text like Go's encoding/json: it accepts the same texts and reports the same errors.

Python's own reader accepts NaN, keeps one of two equal keys, converts numbers, and fails at some thousand levels. Here
an object keeps its members in order, and a number keeps its text, because their meaning depends on the Go type of the
target.

Source: Go, ``encoding/json/scanner.go`` and ``decode.go`` (``unquote``).
"""

import re
from collections.abc import Iterator
from json.encoder import encode_basestring
from typing import Any, Final, NamedTuple

from validators.go.text import quote

MAX_DEPTH: Final = 10_000
_BLANK: Final = re.compile(r"[ \t\r\n]*")
_PLAIN: Final = re.compile(r'[^"\\\x00-\x1f]*')
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_HEX: Final = re.compile(r"[0-9a-fA-F]{4}")
_LOW_HALF: Final = re.compile(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_ESCAPES: Final = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS: Final = {"t": ("true", True), "f": ("false", False), "n": ("null", None)}
_HIGH: Final = range(0xD800, 0xDC00)
_LOW: Final = range(0xDC00, 0xE000)


class Number(NamedTuple):
    """A number, as text."""

    text: str


class Members(list[tuple[str, Any]]):
    """The members of an object in their order; a key may occur twice."""


class NotJSON(NamedTuple):
    """Go's error about a text that is not JSON."""

    text: str


def read_json(text: str) -> Any:
    """Return the value of a JSON text, or `NotJSON`.

    The value is None, a bool, a str, a `Number`, a list or `Members`. Half a surrogate pair becomes U+FFFD. Never
    raises.
    """
    try:
        return _Reader(_SURROGATE.sub("\ufffd", text)).value()
    except _FaultError as fault:
        return NotJSON(str(fault))


def json_of(value: Any) -> str:
    """Return a parsed value as compact JSON with sorted keys; of equal keys, the last one stays."""
    # An explicit stack instead of recursion: a text may nest deeper than Python's call stack.
    parts: list[str] = []
    left: list[Any] = [value]
    while left:
        part = left.pop()
        if part.__class__ is _Token:
            parts.append(part)
        elif part.__class__ is Members or part.__class__ is list:
            left += reversed(list(_tokens(part)))
        else:
            parts.append(_scalar_of(part))
    return "".join(parts)


class _Token(str):
    """A piece of JSON."""

    __slots__ = ()


def _tokens(value: Any) -> Iterator[Any]:
    opening, closing = "{}" if value.__class__ is Members else "[]"
    yield _Token(opening)
    if value.__class__ is Members:
        for index, (key, inner) in enumerate(sorted(dict(value).items())):
            yield _Token(f"{',' if index else ''}{encode_basestring(key)}:")
            yield inner
    else:
        for index, inner in enumerate(value):
            if index:
                yield _Token(",")
            yield inner
    yield _Token(closing)


def _scalar_of(value: Any) -> str:
    if isinstance(value, Number):
        return value.text
    if isinstance(value, str):
        return encode_basestring(value)
    return "null" if value is None else "true" if value else "false"


class _FaultError(Exception):
    """The text is not JSON; the argument is Go's error."""


class _Reader:
    """Reads one text from left to right; ``_at`` is the offset of the next character."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def value(self) -> Any:
        """Return the value of the whole text."""
        around: list[list[Any]] = []
        keys: list[str] = []
        while True:
            value = self._begin(around, keys)
            if value is _OPEN:
                continue
            while around:
                inside = around[-1]
                inside.append((keys.pop(), value) if inside.__class__ is Members else value)
                if self._goes_on(inside, keys):
                    break
                value = around.pop()
            else:
                if self._next():
                    raise self._fault("after top-level value")
                return value

    def _begin(self, around: list[list[Any]], keys: list[str]) -> Any:
        """Read a scalar or an empty list or object, or open one that is not empty."""
        first = self._next()
        if first not in ("{", "["):
            return self._scalar(first)
        if len(around) == MAX_DEPTH:
            raise self._fault("exceeded max depth")
        self._at += 1
        inside: list[Any] = Members() if first == "{" else []
        if self._next() == ("}" if first == "{" else "]"):
            self._at += 1
            return inside
        around.append(inside)
        if first == "{":
            keys.append(self._key())
        return _OPEN

    def _goes_on(self, inside: list[Any], keys: list[str]) -> bool:
        """Whether another element or member follows; reads its key."""
        is_object = inside.__class__ is Members
        following = self._next()
        if following == ",":
            self._at += 1
            if is_object:
                self._next()
                keys.append(self._key())
            return True
        if following != ("}" if is_object else "]"):
            raise self._fault("after object key:value pair" if is_object else "after array element")
        self._at += 1
        return False

    def _key(self) -> str:
        if self._text[self._at : self._at + 1] != '"':
            raise self._fault("looking for beginning of object key string")
        key = self._string()
        if self._next() != ":":
            raise self._fault("after object key")
        self._at += 1
        return key

    def _scalar(self, first: str) -> Any:
        if first == '"':
            return self._string()
        if first in _WORDS:
            return self._word(*_WORDS[first])
        if first == "-" or (first.isascii() and first.isdecimal()):
            return self._number()
        raise self._fault("looking for beginning of value")

    def _word(self, word: str, value: bool | None) -> bool | None:
        for letter in word[1:]:
            self._at += 1
            if self._text[self._at : self._at + 1] != letter:
                raise self._fault(f"in literal {word} (expecting '{letter}')", inside=True)
        self._at += 1
        return value

    def _number(self) -> Number:
        found = _NUMBER.match(self._text, self._at)
        if found is None:
            self._at += 1
            raise self._fault("in numeric literal", inside=True)
        self._at = found.end()
        fraction, exponent = found.groups()
        following = self._text[self._at : self._at + 1]
        if following == "." and fraction is None and exponent is None:
            self._at += 1
            raise self._fault("after decimal point in numeric literal", inside=True)
        if following in ("e", "E") and exponent is None:
            self._at += 2 if self._text[self._at + 1 : self._at + 2] in ("+", "-") else 1
            raise self._fault("in exponent of numeric literal", inside=True)
        return Number(found[0])

    def _string(self) -> str:
        parts = []
        self._at += 1
        while True:
            plain = _PLAIN.match(self._text, self._at)
            assert plain is not None, "the pattern matches the empty text"
            parts.append(plain[0])
            self._at = plain.end()
            following = self._text[self._at : self._at + 1]
            if following == '"':
                self._at += 1
                return "".join(parts)
            if following != "\\":
                raise self._fault("in string literal")
            self._at += 1
            parts.append(self._escape())

    def _escape(self) -> str:
        letter = self._text[self._at : self._at + 1]
        if letter != "u":
            if letter not in _ESCAPES:
                raise self._fault("in string escape code", inside=True)
            self._at += 1
            return _ESCAPES[letter]
        self._at += 1
        digits = _HEX.match(self._text, self._at)
        if digits is None:
            while self._text[self._at : self._at + 1] in _HEX_DIGITS:
                self._at += 1
            raise self._fault("in \\u hexadecimal character escape", inside=True)
        self._at += 4
        code = int(digits[0], 16)
        low = _LOW_HALF.match(self._text, self._at) if code in _HIGH else None
        if low is not None:
            self._at = low.end()
            return chr(0x10000 + (code - 0xD800) * 0x400 + int(low[1], 16) - 0xDC00)
        return "\ufffd" if code in _HIGH or code in _LOW else chr(code)

    def _next(self) -> str:
        """The next character that is not white space, without consuming it; "" at the end."""
        found = _BLANK.match(self._text, self._at)
        self._at = found.end() if found is not None else self._at
        return self._text[self._at : self._at + 1]

    def _fault(self, context: str, *, inside: bool = False) -> _FaultError:
        """Return Go's error about the next character. Inside a literal, Go treats the end of the text as a space."""
        found = self._text[self._at : self._at + 1]
        if not found and not inside:
            return _FaultError("unexpected end of JSON input")
        # Go works on bytes
        byte = chr((found or " ").encode()[0])
        shown = {"'": r"'\''", '"': "'\"'"}.get(byte) or f"'{quote(byte)[1:-1]}'"
        return _FaultError(f"invalid character {shown} {context}")


_OPEN: Final = object()
_HEX_DIGITS: Final = frozenset("0123456789abcdefABCDEF")
