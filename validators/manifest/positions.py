"""What the readers of YAML and of JSON have in common: places in a text, trees of them, faults and bounds."""

from dataclasses import dataclass, field
from typing import Final

MAX_DEPTH: Final = 100


@dataclass(frozen=True, slots=True)
class Position:
    """Where something stands, counted from 1."""

    line: int
    column: int


class BadYAML(Exception):
    """The text is not one that kubectl would take; ``position`` is where."""

    def __init__(self, message: str, position: Position) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it and its members start; only built when a position is asked for."""

    position: Position
    members: dict[str | int, "Node"] = field(default_factory=dict)
    keys: dict[str, Position] = field(default_factory=dict)


# Stands for every node while positions are not asked for; nothing is ever put into it.
NOWHERE: Final = Node(Position(0, 0))
