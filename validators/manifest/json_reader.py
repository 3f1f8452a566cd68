"""JSON text to plain values, and on demand the position of every field.

Python's own reader has no positions, keeps the last of two equal keys and accepts NaN. Numbers become what Go's decoder
and encoder make of them on the way to the API server (sigs.k8s.io/json, UnmarshalCaseSensitivePreserveInts).
"""

import math
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, Final

from ovnguard.validators.go.json_syntax import IN_CODE, IN_ESCAPE, IN_STRING, NUMBER, Reader
from ovnguard.validators.lazy_pattern import lazy_pattern
from ovnguard.validators.manifest.positions import LONG_KEY, MAX_DEPTH, MAX_KEY, NOWHERE, BadYAML, Node, Position
from ovnguard.validators.manifest.scalars import whole

_WORD: Final = lazy_pattern(r"[-+]?\w+")
_WORDS: Final = {"true": True, "false": False, "null": None}
_NO_NUMBERS: Final = frozenset({"NaN", "Infinity", "-Infinity"})
_ESCAPE: Final = 'one of "\\/bfnrt, or u and four hexadecimal digits,'
_EXPECTED: Final = {
    "after array element": "',' or ']'",
    "after object key": "':' after a key",
    "after object key:value pair": "',' or '}'",
    IN_CODE: _ESCAPE,
    IN_ESCAPE: _ESCAPE,
    IN_STRING: "an escape for this character",
    "looking for beginning of object key string": "a key in double quotes",
}
"""What is expected where Go reports a wrong character."""
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
    yield from _Reader(text, positions=positions, max_values=max_values).documents()


class _Reader(Reader):
    """Reads the texts one by one, with limits and positions."""

    new_object = dict

    def __init__(self, text: str, *, positions: bool, max_values: int) -> None:
        super().__init__(text)
        self._positions = positions
        self._max_values = max_values
        self._values = 0
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]
        self._nodes: list[Node] = [NOWHERE]
        """Of the current value, after those of the lists and objects around it."""

    def documents(self) -> Iterator[tuple[Any, Node, Position]]:
        while self.next():
            self._values = 0
            start = self._position(self.at)
            yield self.value(), self._nodes[0], start

    def begin(self, first: str, key: str | None) -> None:
        self._values += 1
        if self._values > self._max_values:
            raise BadYAML(f"more than {self._max_values} values in one document", self._position(self.at))
        depth = len(self.around)
        if depth == MAX_DEPTH and first in ("{", "["):
            raise BadYAML(f"nested deeper than {MAX_DEPTH} levels", self._position(self.at))
        if self._positions:
            node = Node(self._position(self.at))
            if depth:
                self._nodes[depth - 1].members[len(self.around[-1]) if key is None else key] = node
            self._nodes[depth:] = [node]

    def found_key(self, key: str, start: int) -> None:
        if len(key) > MAX_KEY:
            raise BadYAML(LONG_KEY, self._position(start))
        if key in self.around[-1]:
            raise BadYAML(f"duplicate key {key!r}", self._position(start))
        if self._positions:
            self._nodes[len(self.around) - 1].keys[key] = self._position(start)

    def add(self, inside: Any, key: str | None, value: Any) -> None:
        if key is None:
            inside.append(value)
        else:
            inside[key] = value

    def literal(self, first: str) -> Any:
        found = _WORD.match(self.text, self.at)
        word = found[0] if found else ""
        if word in _WORDS:
            self.at += len(word)
            return _WORDS[word]
        if word in _NO_NUMBERS:
            raise BadYAML(f"{word} is not a JSON number", self._position(self.at))
        number = NUMBER.match(self.text, self.at)
        if number is None:
            raise self._wrong("a value")
        value = _go_number(number)
        if value is None:
            raise BadYAML(f"{_short(number[0])} is larger than a number can be", self._position(self.at))
        self.at = number.end()
        return value

    def fault(self, context: str, *, inside: bool = False) -> NotJSON:
        if context == IN_CODE:
            self.at -= 1
        if context == IN_STRING and self.at == len(self.text):
            return self._wrong("'\"' at the end of a string")
        return self._wrong(_EXPECTED[context])

    def _wrong(self, expected: str) -> NotJSON:
        found = self.text[self.at : self.at + 1]
        shown = f"not {found!r}" if found else "not the end of the text"
        return NotJSON(f"malformed JSON: {expected} is expected here, {shown}", self._position(self.at))

    def _position(self, offset: int) -> Position:
        line = bisect_right(self._lines, offset)
        return Position(line, offset - self._lines[line - 1] + 1)


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
