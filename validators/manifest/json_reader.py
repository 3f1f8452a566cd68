"""JSON text to plain values, and on demand the position of every field.

Python's own reader has no positions, keeps the last of two equal keys and accepts NaN. Numbers become what Go's decoder
and encoder make of them on the way to the API server (sigs.k8s.io/json, UnmarshalCaseSensitivePreserveInts).
"""

import math
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, Final

from validators.manifest.positions import LONG_KEY, MAX_DEPTH, MAX_KEY, NOWHERE, BadYAML, Node, Position
from validators.manifest.scalars import whole

_BLANK: Final = re.compile(r"[ \t\n\r]*")
_PLAIN: Final = re.compile(r'[^"\\\x00-\x1f]*')
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORD: Final = re.compile(r"[-+]?\w+")
_HEX: Final = re.compile(r"[0-9a-fA-F]{4}")
_WORDS: Final = {"true": True, "false": False, "null": None}
_ESCAPES: Final = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_NO_NUMBERS: Final = frozenset({"NaN", "Infinity", "-Infinity"})
_HIGH: Final = range(0xD800, 0xDC00)
_LOW: Final = range(0xDC00, 0xE000)
_INT64: Final = range(-(2**63), 2**63)


class NotJSON(BadYAML):
    """The text breaks the grammar of JSON. It may still be YAML."""


def load_json(raw: bytes, *, positions: bool, max_values: int) -> Iterator[tuple[Any, Node, Position]]:
    """Yield value, position tree and start of each JSON text in ``raw``. White space separates texts.

    Raises NotJSON for wrong syntax, and BadYAML for what no reader may accept: duplicate keys, NaN and infinities,
    nesting deeper than MAX_DEPTH, keys longer than MAX_KEY, more than ``max_values`` values in one text.
    """
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise NotJSON(f"not JSON text: invalid UTF-8 (byte {error.start})", Position(1, 1)) from None
    yield from _Scanner(text, positions=positions, max_values=max_values).documents()


class _Scanner:
    """Reads one text from left to right. ``at`` is the offset of the next character."""

    def __init__(self, text: str, *, positions: bool, max_values: int) -> None:
        self._text = text
        self._positions = positions
        self._max_values = max_values
        self._values = 0
        self._at = 0
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]

    def documents(self) -> Iterator[tuple[Any, Node, Position]]:
        while self._next():
            self._values = 0
            start = self._position(self._at)
            value, node = self._value(1)
            yield value, node, start

    def _position(self, offset: int) -> Position:
        line = bisect_right(self._lines, offset)
        return Position(line, offset - self._lines[line - 1] + 1)

    def _next(self) -> str:
        """Return the next character that is not white space without consuming it, "" at the end."""
        found = _BLANK.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return self._text[self._at : self._at + 1]

    def _wrong(self, expected: str) -> NotJSON:
        found = self._text[self._at : self._at + 1]
        shown = f"not {found!r}" if found else "not the end of the text"
        return NotJSON(f"malformed JSON: {expected} is expected here, {shown}", self._position(self._at))

    def _value(self, depth: int) -> tuple[Any, Node]:
        first, start = self._next(), self._at
        self._values += 1
        if self._values > self._max_values:
            raise BadYAML(f"more than {self._max_values} values in one document", self._position(start))
        node = Node(self._position(start)) if self._positions else NOWHERE
        if first in ("{", "["):
            if depth > MAX_DEPTH:
                raise BadYAML(f"nested deeper than {MAX_DEPTH} levels", self._position(start))
            self._at += 1
            return (self._object(node, depth) if first == "{" else self._array(node, depth)), node
        if first == '"':
            return self._string(), node
        return self._literal(), node

    def _object(self, node: Node, depth: int) -> dict[str, Any]:
        pairs: dict[str, Any] = {}
        if self._next() == "}":
            self._at += 1
            return pairs
        while True:
            if self._next() != '"':
                raise self._wrong("a key in double quotes")
            start = self._at
            key = self._string()
            if len(key) > MAX_KEY:
                raise BadYAML(LONG_KEY, self._position(start))
            if key in pairs:
                raise BadYAML(f"duplicate key {key!r}", self._position(start))
            if self._next() != ":":
                raise self._wrong("':' after a key")
            self._at += 1
            pairs[key], member = self._value(depth + 1)
            if self._positions:
                node.members[key] = member
                node.keys[key] = self._position(start)
            if self._ends("}"):
                return pairs

    def _array(self, node: Node, depth: int) -> list[Any]:
        items: list[Any] = []
        if self._next() == "]":
            self._at += 1
            return items
        while True:
            item, member = self._value(depth + 1)
            if self._positions:
                node.members[len(items)] = member
            items.append(item)
            if self._ends("]"):
                return items

    def _ends(self, bracket: str) -> bool:
        """Consume the comma (False) or the closing bracket (True) after a member."""
        found = self._next()
        if found not in (",", bracket) or not found:
            raise self._wrong(f"',' or '{bracket}'")
        self._at += 1
        return found == bracket

    def _literal(self) -> Any:
        found = _WORD.match(self._text, self._at)
        word = found[0] if found else ""
        if word in _WORDS:
            self._at += len(word)
            return _WORDS[word]
        if word in _NO_NUMBERS:
            raise BadYAML(f"{word} is not a JSON number", self._position(self._at))
        number = _NUMBER.match(self._text, self._at)
        if number is None:
            raise self._wrong("a value")
        value = _go_number(number)
        if value is None:
            raise BadYAML(f"{_short(number[0])} is larger than a number can be", self._position(self._at))
        self._at = number.end()
        return value

    def _string(self) -> str:
        self._at += 1
        parts: list[str] = []
        while True:
            plain = _PLAIN.match(self._text, self._at)
            if plain:
                parts.append(plain[0])
                self._at = plain.end()
            stop = self._text[self._at : self._at + 1]
            if stop == '"':
                self._at += 1
                return "".join(parts)
            if stop != "\\":
                raise self._wrong("'\"' at the end of a string" if not stop else "an escape for this character")
            parts.append(self._escape())

    def _escape(self) -> str:
        letter = self._text[self._at + 1 : self._at + 2]
        if letter in _ESCAPES and letter:
            self._at += 2
            return _ESCAPES[letter]
        code = self._code_unit()
        if code is None:
            self._at += 1
            raise self._wrong('one of "\\/bfnrt, or u and four hexadecimal digits,')
        self._at += 6
        if code not in _HIGH and code not in _LOW:
            return chr(code)
        low = self._code_unit() if code in _HIGH else None
        if low is not None and low in _LOW:
            self._at += 6
            return chr(0x10000 + ((code - _HIGH.start) << 10) + (low - _LOW.start))
        return "\ufffd"  # half of a pair is not a character: Go replaces it with this one

    def _code_unit(self) -> int | None:
        """Return the number of a ``\\uXXXX`` that begins here."""
        digits = _HEX.match(self._text, self._at + 2) if self._text.startswith("\\u", self._at) else None
        return int(digits[0], 16) if digits else None


def _go_number(number: re.Match[str]) -> int | float | None:
    """Return Go's number, or None if no float64 can hold it."""
    text, fraction, exponent = number[0], number[1], number[2]
    # At most as many digits as an int64 has: Python refuses to convert a million of them.
    if fraction is None and exponent is None and len(text) <= 20 and int(text) in _INT64:
        return int(text)
    value = float(text)
    if math.isinf(value):
        return None
    return whole(value)


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}..."
