"""Connections between networks for tests: the objects, and what plans read of them."""

import json
from ipaddress import ip_network
from typing import Any

from ovnguard.reconciler.plan.connections.recorded_connections import KEY, SUBNETS
from ovnguard.reconciler.plan.rows.model import ConnectedNetwork, Connection
from ovnguard.validators.network.model import Network, Topology

ROUTER_KEY = 16_715_790
BOTH = [{"cidr": "192.168.0.0/16", "networkPrefix": 24}, {"cidr": "fd90::/112", "networkPrefix": 120}]


def connect(name: str, record: Any, subnets: Any = None, *, key: str = str(ROUTER_KEY), **spec: Any) -> dict[str, Any]:
    """A ClusterNetworkConnect with the record of OVN-Kubernetes' cluster manager."""
    text = record if isinstance(record, str) else json.dumps(record)
    found = {KEY: key, SUBNETS: text}
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "ClusterNetworkConnect",
        "metadata": {"name": name, "annotations": {each: text for each, text in found.items() if text}},
        "spec": {"connectSubnets": BOTH if subnets is None else subnets, "connectivity": ["PodNetwork"], **spec},
    }


def connection(*networks: Network, name: str = "join", pods: bool = True, services: bool = False) -> Connection:
    """A connection of networks with ids, in both families: the part of each is that of its place."""
    members = []
    for place, network in enumerate(networks):
        is_layer2 = network.topology is Topology.LAYER2
        parts = (f"192.168.{place}.0/{31 if is_layer2 else 24}", f"fd90::{place:x}00/{127 if is_layer2 else 120}")
        members.append(
            ConnectedNetwork(network, network.network_id or 0, tuple(map(ip_network, parts)), 256 * place + 1)
        )
    cluster = (ip_network("10.96.0.0/16"), ip_network("fd00:10:96::/112")), (4, 6)
    return Connection(name, ROUTER_KEY, tuple(members), pods, services, *cluster)
