"""The arrangement of a picture for narrow screens: a card for each node, with its stations below each other."""

from typing import Final

from ovnguard.reconciler.plan.render.overview.labels import shortened
from ovnguard.reconciler.plan.render.overview.model import COLUMNS, Lane, Overview, Station
from ovnguard.reconciler.plan.render.overview.parts import (
    NOTHING,
    Lines,
    add_gutter,
    add_key,
    add_marks,
    add_more_nodes,
    below,
    columns,
    links,
    marks_height,
    outside_texts,
    stack,
    station_names,
    tint,
)
from ovnguard.reconciler.plan.render.overview.shapes import Area, Box, Drawing, Line, Text

WIDTH: Final = 336
_EDGE, _PAD = 2, 10
# Right of the cards, one line leads from all of them to what is outside.
_TRUNK: Final = WIDTH - 8
_CARD_WIDTH: Final = WIDTH - 24
_STATION_WIDTH, _STATION_HEIGHT = 150, 28
_LEFT: Final = _EDGE + _PAD
# The line from a station to the next one, and the texts right of it.
_LINK: Final = _LEFT + 16
_TEXTS: Final = _LINK + 14
_ROOM: Final = _EDGE + _CARD_WIDTH - 6 - _TEXTS


def narrow(overview: Overview) -> Drawing:
    """Return the picture, `WIDTH` wide."""
    drawing = Drawing(WIDTH)
    title = shortened([overview.heading], columns(WIDTH - 2 * _EDGE), 4)[overview.heading]
    y = stack(drawing, _EDGE, 4, [Text(0, 0, title, "name strong", overview.title)]) + 8
    if overview.lanes:
        y = _outside(drawing, _lanes(drawing, y, overview), overview)
        y = add_key(drawing, Area(_EDGE, y, WIDTH - _EDGE, 0), overview, sides=1)
    else:
        y = stack(drawing, _EDGE, y, [Text(0, 0, (NOTHING,), "word")])
    drawing.height = y + 4
    return drawing


def _lanes(drawing: Drawing, y: float, overview: Overview) -> float:
    nodes = shortened((lane.node for lane in overview.lanes), columns(_CARD_WIDTH - 2 * _PAD), 3)
    names = station_names(overview, _ROOM)
    for number, lane in enumerate(overview.lanes):
        y = add_gutter(drawing, _LINK, y, overview, named=number == 1) if number else y
        y = _lane(drawing, y, lane, nodes[lane.node], names, overview)
    if overview.more_nodes:
        y = add_gutter(drawing, _LINK, y, overview, named=len(overview.lanes) == 1)
        y = add_more_nodes(drawing, Area(_EDGE, y, _CARD_WIDTH, 34), overview)
    return y


def _lane(drawing: Drawing, y: float, lane: Lane, node: tuple[str, ...], names: Lines, overview: Overview) -> float:
    """Add a node's card; texts of a station, then those of its link, are right of the line to the next one."""
    shapes = Drawing(WIDTH)
    at = stack(shapes, _LEFT, y + 8, [Text(0, 0, node, "name strong", lane.node)]) + 6
    found = [(station, link) for station, link in zip(lane.stations, lane.links, strict=True) if station is not None]
    for number, (station, link) in enumerate(found, 1):
        top = at
        at = _station(shapes, at, station, links(link, _ROOM, centred=False), names, overview)
        kind = f"link {tint(overview)[0]}"
        if number < len(found):
            shapes.lines.append(Line(_LINK, top + _STATION_HEIGHT, _LINK, at, kind))
        elif lane.outside:
            middle = top + _STATION_HEIGHT / 2
            shapes.lines.append(Line(_LEFT + _STATION_WIDTH, middle, _TRUNK, middle, kind))
    drawing.add(Box(Area(_EDGE, y, _CARD_WIDTH, at + 4 - y), "card"), shapes)
    return at + 4


def _station(
    drawing: Drawing, y: float, station: Station, texts: list[Text], names: Lines, overview: Overview
) -> float:
    kind, ink = tint(overview)
    drawing.boxes.append(Box(Area(_LEFT, y, _STATION_WIDTH, _STATION_HEIGHT), kind, station.name))
    title = Text(_LEFT + _STATION_WIDTH / 2, y + 5, (station.title,), f"word strong {ink}", station.name, centred=True)
    drawing.texts.append(title)
    y += _STATION_HEIGHT
    end = stack(drawing, _TEXTS, y + 4, [*below(station, names, centred=False), *texts])
    room = Area(_TEXTS, end, _ROOM, marks_height(station.marks, _ROOM))
    add_marks(drawing, room, station.marks, centred=False)
    return max(end + room.height + 4, y + 12)


def _outside(drawing: Drawing, y: float, overview: Overview) -> float:
    """Add the frame of what is outside of all nodes, at the end of the line from them."""
    texts = outside_texts(overview, WIDTH - 2 * _EDGE - 2 * _PAD, 2, centred=False)
    if not texts:
        return y
    first = min(line.y1 for line in drawing.lines if line.x2 == _TRUNK)
    drawing.lines.append(Line(_TRUNK, first, _TRUNK, y + 16, f"link {tint(overview)[0]}"))
    y += 16
    end = stack(drawing, _LEFT, y + 8, [Text(0, 0, (COLUMNS[-1],), "word soft"), *texts]) + 8
    drawing.boxes.append(Box(Area(_EDGE, y, WIDTH - 2 * _EDGE, end - y), "card"))
    return end
