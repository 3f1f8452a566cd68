"""The API resources of the upgrade: what its manifests contain, and what it watches."""

from typing import Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster import trim
from ovnguard.validators.cluster.resources import CONFIG_MAPS, NODES, OPERATOR_NETWORKS, Part, Resource
from ovnguard.validators.network.ovnkube_settings.interconnect import NAME, NAMESPACE
from ovnguard.validators.network.parse_values import dig, mapping, text_of

DAEMON_SETS: Final = Resource("apps", "v1", "daemonsets", "DaemonSet", namespaced=True)
STATEFUL_SETS: Final = Resource("apps", "v1", "statefulsets", "StatefulSet", namespaced=True)
DEPLOYMENTS: Final = Resource("apps", "v1", "deployments", "Deployment", namespaced=True)
ROUTES: Final = Resource("route.openshift.io", "v1", "routes", "Route", namespaced=True)
PODS: Final = Resource("", "v1", "pods", "Pod", namespaced=True)
MAY_BE_ABSENT: Final = ("monitoring.coreos.com", "monitoring.rhobs", "flowcontrol.apiserver.k8s.io")
"""Groups of kinds that no workload needs: where a cluster does not serve them, objects of them are left out."""
_RBAC: Final = "rbac.authorization.k8s.io"
WRITTEN: Final = (
    DAEMON_SETS,
    STATEFUL_SETS,
    DEPLOYMENTS,
    ROUTES,
    CONFIG_MAPS,
    Resource("", "v1", "namespaces", "Namespace"),
    Resource("", "v1", "services", "Service", namespaced=True),
    Resource("", "v1", "serviceaccounts", "ServiceAccount", namespaced=True),
    Resource("", "v1", "resourcequotas", "ResourceQuota", namespaced=True),
    Resource("", "v1", "secrets", "Secret", namespaced=True),
    Resource(_RBAC, "v1", "clusterroles", "ClusterRole"),
    Resource(_RBAC, "v1", "clusterrolebindings", "ClusterRoleBinding"),
    Resource(_RBAC, "v1", "roles", "Role", namespaced=True),
    Resource(_RBAC, "v1", "rolebindings", "RoleBinding", namespaced=True),
    Resource("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition"),
    Resource("network.operator.openshift.io", "v1", "operatorpkis", "OperatorPKI", namespaced=True),
    Resource("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", namespaced=True),
    Resource("flowcontrol.apiserver.k8s.io", "v1beta3", "flowschemas", "FlowSchema"),
    Resource("monitoring.coreos.com", "v1", "servicemonitors", "ServiceMonitor", namespaced=True),
    Resource("monitoring.coreos.com", "v1", "prometheusrules", "PrometheusRule", namespaced=True),
    Resource("monitoring.rhobs", "v1", "servicemonitors", "ServiceMonitor", namespaced=True),
)
"""The resources of the manifests."""
_BY_TYPE: Final = {(each.api_version, each.kind): each for each in WRITTEN}


def resource_of(obj: JsonObject) -> Resource | None:
    """Return the resource of an object of a manifest, None for one that no manifest contains."""
    return _BY_TYPE.get((text_of(obj.get("apiVersion")), text_of(obj.get("kind"))))


WORKLOADS: Final = {each.kind: each for each in (DAEMON_SETS, STATEFUL_SETS, DEPLOYMENTS)}


def _node(obj: JsonObject) -> JsonObject:
    """A Node with labels, addresses and conditions, but without the times of heartbeats."""
    conditions = dig(obj, "status", "conditions")
    kept = [
        {key: value for key, value in each.items() if key != "lastHeartbeatTime"}
        for each in (conditions if isinstance(conditions, list) else ())
        if isinstance(each, dict) and each.get("type") == "Ready"
    ]
    addresses = mapping(obj, "status").get("addresses")
    return {**trim.plain(obj), "status": {"addresses": addresses, "conditions": kept}}


WATCHED: Final[tuple[tuple[Resource, Part], ...]] = (
    (NODES, Part(trim=_node)),
    (PODS, Part(NAMESPACE, trim=trim.plain)),
    (DAEMON_SETS, Part(NAMESPACE, trim=trim.plain)),
    (DEPLOYMENTS, Part(NAMESPACE, trim=trim.plain)),
    (CONFIG_MAPS, Part(NAMESPACE, NAME, trim.plain)),
    (OPERATOR_NETWORKS, Part(trim=trim.plain)),
)
"""What a change of starts a pass, in the cluster of the nodes."""


def watched_hosted(namespace: str) -> tuple[tuple[Resource, Part], ...]:
    """Return the same of the management cluster, with the control plane in ``namespace``."""
    return tuple((each, Part(namespace, trim=trim.plain)) for each in (PODS, STATEFUL_SETS, DEPLOYMENTS, ROUTES))
