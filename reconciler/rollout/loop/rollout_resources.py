"""The API resources of the upgrade: what its manifests contain, and what it watches."""

from typing import Final

from validators.base.json_types import JsonObject
from validators.cluster import trim
from validators.cluster.resources import CONFIG_MAPS, NODES, OPERATOR_NETWORKS, Part, Resource
from validators.network.ovnkube_settings.interconnect import NAME, NAMESPACE
from validators.network.parse_values import dig, mapping

DAEMON_SETS: Final = Resource("apps", "v1", "daemonsets", "DaemonSet", namespaced=True)
STATEFUL_SETS: Final = Resource("apps", "v1", "statefulsets", "StatefulSet", namespaced=True)
DEPLOYMENTS: Final = Resource("apps", "v1", "deployments", "Deployment", namespaced=True)
ROUTES: Final = Resource("route.openshift.io", "v1", "routes", "Route", namespaced=True)
PODS: Final = Resource("", "v1", "pods", "Pod", namespaced=True)
MONITORING: Final = "monitoring.coreos.com"
"""The group of kinds that a cluster without the Prometheus operator does not serve: what has them is left out."""
WRITTEN: Final = (
    DAEMON_SETS,
    STATEFUL_SETS,
    DEPLOYMENTS,
    ROUTES,
    Resource("", "v1", "services", "Service", namespaced=True),
    Resource("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", namespaced=True),
    Resource(MONITORING, "v1", "servicemonitors", "ServiceMonitor", namespaced=True),
    Resource(MONITORING, "v1", "prometheusrules", "PrometheusRule", namespaced=True),
)
"""The resources of the manifests."""
BY_KIND: Final = {each.kind: each for each in WRITTEN}


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
