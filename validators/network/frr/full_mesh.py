"""The full mesh of BGP sessions between nodes that the cluster manages, and when it is too large.

Source: OpenShift enhancement no-overlay-mode, 'QE Testing' and 'Graduation Criteria'.
"""

from collections.abc import Collection
from typing import Final

from ovnguard.validators.network.cluster.cluster_facts import known_operator
from ovnguard.validators.network.cluster.inventory import Inventory
from ovnguard.validators.network.cluster.no_overlay import managed_cudns
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import ROUTE_REFLECTOR, ManagedBGP, Routing

LARGE: Final = 250
"""The number of nodes above which a full mesh causes a warning."""


def mesh_text(nodes: Collection[Node], bgp: ManagedBGP | None) -> str:
    """Return the warning about a mesh of ``nodes``; empty when the mesh is not full or not too large."""
    if len(nodes) <= LARGE or (bgp is not None and bgp.topology == ROUTE_REFLECTOR):
        return ""
    return f"{len(nodes)} nodes make {sessions(nodes)} BGP sessions in a full mesh"


def sessions(nodes: Collection[Node]) -> int:
    """Return the number of sessions: one per pair of nodes and common address family; nodes without addresses count as
    one family.
    """
    counts = [sum(any(ip.version == version for ip in node.internal_ips) for node in nodes) for version in (4, 6)]
    counts = counts if any(counts) else [len(nodes)]
    return sum(count * (count - 1) // 2 for count in counts)


def has_fabric(inventory: Inventory) -> bool:
    """Whether a known network has routing Managed, so that every node is in the fabric."""
    operator = known_operator(inventory)
    if operator is not None and operator.routed(Routing.MANAGED):
        return True
    return bool(managed_cudns(inventory))
