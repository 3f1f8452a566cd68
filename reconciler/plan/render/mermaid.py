"""A picture of the planned primary Layer2 networks as a Mermaid flowchart, after the diagrams of OKEP-5094.

One subgraph per node shows its zone: the local parts of the switch and of the transit router, both stretched over all
zones, and the node's own gateway router; edges have the addresses of their ports. All values come from the planned
rows, so the picture shows the rows to write.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from reconciler.plan.names import Names
from reconciler.plan.rows import Row, ZonePlan
from reconciler.plan.topology.common_rows import ROLE_KEY, TOPOLOGY_KEY

_STYLES: Final = (
    "classDef router fill:#8b2f2f,stroke:none,color:white",
    "classDef switch fill:#2f4f8b,stroke:none,color:white",
    "classDef outside fill:#dddddd,stroke:none,color:black",
)
# The number of remote ports that an edge names before it counts the rest.
_SHOWN: Final = 8


@dataclass(frozen=True, slots=True)
class _Zone:
    """Rows of one zone by table and name."""

    node: str
    rows: Mapping[tuple[str, str], Row]


def picture(zones: Iterable[ZonePlan]) -> str:
    """Return one Mermaid document of all primary Layer2 networks in ``zones``, or ''.

    Several networks are subgraphs of one flowchart, in the order of their names; identifiers then carry the number
    of their network.
    """
    known = [_Zone(zone.node, _by_name(zone.rows)) for zone in zones]
    networks = sorted({network for zone in known for network in _layer2_networks(zone)})
    if not networks:
        return ""
    if len(networks) == 1:
        title, body = networks[0], [*_network(networks[0], known, "")]
    else:
        title = f"{len(networks)} networks"
        body = [line for number, network in enumerate(networks, 1) for line in _part(number, network, known)]
    lines = ["---", f"title: {title}", "---", "flowchart LR", *(f"    {line}" for line in (*_STYLES, *body))]
    return "".join(f"{line}\n" for line in lines)


def _part(number: int, network: str, zones: Sequence[_Zone]) -> Iterator[str]:
    yield f'subgraph network_{number}["{network}"]'
    yield from (f"    {line}" for line in _network(network, zones, f"n{number}_"))
    yield "end"


def _network(network: str, zones: Sequence[_Zone], part: str) -> Iterator[str]:
    """Draw one network; ``part`` makes its identifiers unique."""
    names = Names(network)
    for zone in zones:
        if ("Logical_Router", names.gateway_router(zone.node)) in zone.rows:
            yield from _node(zone, names, part)
    yield f'{part}geneve{{{{"Geneve tunnels"}}}}:::outside'
    for zone in zones:
        if ("Logical_Router", names.gateway_router(zone.node)) in zone.rows:
            yield from _tunnels(zone, names, part)


def _node(zone: _Zone, names: Names, part: str) -> Iterator[str]:
    """A node: from its management port and pods over switch and transit router to gateway router and bridge."""
    key, node = part + _key(zone.node), zone.node
    switch, transit = zone.rows["Logical_Switch", names.layer2_switch], names.transit_router
    management = zone.rows["Logical_Switch_Port", names.management_port(node)]
    yield f'subgraph node_{key}["{node}"]'
    yield f'    mp_{key}["{_label(names.management_port(node), *management.texts("addresses"))}"]:::outside'
    yield f'    sw_{key}["{_label(names.layer2_switch, _tunnel_key(switch, "other_config"))}"]:::switch'
    router = zone.rows["Logical_Router", transit]
    yield f'    tr_{key}["{_label(transit, _tunnel_key(router, "options"))}"]:::router'
    yield f'    gr_{key}["{names.gateway_router(node)}"]:::router'
    yield f'    br_{key}(["{_localnet_port(zone, names)}"]):::outside'
    yield f"    mp_{key} --- sw_{key}"
    yield f'    sw_{key} ---|"{_port(zone, "trtos", names.router_to_switch)}"| tr_{key}'
    inside = _port(zone, "trtor", names.transit_to_gateway(node)), _port(zone, "rtotr", names.gateway_to_transit(node))
    yield f'    tr_{key} ---|"{_label(*inside)}"| gr_{key}'
    yield f'    gr_{key} ---|"{_port(zone, "rtoe", names.gateway_to_external(node))}"| br_{key}'
    yield "end"


def _tunnels(zone: _Zone, names: Names, part: str) -> Iterator[str]:
    """The connections to other zones; the transit router has a port for each other gateway router."""
    key = part + _key(zone.node)
    ports = sorted(name for table, name in zone.rows if table == "Logical_Router_Port" and name.startswith("trtor-"))
    router = f"trtor-GR_{names.prefix}"
    remote = [name for name in ports if name.startswith(router) and name != names.transit_to_gateway(zone.node)]
    texts = [_port(zone, f"trtor to {name.removeprefix(router)}", name) for name in remote[:_SHOWN]]
    rest = [f"and {len(remote) - _SHOWN} more"] * (len(remote) > _SHOWN)
    label = f'|"{_label(*texts, *rest)}"|' if texts else ""
    yield f"tr_{key} -.-{label} {part}geneve"
    yield f"sw_{key} -.- {part}geneve"


def _port(zone: _Zone, kind: str, name: str) -> str:
    """The text of a router port: kind, addresses, MAC and its tunnel key, where it must be equal in all zones."""
    row = zone.rows["Logical_Router_Port", name]
    texts = [kind, *row.texts("networks"), str(row.columns["mac"]), _tunnel_key(row, "options")]
    return " ".join(text for text in texts if text)


def _localnet_port(zone: _Zone, names: Names) -> str:
    """Name of the port that connects the external switch to the node's bridge."""
    suffix = f"_{names.prefix}{zone.node}"
    ports = (name for table, name in zone.rows if table == "Logical_Switch_Port" and name.endswith(suffix))
    return next(name for name in ports if zone.rows["Logical_Switch_Port", name].columns["type"] == "localnet")


def _label(*lines: str) -> str:
    return "<br>".join(line for line in lines if line)


def _tunnel_key(row: Row, column: str) -> str:
    key = row.entry(column, "requested-tnl-key")
    return f"(key {key})" if key else ""


def _layer2_networks(zone: _Zone) -> Iterator[str]:
    for (table, _), row in zone.rows.items():
        keys = [row.entry("external_ids", key) for key in (TOPOLOGY_KEY, ROLE_KEY)] if table == "Logical_Switch" else []
        if keys == ["layer2", "primary"]:
            yield row.network


def _by_name(rows: Iterable[Row]) -> Mapping[tuple[str, str], Row]:
    named = ((row.table, row.columns.get("name"), row) for row in rows)
    return {(table, name): row for table, name, row in named if isinstance(name, str)}


def _key(node: str) -> str:
    """The node's name as an identifier of Mermaid. Node names lack '_' and capitals, so identifiers are unique."""
    return node.replace("-", "_").replace(".", "D")
