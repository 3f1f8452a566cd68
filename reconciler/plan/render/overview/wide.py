"""The arrangement of a picture for wide screens: columns from the pods to what is outside, and a lane for each node."""

from itertools import chain
from typing import Final

from ovnguard.reconciler.plan.render.overview.labels import shortened
from ovnguard.reconciler.plan.render.overview.model import COLUMNS, SWITCH, Lane, Overview, Station
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
from ovnguard.reconciler.plan.render.overview.shapes import LINE, Area, Box, Drawing, Line, Text

WIDTH: Final = 1140
_EDGE, _PAD = 10, 10
_OUTSIDE_WIDTH: Final = 180
_OUTSIDE_AT: Final = WIDTH - _EDGE - _OUTSIDE_WIDTH
_GAP: Final = 24
# From the middle of a station to that of the next one, and from the last one to what is outside.
_PITCH: Final = (_OUTSIDE_AT - _EDGE) / 4.5
_CENTRES: Final = tuple(_EDGE + _PITCH * (number + 0.5) for number in range(4))
_CARD_WIDTH: Final = _OUTSIDE_AT - _EDGE - _GAP
_STATION_WIDTH, _STATION_HEIGHT = 150, 30
_ROOM: Final = _PITCH - _PAD
# The middle and the width of each link's labels; the last ones end where the card does.
_LINKS: Final = (
    *((x + _PITCH / 2, _ROOM) for x in _CENTRES[:-1]),
    (_CENTRES[-1] + (_PITCH - _GAP) / 2, _ROOM - _GAP),
)


def wide(overview: Overview) -> Drawing:
    """Return the picture, `WIDTH` wide."""
    drawing = Drawing(WIDTH)
    title = shortened([overview.heading], columns(WIDTH - 2 * _EDGE), 2)[overview.heading]
    y = stack(drawing, _EDGE, 6, [Text(0, 0, title, "name strong", overview.title)]) + 10
    if overview.lanes:
        for x, text in zip((*_CENTRES, _OUTSIDE_AT + _OUTSIDE_WIDTH / 2), COLUMNS, strict=True):
            drawing.texts.append(Text(x, y, (text,), "word soft", "", centred=True))
        y = _lanes(drawing, y + LINE + 8, overview)
        y = add_key(drawing, Area(_EDGE, y, WIDTH - 2 * _EDGE, 0), overview, sides=2)
    else:
        y = stack(drawing, _EDGE, y, [Text(0, 0, (NOTHING,), "word")])
    drawing.height = y + _PAD
    return drawing


def _lanes(drawing: Drawing, top: float, overview: Overview) -> float:
    nodes = shortened((lane.node for lane in overview.lanes), columns(_CARD_WIDTH - 2 * _PAD), 2)
    names = station_names(overview, _ROOM)
    tunnels, y = _CENTRES[overview.tunnels_at or SWITCH], top
    for number, lane in enumerate(overview.lanes):
        y = add_gutter(drawing, tunnels, y, overview, named=number == 1) if number else y
        y = _lane(drawing, y, lane, nodes[lane.node], names, overview)
    if overview.more_nodes:
        y = add_gutter(drawing, tunnels, y, overview, named=len(overview.lanes) == 1)
        y = add_more_nodes(drawing, Area(_EDGE, y, _CARD_WIDTH, 34), overview)
    return max(y, _outside(drawing, top, y, overview))


def _lane(drawing: Drawing, y: float, lane: Lane, node: tuple[str, ...], names: Lines, overview: Overview) -> float:
    """Add a node's card: its name, the labels of links, the stations, then what is below them."""
    shapes = Drawing(WIDTH)
    at = stack(shapes, _EDGE + _PAD, y + 6, [Text(0, 0, node, "name strong", lane.node)]) + 2
    over = [links(texts, room, centred=True) for texts, (_, room) in zip(lane.links, _LINKS, strict=True)]
    heights = [sum(text.area.height for text in texts) for texts in over]
    for (x, _), texts, height in zip(_LINKS, over, heights, strict=True):
        stack(shapes, x, at + max(heights) - height, texts)
    at += max(heights) + 4
    _add_links(shapes, at + _STATION_HEIGHT / 2, lane, overview)
    found = [(x, station) for x, station in zip(_CENTRES, lane.stations, strict=True) if station is not None]
    end = max((_station(shapes, x, at, station, names, overview) for x, station in found), default=at) + 8
    drawing.add(Box(Area(_EDGE, y, _CARD_WIDTH, end - y), "card"), shapes)
    return end


def _station(drawing: Drawing, x: float, y: float, station: Station, names: Lines, overview: Overview) -> float:
    kind, ink = tint(overview)
    area = Area(x - _STATION_WIDTH / 2, y, _STATION_WIDTH, _STATION_HEIGHT)
    drawing.boxes.append(Box(area, kind, station.name))
    drawing.texts.append(Text(x, y + 6, (station.title,), f"word strong {ink}", station.name, centred=True))
    y = stack(drawing, x, y + _STATION_HEIGHT + 5, below(station, names, centred=True))
    room = Area(x - _ROOM / 2, y, _ROOM, marks_height(station.marks, _ROOM))
    add_marks(drawing, room, station.marks, centred=True)
    return y + room.height


def _add_links(drawing: Drawing, y: float, lane: Lane, overview: Overview) -> None:
    """Add lines between the stations, and from the last one to what is outside."""
    found = [x for x, station in zip(_CENTRES, lane.stations, strict=True) if station is not None]
    ends = chain((x - _STATION_WIDTH / 2 for x in found[1:]), [_OUTSIDE_AT] * bool(lane.outside))
    kind = f"link {tint(overview)[0]}"
    drawing.lines += (Line(x + _STATION_WIDTH / 2, y, end, y, kind) for x, end in zip(found, ends, strict=False))


def _outside(drawing: Drawing, top: float, bottom: float, overview: Overview) -> float:
    """Add the frame of what is outside of all nodes, at least as high as they are."""
    texts = outside_texts(overview, _OUTSIDE_WIDTH - 2 * _PAD, 4, centred=True)
    if texts:
        height = stack(Drawing(WIDTH), 0, 0, texts)
        bottom = max(bottom, top + height + 2 * _PAD)
        drawing.boxes.append(Box(Area(_OUTSIDE_AT, top, _OUTSIDE_WIDTH, bottom - top), "card"))
        stack(drawing, _OUTSIDE_AT + _OUTSIDE_WIDTH / 2, (top + bottom - height) / 2, texts)
    return bottom
