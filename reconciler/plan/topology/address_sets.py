"""Address sets that source NAT and policies refer to.

Names are upstream's: the hash of the database id. Source: enhancement "no-overlay mode"; ovn-kubernetes
``pkg/ovn/address_set`` and ``libovsdb/ops/db_object_ids.go``.
"""

from collections.abc import Iterable
from typing import Final

from reconciler.plan.names import address_set_hash
from reconciler.plan.northbound import new_row
from reconciler.plan.rows import Column, Row
from reconciler.plan.topology.common_rows import network_ids, sorted_set
from validators.network.model import Network

EXEMPTION: Final = "no-overlay-snat-exemption"
NODE_IPS: Final = "node-ips"
SERVICES: Final = "udn-enabled-services"
CLUSTER: Final = "Cluster"
EGRESS: Final = "EgressIP"


def address_set(network: Network, owner_type: str, name: str, version: int, addresses: Iterable[object]) -> Row:
    """Return an address set of one IP version."""
    controller = f"{network.name}-network-controller"
    identity = f"{controller}:{owner_type}:{name}:v{version}:{network.name}"
    ids = {
        "k8s.ovn.org/id": identity,
        "k8s.ovn.org/name": name,
        "k8s.ovn.org/owner-controller": controller,
        "k8s.ovn.org/owner-type": owner_type,
        "ip-family": f"v{version}",
        "network": network.name,
    }
    columns: dict[str, Column] = {
        "name": address_set_hash(identity),
        "addresses": sorted_set(*sorted(set(map(str, addresses)))),
        "external_ids": ids | network_ids(network),
    }
    return new_row("Address_Set", columns)
