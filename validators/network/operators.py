"""The users that act for the cluster, by the names in admission requests."""

from collections.abc import Set
from typing import Final

DEFAULT_OPERATORS: Final[frozenset[str]] = frozenset(
    {
        "system:serviceaccount:openshift-network-operator:",
        "system:serviceaccount:ovnguard-system:ovnguard-rollout",
    }
)
"""The cluster network operator: every service account of its namespace, because releases use different ones
(``default`` up to 4.14, then ``cluster-network-operator``), and ovnguard's own controller of the interconnect upgrade.
The bundled policies use the same names.
"""


DEFAULT_CLUSTER_MANAGERS: Final[frozenset[str]] = frozenset(
    {
        "system:serviceaccount:ovn-kubernetes:ovnkube-cluster-manager",
        "system:serviceaccount:ovn-kubernetes:ovnkube-master",
        "system:serviceaccount:openshift-ovn-kubernetes:ovn-kubernetes-control-plane",
        "system:serviceaccount:ovnguard-system:ovnguard-reconciler-cluster",
    }
)
"""OVN-Kubernetes' cluster manager: its service accounts in upstream's manifests (with and without interconnect) and in
OpenShift; and ovnguard's own leader, which does the same where ovnguard is the only writer."""


def is_operator(user: str, operators: Set[str]) -> bool:
    """Whether ``user`` is one of ``operators``; a name that ends in a colon matches as a prefix."""
    return any(user == name or (name.endswith(":") and user.startswith(name)) for name in operators if name)
