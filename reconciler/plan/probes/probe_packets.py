"""Packets that show whether a network works: from a pod or the node itself to every destination of the network.

Probes follow from planned rows, so they work for every topology: a switch without routers leads only to other pods.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Final

from ovnguard.reconciler.plan.probes.probe_rows import Endpoint, ZoneRows, endpoint
from ovnguard.reconciler.plan.rows.row import CONTROLLER_KEY, Row
from ovnguard.reconciler.plan.topology.cluster_router import IC_NODE_KEY
from ovnguard.reconciler.plan.topology.common_rows import match_name
from ovnguard.reconciler.plan.topology.egress_ip import REROUTE as EGRESS_IP
from ovnguard.reconciler.plan.topology.egress_service import REROUTE as EGRESS_SERVICE
from ovnguard.reconciler.plan.topology.gateway_router import ROUTE_IMPORT
from ovnguard.reconciler.plan.topology.pod_isolation import ISOLATED_PODS
from ovnguard.reconciler.plan.topology.pod_ports import POD
from ovnguard.validators.network.model import IPAddress

# Documentation addresses (RFC 5737, RFC 3849): any address outside the cluster serves.
OUTSIDE: Final = {4: ip_address("192.0.2.1"), 6: ip_address("2001:db8::1")}
# The maximum numbers of other pods and nodes, and of egress policies, to probe.
_FEW: Final = 4


@dataclass(frozen=True, slots=True)
class Probe:
    """One packet: ``microflow`` enters ``datapath``, and should leave through one of ``exits``."""

    network: str
    title: str
    datapath: str
    microflow: str
    exits: tuple[str, ...]


def probes_of(rows: Iterable[Row], guests: Sequence[Endpoint]) -> tuple[Probe, ...]:
    """Return the probes of every network in a zone's planned ``rows``, which include pods.

    ``guests`` are live pods whose ports are not planned. A network without gateway and without pods here has no probes.
    """
    zone = ZoneRows(rows)
    found = (_Switch(zone, switch, guests) for switch in zone.switches())
    return tuple(probe for switch in found for probe in switch.probes())


def networks_of(rows: Iterable[Row]) -> frozenset[str]:
    """Return the names of the networks that have switches for pods among ``rows``."""
    return frozenset(switch.network for switch in ZoneRows(rows).switches())


class _Switch:
    """A switch for pods, with its endpoints: the node's own port if present, local and remote pods."""

    def __init__(self, zone: ZoneRows, switch: Row, guests: Sequence[Endpoint]) -> None:
        self._zone, self._switch = zone, switch
        self._network, name = switch.network, str(switch.columns["name"])
        # only their node reaches those
        isolated = zone.members(ISOLATED_PODS)
        found = [(port, endpoint(name, port.columns)) for port in zone.ports(switch) if port.uuid not in isolated]
        pods = [each for port, each in found if each is not None and port.entry("external_ids", POD) == "true"]
        # further ports of other zones represent their routers
        self._own = next((each for _, each in found if each and not each.remote and each not in pods), None)
        self._pods = [*sorted(pods, key=lambda pod: pod.port), *(each for each in guests if each.switch == name)]
        self._local = [pod for pod in self._pods if not pod.remote]

    def probes(self) -> Iterator[Probe]:
        """Probes of each IP version of the gateway, or of all versions without a gateway."""
        gateways = list(self._zone.gateways(self._switch))
        for version in (4, 6):
            source = next((each for each in (*self._local, self._own) if each and each.of_family(version)), None)
            start = source.of_family(version) if source is not None else None
            if source is None or start is None:
                continue
            near = [(gateway.ip, mac) for gateway, mac in gateways if start in gateway.network]
            for address, mac in near[:1]:
                yield self._probe(source, start, address, mac, f"gateway {address}", (source.port,))
                yield from self._to_outside(version, mac)
                yield from self._to_nodes(source, start, mac)
            yield from self._to_pods(source, start)

    def _to_pods(self, source: Endpoint, start: IPAddress) -> Iterator[Probe]:
        others = [pod for pod in self._pods if pod.port != source.port]
        # Some of each, because local traffic may work while traffic between nodes fails.
        chosen = [*[pod for pod in others if pod.remote][:_FEW], *[pod for pod in others if not pod.remote][:_FEW]]
        for pod in chosen:
            target = pod.of_family(start.version)
            if target is not None:
                where = "on another node" if pod.remote else "on this node"
                yield self._probe(source, start, target, pod.mac, f"pod {pod.port} {where}, {target}", (pod.port,))

    def _to_nodes(self, source: Endpoint, start: IPAddress, mac: str) -> Iterator[Probe]:
        """Subnets of other nodes' pods in Layer3 networks: behind the transit switch, or behind BGP routes."""
        behind: dict[str, tuple[IPAddress, tuple[str, ...]]] = {}
        for route in self._zone.of_network(self._network, "Logical_Router_Static_Route"):
            prefix, hop = ip_network(str(route.columns["ip_prefix"])), ip_address(str(route.columns["nexthop"]))
            if prefix.version != start.version or prefix.num_addresses == 1:
                continue
            node = route.entry("external_ids", IC_NODE_KEY)
            if node:
                behind[f"pods of node {node}"] = prefix[2], self._zone.towards(self._network, hop)
            elif route.entry("external_ids", CONTROLLER_KEY) == ROUTE_IMPORT:
                behind[f"{prefix} learned by BGP"] = prefix[min(2, prefix.num_addresses - 1)], self._exits()
        for where, (target, exits) in sorted(behind.items())[:_FEW]:
            yield self._probe(source, start, target, mac, f"{where}, {target}", exits)

    def _to_outside(self, version: int, mac: str) -> Iterator[Probe]:
        """Probes that leave through the node itself, and through assigned egress nodes."""
        target, leaving = OUTSIDE[version], self._egress(version)
        plain = (each for each in (*self._local, self._own) if each and each.of_family(version) not in leaving)
        source = next(plain, None)
        start = source.of_family(version) if source is not None else None
        exits = self._exits()
        # a network that waits for its uplink has no way out
        if exits and self._own is not None and source is not None and start is not None:
            yield self._probe(source, start, target, mac, f"outside {target}", exits)
        served = [(pod, each) for pod in self._local if (each := pod.of_family(version)) in leaving]
        for pod, address in served[:_FEW]:
            if address is not None:
                hops = leaving[address]
                towards = {port for hop in hops for port in self._zone.towards(self._network, ip_address(hop))}
                title = f"outside {target} through egress {', '.join(hops)}"
                yield self._probe(pod, address, target, mac, title, tuple(sorted(towards)))

    def _egress(self, version: int) -> dict[IPAddress | None, list[str]]:
        """Next hops of the pods' addresses that leave through assigned egress nodes."""
        found: dict[IPAddress | None, list[str]] = {}
        policies = self._zone.of_network(self._network, "Logical_Router_Policy")
        # the higher priority decides: an EgressService before an EgressIP
        for priority in (EGRESS_IP, EGRESS_SERVICE):
            for policy in policies:
                family, _, address = str(policy.columns["match"]).partition(".src == ")
                kind = policy.columns["priority"], policy.columns["action"], family
                if kind == (priority, "reroute", match_name(version)):
                    found[ip_address(address)] = policy.texts("nexthops")
        return found

    def _exits(self) -> tuple[str, ...]:
        """Ports for packets to the outside: the bridge, or in local gateway mode the management port."""
        own = self._own
        hops = {str(each) for each in own.addresses} if own is not None else set()
        for row in self._zone.of_network(self._network, "Logical_Router_Static_Route"):
            if own is not None and row.columns["policy"] == ("src-ip",) and row.columns["nexthop"] in hops:
                return (own.port,)
        return self._zone.bridges(self._network)

    def _probe(
        self, source: Endpoint, start: IPAddress, target: IPAddress, mac: str, title: str, exits: tuple[str, ...]
    ) -> Probe:
        family, echo = match_name(target.version), "icmp4.type==8" if target.version == 4 else "icmp6.type==128"
        link = f'inport=="{source.port}" && eth.src=={source.mac} && eth.dst=={mac}'
        packet = f"{family}.src=={start} && {family}.dst=={target} && ip.ttl==64 && {echo}"
        return Probe(self._network, f"{source.port} to {title}", source.switch, f"{link} && {packet}", exits)
