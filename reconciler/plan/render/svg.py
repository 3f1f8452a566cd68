"""A picture of planned rows as SVG: per zone and network, from the pods' switch on the left to the physical network on
the right.

It depends only on the rows, for any topology: switches and routers are boxes, pairs of ports are lines, and connections
to other zones are dashed lines.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Final

from reconciler.plan.rows import Ref, Row, ZonePlan

# Columns from left to right, by their content.
_PORT, _SWITCH, _ROUTER, _JOIN, _GATEWAY, _EXTERNAL, _WIRE = range(7)
_WIDTH: Final = 330
_HEIGHT: Final = 112
_BOX: Final = (190, 46)
_MARGIN: Final = 20
_TITLE: Final = 26
# The maximum number of named ports towards other zones per box.
_FEW: Final = 3
_COLOURS: Final = {"switch": "#2f4f8b", "router": "#8b2f2f", "outside": "#777777"}


@dataclass(frozen=True, slots=True)
class _Box:
    key: str
    kind: str
    column: int
    lines: tuple[str, ...]


@dataclass(slots=True)
class _Graph:
    boxes: dict[str, _Box] = field(default_factory=dict)
    lines: list[tuple[str, str, str]] = field(default_factory=list)
    remotes: dict[str, list[str]] = field(default_factory=dict)


def drawing(zones: Iterable[ZonePlan]) -> str:
    """Return one SVG document of ``zones``; '' when they contain neither switches nor routers."""
    parts: list[str] = []
    top = _MARGIN
    for zone in zones:
        for network, rows in _by_network(zone.rows).items():
            graph = _graph(rows)
            if graph.boxes:
                body, height = _draw(graph, top + _TITLE)
                parts.append(_label(_MARGIN, top + 14, f"node {zone.node}, network {network}", "title"))
                parts += body
                top += height + _TITLE + _MARGIN
    if not parts:
        return ""
    width = _WIDTH * 7 + 2 * _MARGIN
    size = f'width="{width}" height="{top}" viewBox="0 0 {width} {top}"'
    style = "text{font:11px sans-serif}.title{font:bold 13px sans-serif}.box{fill:white}.line{fill:#333}"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n<style>{style}</style>\n'
    return head + "".join(f"{part}\n" for part in parts) + "</svg>\n"


def _by_network(rows: Iterable[Row]) -> Mapping[str, Sequence[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        network = row.network
        if network:
            found.setdefault(network, []).append(row)
    return dict(sorted(found.items()))


def _graph(rows: Sequence[Row]) -> _Graph:
    graph = _Graph()
    held = {row.uuid: row for row in rows}
    owner = {
        _text(port, "name"): _text(row, "name")
        for row in rows
        if row.table in ("Logical_Switch", "Logical_Router")
        for port in _ports(row, held)
    }
    for row in rows:
        if row.table == "Logical_Router":
            _router(graph, row, held, owner)
        elif row.table == "Logical_Switch":
            _switch(graph, row, held, owner)
    return graph


def _router(graph: _Graph, row: Row, held: Mapping[str, Row], owner: Mapping[str, str]) -> None:
    name = _text(row, "name")
    column = _GATEWAY if row.entry("options", "chassis") else _ROUTER
    key = row.entry("options", "requested-tnl-key")
    graph.boxes[name] = _Box(name, "router", column, (name, *([f"key {key}"] if key else [])))
    for port in _ports(row, held):
        peer = port.columns["peer"]
        if port.entry("options", "requested-chassis"):
            graph.remotes.setdefault(name, []).append(f"{_text(port, 'name')} {_addresses(port)}")
        elif isinstance(peer, tuple) and peer and _text(port, "name") < str(peer[0]) and str(peer[0]) in owner:
            other = next(each for each in held.values() if each.columns.get("name") == peer[0])
            graph.lines.append((name, owner[str(peer[0])], f"{_addresses(port)} | {_addresses(other)}"))


def _switch(graph: _Graph, row: Row, held: Mapping[str, Row], owner: Mapping[str, str]) -> None:
    name, ports = _text(row, "name"), _ports(row, held)
    kinds = [_text(port, "type") for port in ports]
    key = row.entry("other_config", "requested-tnl-key")
    inner = _SWITCH if "" in kinds or "router" not in kinds else _JOIN
    column = _EXTERNAL if "localnet" in kinds else inner
    graph.boxes[name] = _Box(name, "switch", column, (name, *([f"key {key}"] if key else [])))
    for port in ports:
        label, kind = _text(port, "name"), _text(port, "type")
        if kind == "router":
            other = next((each for each in held.values() if _is_port(each, port.entry("options", "router-port"))), None)
            if other is not None:
                graph.lines.append((name, owner[_text(other, "name")], _addresses(other)))
        elif kind == "remote":
            graph.remotes.setdefault(name, []).append(label)
        else:
            graph.boxes[label] = _Box(label, "outside", _WIRE if kind == "localnet" else _PORT, (label, *_first(port)))
            graph.lines.append((label, name, ""))


def _is_port(row: Row, name: str) -> bool:
    return row.table == "Logical_Router_Port" and row.columns["name"] == name


def _first(port: Row) -> list[str]:
    addresses = port.columns["addresses"]
    return [str(addresses[0])] if isinstance(addresses, tuple) and addresses and addresses[0] != "unknown" else []


def _draw(graph: _Graph, top: int) -> tuple[list[str], int]:
    columns: dict[int, list[_Box]] = {}
    for box in sorted(graph.boxes.values(), key=lambda box: (box.column, box.key)):
        columns.setdefault(box.column, []).append(box)
    rows = max(len(boxes) for boxes in columns.values())
    places = {
        box.key: (_MARGIN + column * _WIDTH, top + index * _HEIGHT * rows // len(boxes))
        for column, boxes in columns.items()
        for index, box in enumerate(boxes)
    }
    parts = [part for line in graph.lines for part in _line(places, *line)]
    for box in graph.boxes.values():
        parts += _boxed(box, *places[box.key])
        parts += _remote(graph.remotes.get(box.key, ()), *places[box.key])
    return parts, rows * _HEIGHT + 12 * (_FEW + 1) * bool(graph.remotes)


def _line(places: Mapping[str, tuple[int, int]], one: str, other: str, text: str) -> Iterator[str]:
    (left, a), (right, b) = sorted((places[one], places[other]))
    width, height = _BOX
    yield f'<line x1="{left + width}" y1="{a + height // 2}" x2="{right}" y2="{b + height // 2}" stroke="#333"/>'
    sides = text.split(" | ")
    if places[one] > places[other]:
        sides.reverse()
    for number, each in enumerate(address for side in sides for address in side.split()):
        yield _label(left + width + 4, (a + b) // 2 + height // 2 + 13 * (number + 1), each, "line")


def _boxed(box: _Box, left: int, top: int) -> Iterator[str]:
    width, height = _BOX
    yield f"<g><title>{escape(' '.join(box.lines))}</title>"
    yield f'<rect x="{left}" y="{top}" width="{width}" height="{height}" rx="6" fill="{_COLOURS[box.kind]}"/>'
    for number, text in enumerate(box.lines):
        yield _label(left + 6, top + 18 + 15 * number, _short(text), "box")
    yield "</g>"


def _remote(ports: Sequence[str], left: int, top: int) -> Iterator[str]:
    """The connection to other zones: a dashed line down, and the first few ports by name."""
    if not ports:
        return
    x, y = left + 10, top + _BOX[1]
    yield f'<line x1="{x}" y1="{y}" x2="{x}" y2="{y + 10}" stroke="#333" stroke-dasharray="3"/>'
    more = [f"and {len(ports) - _FEW} more"] * (len(ports) > _FEW)
    for number, text in enumerate([*sorted(ports)[:_FEW], *more]):
        yield _label(x, y + 20 + 12 * number, text, "line")


def _label(x: int, y: int, text: str, kind: str) -> str:
    return f'<text x="{x}" y="{y}" class="{kind}">{escape(text)}</text>'


def _short(text: str, most: int = 27) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _ports(row: Row, held: Mapping[str, Row]) -> list[Row]:
    refs = row.columns["ports"]
    found = [held.get(ref.uuid) for ref in refs if isinstance(ref, Ref)] if isinstance(refs, tuple) else []
    return sorted((port for port in found if port is not None), key=lambda port: _text(port, "name"))


def _addresses(port: Row) -> str:
    return " ".join(port.texts("networks"))


def _text(row: Row, column: str) -> str:
    return str(row.columns.get(column, ""))
