"""Both arrangements: whatever the names, nothing overlaps, leaves the picture or is small."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ovnguard.reconciler.plan.render.overview.model import Entry, Lane, Mark, Outside, Overview, Station
from ovnguard.reconciler.plan.render.overview.narrow import narrow
from ovnguard.reconciler.plan.render.overview.shapes import FONT, Area, Drawing
from ovnguard.reconciler.plan.render.overview.wide import wide

Arrangement = Callable[[Overview], Drawing]
T = TypeVar("T")
BOTH = pytest.mark.parametrize("arrange", [wide, narrow])
NAMES = st.lists(
    st.text("ab-.", min_size=55, max_size=63) | st.text("ab", min_size=1), min_size=9, max_size=9, unique=True
)
ADDRESSES = ("10.0.0.0/8", "100.100.100.100/16 (guess)", "transit 1111:2222:3333:4444:5555:6666:7777:8888/127 (guess)")
TITLES = ("12,345 networks", "Localnet switch", "Cluster router", "Gateway router")


@st.composite
def pictures(draw: st.DrawFn) -> Overview:
    """Of two nodes, with whatever a picture can have."""
    names, bits, networks = draw(NAMES), draw(st.integers(0, 2**32)), draw(st.sampled_from([0, 1, 26]))
    pick = (bits >> number & 1 for number in range(32))
    marks = tuple(Mark(number, is_new=bool(number & bits)) for number in range(networks))

    def lane(node: str) -> Lane:
        found = tuple(
            Station(each, each, tuple(names[3 : 3 + bits % 4]), marks) if next(pick) else None for each in TITLES
        )
        links = tuple(ADDRESSES[next(pick) + next(pick) :] for _ in TITLES)
        outside = (Outside("Physical network", names[7]), Outside("Connected networks", names[8]))
        return Lane(node, found, links, outside[next(pick) :] if any(found) else (), (None, 1, 2)[bits % 3])

    key = tuple(
        Entry("x", f"{names[2][:60]}{number:03}", "Layer3, Geneve tunnels", bool(bits & 1))
        for number in range(networks)
    )
    return Overview(
        "Network x", f"Network {names[2]}", (lane(names[0]), lane(names[1])), ("more",) * (bits % 3 * 2250), 3, key
    )


def overlap(one: Area, other: Area) -> bool:
    return (
        min(one.x + one.width, other.x + other.width) - max(one.x, other.x) > 0.01
        and min(one.y + one.height, other.y + other.height) - max(one.y, other.y) > 0.01
    )


def within(inner: Area, outer: Area) -> bool:
    return (
        outer.x <= inner.x + 0.01
        and outer.y <= inner.y + 0.01
        and inner.x + inner.width <= outer.x + outer.width + 0.01
        and inner.y + inner.height <= outer.y + outer.height + 0.01
    )


def near(placed: Sequence[tuple[T, Area]]) -> Iterator[tuple[tuple[T, Area], tuple[T, Area]]]:
    """Pairs that begin above each other's end, the upper one first."""
    ordered = sorted(placed, key=lambda each: each[1].y)
    for at, (one, area) in enumerate(ordered):
        for other, its in ordered[at + 1 :]:
            if its.y >= area.y + area.height:
                break
            yield (one, area), (other, its)


def faults(drawing: Drawing) -> Iterator[str]:
    """What a reader would stumble over."""
    whole = Area(0, 0, drawing.width, drawing.height)
    texts = [(each, each.area) for each in drawing.texts]
    boxes = [(each, each.area) for each in drawing.boxes]
    yield from (f"outside: {each}" for each, area in (*texts, *boxes) if not within(area, whole))
    yield from (f"{one} over {other}" for (one, a), (other, b) in near(texts) if overlap(a, b))
    for (one, a), (other, b) in near(boxes):
        # a station is on its card
        if overlap(a, b) and not (one.kind.startswith("card") and within(b, a)):
            yield f"{one} over {other}"
    for text, area in texts:
        # a text is inside of a station, a mark or a card, or does not touch it
        touched = (box for box, its in boxes if overlap(area, its) and not within(area, its))
        yield from (f"{text} over {box}" for box in touched)


@BOTH
@settings(max_examples=8)
@given(picture=pictures())
def test_nothing_overlaps_or_leaves_the_picture(arrange: Arrangement, picture: Overview) -> None:
    assert list(faults(arrange(picture))) == []


@BOTH
@settings(max_examples=8)
@given(picture=pictures())
def test_every_node_is_named_and_has_its_whole_name(arrange: Arrangement, picture: Overview) -> None:
    drawn = {text.title: "".join(text.lines) for text in arrange(picture).texts if text.title}
    nodes = [lane.node for lane in picture.lanes]
    # 63 characters always fit
    assert [drawn[node] for node in nodes] == nodes


@BOTH
def test_longer_names_are_shortened_and_stay_different(arrange: Arrangement) -> None:
    names = [f"{'a' * 150}{number}{'b' * 100}" for number in range(3)]
    drawing = arrange(Overview("x", "x", tuple(Lane(name, (Station("Pods"), None, None, None)) for name in names)))
    drawn = ["".join(text.lines) for text in drawing.texts if text.title in names]
    assert len(set(drawn)) == 3
    assert all("…" in text for text in drawn)
    assert list(faults(drawing)) == []


@BOTH
def test_a_picture_without_networks_says_so(arrange: Arrangement) -> None:
    drawing = arrange(Overview("The whole plan", "The whole plan", (), ("node1",)))
    assert [text.lines for text in drawing.texts] == [("The whole plan",), ("No network is planned.",)]
    assert list(faults(drawing)) == []


def test_letters_have_at_least_11_px_where_the_wide_picture_appears() -> None:
    # page.css shows it where a figure has 966 px; a narrow one is never drawn smaller than it is
    assert FONT * 966 / wide(Overview("x", "x", ())).width >= 11
    assert FONT >= 11


def test_five_nodes_fit_on_a_landscape_page() -> None:
    stations = (Station("Pods", names=("shop-live", "shop-test")), *(Station(each) for each in TITLES[1:]))
    lanes = tuple(
        Lane(f"n{number}", stations, (("10.0.0.0/8",),) * 4, (Outside("Physical network", "physnet"),), 2)
        for number in range(5)
    )
    # page.css prints it 966 px wide; A4 without the margins of browsers is 717 px high
    assert wide(Overview("x", "x", lanes, ("more",) * 45)).height * 966 / 1140 <= 717


def test_a_lane_leads_from_station_to_station_and_outside() -> None:
    lane = Lane("n", (Station("Pods"), Station("Switch"), None, Station("Gateway")), outside=(Outside("Out", "net"),))
    drawing = wide(Overview("x", "x", (lane,)))
    edges = sorted((line.x1, line.x2) for line in drawing.lines)
    stations = sorted((box.area.x, box.area.x + box.area.width) for box in drawing.boxes if box.kind == "c0")
    frame = max(box.area.x for box in drawing.boxes)
    starts = [*(start for start, _ in stations[1:]), frame]
    assert edges == [(end, start) for (_, end), start in zip(stations, starts, strict=True)]
    trunk = [line for line in narrow(Overview("x", "x", (lane,))).lines if line.x1 == line.x2 and line.x1 > 300]
    assert len(trunk) == 1


def test_more_networks_than_marks_are_counted() -> None:
    marks = tuple(Mark(number, is_new=False) for number in range(1200))
    key = tuple(Entry(f"n{number}", f"n{number}", "Layer2") for number in range(1200))
    picture = Overview("x", "x", (Lane("n", (Station("Networks", marks=marks), None, None, None)),), key=key)
    for arrange in (wide, narrow):
        texts = ["".join(text.lines) for text in arrange(picture).texts]
        assert "and 1,176 more" in texts
        assert texts[-1] == "and 1,176 more networks"
        assert [int(text) for text in texts if text.isdecimal()] == [*range(1, 25)] * 2


def test_tunnels_are_named_once_between_nodes() -> None:
    station = Station("Switch")
    nodes = tuple(Lane(f"n{number}", (None, station, None, None), tunnels_at=1) for number in range(3))
    for arrange in (wide, narrow):
        drawing = arrange(Overview("x", "x", nodes, ("n4",)))
        assert [text.lines for text in drawing.texts].count(("Geneve tunnels",)) == 1
        dashed = [line for line in drawing.lines if line.kind == "tunnel"]
        assert len(dashed) == 3
        assert all(one.y2 < other.y1 for one, other in pairwise(dashed))
