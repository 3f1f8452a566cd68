"""Shapes of a drawing, with places in pixels, and how wide a text is.

No font is measured. A name has a width for each character, which the SVG prescribes as ``textLength``: every program
draws it so wide, in whatever font. Words are ours, short, and in the page's font; no common one needs more than
`WORD` for a character on average, even bold, and they have more room than that.
"""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

FONT: Final = 13
LINE: Final = 18
# Characters of fonts with one width are 0.6 of their height.
NAME: Final = 0.6 * FONT
WORD: Final = 0.75 * FONT


class Area(NamedTuple):
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float


class Box(NamedTuple):
    """A rectangle that is drawn; ``kind`` are classes of picture.css, ``title`` a name that a pointer shows."""

    area: Area
    kind: str
    title: str = ""


class Text(NamedTuple):
    """Lines of one text, left-aligned at ``x`` or ``centred`` there; ``y`` is above the first line."""

    x: float
    y: float
    lines: tuple[str, ...]
    kind: str
    title: str = ""
    centred: bool = False

    @property
    def is_name(self) -> bool:
        """Whether every character has the width `NAME`."""
        return not self.kind.startswith("word")

    def width(self, line: str) -> float:
        """Return the width of a line, at most."""
        return len(line) * (NAME if self.is_name else WORD)

    @property
    def area(self) -> Area:
        """The room that the text needs."""
        width = max(map(self.width, self.lines))
        return Area(self.x - width / 2 if self.centred else self.x, self.y, width, LINE * len(self.lines))


class Line(NamedTuple):
    """A straight line between two points."""

    x1: float
    y1: float
    x2: float
    y2: float
    kind: str


@dataclass(slots=True)
class Drawing:
    """Shapes, in the order of drawing: boxes, lines, then texts."""

    width: float
    height: float = 0
    boxes: list[Box] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)

    def add(self, box: Box, other: "Drawing") -> None:
        """Add a box, and the shapes of another drawing on it."""
        self.boxes += (box, *other.boxes)
        self.lines += other.lines
        self.texts += other.texts
