"""The kinds of policies that custom resource definitions declare, as a cluster of OVN-Kubernetes serves them.

Written here, with the fields that ovnguard reads and no others. Source: sigs.k8s.io/network-policy-api, API reference
``policy.networking.k8s.io/v1alpha1``.
"""

from typing import Any, Final

GROUP: Final = "policy.networking.k8s.io"
ADMIN_POLICIES: Final = f"/apis/{GROUP}/v1alpha1/adminnetworkpolicies"
_OPEN: Final = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def policy_kinds() -> list[dict[str, Any]]:
    """The definitions of AdminNetworkPolicy, BaselineAdminNetworkPolicy and MultiNetworkPolicy."""
    return [
        _definition(GROUP, "v1alpha1", "AdminNetworkPolicy", "adminnetworkpolicies"),
        _definition(GROUP, "v1alpha1", "BaselineAdminNetworkPolicy", "baselineadminnetworkpolicies"),
        _definition("k8s.cni.cncf.io", "v1beta1", "MultiNetworkPolicy", "multi-networkpolicies", "Namespaced"),
    ]


def _definition(group: str, version: str, kind: str, plural: str, scope: str = "Cluster") -> dict[str, Any]:
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"subject": _OPEN}}}}
    listed = {"name": version, "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    # the API server asks for a word on definitions in groups of Kubernetes
    approved = {"api-approved.kubernetes.io": "unapproved, a definition for tests"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}", "annotations": approved},
        "spec": {
            "group": group,
            "scope": scope,
            "names": {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"},
            "versions": [listed],
        },
    }
