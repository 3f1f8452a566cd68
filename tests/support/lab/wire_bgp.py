"""FRR on the hosts of a lab cluster: it learns the ways to pods from the planned files, and the plan imports them."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from ovnguard.reconciler.apply.host.host_routes import kernel_routes
from ovnguard.reconciler.plan.rows.settings import ImportedRoute
from ovnguard.validators.network.model import DEFAULT_NETWORK
from tests.support.lab.wire_hosted import HostedCluster
from tests.testbed.frr_daemons import FrrDaemons
from tests.testbed.netns import Namespace
from tests.testbed.ovs import EXTERNAL
from tests.testbed.parts import Parts
from tests.testbed.process import BedError, wait_until

_LEARN_SECONDS: Final = 100.0
_ANY_HOP: Final = ip_address("::")


def ways_to(cluster: HostedCluster, network: str) -> tuple[ImportedRoute, ...]:
    """The routes that every node needs: to all other nodes' pods of a network, by the node that has them."""
    return tuple(
        ImportedRoute(network, member.name, subnet, hop)
        for member in cluster.members
        for other in cluster.members
        if other is not member
        for subnet in other.host_subnets[network]
        for hop in other.internal_ips
        if hop.version == subnet.version
    )


class Speakers:
    """FRR of the machines of a lab, by name."""

    def __init__(self, parts: Parts, directory: Path, undo: contextlib.ExitStack) -> None:
        self._parts, self._directory, self._undo = parts, directory, undo
        self.frr: dict[str, FrrDaemons] = {}

    def start(self, confs: Mapping[str, str], places: Mapping[str, Namespace]) -> None:
        """Start FRR with these files at these places; BedError when it refuses one."""
        for name in confs:
            self.frr[name] = FrrDaemons(name)
            self.frr[name].start(places[name], self._parts.frr, self._directory, self._undo)
        for name, conf in confs.items():
            self.frr[name].wait()
            if problems := self.frr[name].load(conf):
                raise BedError(f"{name} refuses its frr.conf: " + "; ".join(problems))


@contextlib.contextmanager
def speakers(parts: Parts, directory: Path) -> Iterator[Speakers]:
    """FRR for machines of a lab that ends later than this."""
    with contextlib.ExitStack() as stack:
        yield Speakers(parts, directory, stack)


def learn_from_kernels(cluster: HostedCluster, wanted: tuple[ImportedRoute, ...]) -> None:
    """Wait until the kernels have the ways to these prefixes and no others from BGP; apply the plan that imports them.

    FRR prefers the link-local address of an IPv6 next hop, so that only IPv4 next hops are compared. Imported routes of
    other networks stay.
    """

    def found() -> set[ImportedRoute]:
        return {route for node in cluster.lab.nodes.values() for route in kernel_routes(cluster.host(node))}

    expected = _comparable(wanted)
    wait_until(lambda: _comparable(found()) == expected, f"{len(wanted)} routes from BGP", _LEARN_SECONDS)
    learned = {route.network for route in wanted}
    kept = (route for route in cluster.settings.imported_routes if route.network not in learned)
    cluster.settings = replace(cluster.settings, imported_routes=(*kept, *sorted(found(), key=str)))
    cluster.apply()


def _comparable(routes: Iterable[ImportedRoute]) -> set[ImportedRoute]:
    return {
        replace(route, nexthop=_ANY_HOP) if route.nexthop.version == _ANY_HOP.version else route for route in routes
    }


def place_routes(cluster: HostedCluster) -> None:
    """Put imported routes of user-defined networks into the nodes' kernels, in the tables of their networks."""
    for route in cluster.settings.imported_routes:
        if route.network != DEFAULT_NETWORK:
            # that of its VRF: 1000 and its id
            table = str(1000 + (cluster.network(route.network).network_id or 0))
            words = [str(route.prefix), "via", str(route.nexthop), "dev", EXTERNAL, "table", table, "proto", "bgp"]
            cluster.lab[route.node].namespace.ip("route", "add", *words)


def tell_outside(cluster: HostedCluster, network: str) -> None:
    """Place the ways to a network's pods on the host outside."""
    for member in cluster.members:
        for subnet in member.host_subnets[network]:
            hop = next(str(ip) for ip in member.internal_ips if ip.version == subnet.version)
            cluster.lab.external.namespace.ip("route", "add", str(subnet), "via", hop)
