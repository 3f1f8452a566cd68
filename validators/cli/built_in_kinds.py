"""The kinds built into the API server: manifests may contain them, but only the server has their schemas.

Sources: k8s.io/api v0.35 to v0.37, kube-aggregator and apiextensions-apiserver (``register.go`` of each group), every
API that a server of 1.29 to 1.37 can serve, alpha and beta included.
"""

from typing import Final

from ovnguard.crd_schemas import parsed, paths
from ovnguard.validators.bundled.catalog import GroupVersionKind

_FLOW_SCHEMAS: Final = "FlowSchema PriorityLevelConfiguration"
_DEVICES: Final = "DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice"
_POLICIES: Final = "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding"
_MUTATING_POLICIES: Final = "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding"

# (group, version): kinds, separated by blanks.
_SERVED: Final[dict[tuple[str, str], str]] = {
    ("", "v1"): (
        "Binding ComponentStatus ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolume "
        "PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount"
    ),
    ("admissionregistration.k8s.io", "v1"): (
        f"MutatingWebhookConfiguration ValidatingWebhookConfiguration {_POLICIES} {_MUTATING_POLICIES}"
    ),
    ("admissionregistration.k8s.io", "v1beta1"): f"{_POLICIES} {_MUTATING_POLICIES}",
    ("admissionregistration.k8s.io", "v1alpha1"): f"{_POLICIES} {_MUTATING_POLICIES}",
    ("apiextensions.k8s.io", "v1"): "CustomResourceDefinition",
    ("apiregistration.k8s.io", "v1"): "APIService",
    ("apps", "v1"): "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet",
    ("authentication.k8s.io", "v1"): "SelfSubjectReview TokenRequest TokenReview",
    ("authentication.k8s.io", "v1beta1"): "SelfSubjectReview",
    ("authentication.k8s.io", "v1alpha1"): "SelfSubjectReview",
    ("authorization.k8s.io", "v1"): (
        "LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview"
    ),
    ("autoscaling", "v1"): "HorizontalPodAutoscaler Scale",
    ("autoscaling", "v2"): "HorizontalPodAutoscaler",
    ("batch", "v1"): "CronJob Job",
    ("certificates.k8s.io", "v1"): "CertificateSigningRequest ClusterTrustBundle PodCertificateRequest",
    ("certificates.k8s.io", "v1beta1"): "ClusterTrustBundle PodCertificateRequest",
    ("certificates.k8s.io", "v1alpha1"): "ClusterTrustBundle PodCertificateRequest",
    ("coordination.k8s.io", "v1"): "Lease",
    ("coordination.k8s.io", "v1beta1"): "LeaseCandidate",
    ("coordination.k8s.io", "v1alpha2"): "LeaseCandidate",
    ("coordination.k8s.io", "v1alpha1"): "LeaseCandidate",
    ("discovery.k8s.io", "v1"): "EndpointSlice",
    ("events.k8s.io", "v1"): "Event",
    ("flowcontrol.apiserver.k8s.io", "v1"): _FLOW_SCHEMAS,
    ("flowcontrol.apiserver.k8s.io", "v1beta3"): _FLOW_SCHEMAS,
    ("internal.apiserver.k8s.io", "v1alpha1"): "StorageVersion",
    ("lifecycle.k8s.io", "v1alpha1"): "Eviction EvictionRequest",
    ("networking.k8s.io", "v1"): "IPAddress Ingress IngressClass NetworkPolicy ServiceCIDR",
    ("networking.k8s.io", "v1beta1"): "IPAddress ServiceCIDR",
    ("networking.k8s.io", "v1alpha1"): "IPAddress ServiceCIDR",
    ("node.k8s.io", "v1"): "RuntimeClass",
    ("policy", "v1"): "Eviction PodDisruptionBudget",
    ("rbac.authorization.k8s.io", "v1"): "ClusterRole ClusterRoleBinding Role RoleBinding",
    ("resource.k8s.io", "v1"): f"{_DEVICES} DeviceTaintRule",
    ("resource.k8s.io", "v1beta2"): f"{_DEVICES} DeviceTaintRule",
    ("resource.k8s.io", "v1beta1"): _DEVICES,
    ("resource.k8s.io", "v1alpha3"): f"{_DEVICES} DeviceTaintRule ResourcePoolStatusRequest",
    ("scheduling.k8s.io", "v1"): "PriorityClass",
    ("scheduling.k8s.io", "v1beta1"): "PodGroup Workload",
    ("scheduling.k8s.io", "v1alpha3"): "CompositePodGroup PodGroup Workload",
    ("scheduling.k8s.io", "v1alpha2"): "PodGroup Workload",
    ("scheduling.k8s.io", "v1alpha1"): "Workload",
    ("storage.k8s.io", "v1"): (
        "CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment VolumeAttributesClass"
    ),
    ("storage.k8s.io", "v1beta1"): "VolumeAttributesClass",
    ("storage.k8s.io", "v1alpha1"): "VolumeAttributesClass",
    ("storagemigration.k8s.io", "v1"): "StorageVersionMigration",
    ("storagemigration.k8s.io", "v1beta1"): "StorageVersionMigration",
    ("storagemigration.k8s.io", "v1alpha1"): "StorageVersionMigration",
}

_CLUSTER_SCOPED: Final = frozenset(
    (
        "ComponentStatus Namespace Node PersistentVolume MutatingWebhookConfiguration ValidatingWebhookConfiguration "
        f"{_POLICIES} {_MUTATING_POLICIES} CustomResourceDefinition APIService SelfSubjectReview TokenReview "
        "SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview CertificateSigningRequest "
        f"ClusterTrustBundle {_FLOW_SCHEMAS} StorageVersion IPAddress IngressClass ServiceCIDR RuntimeClass "
        "ClusterRole ClusterRoleBinding DeviceClass ResourceSlice DeviceTaintRule ResourcePoolStatusRequest "
        "PriorityClass CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass StorageVersionMigration"
    ).split()
)


def kinds_of(group: str) -> dict[str, str]:
    """Return the built-in kinds of a group, each with its newest version."""
    found: dict[str, str] = {}
    for (known, version), kinds in _SERVED.items():
        for kind in kinds.split() if known == group else ():
            found.setdefault(kind, version)
    return found


def groups() -> tuple[str, ...]:
    """Return every built-in group."""
    return tuple(dict.fromkeys(group for group, _ in _SERVED))


def is_namespaced(gvk: GroupVersionKind) -> bool:
    """Whether objects of a built-in or bundled kind are in namespaces; False for kinds of other CRDs."""
    if is_built_in(gvk):
        return gvk.kind not in _CLUSTER_SCOPED
    return any(parsed(file)["spec"]["scope"] == "Namespaced" for file in paths(*gvk).values())


def is_built_in(gvk: GroupVersionKind) -> bool:
    """Whether an API server can serve a kind without a CRD."""
    return gvk.kind in _SERVED.get((gvk.group, gvk.version), "").split()
