"""Parses JSON text like Go's encoding/json: it accepts the same texts and reports the same errors.

Python's own reader accepts NaN, keeps one of two equal keys, converts numbers, and fails at some thousand levels. Here
an object keeps its members in order, and a number keeps its text, because their meaning depends on the Go type of the
target.

Source: Go, ``encoding/json/scanner.go`` and ``decode.go`` (``unquote``).
"""

from collections.abc import Iterator
from json.encoder import encode_basestring
from typing import Any, Final, NamedTuple

from ovnguard.validators.go.text import quote
from ovnguard.validators.lazy_pattern import lazy_pattern

MAX_DEPTH: Final = 10_000
_BLANK: Final = lazy_pattern(r"[ \t\r\n]*")
_PLAIN: Final = lazy_pattern(r'[^"\\\x00-\x1f]*')
NUMBER: Final = lazy_pattern(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_HEX: Final = lazy_pattern(r"[0-9a-fA-F]{4}")
_LOW_HALF: Final = lazy_pattern(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_SURROGATE: Final = lazy_pattern("[\ud800-\udfff]")
_ESCAPES: Final = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
IN_STRING: Final = "in string literal"
IN_ESCAPE: Final = "in string escape code"
IN_CODE: Final = "in \\u hexadecimal character escape"
_CLOSING: Final = {"{": "}", "[": "]"}
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
        reader = Reader(_SURROGATE.sub("\ufffd", text))
        value = reader.value()
        if reader.next():
            raise reader.fault("after top-level value")
    except _FaultError as fault:
        return NotJSON(str(fault))
    return value


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


class Reader:
    """Reads values from left to right; ``at`` is the offset of the next character.

    A subclass may check what is read, keep it in another form, and report faults in its own words.
    """

    new_object: type[Any] = Members

    def __init__(self, text: str) -> None:
        """Start at the beginning of ``text``."""
        self.text: Final = text
        self.at = 0
        self.around: Final[list[Any]] = []
        self._keys: Final[list[str | None]] = []

    def value(self) -> Any:
        """Return the next value of the text."""
        while True:
            value = self._begin()
            if value is _OPEN:
                continue
            while self.around:
                self.add(self.around[-1], self._keys[-1], value)
                if self._goes_on():
                    break
                self._keys.pop()
                value = self.around.pop()
            else:
                return value

    def begin(self, first: str, key: str | None) -> None:
        """Check a value that begins with the character ``first``; ``key`` is that in the object around it."""
        if first in _CLOSING and len(self.around) == MAX_DEPTH:
            raise self.fault("exceeded max depth")

    def found_key(self, key: str, start: int) -> None:
        """Check a key of the innermost object, which begins at the offset ``start``."""

    def add(self, inside: Any, key: str | None, value: Any) -> None:
        """Add a value to the object or, without a key, to the list around it."""
        inside.append(value if key is None else (key, value))

    def next(self) -> str:
        """Return the next character that is not white space, without consuming it; "" at the end."""
        found = _BLANK.match(self.text, self.at)
        self.at = found.end() if found is not None else self.at
        return self.text[self.at : self.at + 1]

    def _begin(self) -> Any:
        """Read a scalar or an empty list or object, or open one that is not empty."""
        first = self.next()
        self.begin(first, self._keys[-1] if self._keys else None)
        if first not in _CLOSING:
            return self._string() if first == '"' else self.literal(first)
        self.at += 1
        inside = self.new_object() if first == "{" else []
        if self.next() == _CLOSING[first]:
            self.at += 1
            return inside
        self.around.append(inside)
        self._keys.append(self._key() if first == "{" else None)
        return _OPEN

    def _goes_on(self) -> bool:
        """Whether another element or member follows; reads its key."""
        is_object = self._keys[-1] is not None
        following = self.next()
        if following == ",":
            self.at += 1
            if is_object:
                self._keys[-1] = self._key()
            return True
        if following != ("}" if is_object else "]"):
            raise self.fault("after object key:value pair" if is_object else "after array element")
        self.at += 1
        return False

    def _key(self) -> str:
        if self.next() != '"':
            raise self.fault("looking for beginning of object key string")
        start = self.at
        key = self._string()
        self.found_key(key, start)
        if self.next() != ":":
            raise self.fault("after object key")
        self.at += 1
        return key

    def literal(self, first: str) -> Any:
        """Read a value that is no string, list or object; ``first`` is its first character."""
        if first in _WORDS:
            return self._word(*_WORDS[first])
        if first == "-" or (first.isascii() and first.isdecimal()):
            return self._number()
        raise self.fault("looking for beginning of value")

    def _word(self, word: str, value: bool | None) -> bool | None:
        for letter in word[1:]:
            self.at += 1
            if self.text[self.at : self.at + 1] != letter:
                raise self.fault(f"in literal {word} (expecting '{letter}')", inside=True)
        self.at += 1
        return value

    def _number(self) -> Number:
        found = NUMBER.match(self.text, self.at)
        if found is None:
            self.at += 1
            raise self.fault("in numeric literal", inside=True)
        self.at = found.end()
        fraction, exponent = found.groups()
        following = self.text[self.at : self.at + 1]
        if following == "." and fraction is None and exponent is None:
            self.at += 1
            raise self.fault("after decimal point in numeric literal", inside=True)
        if following in ("e", "E") and exponent is None:
            self.at += 2 if self.text[self.at + 1 : self.at + 2] in ("+", "-") else 1
            raise self.fault("in exponent of numeric literal", inside=True)
        return Number(found[0])

    def _string(self) -> str:
        parts = []
        self.at += 1
        while True:
            plain = _PLAIN.match(self.text, self.at)
            assert plain is not None, "the pattern matches the empty text"
            parts.append(plain[0])
            self.at = plain.end()
            following = self.text[self.at : self.at + 1]
            if following == '"':
                self.at += 1
                return "".join(parts)
            if following != "\\":
                raise self.fault(IN_STRING)
            self.at += 1
            parts.append(self._escape())

    def _escape(self) -> str:
        letter = self.text[self.at : self.at + 1]
        if letter != "u":
            if letter not in _ESCAPES:
                raise self.fault(IN_ESCAPE, inside=True)
            self.at += 1
            return _ESCAPES[letter]
        self.at += 1
        digits = _HEX.match(self.text, self.at)
        if digits is None:
            raise self.fault(IN_CODE, inside=True)
        self.at += 4
        code = int(digits[0], 16)
        low = _LOW_HALF.match(self.text, self.at) if code in _HIGH else None
        if low is not None:
            self.at = low.end()
            return chr(0x10000 + (code - 0xD800) * 0x400 + int(low[1], 16) - 0xDC00)
        return "\ufffd" if code in _HIGH or code in _LOW else chr(code)

    def fault(self, context: str, *, inside: bool = False) -> Exception:
        """Return Go's error about the next character. Inside a literal, Go treats the end of the text as a space."""
        # Go stops at the first character that is no digit
        while context == IN_CODE and self.text[self.at : self.at + 1] in _HEX_DIGITS:
            self.at += 1
        found = self.text[self.at : self.at + 1]
        if not found and not inside:
            return _FaultError("unexpected end of JSON input")
        # Go works on bytes
        byte = chr((found or " ").encode()[0])
        shown = {"'": r"'\''", '"': "'\"'"}.get(byte) or f"'{quote(byte)[1:-1]}'"
        return _FaultError(f"invalid character {shown} {context}")


_OPEN: Final = object()
_HEX_DIGITS: Final = frozenset("0123456789abcdefABCDEF")
