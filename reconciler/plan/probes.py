"""Packets that show whether a network works: from a pod, or the node itself, to wherever the network promises to lead.

Probes are made of planned rows, so they hold for every topology whose pods have a gateway on their switch.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_interface
from typing import Final

from reconciler.plan.rows import NETWORK_KEY, Column, Ref, Row
from reconciler.plan.topology.common import ROLE_KEY, match_name
from reconciler.plan.topology.pod_ports import POD
from validators.network.model import IPAddress

# Addresses of nobody (RFC 5737, RFC 3849): whatever is not ours is outside.
OUTSIDE: Final = (ip_address("192.0.2.1"), ip_address("2001:db8::1"))
_EGRESS_PRIORITY: Final = 100
# How many other pods are tried, and how many egress policies.
_FEW: Final = 4


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A port of a switch with its addresses; ``remote`` when it is bound to another node's chassis."""

    switch: str
    port: str
    mac: str
    addresses: tuple[IPAddress, ...]
    remote: bool = False

    def of_family(self, version: int) -> IPAddress | None:
        """Its address of an IP version, or None."""
        return next((each for each in self.addresses if each.version == version), None)


@dataclass(frozen=True, slots=True)
class Probe:
    """One packet: ``microflow`` enters ``datapath``, and leaves by one of ``exits`` when all is well."""

    network: str
    title: str
    datapath: str
    microflow: str
    exits: tuple[str, ...]


def endpoint(switch: str, columns: Mapping[str, Column]) -> Endpoint | None:
    """Return the endpoint that a Logical_Switch_Port is, None for routers, localnets, and unknown addresses."""
    kind, addresses = columns.get("type"), columns.get("addresses")
    if kind not in ("", "remote") or not isinstance(addresses, tuple) or not addresses:
        return None
    mac, *rest = str(addresses[0]).split()
    try:
        found = tuple(ip_address(each) for each in rest)
    except ValueError:
        return None
    return Endpoint(switch, str(columns["name"]), mac, found, kind == "remote") if found and ":" in mac else None


def probes_of(rows: Iterable[Row], guests: Sequence[Endpoint]) -> tuple[Probe, ...]:
    """Return the probes of every primary network that a zone's planned ``rows`` hold, pods among them.

    ``guests`` are live pods whose ports nobody planned.
    """
    zone = _Zone(rows)
    return tuple(probe for switch in zone.primary_switches() for probe in _of_switch(zone, switch, guests))


class _Zone:
    """Planned rows by UUID and by name."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = {row.uuid: row for row in rows}
        self.named = {(row.table, str(row.columns.get("name"))): row for row in self.rows.values()}

    def children(self, row: Row, column: str) -> list[Row]:
        value = row.columns.get(column)
        refs = [item for item in value if isinstance(item, Ref)] if isinstance(value, tuple) else []
        return [self.rows[ref.uuid] for ref in refs if ref.uuid in self.rows]

    def primary_switches(self) -> Iterator[Row]:
        """Switches with pods of primary networks: they have a gateway and the node's management port."""
        for row in self.rows.values():
            if row.table == "Logical_Switch" and _entry(row, "external_ids", ROLE_KEY) == "primary":
                ports = self.children(row, "ports")
                kinds = {port.columns["type"] for port in ports}
                if {"", "router"} <= kinds:
                    yield row

    def of_network(self, network: str, table: str) -> Iterator[Row]:
        for row in self.rows.values():
            if row.table == table and _entry(row, "external_ids", NETWORK_KEY) == network:
                yield row


def _of_switch(zone: _Zone, switch: Row, guests: Sequence[Endpoint]) -> Iterator[Probe]:
    network, name = _entry(switch, "external_ids", NETWORK_KEY), str(switch.columns["name"])
    ports = zone.children(switch, "ports")
    router_port = next(_entry(port, "options", "router-port") for port in ports if port.columns["type"] == "router")
    gateway = zone.named.get(("Logical_Router_Port", router_port))
    own = next((found for port in ports if not _is_pod(port) and (found := endpoint(name, port.columns))), None)
    if gateway is None or own is None:
        return
    planned = [found for port in ports if _is_pod(port) and (found := endpoint(name, port.columns))]
    pods = [*sorted(planned, key=lambda pod: pod.port), *(guest for guest in guests if guest.switch == name)]
    local = [pod for pod in pods if not pod.remote]
    source = local[0] if local else own
    mac = str(gateway.columns["mac"])
    for address in sorted((ip_interface(text).ip for text in _texts(gateway, "networks")), key=str):
        start = source.of_family(address.version)
        if start is None or address.is_link_local:
            continue
        yield _probe(network, source, start, address, mac, f"gateway {address}", (source.port,))
        outside = next(each for each in OUTSIDE if each.version == address.version)
        yield _probe(network, source, start, outside, mac, f"outside {outside}", _exits(zone, network, own))
        yield from _to_pods(network, source, start, pods)
        yield from _egress(zone, network, pods, mac, outside)


def _is_pod(port: Row) -> bool:
    return _entry(port, "external_ids", POD) == "true"


def _to_pods(network: str, source: Endpoint, start: IPAddress, pods: Sequence[Endpoint]) -> Iterator[Probe]:
    others = [pod for pod in pods if pod.port != source.port]
    # Some of each, for what works at home may fail between nodes.
    chosen = [*[pod for pod in others if pod.remote][:_FEW], *[pod for pod in others if not pod.remote][:_FEW]]
    for pod in chosen:
        target = pod.of_family(start.version)
        if target is not None:
            where = "on another node" if pod.remote else "on this node"
            yield _probe(network, source, start, target, pod.mac, f"pod {pod.port} {where}, {target}", (pod.port,))


def _exits(zone: _Zone, network: str, own: Endpoint) -> tuple[str, ...]:
    """Ports by which packets to the outside leave: the node's bridge, or in local gateway mode its management port."""
    routes = zone.of_network(network, "Logical_Router_Static_Route")
    through_node = any(
        row.columns["policy"] == ("src-ip",) and str(row.columns["nexthop"]) in map(str, own.addresses)
        for row in routes
    )
    if through_node:
        return (own.port,)
    ports = zone.of_network(network, "Logical_Switch_Port")
    return tuple(sorted(str(row.columns["name"]) for row in ports if row.columns["type"] == "localnet"))


def _egress(zone: _Zone, network: str, pods: Sequence[Endpoint], mac: str, outside: IPAddress) -> Iterator[Probe]:
    """Pods whose packets leave through chosen egress nodes."""
    family = match_name(outside.version)
    policies = [
        row
        for row in zone.of_network(network, "Logical_Router_Policy")
        if row.columns["priority"] == _EGRESS_PRIORITY and row.columns["action"] == "reroute"
    ]
    by_match = {str(row.columns["match"]): row for row in policies}
    found = [(pod, by_match.get(f"{family}.src == {pod.of_family(outside.version)}")) for pod in pods if not pod.remote]
    for pod, policy in [each for each in found if each[1] is not None][:_FEW]:
        start = pod.of_family(outside.version)
        assert policy is not None
        assert start is not None
        hops = _texts(policy, "nexthops")
        title = f"outside {outside} through egress {', '.join(hops)}"
        exits = sorted({port for hop in hops for port in _towards(zone, network, hop)})
        yield _probe(network, pod, start, outside, mac, title, tuple(exits))


def _towards(zone: _Zone, network: str, hop: str) -> Iterator[str]:
    """The remote port towards the node with this transit address; its bridge when it is this node."""
    for row in zone.of_network(network, "Logical_Router_Port"):
        if any(ip_address(hop) in ip_interface(text).network for text in _texts(row, "networks")):
            if "requested-chassis" in (row.columns["options"] if isinstance(row.columns["options"], Mapping) else {}):
                yield str(row.columns["name"])
            elif row.columns["peer"]:
                ports = zone.of_network(network, "Logical_Switch_Port")
                yield from (str(port.columns["name"]) for port in ports if port.columns["type"] == "localnet")


def _probe(
    network: str, source: Endpoint, start: IPAddress, target: IPAddress, mac: str, title: str, exits: tuple[str, ...]
) -> Probe:
    family, echo = match_name(target.version), "icmp4.type==8" if target.version == 4 else "icmp6.type==128"
    link = f'inport=="{source.port}" && eth.src=={source.mac} && eth.dst=={mac}'
    packet = f"{family}.src=={start} && {family}.dst=={target} && ip.ttl==64 && {echo}"
    return Probe(network, f"{source.port} to {title}", source.switch, f"{link} && {packet}", exits)


def _entry(row: Row, column: str, key: str) -> str:
    value = row.columns.get(column)
    return value.get(key, "") if isinstance(value, Mapping) else ""


def _texts(row: Row, column: str) -> list[str]:
    value = row.columns[column]
    return [str(each) for each in value] if isinstance(value, tuple) else []
