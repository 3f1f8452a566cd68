"""The pictures of a plan as parts of a page, and alone."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Final, NamedTuple

from ovnguard.reconciler.plan.render.graph import graphs_of
from ovnguard.reconciler.plan.render.guesses import NO_GUESSES, Guesses
from ovnguard.reconciler.plan.render.overview.model import Overview
from ovnguard.reconciler.plan.render.overview.narrow import narrow
from ovnguard.reconciler.plan.render.overview.paper import pages
from ovnguard.reconciler.plan.render.overview.svg import svg
from ovnguard.reconciler.plan.render.overview.whole_plan import overviews
from ovnguard.reconciler.plan.render.overview.wide import wide
from ovnguard.reconciler.plan.rows.row import Operation, ZonePlan

_STYLE: Final = files("ovnguard.reconciler.plan.render.overview") / "overview.css"


class Picture(NamedTuple):
    """A picture as SVG, wide and narrow, then the wide one in parts for paper if it is higher than a page.

    ``names`` are those in it, and ``words`` list every port and link.
    """

    svgs: Sequence[str]
    names: Sequence[str] = ()
    words: Sequence[str] = ()


class Pictures(NamedTuple):
    """The picture of a whole plan, and those of its networks by name."""

    whole: Picture
    networks: Mapping[str, Picture]


class Facts(NamedTuple):
    """What pictures show besides rows: guesses, the namespaces of networks, and new rows by node and UUID."""

    guesses: Guesses = NO_GUESSES
    namespaces: Mapping[str, Collection[str]] = {}
    inserted: Collection[tuple[str, str]] = ()


_NO_FACTS: Final = Facts()


def inserted_rows(zones: Iterable[tuple[str, Iterable[Operation]]]) -> frozenset[tuple[str, str]]:
    """Return the node and the UUID of each row that operations insert."""
    return frozenset((node, each.uuid) for node, operations in zones for each in operations if each.op == "insert")


def pictures(zones: Sequence[ZonePlan], facts: Facts = _NO_FACTS) -> Pictures:
    """Return the pictures of the networks in ``zones``."""
    found = overviews(zones, *facts)
    words = {graph.network: graph.words for graph in graphs_of(zones, facts.guesses)}
    networks = {name: _picture(each, words.get(name, ())) for name, each in found.networks.items()}
    return Pictures(_picture(found.whole), networks)


def whole_picture(zones: Sequence[ZonePlan], facts: Facts = _NO_FACTS) -> str:
    """Return the picture of the whole plan as an SVG file, or of its only network."""
    found = overviews(zones, *facts)
    each, *others = (*found.networks.values(), found.whole)
    return file_of(found.whole if len(others) > 1 else each)


def file_of(overview: Overview) -> str:
    """Return a picture as an SVG file."""
    return svg(wide(overview), overview.title, "wide", _STYLE.read_text(encoding="utf-8").strip())


def _picture(overview: Overview, words: Sequence[str] = ()) -> Picture:
    drawing, title = wide(overview), overview.title
    parts = pages(drawing)
    printed = (svg(part, f"{title}, part {at} of {len(parts)}", "paper") for at, part in enumerate(parts, 1))
    svgs = (svg(drawing, title, "wide"), svg(narrow(overview), title, "narrow"), *printed)
    return Picture(svgs, overview.names, words)
