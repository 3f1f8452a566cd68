"""Route reflectors by FRRConfigurations of an administrator: routing Unmanaged, for more nodes than a full mesh allows.

Every node has sessions with the reflectors only. FRRConfiguration has no field for a reflector, and lets a neighbour
have only what the node announces itself; so raw lines make the others clients and let them have all pod subnets.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from tests.support.frr_samples import filtered, neighbor, on_node, router, with_raw
from tests.support.lab.bgp_fabric import files
from tests.support.manifests.network_objects import JsonObject, frr
from validators.network.declared.node import Node
from validators.network.model import IPAddress, Network

_ASN: Final = 64512
# After the entries that frr-k8s writes for a neighbour's own list.
_SEQUENCE: Final = 1000


def reflected(network: Network, members: Sequence[Node], reflectors: int) -> dict[str, str]:
    """The frr.conf of every node, of which the first are the reflectors; BedError when one has none."""
    return files(members, [_on(network, member, members, reflectors) for member in members])


def _on(network: Network, member: Node, members: Sequence[Node], reflectors: int) -> JsonObject:
    reflects = member in members[:reflectors]
    peers = [each for each in (members if reflects else members[:reflectors]) if each is not member]
    clients = [each for each in peers if each not in members[:reflectors]]
    made = _peering(network, member, _addresses(peers))
    return with_raw(made, "\n".join(_reflecting(network, _addresses(clients)))) if clients else made


def _peering(network: Network, member: Node, peers: Iterable[IPAddress]) -> JsonObject:
    """The FRRConfiguration of a node that announces its pod subnets to these peers and believes those of others."""
    own = [str(share) for share in member.host_subnets[network.name]]
    body = router(*(_neighbor(network, address, own) for address in peers), prefixes=own, asn=_ASN)
    return on_node(frr(body, name=f"pods-{member.name}"), member.name)


def _addresses(members: Sequence[Node]) -> list[IPAddress]:
    return [address for member in members for address in member.internal_ips]


def _neighbor(network: Network, address: IPAddress, own: Sequence[str]) -> JsonObject:
    advertised = [share for share in own if (":" in share) == (address.version == 6)]
    received: list[Any] = [
        {"prefix": str(each.cidr), "ge": each.host_prefix, "le": each.host_prefix}
        for each in network.subnets
        if each.cidr.version == address.version
    ]
    return neighbor(str(address), _ASN, toAdvertise=filtered(*advertised), toReceive=filtered(*received))


def _reflecting(network: Network, clients: Sequence[IPAddress]) -> Iterator[str]:
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
