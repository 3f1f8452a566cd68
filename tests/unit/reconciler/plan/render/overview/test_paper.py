"""A picture on paper: nothing that can be read is cut, and everything is there once."""

import pytest

from ovnguard.reconciler.plan.render.overview.model import Entry, Lane, Mark, Outside, Overview, Station
from ovnguard.reconciler.plan.render.overview.paper import PAGE, pages
from ovnguard.reconciler.plan.render.overview.shapes import Area, Box, Drawing, Line, Text
from ovnguard.reconciler.plan.render.overview.wide import wide


def plan(nodes: int, networks: int) -> Overview:
    marks = tuple(Mark(number, is_new=number % 2 == 0) for number in range(networks))
    stations = tuple(Station(title, marks=marks) for title in ("Pods", "Switch", "Router", "Gateway"))
    lanes = tuple(
        Lane(f"{'n' * 62}{number}", stations, outside=(Outside("Physical network", "physnet"),), tunnels_at=1)
        for number in range(nodes)
    )
    key = tuple(Entry("x", f"{'k' * 60}{number:03}", "Layer3, Geneve tunnels") for number in range(networks))
    return Overview("The whole plan", "The whole plan", lanes, ("more",) * 45, key=key)


def test_a_picture_that_fits_on_a_page_stays_whole() -> None:
    assert pages(wide(plan(1, 3))) == []
    assert pages(Drawing(100, PAGE)) == []


@pytest.mark.parametrize(("nodes", "networks", "count"), [(5, 7, 2), (5, 40, 3), (2, 40, 2)])
def test_parts_fit_on_pages_and_hold_every_text_and_every_mark(nodes: int, networks: int, count: int) -> None:
    whole = wide(plan(nodes, networks))
    found = pages(whole)
    assert len(found) == count
    assert all(part.height <= PAGE + 4 for part in found)
    assert sorted(text.lines for part in found for text in part.texts) == sorted(text.lines for text in whole.texts)
    for part in found:
        areas = [*(text.area for text in part.texts), *(box.area for box in part.boxes)]
        assert all(area.y >= 0 and area.y + area.height <= part.height for area in areas)
        assert all(0 <= line.y1 <= line.y2 <= part.height for line in part.lines)
    # only the frame of what is outside is in several parts
    _, *others = sorted(whole.boxes, key=lambda box: -box.area.height)
    assert sum(len(part.boxes) for part in found) - len(others) <= count


def test_a_part_ends_between_boxes_and_cuts_what_is_higher_than_a_page() -> None:
    cards = [Box(Area(0, 210 * number, 50, 200), f"card {number}") for number in range(5)]
    frame = Box(Area(60, 0, 20, 1040), "frame")
    texts = [Text(2, 210 * number, (str(number),), "word") for number in range(5)]
    drawing = Drawing(100, 1040, [frame, *cards], [Line(10, 590, 10, 850, "link")], texts)
    first, second = pages(drawing)
    assert (first.height, second.height) == (629, 419)
    assert [box.kind for box in first.boxes] == ["frame", "card 0", "card 1", "card 2"]
    assert [box.kind for box in second.boxes] == ["frame", "card 3", "card 4"]
    assert (first.boxes[0].area, second.boxes[0].area) == (Area(60, 2, 20, 625), Area(60, 2, 20, 415))
    assert (first.lines, second.lines) == ([Line(10, 592, 10, 627, "link")], [Line(10, 2, 10, 227, "link")])
    assert [text.y for text in second.texts] == [7, 217]
