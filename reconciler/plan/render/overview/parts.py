"""Parts of both arrangements of a picture: marks and their key, names below a station, and what is outside."""

from collections.abc import Mapping, Sequence
from typing import Final

from ovnguard.reconciler.plan.render.overview.labels import shortened, wrapped
from ovnguard.reconciler.plan.render.overview.model import TUNNELS, Mark, Overview, Station, some
from ovnguard.reconciler.plan.render.overview.shapes import LINE, NAME, Area, Box, Drawing, Line, Text

NOTHING: Final = "No network is planned."
# The number of a station's marks, of networks in a key, of names below a station and of things outside.
MOST_MARKS: Final = 24
_MOST_NAMES: Final = 2
_MOST_OUTSIDE: Final = 6
# Colours of networks in picture.css.
_COLOURS: Final = 8
GUTTER: Final = 20
HEADING: Final = "word strong"
_ROOM_ABOVE: Final = 8
_MARK_WIDTH, _MARK_HEIGHT, _GAP = 26, 20, 4
_NAME_LINES: Final = 3
# From the left of a mark to the name of its network.
_KEY_INDENT: Final = _MARK_WIDTH + 10

Lines = Mapping[str, tuple[str, ...]]


def columns(width: float) -> int:
    """Return the number of a name's characters that fit in a width."""
    return int(width / NAME)


def tint(overview: Overview) -> tuple[str, str]:
    """Return the classes of stations and links, and of texts on them: one network's colour, or that of them all."""
    return ("all", "") if overview.key else (_colour(overview.colour), "ink")


def _colour(number: int) -> str:
    return f"c{number % _COLOURS}"


def stack(drawing: Drawing, x: float, y: float, texts: Sequence[Text]) -> float:
    """Add texts below each other, at ``x``, headings with room above them; return where the last one ends."""
    for number, text in enumerate(texts):
        y += _ROOM_ABOVE if number and text.kind == HEADING else 0
        drawing.texts.append(text._replace(x=x, y=y))
        y += text.area.height
    return y


def station_names(overview: Overview, width: float) -> Lines:
    """Return the lines of the names below stations."""
    names = (name for lane in overview.lanes for each in lane.stations if each for name in each.names)
    return shortened(names, columns(width), _NAME_LINES)


def below(station: Station, lines: Lines, *, centred: bool) -> list[Text]:
    """Return the names below a station, and how many more there are."""
    shown, more = station.names[:_MOST_NAMES], len(station.names) - _MOST_NAMES
    texts = [Text(0, 0, lines[name], "name", name, centred) for name in shown]
    return [*texts, *([Text(0, 0, (f"and {more:,} more",), "word soft", "", centred)] if more > 0 else [])]


def links(texts: Sequence[str], width: float, *, centred: bool) -> list[Text]:
    """Return the texts of a link."""
    return [Text(0, 0, wrapped(text, columns(width)), "label", "", centred) for text in texts]


def outside_texts(overview: Overview, width: float, lines: int, *, centred: bool) -> list[Text]:
    """Return what is outside, by its kind, and how much more there is."""
    shown, more = overview.outside[:_MOST_OUTSIDE], len(overview.outside) - _MOST_OUTSIDE
    names = shortened((each.name for each in shown), columns(width), lines)
    texts = []
    for title in dict.fromkeys(each.title for each in shown):
        texts.append(Text(0, 0, (title,), HEADING, "", centred))
        named = (each.name for each in shown if each.title == title and each.name)
        texts += (Text(0, 0, names[name], "name", name, centred) for name in named)
    return [*texts, *([Text(0, 0, (f"and {more:,} more",), "word soft", "", centred)] if more > 0 else [])]


def add_more_nodes(drawing: Drawing, area: Area, overview: Overview) -> float:
    """Add a card with the number of nodes that have no lane; return where it ends."""
    drawing.boxes.append(Box(area, "card more"))
    text = some(len(overview.more_nodes), "more node")
    drawing.texts.append(Text(area.x + 10, area.y + (area.height - LINE) / 2, (text,), HEADING))
    return area.y + area.height


def add_gutter(drawing: Drawing, x: float, y: float, overview: Overview, *, named: bool) -> float:
    """Add what connects two nodes, between them; return where the next one begins."""
    if overview.tunnels_at is not None:
        drawing.lines.append(Line(x, y, x, y + GUTTER, "tunnel"))
        if named:
            drawing.texts.append(Text(x + 14, y + (GUTTER - LINE) / 2, (TUNNELS,), "word soft"))
    return y + GUTTER


def marks_height(marks: Sequence[Mark], width: float) -> float:
    """Return the height of marks in rows of a width, with a line for how many more there are."""
    known = _known(marks)
    rows = -(-len(known) // _on_a_row(width))
    return rows * (_MARK_HEIGHT + _GAP) + LINE * (len(known) < len(marks))


def add_marks(drawing: Drawing, area: Area, marks: Sequence[Mark], *, centred: bool) -> None:
    """Add marks in rows, those of networks that the key names."""
    known, on_a_row = _known(marks), _on_a_row(area.width)
    y = area.y
    for at in range(0, len(known), on_a_row):
        row = known[at : at + on_a_row]
        left = area.x + (area.width - len(row) * (_MARK_WIDTH + _GAP) + _GAP) / 2 * centred
        for number, each in enumerate(row):
            _add_mark(drawing, left + number * (_MARK_WIDTH + _GAP), y, each)
        y += _MARK_HEIGHT + _GAP
    if len(known) < len(marks):
        x = area.x + area.width / 2 * centred
        more = f"and {len(marks) - len(known):,} more" if known else f"{len(marks):,} more"
        drawing.texts.append(Text(x, y, (more,), "word soft", "", centred))


def _add_mark(drawing: Drawing, x: float, y: float, mark: Mark) -> None:
    """Add the number of a network in its colour, with a + and a green frame where the plan adds it."""
    area = Area(x, y, _MARK_WIDTH, _MARK_HEIGHT)
    drawing.boxes.append(Box(area, f"mark {_colour(mark.network)}{' new' if mark.is_new else ''}"))
    number = f"{'+' if mark.is_new else ''}{mark.network + 1}"
    drawing.texts.append(Text(x + _MARK_WIDTH / 2, y + 1, (number,), "name ink", "", centred=True))


def add_key(drawing: Drawing, area: Area, overview: Overview, sides: int) -> float:
    """Add the networks behind the numbers in so many columns; return where they end."""
    if not overview.key:
        return area.y
    shown, more, width = overview.key[:MOST_MARKS], len(overview.key) - MOST_MARKS, area.width / sides
    room = columns(width - _KEY_INDENT - _GAP)
    lines = shortened((each.label for each in shown), room, 2)
    drawing.texts.append(Text(area.x, area.y + 14, ("Networks",), HEADING))
    ends, on_a_side = [area.y + 14 + LINE + 6] * sides, -(-len(shown) // sides)
    for number, each in enumerate(shown):
        side = number // on_a_side
        x, y = area.x + side * width, ends[side]
        _add_mark(drawing, x, y, Mark(number, each.is_new))
        about = wrapped(f"+ added: {each.about}" if each.is_new else each.about, room)
        texts = [Text(0, 0, lines[each.label], "name", each.network)]
        texts.append(Text(0, 0, about, "name new" if each.is_new else "name soft"))
        ends[side] = stack(drawing, x + _KEY_INDENT, y, texts) + 8
    if more > 0:
        text = Text(0, 0, (f"and {some(more, 'more network')}",), "word soft")
        return stack(drawing, area.x, max(ends), [text])
    return max(ends)


def _known(marks: Sequence[Mark]) -> list[Mark]:
    return [each for each in marks if each.network < MOST_MARKS]


def _on_a_row(width: float) -> int:
    return int((width + _GAP) // (_MARK_WIDTH + _GAP))
