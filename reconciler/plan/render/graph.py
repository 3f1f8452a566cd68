"""A network over its nodes as a graph, from the planned rows: zones with switches, routers and their ports, the
tunnels or the fabric between the zones, and what is outside.

A page has its `NetworkGraph.words` below the network's picture. Only the first zones are listed; the others are named.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Final, NamedTuple

from ovnguard.reconciler.plan.comparison.row_differences import printable
from ovnguard.reconciler.plan.render.guesses import NO_GUESSES, Guesses
from ovnguard.reconciler.plan.render.overview.whole_plan import rows_by_network
from ovnguard.reconciler.plan.rows.names import CONNECT, connect_router
from ovnguard.reconciler.plan.rows.row import OWNER_TYPE, Ref, Row, ZonePlan
from ovnguard.validators.network.list_text import counted

MOST_NODES: Final = 5
# Of this many networks and more, fewer nodes are listed: a page with hundreds of networks must open quickly.
MANY_NETWORKS: Final = 50
MOST_NODES_OF_MANY: Final = 3
# The number of ports of pods, and of ports to other nodes, that a box lists before it counts the rest.
MOST_PODS: Final = 8
MOST_REMOTE: Final = 3


class Kind(Enum):
    """What a box is."""

    ROUTER = "router"
    SWITCH = "switch"
    OTHER = "other"


class Port(NamedTuple):
    """A port of a box: its name, then its addresses."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Box:
    """A router, a switch or something outside of the databases; ``ports`` are by name."""

    kind: Kind
    lines: tuple[str, ...]
    ports: Mapping[str, Port]


class End(NamedTuple):
    """An end of a link: a box and one of its ports, or '' for the box itself."""

    box: str
    port: str = ""


class Link(NamedTuple):
    """A connection, from the side of the pods to the side of the physical network."""

    left: End
    right: End
    is_tunnel: bool = False


@dataclass(frozen=True, slots=True)
class ZoneGraph:
    """One node's part: boxes by name, links among them, and those to what all nodes share."""

    node: str
    boxes: Mapping[str, Box]
    links: tuple[Link, ...]
    outward: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class NetworkGraph:
    """The graph of one network: ``shared`` boxes by name, and the nodes that are not listed."""

    network: str
    zones: tuple[ZoneGraph, ...]
    shared: Mapping[str, Box]
    more_nodes: tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """What the graph shows, a sentence for each box and connection."""
        found = []
        for zone in self.zones:
            boxes = {**self.shared, **zone.boxes}
            found += [
                f"{zone.node}: {box.kind.value} {' '.join(box.lines)}{_ports_text(box)}" for box in zone.boxes.values()
            ]
            for link in (*zone.links, *zone.outward):
                ends = (_end_text(boxes[end.box], end) for end in (link.left, link.right))
                found.append(f"{zone.node}: link between {' and '.join(ends)}")
        return (*found, *([f"Not listed: {', '.join(self.more_nodes)}"] if self.more_nodes else []))


TUNNELS: Final = "tunnels"
FABRIC: Final = "routed fabric"
_PHYSICAL: Final = "physical network"


def graphs_of(zones: Sequence[ZonePlan], guesses: Guesses = NO_GUESSES) -> tuple[NetworkGraph, ...]:
    """Return the graph of each network with a switch or router, in the order of names; ``guesses`` are marked."""
    networks: dict[str, list[tuple[str, Sequence[Row]]]] = {}
    for zone in zones:
        for network, rows in rows_by_network(zone.rows).items():
            networks.setdefault(network, []).append((zone.node, rows))
    most = MOST_NODES if len(networks) < MANY_NETWORKS else MOST_NODES_OF_MANY
    found = (_graph(network, parts, most, guesses) for network, parts in sorted(networks.items()))
    return tuple(each for each in found if each.zones)


def _graph(network: str, parts: Sequence[tuple[str, Sequence[Row]]], most: int, guesses: Guesses) -> NetworkGraph:
    rows = [_Zone(node, group, partial(guesses.marked, network=network)) for node, group in parts[:most]]
    routed = any(zone.has_gateway for zone in rows) and not any(zone.has_tunnels for zone in rows)
    zones = tuple(each for each in (zone.graph(routed=routed) for zone in rows) if each.boxes)
    wanted = dict.fromkeys(link.right.box for zone in zones for link in zone.outward)
    wanted |= dict.fromkeys(link.left.box for zone in zones for link in zone.outward if link.is_tunnel)
    boxes = {name for zone in zones for name in zone.boxes}
    shared = {name: Box(Kind.OTHER, (_SHARED_TITLES.get(name, name),), {}) for name in wanted if name not in boxes}
    return NetworkGraph(network, zones, shared, tuple(node for node, _ in parts[most:]))


_SHARED_TITLES: Final = {TUNNELS: "Geneve tunnels", FABRIC: "routed fabric (BGP)"}


class _Zone:
    """The rows of one network on one node."""

    def __init__(self, node: str, rows: Iterable[Row], mark: Callable[[str], str]) -> None:
        self._node, self._mark = node, mark
        self._ports = {row.uuid: row for row in rows if row.table in ("Logical_Switch_Port", "Logical_Router_Port")}
        self._boxes = {_name(row): row for row in rows if row.table in ("Logical_Switch", "Logical_Router")}
        self._owners = {
            _name(port): box for box, row in self._boxes.items() for port in self._ports_of(row) if not _is_remote(port)
        }

    @property
    def has_gateway(self) -> bool:
        """Whether it has a gateway router."""
        return any(row.entry("options", "chassis") for row in self._boxes.values())

    @property
    def has_tunnels(self) -> bool:
        """Whether a switch goes on in other zones."""
        return any(row.entry("other_config", "interconn-ts") for row in self._boxes.values())

    def graph(self, *, routed: bool) -> ZoneGraph:
        """Return the zone's part; without tunnels, a gateway's physical network is the fabric of a ``routed`` one."""
        boxes = {name: self._box(row) for name, row in sorted(self._boxes.items(), key=_from_pods)}
        outward = tuple(self._outward(routed=routed))
        return ZoneGraph(self._node, boxes, tuple(dict.fromkeys(self._links())), outward)

    def _box(self, row: Row) -> Box:
        kind = Kind.ROUTER if row.table == "Logical_Router" else Kind.SWITCH
        key = row.entry("options", "requested-tnl-key") or row.entry("other_config", "requested-tnl-key")
        lines = (printable(_name(row)), *([f"tunnel key {key}"] if key else []))
        return Box(kind, lines, {name: Port(tuple(map(self._mark, texts))) for name, texts in self._port_lines(row)})

    def _port_lines(self, row: Row) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The connected ports, then some of the pods' and some of those to other nodes."""
        ports = self._ports_of(row)
        remote = [port for port in ports if _is_remote(port)]
        pods = [port for port in ports if port.columns.get("type") == "" and port not in remote]
        for port in ports:
            if port not in remote and port not in pods:
                yield _name(port), _lines(port)
        yield from _first(pods, MOST_PODS, "of pods")
        yield from _first(remote, MOST_REMOTE, "to other nodes")

    def _links(self) -> Iterator[Link]:
        """Pairs of ports of this zone."""
        for row in self._boxes.values():
            for port in self._ports_of(row):
                peer = port.entry("options", "router-port") or "".join(port.texts("peer"))
                if peer in self._owners and not _is_remote(port):
                    ends = End(_name(row), _name(port)), End(self._owners[peer], peer)
                    left, right = sorted(ends, key=lambda end: _from_pods((end.box, self._boxes[end.box])))
                    yield Link(left, right)

    def _outward(self, *, routed: bool) -> Iterator[Link]:
        for name, row in self._boxes.items():
            ports = self._ports_of(row)
            goes_on = row.table == "Logical_Router" and any(map(_is_remote, ports))
            if goes_on or row.entry("other_config", "interconn-ts"):
                yield Link(End(TUNNELS), End(name), is_tunnel=True)
            for port in ports:
                if port.entry("external_ids", OWNER_TYPE) == CONNECT:
                    connection = printable(port.entry("external_ids", "k8s.ovn.org/name"))
                    yield Link(End(name, _name(port)), End(connect_router(connection)))
                if port.columns.get("type") == "localnet":
                    physical = f"{_PHYSICAL} {printable(port.entry('options', 'network_name'))}"
                    yield Link(End(name, _name(port)), End(FABRIC if routed else physical))

    def _ports_of(self, row: Row) -> list[Row]:
        refs = row.columns.get("ports")
        found = (self._ports.get(ref.uuid) for ref in refs if isinstance(ref, Ref)) if isinstance(refs, tuple) else ()
        return sorted((port for port in found if port is not None), key=_name)


def _first(ports: Sequence[Row], most: int, place: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The first of ``ports``, and how many more there are."""
    yield from ((_name(port), _lines(port)) for port in ports[:most])
    if len(ports) > most:
        yield f"more {place}", (f"and {counted(len(ports) - most, 'more port')} {place}",)


def _from_pods(item: tuple[str, Row]) -> tuple[int, str]:
    """Sort key of boxes, from the pods to the physical network."""
    name, row = item
    if row.table == "Logical_Router":
        return (3 if row.entry("options", "chassis") else 1), name
    return (4 if name.startswith("ext_") else 2 if name == "join" or name.endswith("_join") else 0), name


def _is_remote(port: Row) -> bool:
    """Whether a port is another node's: a remote one of a switch, or one of a router that another chassis has."""
    if port.table == "Logical_Switch_Port":
        return port.columns.get("type") == "remote"
    return bool(port.entry("options", "requested-chassis"))


def _lines(port: Row) -> tuple[str, ...]:
    """The name and the addresses of a port."""
    if port.table == "Logical_Router_Port":
        return tuple(map(printable, (_name(port), str(port.columns.get("mac", "")), *port.texts("networks"))))
    known = [text for text in port.texts("addresses") if text not in ("router", "unknown")]
    vlan = (f"VLAN {tag}" for tag in port.texts("tag_request"))
    return tuple(map(printable, (_name(port), *vlan, *" ".join(known).split())))


def _name(row: Row) -> str:
    return str(row.columns.get("name", ""))


def _ports_text(box: Box) -> str:
    texts = [" ".join(port.lines) for port in box.ports.values()]
    return f", ports: {'; '.join(texts)}" if texts else ""


def _end_text(box: Box, end: End) -> str:
    return f"port {printable(end.port)} of {box.lines[0]}" if end.port else box.lines[0]
