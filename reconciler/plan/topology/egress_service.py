"""EgressService: pods of a service leave through one node, where the host gives their packets the service's address.

On the cluster router of the default network, a policy sends a pod's traffic to the egress node, and there to the
node's management port. The host does the rest: routes, and source NAT to the load balancer's address.

Source: ovn-kubernetes ``pkg/ovn/controller/egressservice/egressservice_zone.go``.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from ovnguard.reconciler.plan.numbers.layer3_addresses import Layer3, Layer3Peer
from ovnguard.reconciler.plan.rows.model import EgressService
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.topology.common_rows import match_name
from ovnguard.reconciler.plan.topology.layer3_zone import Layer3Zone
from ovnguard.validators.network.model import IPAddress

REROUTE: Final = 101
_OWNER_KEY: Final = "EgressSVC"
# The suffix of the owner where the pod is in another zone.
_REMOTE: Final = ":ic"


class Served(NamedTuple):
    """A pod's address whose traffic has another next hop in this zone; ``is_local``: the pod is in it."""

    owner: str
    address: IPAddress
    hop: IPAddress
    is_local: bool


def served(
    services: Iterable[EgressService], layer3: Layer3, local: Layer3Peer, remotes: Iterable[Layer3Peer]
) -> Iterator[Served]:
    """Iterate over the pods of the default network with a different next hop in the zone of ``local``, once each.

    Without tunnels, pods cannot leave through other nodes. The first of several services with the same pod counts.
    """
    transits = {peer.node.name: peer.transits for peer in remotes}
    seen: set[IPAddress] = set()
    for service in (each for each in services if each.network == layer3.network.name):
        for endpoint in service.endpoints:
            address, is_local = endpoint.address, endpoint.node == local.node.name
            if service.node == local.node.name:
                hops = [share.management.ip for share in local.shares]
            else:
                hops = [each.ip for each in transits.get(service.node, ())] if is_local else []
            hop = next((each for each in hops if each.version == address.version), None)
            if hop is None or address in seen or not (layer3.has_overlay or is_local) or not _is_pod(layer3, address):
                continue
            seen.add(address)
            yield Served(service.name + ("" if is_local else _REMOTE), address, hop, is_local)


def egress_service_rows(zone: Layer3Zone) -> Iterable[Row]:
    """Return the policies of the cluster router; none in user-defined networks."""
    if zone.layer3.network.is_default:
        for each in served(zone.settings.egress_services, zone.layer3, zone.local, zone.remotes):
            match = f"{match_name(each.address.version)}.src == {each.address}"
            yield zone.router.reroute(REROUTE, match, each.hop, extra={_OWNER_KEY: each.owner}, labelled=False)


def _is_pod(layer3: Layer3, address: IPAddress) -> bool:
    """Whether it is an address of the network; other endpoints are on the hosts."""
    return any(address in subnet for subnet in layer3.clusters if subnet.version == address.version)
