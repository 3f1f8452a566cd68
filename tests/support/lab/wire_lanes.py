"""The dual-stack lanes of the no-overlay design: network x routing x outboundSNAT x gateway mode."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from ipaddress import ip_network
from itertools import product
from typing import Final

from ovnguard.reconciler.plan.rows.routing_model import RoutingInputs
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.cluster.route_advertisements import route_advertisement
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import DEFAULT_NETWORK, FULL_MESH, ManagedBGP, Network, Routing
from tests.support.frr_samples import neighbor, router
from tests.support.lab import wire
from tests.support.lab.wire import Pod
from tests.support.lab.wire_crowd import assert_peer, crowd
from tests.support.lab.wire_hosted import HostedCluster, bridged
from tests.support.manifests.network_objects import JsonObject, frr
from tests.support.plan_samples import DUAL_DEFAULT, SERVICES, nodes, sharing
from tests.support.plan_scenarios import DUAL_OVERLAY_DEFAULT, LAYER3_BOTH, without_overlay

_SERVICE_SUBNETS: Final = (ip_network("10.96.0.0/16"), ip_network("fd00:10:96::/112"))
NODES: Final = ("node1", "node2")
PORT: Final = 8000
EDGE_ROUTER: Final = (wire.OUTSIDE4, wire.OUTSIDE6)
"""The addresses of the router outside, which reflects what nodes of unmanaged networks announce."""
AS_NUMBER: Final = 64512
_ADVERTISED: Final = {"advertise": "yes"}


@dataclass(frozen=True)
class Lane:
    """One lane; `network` is the name of the one without overlay."""

    network: str
    routing: Routing
    snat: bool
    mode: str

    def __str__(self) -> str:
        kind = "default" if self.network == DEFAULT_NETWORK else "cudn"
        return f"{kind}-{self.routing.name.lower()}-{'snat' if self.snat else 'plain'}-{self.mode}"

    @property
    def networks(self) -> tuple[Network, ...]:
        """The default network, and the user-defined one where it is the one without overlay."""
        if self.network == DEFAULT_NETWORK:
            return (self._routed(DEFAULT),)
        return OVERLAY_DEFAULT, self._routed(LAYER3_BOTH)

    @property
    def settings(self) -> Settings:
        """A cluster that advertises routes: by its own mesh, or by what an administrator declares."""
        if self.routing is Routing.MANAGED:
            inputs = RoutingInputs(bgp=ManagedBGP(AS_NUMBER, FULL_MESH))
        else:
            inputs = RoutingInputs(
                advertisements=(route_advertisement(self._advertisement),),
                configurations=(_EDGE,),
                labels={self.network: _ADVERTISED},
            )
        return replace(SERVICES, advertises=True, routing=inputs)

    @property
    def _advertisement(self) -> JsonObject:
        by_label = {"matchLabels": _ADVERTISED}
        users = {"networkSelector": by_label}
        if self.network == DEFAULT_NETWORK:
            selector: JsonObject = {"networkSelectionType": "DefaultNetwork"}
        else:
            kind = "ClusterUserDefinedNetworks"
            selector = {"networkSelectionType": kind, "clusterUserDefinedNetworkSelector": users}
        return {
            "apiVersion": "k8s.ovn.org/v1",
            "kind": "RouteAdvertisements",
            "metadata": {"name": "pods"},
            "spec": {
                "advertisements": ["PodNetwork"],
                "frrConfigurationSelector": by_label,
                "networkSelectors": [selector],
                "nodeSelector": {},
            },
        }

    def _routed(self, network: Network) -> Network:
        return without_overlay(network, snat=self.snat, routing=self.routing)

    @property
    def members(self) -> tuple[Node, ...]:
        """Two nodes."""
        return bridged(sharing(nodes(2, v6=True, mode=self.mode), LAYER3_BOTH))


def _labelled(obj: JsonObject) -> JsonObject:
    return {**obj, "metadata": {**obj["metadata"], "labels": _ADVERTISED}}


_EDGE: Final = _labelled(frr(router(*(neighbor(address, AS_NUMBER) for address in EDGE_ROUTER), asn=AS_NUMBER)))
DEFAULT: Final = DUAL_DEFAULT._replace(service_subnets=_SERVICE_SUBNETS)
OVERLAY_DEFAULT: Final = DUAL_OVERLAY_DEFAULT._replace(service_subnets=_SERVICE_SUBNETS)


def lanes(network: str, *routings: Routing) -> list[Lane]:
    """The lanes of a network."""
    return [Lane(*values) for values in product((network,), routings, (True, False), ("shared", "local"))]


def node_ip(member: Node, version: int) -> str:
    """The node's own address of a family."""
    return next(str(ip) for ip in member.internal_ips if ip.version == version)


def assert_east_west(cluster: HostedCluster, pods: Mapping[str, Pod]) -> None:
    """Pods of different nodes meet with their own addresses and without a tunnel."""
    one, other = (pods[node] for node in NODES)
    with cluster.lab.capture() as seen, cluster.lab.capture("udp port 6081") as tunneled:
        for client, server in ((one, other), (other, one)):
            server.machine.serve("tcp", PORT)
            for version in (4, 6):
                source, target = client.ip(version), server.ip(version)
                assert crowd(client.machine, target, PORT, 3).peers == {source: 3}
                # as it is on the link
                assert seen.wait(rf": {source}\.\d+ > {target}\.{PORT}: Flags \[S\]")
        assert tunneled.lines() == []


def assert_north_south(cluster: HostedCluster, pods: Mapping[str, Pod], *, snat: bool) -> None:
    """Outside sees the node or the pod, as outboundSNAT says; and reaches pods, whose addresses it knows the way to."""
    outside = cluster.lab.external
    outside.serve("tcp", PORT)
    for node, pod in pods.items():
        for version in (4, 6):
            expected = node_ip(cluster.node(node), version) if snat else pod.ip(version)
            assert_peer(pod.machine, wire.outside(version), PORT, expected, f"IPv{version} of {node}")
            assert crowd(outside, pod.ip(version), PORT, 3).peers == {wire.outside(version): 3}
