"""The resources that the rules need, with the watched part of each and the kept fields.

Of workloads and ConfigMaps, only those of OVN-Kubernetes are watched, selected by namespace or name, so that RBAC can
grant access only to them.
"""

from typing import Final

from ovnguard import crd_schemas
from ovnguard.validators.cluster import trim
from ovnguard.validators.cluster.resources import CUDNS, NADS, NODES, OPERATOR_NETWORKS, UDNS, Part, Resource
from ovnguard.validators.network.cluster_view import (
    CLUSTER_NETWORK_CONNECT,
    CLUSTER_VERSION,
    CONFIG_DNS,
    CONFIG_MAP,
    DAEMON_SET,
    DEPLOYMENT,
    EGRESS_IP,
    EGRESS_SERVICE,
    FRR_CONFIGURATION,
    INFRASTRUCTURE,
    INSTALL_CONFIG,
    NAMESPACE,
    POD,
    ROUTE_ADVERTISEMENTS,
    SERVICE,
    STATEFUL_SET,
    GroupKind,
)
from ovnguard.validators.network.rules import RULED_KINDS

OVNKUBE: Final = "openshift-ovn-kubernetes"
OPERATOR: Final = "openshift-network-operator"
_PLAIN: Final = Part(trim=trim.plain)
_WORKLOADS: Final = Part(namespace=OVNKUBE, trim=trim.plain)


def _config_map(namespace: str, name: str) -> tuple[Resource, Part]:
    resource = Resource("", "v1", "configmaps", CONFIG_MAP.kind, namespaced=True)
    return resource, Part(namespace, name, trim.plain)


def _resource(kind: GroupKind, version: str, plural: str, *, namespaced: bool = False) -> Resource:
    return Resource(kind.group, version, plural, kind.kind, namespaced=namespaced)


WATCHED: Final[tuple[tuple[Resource, Part], ...]] = (
    (NODES, Part(trim=trim.node)),
    (_resource(NAMESPACE, "v1", "namespaces"), _PLAIN),
    (OPERATOR_NETWORKS, _PLAIN),
    (CUDNS, _PLAIN),
    (UDNS, _PLAIN),
    (NADS, _PLAIN),
    (_resource(ROUTE_ADVERTISEMENTS, "v1", "routeadvertisements"), _PLAIN),
    (_resource(CLUSTER_NETWORK_CONNECT, "v1", "clusternetworkconnects"), _PLAIN),
    (_resource(EGRESS_IP, "v1", "egressips"), _PLAIN),
    (_resource(EGRESS_SERVICE, "v1", "egressservices", namespaced=True), _PLAIN),
    (_resource(FRR_CONFIGURATION, "v1beta1", "frrconfigurations", namespaced=True), Part(trim=trim.frr_configuration)),
    (_resource(CLUSTER_VERSION, "v1", "clusterversions"), _PLAIN),
    (_resource(INFRASTRUCTURE, "v1", "infrastructures"), _PLAIN),
    (_resource(CONFIG_DNS, "v1", "dnses"), _PLAIN),
    (_resource(SERVICE, "v1", "services", namespaced=True), Part(trim=trim.service)),
    (_resource(POD, "v1", "pods", namespaced=True), Part(trim=trim.pod)),
    (_resource(DAEMON_SET, "v1", "daemonsets", namespaced=True), _WORKLOADS),
    (_resource(DEPLOYMENT, "v1", "deployments", namespaced=True), _WORKLOADS),
    (_resource(STATEFUL_SET, "v1", "statefulsets", namespaced=True), _WORKLOADS),
    _config_map(OPERATOR, "mtu"),
    _config_map(OVNKUBE, "ovn-interconnect-configuration"),
    _config_map(OVNKUBE, "ovnkube-config"),
)
"""One watch each, in order of importance."""

CRDS: Final = Resource("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition")


def definitions() -> tuple[tuple[Resource, Part], ...]:
    """The CustomResourceDefinition of every bundled kind that rules judge, each watched by its name.

    The API server asks about no other bundled kind.
    """
    judged = RULED_KINDS - {INSTALL_CONFIG}
    names = {crd_schemas.crd_name(*key) for key in crd_schemas.kinds() if GroupKind(key[0], key[2]) in judged}
    return tuple((CRDS, Part(name=name, trim=trim.definition)) for name in sorted(names))
