"""Rows of OVN-Kubernetes' controllers whose objects no plan contains, by what they carry themselves.

Source: ovn-kubernetes, ``pkg/libovsdb/ops/db_object_types.go`` (owner types), ``pkg/ovn/controller/services``,
``pkg/ovn/controller/apbroute`` and ``pkg/ovn/controller/observability``.
"""

from typing import Final

from reconciler.plan.comparison.identities import IdentifiedRow

_OWNER_TYPE: Final = "k8s.ovn.org/owner-type"
# Network policies of all kinds, egress firewalls, quality of service, multicast, hybrid overlay.
_TYPES: Final = frozenset(
    {
        "AdminNetworkPolicy",
        "BaselineAdminNetworkPolicy",
        "EgressFirewall",
        "EgressFirewallDNS",
        "EgressQoS",
        "HybridNodeRoute",
        "MulticastCluster",
        "MulticastNS",
        "Namespace",
        "NetpolNamespace",
        "NetworkPolicy",
        "NetworkPolicyPortIndexOwnerType",
        "NetworkQoS",
        "PodSelector",
    }
)
# Templates of load balancers, and samples of observed packets.
_TABLES: Final = frozenset({"Chassis_Template_Var", "Sample", "Sample_Collector", "Sampling_App"})


def other_controller(row: IdentifiedRow) -> str:
    """Return who made a row that no plan contains, '' for a row that a plan could contain."""
    if row.table in _TABLES:
        return row.table
    owner_type = row.entry("external_ids", _OWNER_TYPE)
    if owner_type in _TYPES:
        return owner_type
    if row.table == "Logical_Router_Static_Route" and row.entry("options", "ecmp_symmetric_reply") == "true":
        return "AdminPolicyBasedExternalRoute"
    return ""
