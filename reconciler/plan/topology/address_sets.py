"""Address sets that source NAT and policies refer to: those of one network, and those of the cluster.

Names are upstream's: the hash of the database id. Source: enhancement "no-overlay mode"; ovn-kubernetes
``pkg/ovn/address_set`` and ``libovsdb/ops/db_object_ids.go``.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from ovnguard.reconciler.plan.rows.names import Names, address_set_hash
from ovnguard.reconciler.plan.rows.northbound import new_row
from ovnguard.reconciler.plan.rows.row import DATABASE_ID, Column, Row
from ovnguard.reconciler.plan.topology.common_rows import owner_ids, sorted_set
from ovnguard.reconciler.plan.topology.database_ids import EGRESS_CONTROLLER, EGRESS_IP, NAME, database_ids
from ovnguard.validators.network.model import Network

_EXEMPTION: Final = "no-overlay-snat-exemption"
_PODS: Final = "egressip-served-pods"


class ClusterSet(NamedTuple):
    """An address set that the rows of all networks refer to: its owner and its name."""

    controller: str
    owner_type: str
    name: str

    def at(self, version: int) -> str:
        """Return the name of the set of one IP version in match expressions."""
        return _name_of(self, version)

    def row(self, version: int, addresses: Iterable[object] = ()) -> Row:
        """Return the set of one IP version. References need only its identity, so they may omit the addresses."""
        return _row(self.ids(version), addresses, {})

    def ids(self, version: int) -> dict[str, str]:
        """Return the external_ids of the set of one IP version."""
        return database_ids(self.controller, self.owner_type, {NAME: self.name, "ip-family": f"v{version}"})


# Every network names these sets.
@lru_cache(maxsize=16)
def _name_of(found: ClusterSet, version: int) -> str:
    return address_set_hash(found.ids(version)["k8s.ovn.org/id"])


NODE_IPS: Final = ClusterSet("default-network-controller", "ClusterNodeIPs", "node-ips")
SERVICES: Final = ClusterSet("udn-enabled-svc", "UDNEnabledService", "udn-enabled-svc-cluster-ips")
SERVICE_PODS: Final = ClusterSet("default-network-controller", "EgressService", "egresssvc-served-pods")


def exempted(network: Network, version: int, addresses: Iterable[object]) -> Row:
    """Return the set of destinations that a network without overlay reaches without source NAT."""
    parts = {NAME: _EXEMPTION, "ip-family": f"v{version}", "network": network.name}
    return _row(database_ids(Names(network.name).controller, "Cluster", parts), addresses, owner_ids(network))


def served_pods(network: Network, version: int, addresses: Iterable[object]) -> Row:
    """Return the set of local pods that EgressIPs serve."""
    return _row(_served_ids(network, version), addresses, owner_ids(network))


def served_pods_name(network: Network, version: int) -> str:
    """Return the name of that set in match expressions."""
    return address_set_hash(_served_ids(network, version)["k8s.ovn.org/id"])


def _served_ids(network: Network, version: int) -> dict[str, str]:
    parts = {NAME: _PODS, "ip-family": f"v{version}", "network": network.name}
    return database_ids(EGRESS_CONTROLLER, EGRESS_IP, parts)


def _row(ids: dict[str, str], addresses: Iterable[object], owner: dict[str, str]) -> Row:
    columns: dict[str, Column] = {
        "name": address_set_hash(ids[DATABASE_ID]),
        "addresses": sorted_set(*sorted(set(map(str, addresses)))),
        "external_ids": ids | owner,
    }
    return new_row("Address_Set", columns)
