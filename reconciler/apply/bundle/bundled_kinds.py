"""What a bundle lists: every kind that an audit reads, the objects with ovnkube's options, reports and Events.

Secrets are not on the list, so no bundle lists them. Workloads and ConfigMaps are only those with options of ovnkube.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from ovnguard.reconciler.apply.kube_report import LABEL, ZONE
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.resources import (
    CONFIG_MAPS,
    CUDNS,
    NADS,
    NODES,
    OPERATOR_NETWORKS,
    UDNS,
    WHOLE,
    Part,
    Resource,
)
from ovnguard.validators.network.cluster.advertised_networks import OVNKUBE_NAMESPACES
from ovnguard.validators.network.ovnkube_settings.ovnkube_options import configures_ovnkube

_OVN: Final = "k8s.ovn.org"
_CONFIG: Final = "config.openshift.io"
_POLICY: Final = "policy.networking.k8s.io"
_OVNKUBE: Final = tuple(Part(namespace) for namespace in OVNKUBE_NAMESPACES)
_NAMED_MAPS: Final = (
    Part("openshift-network-operator", "mtu"),
    Part("openshift-ovn-kubernetes", "ovn-interconnect-configuration"),
    Part(labels=f"{LABEL}={ZONE}"),
)
# ovnguard, and OVN-Kubernetes of newer and of older releases
_EVENT_SOURCES: Final = ("ovnguard-reconciler", "ovnk-controlplane", "controlplane")


def _everything(_: JsonObject) -> bool:
    return True


class Bundled(NamedTuple):
    """The parts of a resource that are listed, and which of their objects are kept."""

    resource: Resource
    parts: tuple[Part, ...] = (WHOLE,)
    accepts: Callable[[JsonObject], bool] = _everything

    @property
    def kind(self) -> str:
        """Group and plural, as `oc adm inspect` names folders."""
        return f"{self.resource.group or 'core'}/{self.resource.plural}"

    @property
    def is_whole(self) -> bool:
        """Whether all objects of the resource are kept."""
        return self.parts == (WHOLE,) and self.accepts is _everything


def _cluster(group: str, version: str, plural: str, kind: str) -> Bundled:
    return Bundled(Resource(group, version, plural, kind))


def _namespaced(group: str, version: str, plural: str, kind: str) -> Bundled:
    return Bundled(Resource(group, version, plural, kind, namespaced=True))


def _workloads(plural: str, kind: str) -> Bundled:
    return Bundled(Resource("apps", "v1", plural, kind, namespaced=True), _OVNKUBE, configures_ovnkube)


BUNDLED: Final[tuple[Bundled, ...]] = (
    Bundled(NODES),
    _cluster("", "v1", "namespaces", "Namespace"),
    Bundled(OPERATOR_NETWORKS),
    Bundled(CUDNS),
    Bundled(UDNS),
    Bundled(NADS),
    _cluster(_OVN, "v1", "egressips", "EgressIP"),
    _namespaced(_OVN, "v1", "egressservices", "EgressService"),
    _cluster(_OVN, "v1", "routeadvertisements", "RouteAdvertisements"),
    _cluster(_OVN, "v1", "clusternetworkconnects", "ClusterNetworkConnect"),
    _cluster(_OVN, "v1alpha1", "uplinks", "Uplink"),
    _cluster(_OVN, "v1alpha1", "uplinkstates", "UplinkState"),
    _namespaced("frrk8s.metallb.io", "v1beta1", "frrconfigurations", "FRRConfiguration"),
    _namespaced("", "v1", "services", "Service"),
    _namespaced("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice"),
    _namespaced("", "v1", "pods", "Pod"),
    _namespaced("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy"),
    _namespaced("k8s.cni.cncf.io", "v1beta1", "multi-networkpolicies", "MultiNetworkPolicy"),
    _cluster(_POLICY, "v1alpha1", "adminnetworkpolicies", "AdminNetworkPolicy"),
    _cluster(_POLICY, "v1alpha1", "baselineadminnetworkpolicies", "BaselineAdminNetworkPolicy"),
    _namespaced(_OVN, "v1", "egressfirewalls", "EgressFirewall"),
    _namespaced(_OVN, "v1", "egressqoses", "EgressQoS"),
    _namespaced(_OVN, "v1alpha1", "networkqoses", "NetworkQoS"),
    _cluster(_OVN, "v1", "adminpolicybasedexternalroutes", "AdminPolicyBasedExternalRoute"),
    Bundled(CONFIG_MAPS, _OVNKUBE, configures_ovnkube),
    Bundled(CONFIG_MAPS, _NAMED_MAPS),
    _workloads("daemonsets", "DaemonSet"),
    _workloads("deployments", "Deployment"),
    _workloads("statefulsets", "StatefulSet"),
    _cluster(_CONFIG, "v1", "clusterversions", "ClusterVersion"),
    _cluster(_CONFIG, "v1", "infrastructures", "Infrastructure"),
    _cluster(_CONFIG, "v1", "networks", "Network"),
    Bundled(
        Resource("", "v1", "events", "Event", namespaced=True),
        tuple(Part(fields=f"source={source}") for source in _EVENT_SOURCES),
    ),
)
"""One list each, in order of importance."""
