"""Positions in a text, trees of them, and the errors and limits that the YAML and the JSON reader share."""

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from typing import Final, NamedTuple

MAX_DEPTH: Final = 100
MAX_KEY: Final = 2048
"""Characters of a key, twice as many as YAML reads without a question mark. The paths of findings have them."""
LONG_KEY: Final = f"a key has more than {MAX_KEY} characters"


class Position(NamedTuple):
    """A line and a column, counted from 1."""

    line: int
    column: int


START: Final = Position(1, 1)


class BadYAML(Exception):
    """kubectl would refuse the text. ``position`` is that of the error; octets that are no text have no lines."""

    def __init__(self, message: str, position: Position, *, is_text: bool = True) -> None:
        super().__init__(message)
        self.message = message
        self.position = position
        self.is_text = is_text


class Node:
    """A value's position and those of its members. Only built if a position is needed."""

    __slots__ = ("_key_lengths", "keys", "members", "position")

    def __init__(self, position: Position) -> None:
        """Create the tree of a value whose members are not read yet."""
        self.position: Final = position
        self.members: Final[dict[str | int, Node]] = {}
        self.keys: Final[dict[str, Position]] = {}
        self._key_lengths: list[int] | None = None

    def key_lengths(self) -> list[int]:
        """Return how long keys are, each length once, ascending. Call it when all members are read."""
        if self._key_lengths is None:
            self._key_lengths = sorted({len(key) for key in self.keys})
        return self._key_lengths


def lines_of(text: bytes) -> list[str]:
    """Return the lines of a manifest without their ends, counted as positions count them.

    YAML 1.1 may be UTF-16 and has more line breaks than JSON, whose strings may contain these characters.
    """
    characters = decoded(text)
    breaks = "\n" if characters.lstrip().startswith(("{", "[")) else "\r\n|[\n\r\x85\u2028\u2029]"
    return [line.rstrip("\r") for line in re.split(breaks, characters)]


def decoded(text: bytes) -> str:
    """Return the characters of a manifest; U+FFFD replaces invalid bytes."""
    encoding = "utf-16" if text.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig"
    return text.decode(encoding, errors="replace")


# Used for every node if positions are not needed. Nothing is ever added to it.
NOWHERE: Final = Node(Position(0, 0))
