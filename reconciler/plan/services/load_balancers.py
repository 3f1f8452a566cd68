"""The load balancers of one service on one node.

Addresses that have the same servers on every node are those of one load balancer for all switches and routers. Where
the servers or the addresses depend on the node, the node's switch and its gateway router have load balancers of their
own, or a common one as long as both have the same servers. They differ when

- a server has an address of the node: the gateway router has this address too, and must send to the node's masquerade
  address instead;
- a traffic policy is Local: only the node's own servers count for connections that enter there, and the gateway router
  keeps the clients' addresses.

Source: ovn-kubernetes ``pkg/ovn/controller/services/lb_config.go`` and ``loadbalancer.go``.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from ovnguard.reconciler.plan.rows.names import Names
from ovnguard.reconciler.plan.rows.northbound import new_row
from ovnguard.reconciler.plan.rows.row import UPSTREAM_NETWORK_KEY, Column, Row
from ovnguard.reconciler.plan.rows.service_model import LONGEST_AFFINITY, PROTOCOLS, Backend, Service, ServicePort
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.topology.common_rows import ROLE_KEY, owner_ids
from ovnguard.reconciler.plan.topology.hairpin import hairpin_addresses
from ovnguard.validators.network.addresses.addressing import MASQUERADE_HOST, MASQUERADE_HOST_ETP_LOCAL
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import IPAddress, IPNetwork, Network

_KIND_KEY: Final = "k8s.ovn.org/kind"
_OWNER_KEY: Final = "k8s.ovn.org/owner"

# An address and port, and the servers behind it.
_Rule: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Place:
    """One network on one node; ``ids`` are the external_ids of its load balancers.

    ``hosts`` are, for the node's addresses, the masquerade addresses by which a gateway router reaches the node.
    ``kept``: by IP version, the address to which the node sends connections with the clients' addresses. ``wakes``:
    OVN reports packets to idle services.
    """

    node: str
    prefix: str
    ids: Mapping[str, str]
    subnets: tuple[IPNetwork, ...]
    node_ports: tuple[IPAddress, ...]
    hosts: Mapping[IPAddress, IPAddress]
    kept: Mapping[int, IPAddress]
    hairpin: str
    wakes: bool


@dataclass(frozen=True, slots=True)
class LoadBalancers:
    """Load balancers of all switches and routers, of the node's switch, and of its gateway router."""

    everywhere: tuple[Row, ...] = ()
    on_switch: tuple[Row, ...] = ()
    on_router: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class _Front:
    """Addresses at which one port of a service takes connections.

    ``from_outside``: only servers of the node take connections from outside. ``inside``: the addresses for which this
    holds for pods. ``on_node``: the addresses are the node's.
    """

    addresses: tuple[IPAddress, ...]
    number: int
    port: ServicePort
    from_outside: bool = False
    inside: frozenset[IPAddress] = frozenset()
    on_node: bool = False


def place_of(network: Network, node: Node, settings: Settings) -> Place:
    """Return what load balancers of ``network`` need to know about ``node``, which has a gateway."""
    assert node.gateway is not None, "a primary network has a gateway"
    bases = {subnet.version: subnet.network_address for subnet in settings.masquerade_subnets}
    own = {each.ip for each in node.gateway.addresses}
    labels = {} if network.is_default else {UPSTREAM_NETWORK_KEY: network.name, ROLE_KEY: str(network.role)}
    return Place(
        node.name,
        Names(network.name).prefix,
        owner_ids(network) | labels | {_KIND_KEY: "Service"},
        tuple(subnet.cidr for subnet in network.subnets),
        tuple(dict.fromkeys(each.ip for each in node.host_cidrs)) if node.gateway.node_port else (),
        {each: bases[each.version] + MASQUERADE_HOST for each in own},
        {version: base + MASQUERADE_HOST_ETP_LOCAL for version, base in bases.items()},
        " ".join(map(str, hairpin_addresses(settings.masquerade_subnets))),
        settings.empty_lb_events,
    )


def load_balancers(service: Service, place: Place) -> LoadBalancers:
    """Return the load balancers of ``service`` in the zone of a node."""
    made: tuple[list[Row], list[Row], list[Row]] = [], [], []
    for protocol in PROTOCOLS:
        ports = [port for port in service.ports if port.protocol == protocol]
        if not ports:
            continue
        everywhere, switch, router, unmasked = _rules(service, ports, place)
        name = f"{place.prefix}Service_{service.name}_{protocol}"
        of_both = bool(switch) and switch == router
        scopes = (
            ("cluster", everywhere, made[:1], False),
            (f"node_router+switch_{place.node}", switch if of_both else [], made[1:], False),
            (f"node_router_{place.node}", [] if of_both else router, made[2:], False),
            (f"node_local_router_{place.node}", unmasked, made[2:], True),
            (f"node_switch_{place.node}", [] if of_both else switch, made[1:2], False),
        )
        for scope, rules, users, keeps_source in scopes:
            if rules:
                row = _row(service, f"{name}_{scope}", protocol, rules, place, keeps_source=keeps_source)
                for each in users:
                    each.append(row)
    return LoadBalancers(*map(tuple, made))


def _rules(service: Service, ports: Iterable[ServicePort], place: Place) -> tuple[list[_Rule], ...]:
    """The rules of all switches and routers, of the node's switch, of its gateway router, and of the gateway router
    without source NAT.
    """
    everywhere: list[_Rule] = []
    switch: list[_Rule] = []
    router: list[_Rule] = []
    unmasked: list[_Rule] = []
    for front, is_common in _fronts(service, ports, place):
        backends = _by_version(front.port.backends)
        if is_common:
            everywhere += [(_at(each, front.number), backends[each.version]) for each in front.addresses]
            continue
        local = _by_version(front.port.on_nodes.get(place.node, ()))
        routed = front.port.on_nodes.get(place.node, ()) if front.from_outside else front.port.backends
        reached = _by_version([Backend(place.hosts.get(each.address, each.address), each.port) for each in routed])
        for address in front.addresses:
            version, source = address.version, _at(address, front.number)
            if front.from_outside and front.on_node:
                switch.append((_at(place.kept[version], front.number), local[version]))
            switch.append((source, (local if address in front.inside else backends)[version]))
            without_snat = front.from_outside and reached[version]
            (unmasked if without_snat else router).append((source, reached[version]))
    return everywhere, switch, router, unmasked


def _fronts(service: Service, ports: Iterable[ServicePort], place: Place) -> Iterator[tuple[_Front, bool]]:
    """The addresses of all ports, and whether their servers are the same on all nodes."""
    inside = frozenset(service.addresses if service.internal_local else ())
    apart = service.external_local and bool(service.external)
    for port in ports:
        if port.node_port:
            yield _Front(place.node_ports, port.node_port, port, service.external_local, on_node=True), False
        if apart:
            yield _Front(service.external, port.port, port, from_outside=True), False
        addresses = service.addresses if apart else (*service.addresses, *service.external)
        is_common = not service.internal_local and not _on_hosts(port.backends, place)
        yield _Front(addresses, port.port, port, inside=inside), is_common


def _on_hosts(backends: Iterable[Backend], place: Place) -> bool:
    """Whether a server is outside the network, on a node or beyond."""
    return any(not any(each.address in subnet for subnet in place.subnets) for each in backends)


def _by_version(backends: Iterable[Backend]) -> Mapping[int, str]:
    texts: dict[int, list[str]] = {4: [], 6: []}
    for each in backends:
        texts[each.address.version].append(_at(each.address, each.port))
    return {version: ",".join(each) for version, each in texts.items()}


def _at(address: IPAddress, port: int) -> str:
    return f"{address}:{port}" if address.version == 4 else f"[{address}]:{port}"


def _row(
    service: Service, name: str, protocol: str, rules: Sequence[_Rule], place: Place, *, keeps_source: bool
) -> Row:
    waits = place.wakes and service.is_idle
    options = {
        "event": str(waits).lower(),
        "hairpin_snat_ip": place.hairpin,
        "neighbor_responder": "none",
        "reject": str(not waits).lower(),
        "skip_snat": str(keeps_source).lower(),
    }
    forever = service.affinity == LONGEST_AFFINITY
    if service.affinity and not forever:
        options["affinity_timeout"] = str(service.affinity)
    columns: dict[str, Column] = {
        "name": name,
        "protocol": (protocol.lower(),),
        "vips": dict(rules),
        "selection_fields": ("ip_dst", "ip_src") if forever else (),
        "options": options,
        "external_ids": {**place.ids, _OWNER_KEY: service.name},
    }
    return new_row("Load_Balancer", columns)
