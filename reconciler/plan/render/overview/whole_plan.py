"""The pictures of a plan: one of the whole plan, and one of each network."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from ovnguard.reconciler.plan.render.guesses import NO_GUESSES, Guesses
from ovnguard.reconciler.plan.render.overview.model import (
    BGP,
    GATEWAY,
    PODS,
    SWITCH,
    TUNNELS,
    Entry,
    Lane,
    Mark,
    Overview,
    Station,
    some,
)
from ovnguard.reconciler.plan.render.overview.network_rows import network_lanes
from ovnguard.reconciler.plan.rows.row import Row, ZonePlan
from ovnguard.reconciler.plan.rows.row_groups import RowGroups
from ovnguard.validators.network.declared.parse_udn import CUDN_PREFIX

MOST_LANES: Final = 5
_WORDS: Final = (("network", "networks"), ("switch", "switches"), ("router", "routers"), ("gateway", "gateways"))


class Overviews(NamedTuple):
    """The picture of the whole plan, and those of networks by name."""

    whole: Overview
    networks: Mapping[str, Overview]


def overviews(
    zones: Sequence[ZonePlan],
    guesses: Guesses = NO_GUESSES,
    namespaces: Mapping[str, Collection[str]] | None = None,
    inserted: Collection[tuple[str, str]] = (),
) -> Overviews:
    """Return the pictures of all networks with a switch or a router, in the order of names.

    ``namespaces`` are those known to use each network, ``inserted`` the nodes and UUIDs of new rows.
    """
    parts: dict[str, list[tuple[str, Sequence[Row]]]] = {}
    for zone in zones:
        for network, rows in rows_by_network(zone.rows).items():
            parts.setdefault(network, []).append((zone.node, rows))
    labels, found = _labels(parts), dict[str, Overview]()
    for network, nodes in sorted(parts.items()):
        used = (namespaces or {}).get(network, ())
        lanes = network_lanes(network, nodes[:MOST_LANES], guesses, used, frozenset(inserted))
        if lanes:
            more = tuple(node for node, _ in nodes[MOST_LANES:])
            found[network] = Overview(
                f"Network {network}", f"Network {labels[network]}", lanes, more, len(found), network=network
            )
    return Overviews(_whole(found, labels, [zone.node for zone in zones]), found)


def _labels(networks: Iterable[str]) -> Mapping[str, str]:
    """The names without the prefix of cluster-wide networks, where they stay different."""
    short = {name: name.removeprefix(CUDN_PREFIX) for name in networks}
    counts = Counter(short.values())
    return {name: label if counts[label] == 1 else name for name, label in short.items()}


def rows_by_network(rows: Sequence[Row]) -> Mapping[str, Sequence[Row]]:
    """Return the rows of each network."""
    if isinstance(rows, RowGroups):
        return {network: group for network, group in rows.groups.items() if network}
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row.network:
            found.setdefault(row.network, []).append(row)
    return found


def _whole(networks: Mapping[str, Overview], labels: Mapping[str, str], nodes: Sequence[str]) -> Overview:
    by_node: dict[str, dict[int, Lane]] = {node: {} for node in nodes}
    for number, each in enumerate(networks.values()):
        for lane in each.lanes:
            by_node[lane.node][number] = lane
    used = [node for node in nodes if by_node[node]][:MOST_LANES]
    lanes = tuple(_together(node, by_node[node]) for node in used)
    key = tuple(_entry(name, labels[name], each) for name, each in networks.items())
    title = (
        f"The whole plan: {some(len(networks), 'network') or 'no network'} on {some(len(nodes), 'node') or 'no node'}"
    )
    return Overview(title, title, lanes, tuple(node for node in nodes if node not in used), key=key)


def _together(node: str, lanes: Mapping[int, Lane]) -> Lane:
    """One lane for all networks on a node, numbers instead of addresses."""
    subnets = len({text for lane in lanes.values() for text in lane.links[PODS]})
    vips = sum(lane.vips for lane in lanes.values())
    ways = (BGP if any(BGP in lane.links[GATEWAY] for lane in lanes.values()) else "", some(vips, "VIP"))
    tunnels = (lane.tunnels_at for lane in lanes.values() if lane.tunnels_at is not None)
    return Lane(
        node,
        tuple(_all_of(column, lanes) for column in range(4)),
        tuple(tuple(filter(None, texts)) for texts in ((some(subnets, "subnet"),), (), (), ways)),
        tuple(dict.fromkeys(each for lane in lanes.values() for each in lane.outside)),
        min(tunnels, default=None),
    )


def _all_of(column: int, lanes: Mapping[int, Lane]) -> Station | None:
    """The stations of a column as one, with a mark for each."""
    found = {number: station for number, lane in lanes.items() if (station := lane.stations[column]) is not None}
    if not found:
        return None
    marks = tuple(Mark(number, station.is_new) for number, station in found.items())
    return Station(some(len(found), *_WORDS[column]), marks=marks)


def _entry(network: str, label: str, overview: Overview) -> Entry:
    """What the key says of a network."""
    switches = [station for lane in overview.lanes if (station := lane.stations[SWITCH]) is not None]
    kinds = {station.title.removesuffix(" switch") for station in switches}
    topology = "Layer3" if "Node" in kinds else "".join(sorted(kinds)[:1])
    routed = any(BGP in lane.links[GATEWAY] for lane in overview.lanes)
    way = TUNNELS if overview.tunnels_at is not None else BGP if routed else ""
    subnets = tuple(dict.fromkeys(text for lane in overview.lanes for text in lane.links[PODS]))
    shown = ", ".join(subnets[:1] if topology == "Layer3" else subnets[:2])
    more = " and others" if len(subnets) > len(shown.split(", ")) else ""
    about = ", ".join(filter(None, (topology, way, f"{shown}{more}")))
    return Entry(network, label, about, is_new=bool(switches) and all(each.is_new for each in switches))
