"""The resources of policies, which OVN-Kubernetes enforces with rows that no plan has."""

from typing import Final

from ovnguard.validators.cluster import trim
from ovnguard.validators.cluster.resources import Part, Resource
from ovnguard.validators.network.cluster_view import (
    ADMIN_NETWORK_POLICY,
    BASELINE_ADMIN_NETWORK_POLICY,
    EGRESS_FIREWALL,
    EGRESS_QOS,
    EXTERNAL_ROUTE,
    MULTI_NETWORK_POLICY,
    NETWORK_POLICY,
    NETWORK_QOS,
    GroupKind,
)


def _watched(kind: GroupKind, version: str, plural: str, *, namespaced: bool = True) -> tuple[Resource, Part]:
    return Resource(kind.group, version, plural, kind.kind, namespaced=namespaced), Part(trim=trim.policy)


POLICY_RESOURCES: Final[tuple[tuple[Resource, Part], ...]] = (
    _watched(NETWORK_POLICY, "v1", "networkpolicies"),
    _watched(ADMIN_NETWORK_POLICY, "v1alpha1", "adminnetworkpolicies", namespaced=False),
    _watched(BASELINE_ADMIN_NETWORK_POLICY, "v1alpha1", "baselineadminnetworkpolicies", namespaced=False),
    _watched(EGRESS_FIREWALL, "v1", "egressfirewalls"),
    _watched(EGRESS_QOS, "v1", "egressqoses"),
)
"""What a process watches that owns networks: their policies. A cluster that does not serve a kind has none of it."""
OTHER_RESOURCES: Final[tuple[tuple[Resource, Part], ...]] = (
    _watched(MULTI_NETWORK_POLICY, "v1beta1", "multi-networkpolicies"),
    _watched(NETWORK_QOS, "v1alpha1", "networkqoses"),
    _watched(EXTERNAL_ROUTE, "v1", "adminpolicybasedexternalroutes", namespaced=False),
)
"""What an audit watches besides: these, too, have rows that no plan has."""
