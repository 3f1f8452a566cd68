"""Policies, and namespaces that they are in."""

from dataclasses import replace
from typing import Any, Final

from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.inputs.unenforced import Unenforced
from ovnguard.validators.network.cluster.policies import Policy

PRIMARY: Final = "k8s.ovn.org/primary-user-defined-network"
MULTICAST: Final = "k8s.ovn.org/multicast-enabled"


def space(name: str, network: str = "", **annotations: str) -> dict[str, Any]:
    """A namespace on the ClusterUserDefinedNetwork ``network``, else on the default network."""
    labels = {"t": network, PRIMARY: ""} if network else {}
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name, "labels": labels, "annotations": annotations},
    }


def network_policy(namespace: str, name: str = "deny", created: str = "2026-01-01T00:00:00Z") -> dict[str, Any]:
    """A NetworkPolicy that lets nothing in."""
    metadata = {"name": name, "namespace": namespace, "creationTimestamp": created}
    spec: dict[str, Any] = {"podSelector": {}, "policyTypes": ["Ingress"]}
    return {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": metadata, "spec": spec}


def egress_firewall(namespace: str) -> dict[str, Any]:
    """An EgressFirewall that lets nothing out."""
    rules = [{"type": "Deny", "to": {"cidrSelector": "0.0.0.0/0"}}]
    metadata = {"name": "default", "namespace": namespace}
    return {"apiVersion": "k8s.ovn.org/v1", "kind": "EgressFirewall", "metadata": metadata, "spec": {"egress": rules}}


def admin_policy(name: str = "all", **labels: str) -> dict[str, Any]:
    """An AdminNetworkPolicy about the namespaces with ``labels``."""
    spec = {"subject": {"namespaces": {"matchLabels": labels}}}
    kind = {"apiVersion": "policy.networking.k8s.io/v1alpha1", "kind": "AdminNetworkPolicy"}
    return {**kind, "metadata": {"name": name}, "spec": spec}


def unowned(desired: DesiredState, network: str) -> DesiredState:
    """The state in which a policy keeps ``network`` from being owned."""
    found = Unenforced({network: (Policy("NetworkPolicy", "red", "deny"),)}, frozenset((network,)))
    return replace(desired, judged=desired.judged.without_refused(found))
