"""A picture's graph as text for Graphviz.

Identifiers are numbers. Names and addresses are only in labels, escaped as XML.
"""

from collections.abc import Iterator, Mapping
from html import escape
from itertools import count
from typing import Final

from reconciler.plan.render.picture import Box, End, Kind, Link, NetworkPicture, ZonePicture, names_of_more

# The font has one width in every program, so that texts are as wide as Graphviz expects.
_FONT: Final = "Courier,monospace"
_COLOURS: Final[Mapping[Kind, str]] = {Kind.ROUTER: "#7d2a2a", Kind.SWITCH: "#24447c", Kind.OTHER: "#4a5560"}
_INK, _PAGE, _SOFT, _LINE = "#fefefe", "#ffffff", "#f3f5f7", "#6b7682"
# Classes of the page by colour.
CLASSES: Final[Mapping[str, str]] = {
    **{colour: kind.value for kind, colour in _COLOURS.items()},
    _INK: "ink",
    _PAGE: "ground",
    _SOFT: "zone",
    _LINE: "rule",
    "none": "link",
}
_LEGEND: Final = ((Kind.SWITCH, "switch"), (Kind.ROUTER, "router"), (Kind.OTHER, "outside of OVN"))
NOTHING: Final = "No network is planned."


def picture_dot(graph: NetworkPicture) -> str:
    """Return the text of one undirected graph."""
    return "".join(f"{line}\n" for line in _graph(graph))


def empty_dot() -> str:
    """Return the graph of a plan without networks, which says so."""
    return "".join(f"{line}\n" for line in (*_head(NOTHING), _node("n0", Box(Kind.OTHER, (NOTHING,), {})), "}"))


def _head(title: str) -> Iterator[str]:
    yield f'graph "{_quoted(title)}" {{'
    yield f'graph [rankdir=LR, bgcolor="{_PAGE}", fontname="{_FONT}", fontsize=12, nodesep=0.3, ranksep=0.6, pad=0.2];'
    yield f'node [shape=plain, fontname="{_FONT}", fontsize=10];'
    yield f'edge [color="{_LINE}"];'


def _graph(graph: NetworkPicture) -> Iterator[str]:
    numbers = count()
    shared = {name: f"n{next(numbers)}" for name in graph.shared}
    yield from _head(f"network {graph.network}")
    for name, box in graph.shared.items():
        yield _node(shared[name], box)
    for number, zone in enumerate(graph.zones):
        own = {name: f"n{next(numbers)}" for name in zone.boxes}
        yield from _zone(number, zone, own)
        yield from (_edge(link, graph.shared, zone, {**shared, **own}) for link in zone.outward)
    if graph.more_nodes:
        yield from _more(graph, shared, f"n{next(numbers)}")
    yield from _legend(numbers)
    yield "}"


def _zone(number: int, zone: ZonePicture, names: Mapping[str, str]) -> Iterator[str]:
    yield f"subgraph cluster_{number} {{"
    yield f'label=<{escape(zone.node)}>; style="rounded,filled"; color="{_LINE}"; fillcolor="{_SOFT}";'
    for name, box in zone.boxes.items():
        yield _node(names[name], box)
    yield from (_edge(link, {}, zone, names) for link in zone.links)
    yield "}"


def _more(graph: NetworkPicture, shared: Mapping[str, str], name: str) -> Iterator[str]:
    """One box for all nodes that are not drawn, with the connections that every node has."""
    yield _node(name, Box(Kind.OTHER, names_of_more(graph.more_nodes), {}))
    tunnels = {link.left.box for zone in graph.zones for link in zone.outward if link.is_tunnel}
    for each, number in shared.items():
        yield f"{number} -- {name} [style=dashed];" if each in tunnels else f"{name} -- {number};"


def _legend(numbers: Iterator[int]) -> Iterator[str]:
    style = f'style="rounded,filled"; color="{_LINE}"; fillcolor="{_SOFT}"'
    yield f"subgraph cluster_legend {{ label=<legend>; {style};"
    names = [f"n{next(numbers)}" for _ in _LEGEND]
    for name, (kind, text) in zip(names, _LEGEND, strict=True):
        yield _node(name, Box(kind, (text,), {}))
    yield f"{' -- '.join(names)} [style=invis];"
    yield "}"


def _node(name: str, box: Box) -> str:
    """A table with one line per row: the title, then each port behind a rule."""
    colour = _COLOURS[box.kind]
    rows = [f"<TR><TD><B>{escape(line)}</B></TD></TR>" for line in box.lines]
    for number, port in enumerate(box.ports.values()):
        first, *others = port.lines
        rows.append(f'<HR/><TR><TD PORT="p{number}" ALIGN="LEFT">{escape(first)}</TD></TR>')
        rows += (f'<TR><TD ALIGN="LEFT">{escape(line)}</TD></TR>' for line in others)
    table = f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="2" COLOR="{_LINE}" BGCOLOR="{colour}">'
    return f'{name} [fontcolor="{_INK}", label=<{table}{"".join(rows)}</TABLE>>];'


def _edge(link: Link, shared: Mapping[str, Box], zone: ZonePicture, names: Mapping[str, str]) -> str:
    boxes = {**shared, **zone.boxes}
    left, right = (_end(end, boxes, names) for end in (link.left, link.right))
    return f"{left}{':e' if ':' in left else ''} -- {right}{':w' if ':' in right else ''}{_style(link)};"


def _style(link: Link) -> str:
    return " [style=dashed]" if link.is_tunnel else ""


def _end(end: End, boxes: Mapping[str, Box], names: Mapping[str, str]) -> str:
    ports = list(boxes[end.box].ports)
    return f"{names[end.box]}:p{ports.index(end.port)}" if end.port in ports else names[end.box]


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
