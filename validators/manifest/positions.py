"""Positions in a text, trees of them, and the errors and limits that the YAML and the JSON reader share."""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

MAX_DEPTH: Final = 100


class Position(NamedTuple):
    """A line and a column, counted from 1."""

    line: int
    column: int


class BadYAML(Exception):
    """kubectl would refuse the text. ``position`` is that of the error."""

    def __init__(self, message: str, position: Position) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


@dataclass(frozen=True, slots=True)
class Node:
    """A value's position and those of its members. Only built if a position is needed."""

    position: Position
    members: dict[str | int, "Node"] = field(default_factory=dict)
    keys: dict[str, Position] = field(default_factory=dict)


# Used for every node if positions are not needed. Nothing is ever added to it.
NOWHERE: Final = Node(Position(0, 0))
