"""The entry of one attachment in a pod's record, as OVN-Kubernetes writes it: addresses, gateways and routes.

Source: ovn-kubernetes ``pkg/util/pod_annotation.go`` and ``pkg/allocator/pod/pod_annotation.go``, annotation
``k8s.ovn.org/pod-networks``.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_network
from typing import Any, Final

from ovnguard.reconciler.plan.numbers.layer2_addresses import is_legacy
from ovnguard.reconciler.plan.pods.pod_record import LOCKED
from ovnguard.reconciler.plan.rows.model import PodPort
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.topology.hairpin import hairpin_addresses
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.addresses.addressing import AddressError, join_address, mac_of, subnet_addresses
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import IPAddress, IPNetwork, Network, Role, Topology

_LINK_LOCAL: Final = int(IPv6Address("fe80::"))


@dataclass(frozen=True, slots=True)
class EntryFacts:
    """What entries contain besides the pod and its network: ``services`` are the cluster's service subnets."""

    settings: Settings
    services: tuple[IPNetwork, ...]


@dataclass(frozen=True, slots=True)
class _Family:
    """One address of a pod, its subnet and the gateway in that, None where the network has none."""

    address: IPAddress
    subnet: IPNetwork
    gateway: IPAddress | None


def pod_entry(port: PodPort, network: Network, node: Node, facts: EntryFacts) -> JsonObject:
    """Return the entry of ``port``, whose pod is on ``node``; what does not apply is left out."""
    role = LOCKED if port.isolated else network.role.value
    families = [_family(each, network, node) for each in port.addresses]
    texts = [f"{each.address}/{each.subnet.prefixlen}" for each in families]
    gateways = [each.gateway for each in families if each.gateway is not None] if role == Role.PRIMARY else []
    entry: dict[str, Any] = {"ip_addresses": texts or None, "mac_address": port.mac}
    if gateways:
        entry["gateway_ips"] = [str(each) for each in gateways]
    if routes := list(_routes(families, network, role, facts)):
        entry["routes"] = routes
    if len(texts) == 1:
        entry["ip_address"] = texts[0]
        if len(gateways) == 1:
            entry["gateway_ip"] = str(gateways[0])
    if network.needs_transit_subnet and any(each.address.version == 6 for each in families):
        entry["ipv6_lla_gateway_ip"] = str(_link_local(_router_mac(gateways, _joins(network, facts.settings), node)))
    if port.key is not None:
        entry["tunnel_id"] = port.key
    return {**entry, "role": role}


def with_entries(record: object, entries: Mapping[str, JsonObject]) -> str:
    """Return ``record``, the text of an annotation or None, with ``entries`` by attachment; what it has stays."""
    known = json.loads(record) if isinstance(record, str) else {}
    return json.dumps(dict(sorted({**entries, **known}.items())), separators=(",", ":"))


def _family(address: IPAddress, network: Network, node: Node) -> _Family:
    """Localnet and secondary Layer2 networks have no gateway."""
    split = network.topology is Topology.LAYER3
    shares = node.host_subnets.get(network.name, ()) if split else [each.cidr for each in network.subnets]
    subnet = next((each for each in shares if address in each), None)
    if subnet is None:
        # the pod requested an address of a network without subnets
        return _Family(address, ip_network(address), None)
    own = subnet_addresses(subnet, network.default_gateway_ips, network.infrastructure_subnets)
    routed = (split or network.role is Role.PRIMARY) and not isinstance(own, AddressError)
    return _Family(address, subnet, own.gateway.ip if routed and not isinstance(own, AddressError) else None)


def _routes(families: Sequence[_Family], network: Network, role: str, facts: EntryFacts) -> Iterator[Mapping[str, str]]:
    settings = facts.settings
    joins = settings.default_join_subnets if network.is_default else _joins(network, settings)
    for each in families:
        destinations: list[IPNetwork] = []
        if network.topology is Topology.LAYER3:
            destinations += [subnet.cidr for subnet in network.subnets]
        if role == Role.PRIMARY:
            destinations += facts.services
            if network.is_default:
                destinations += [ip_network(hairpin) for hairpin in hairpin_addresses(settings.masquerade_subnets)]
        if network.is_default or role == Role.PRIMARY:
            destinations += joins
        if each.gateway is not None:
            own = (destination for destination in destinations if destination.version == each.address.version)
            yield from ({"dest": str(destination), "nextHop": str(each.gateway)} for destination in own)


def _joins(network: Network, settings: Settings) -> Sequence[IPNetwork]:
    return network.join_subnets or settings.udn_join_subnets


def _router_mac(gateways: Sequence[IPAddress], joins: Sequence[IPNetwork], node: Node) -> str:
    """The MAC of the router that pods of ``node`` reach: in the earlier topology it is on the join subnet."""
    if is_legacy(node) and node.node_id is not None:
        joined = join_address(joins[0], node.node_id)
        if not isinstance(joined, AddressError):
            return mac_of(joined.ip)
    return mac_of(next((each for each in gateways if each.version == 4), gateways[0]))


def _link_local(mac: str) -> IPv6Address:
    """The link-local address of an Ethernet address. Source: RFC 4291, appendix A."""
    octets = bytes.fromhex(mac.replace(":", ""))
    identifier = bytes([octets[0] ^ 2, *octets[1:3], 0xFF, 0xFE, *octets[3:]])
    return IPv6Address(_LINK_LOCAL | int.from_bytes(identifier))
