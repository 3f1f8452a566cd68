"""Address sets that source NAT and policies refer to.

Names are upstream's: the hash of the database id. Source: enhancement "no-overlay mode"; ovn-kubernetes
``pkg/ovn/address_set`` and ``libovsdb/ops/db_object_ids.go``.
"""

from collections.abc import Iterable
from typing import Final

from reconciler.plan.names import address_set_hash
from reconciler.plan.northbound import new_row
from reconciler.plan.rows import DATABASE_ID, Column, Row
from reconciler.plan.topology.common_rows import owner_ids, sorted_set
from reconciler.plan.topology.database_ids import NAME, database_ids
from validators.network.model import Network

EXEMPTION: Final = "no-overlay-snat-exemption"
NODE_IPS: Final = "node-ips"
SERVICES: Final = "udn-enabled-services"
CLUSTER: Final = "Cluster"
EGRESS: Final = "EgressIP"


def address_set(network: Network, owner_type: str, name: str, version: int, addresses: Iterable[object]) -> Row:
    """Return an address set of one IP version."""
    controller = f"{network.name}-network-controller"
    ids = database_ids(controller, owner_type, {NAME: name, "ip-family": f"v{version}", "network": network.name})
    columns: dict[str, Column] = {
        "name": address_set_hash(ids[DATABASE_ID]),
        "addresses": sorted_set(*sorted(set(map(str, addresses)))),
        "external_ids": ids | owner_ids(network),
    }
    return new_row("Address_Set", columns)
