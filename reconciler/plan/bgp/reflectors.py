"""Route reflectors: labelled nodes peer with all nodes and pass routes on, the others peer with them only.

FRRConfiguration has no field for clients and cluster ids, nor for passing on what others advertise, so that a raw
section of each reflector's own object has them. Each reflector is a cluster of its own: a client that reaches only one
of two reflectors still gets the routes of one that reaches only the other.

A node that loses the label reflects until the sessions with its successors are established. Where sessions are unknown,
it does until the successors' objects are written.

Source: OpenShift enhancement "no-overlay mode", 'Graduation Criteria'; RFC 4456.
"""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ovnguard.reconciler.plan.bgp.frr_documents import HOSTNAME, frr_configuration, neighbor
from ovnguard.reconciler.plan.rows.routing_model import MANAGED_NAME
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.route_advertisements import MANAGED_LABEL
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.model import IPAddress, IPNetwork
from ovnguard.validators.network.parse_values import dig

ROLE: Final = "k8s.ovn.org/internal-bgp-role"
REFLECTOR: Final = "route-reflector"
PREFIX: Final = f"{MANAGED_NAME}-reflector-"
_MAX_NAME: Final = 253
_PRIORITY: Final = 5
# Behind the entries of a neighbour's own prefixes, in the same list.
_FIRST_ENTRY: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Reflection:
    """What all objects of a fabric with reflectors have in common.

    ``addresses`` are those of all nodes with their names, ``subnets`` those of managed networks with the prefix length
    of the nodes' shares, ``router_ids`` those of nodes without IPv4 address.
    """

    asn: int
    namespace: str
    addresses: Mapping[IPAddress, str]
    subnets: Sequence[tuple[IPNetwork, int]]
    router_ids: Mapping[str, str]

    def objects(self, reflectors: Sequence[Node]) -> Iterator[JsonObject]:
        """Iterate over the object of all clients, and one for each reflector."""
        names = {node.name for node in reflectors}
        hosts = sorted(_host(node) for node in reflectors)
        to_clients = [neighbor(str(address), self.asn) for address, name in self.addresses.items() if name in names]
        others = {"matchExpressions": [{"key": HOSTNAME, "operator": "NotIn", "values": hosts}]}
        yield self._object(MANAGED_NAME, others, to_clients, {})
        for node in reflectors:
            peers = [each for each, name in self.addresses.items() if name != node.name]
            peers = [each for each in peers if each not in node.own_addresses]
            clients = [each for each in peers if self.addresses[each] not in names]
            raw = {"priority": _PRIORITY, "rawConfig": self._raw(node, peers, clients)}
            listed = [neighbor(str(each), self.asn) for each in peers]
            yield self._object(_name(node), {"matchLabels": {HOSTNAME: _host(node)}}, listed, raw)

    def _object(self, name: str, selector: JsonObject, neighbors: list[JsonObject], raw: JsonObject) -> JsonObject:
        metadata = {"name": name, "namespace": self.namespace, "labels": {MANAGED_LABEL: ""}}
        routers = [{"asn": self.asn, "neighbors": neighbors}]
        return frr_configuration(metadata, {"bgp": {"routers": routers}, "nodeSelector": selector, "raw": raw})

    def _raw(self, node: Node, peers: Sequence[IPAddress], clients: Sequence[IPAddress]) -> str:
        lines = [f"router bgp {self.asn}"]
        if cluster := self._cluster_id(node):
            lines.append(f" bgp cluster-id {cluster}")
        for version in (4, 6):
            found = [f"  neighbor {each} route-reflector-client" for each in clients if each.version == version]
            if found:
                lines += [f" address-family ipv{version} unicast", *found, " exit-address-family"]
        lines += ["exit", "!"]
        for peer in peers:
            version, command = peer.version, "ip" if peer.version == 4 else "ipv6"
            subnets = (each for each in self.subnets if each[0].version == version)
            for number, (cidr, length) in enumerate(subnets, _FIRST_ENTRY):
                entry = f"seq {number} permit {cidr} le {length} ge {length}"
                lines.append(f"{command} prefix-list {peer}-allowed-ipv{version} {entry}")
        return "".join(f"{line}\n" for line in lines)

    def _cluster_id(self, node: Node) -> str:
        address = next((str(each) for each in node.internal_ips if each.version == 4), "")
        return address or self.router_ids.get(node.name, "")


def labelled(nodes: Sequence[Node]) -> list[Node]:
    """Return the nodes that should reflect."""
    return [node for node in nodes if node.labels.get(ROLE) == REFLECTOR]


def reflecting(
    nodes: Sequence[Node],
    configurations: Sequence[JsonObject],
    sessions: Mapping[str, Collection[str]] | None,
) -> list[Node]:
    """Return the nodes that reflect now: the labelled ones, and those before them while they are still needed.

    ``configurations`` are the objects in the cluster, ``sessions`` the addresses with which each node has established
    sessions, None while these are unknown.
    """
    wanted = {node.name for node in labelled(nodes)}
    hosts = {dig(obj, "spec", "nodeSelector", "matchLabels", HOSTNAME) for obj in configurations if _is_reflectors(obj)}
    before = {node.name for node in nodes if _host(node) in hosts}
    ready = wanted <= before if sessions is None else _reached(nodes, wanted, sessions)
    kept = wanted if ready or not wanted else wanted | before
    return [node for node in nodes if node.name in kept]


def _reached(nodes: Sequence[Node], wanted: Collection[str], sessions: Mapping[str, Collection[str]]) -> bool:
    """Whether every other node has a session with every labelled one, in each family that both have."""
    reflectors = [node for node in nodes if node.name in wanted]
    return all(
        str(address) in sessions.get(node.name, ())
        for node in nodes
        for other in reflectors
        if other.name != node.name
        for address in other.internal_ips
        if any(own.version == address.version for own in node.internal_ips)
    )


def _is_reflectors(obj: JsonObject) -> bool:
    return ref_of(obj).name.startswith(PREFIX)


def _host(node: Node) -> str:
    return node.labels.get(HOSTNAME, node.name)


def _name(node: Node) -> str:
    name = f"{PREFIX}{node.name}"
    return name if len(name) <= _MAX_NAME else PREFIX + hashlib.sha256(node.name.encode()).hexdigest()[:10]
