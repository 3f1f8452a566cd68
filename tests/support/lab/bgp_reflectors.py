"""Route reflectors by FRRConfigurations of an administrator: routing Unmanaged, for more nodes than a full mesh allows.

Every node has sessions with the reflectors only. FRRConfiguration has no field for a reflector, and lets a neighbour
have only what the node announces itself; so raw lines make the others clients and let them have all pod subnets.
"""

from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, IPv6Address
from typing import Any, Final

from reconciler.plan.bgp.frr_conf import render
from reconciler.plan.bgp.node_configuration import FrrConfigurations
from reconciler.plan.settings import Settings
from tests.support.frr_samples import filtered, neighbor, on_node, router, with_raw
from tests.support.manifests.network_objects import JsonObject, frr
from tests.testbed.process import BedError
from validators.network.declared.node import Node
from validators.network.model import Network

_ASN: Final = 64512
# After the entries that frr-k8s writes for a neighbour's own list.
_SEQUENCE: Final = 1000


def reflected(network: Network, members: Sequence[Node], reflectors: int) -> dict[str, str]:
    """The frr.conf of every node, of which the first are the reflectors; BedError when one has none."""
    return files(members, [_on(network, member, members, reflectors) for member in members])


def files(members: Sequence[Node], documents: Sequence[JsonObject]) -> dict[str, str]:
    """The frr.conf of every node from all FRRConfigurations that select it; BedError when one has none."""
    settings, made = Settings(), {}
    merged = FrrConfigurations(documents)
    for member in members:
        configuration = merged.on(member, settings.default_join_subnets)
        if configuration.errors:
            raise BedError("; ".join(map(str, configuration.errors)))
        made[member.name] = render(configuration, settings.frr_log_level)
    return made


def _on(network: Network, member: Node, members: Sequence[Node], reflectors: int) -> JsonObject:
    reflects = member in members[:reflectors]
    peers = [each for each in (members if reflects else members[:reflectors]) if each is not member]
    clients = [each for each in peers if each not in members[:reflectors]]
    own = [str(share) for share in member.host_subnets[network.name]]
    body = router(*(_neighbor(network, address, own) for address in _addresses(peers)), prefixes=own, asn=_ASN)
    made = on_node(frr(body, name=f"pods-{member.name}"), member.name)
    return with_raw(made, "\n".join(_reflecting(network, _addresses(clients)))) if clients else made


def _addresses(members: Sequence[Node]) -> list[IPv4Address | IPv6Address]:
    return [address for member in members for address in member.internal_ips]


def _neighbor(network: Network, address: IPv4Address | IPv6Address, own: Sequence[str]) -> JsonObject:
    advertised = [share for share in own if (":" in share) == (address.version == 6)]
    received: list[Any] = [
        {"prefix": str(each.cidr), "ge": each.host_prefix, "le": each.host_prefix}
        for each in network.subnets
        if each.cidr.version == address.version
    ]
    return neighbor(str(address), _ASN, toAdvertise=filtered(*advertised), toReceive=filtered(*received))


def _reflecting(network: Network, clients: Sequence[IPv4Address | IPv6Address]) -> Iterator[str]:
    for client in clients:
        ip, family = ("ip", "ipv4") if client.version == 4 else ("ipv6", "ipv6")
        for number, each in enumerate(each for each in network.subnets if each.cidr.version == client.version):
            length = each.host_prefix
            entry = f"seq {_SEQUENCE + number} permit {each.cidr} ge {length} le {length}"
            yield f"{ip} prefix-list {client}-allowed-{family} {entry}"
    yield f"router bgp {_ASN}"
    for client in clients:
        yield f" address-family ipv{client.version} unicast"
        yield f"  neighbor {client} route-reflector-client"
        yield " exit-address-family"
