"""A picture that is higher than a printed page, in parts that each fit on one."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from ovnguard.reconciler.plan.render.overview.shapes import Area, Drawing

# page.css prints a wide picture 966 px wide, and A4 without the margins of browsers is 717 px high: 846 in the units of
# such a picture. The rest is for a heading above it.
PAGE: Final = 780
# Higher boxes are cut: the frame of what is outside is as high as all nodes.
_WHOLE: Final = PAGE / 2
# So that the frame of a box that is cut is in the picture.
_EDGE: Final = 2


def pages(drawing: Drawing) -> list[Drawing]:
    """Return the parts of a drawing, none if it fits on a page. Only lines and high boxes are cut."""
    if drawing.height <= PAGE:
        return []
    places = [0.0]
    free = list(_free(drawing))
    while drawing.height - places[-1] > PAGE and (below := [each for each in free if each > places[-1]]):
        places.append(max((each for each in below if each <= places[-1] + PAGE), default=below[0]))
    return [_part(drawing, top, bottom) for top, bottom in pairwise([*places, drawing.height])]


def _free(drawing: Drawing) -> Iterator[float]:
    """Yield the places in the middle between texts and boxes, from above."""
    areas = [*(text.area for text in drawing.texts), *(box.area for box in drawing.boxes)]
    taken = sorted((area.y, area.y + area.height) for area in areas if area.height <= _WHOLE)
    end = taken[0][1]
    for above, below in taken:
        if above > end:
            yield (end + above) / 2
        end = max(end, below)


def _part(drawing: Drawing, top: float, bottom: float) -> Drawing:
    """What is between two heights."""
    move = _EDGE - top
    part = Drawing(drawing.width, bottom - top + 2 * _EDGE)
    for box in drawing.boxes:
        start, end = max(box.area.y, top), min(box.area.y + box.area.height, bottom)
        if start < end:
            area = Area(box.area.x, start + move, box.area.width, end - start)
            part.boxes.append(box._replace(area=area))
    for line in drawing.lines:
        start, end = max(line.y1, top), min(line.y2, bottom)
        if start <= end:
            part.lines.append(line._replace(y1=start + move, y2=end + move))
    part.texts = [text._replace(y=text.y + move) for text in drawing.texts if top <= text.y < bottom]
    return part
