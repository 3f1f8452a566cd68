"""Services of the databases and of metrics, the route to the southbound database, and service monitors."""

from collections.abc import Mapping
from typing import Any, Final

from reconciler.rollout.plan.manifests.values import NORTHBOUND_PORT, SOUTHBOUND_PORT, ManifestValues
from validators.base.json_types import JsonObject

DATABASES_HOSTED: Final = "ovnkube-master-external"
DATABASES: Final = "ovnkube-db"
ROUTE: Final = "ovnkube-sbdb"
_SIGNED: Final = "service.beta.openshift.io/serving-cert-secret-name"


def headless(name: str, namespace: str, app: str, ports: Mapping[str, int], **annotations: str) -> JsonObject:
    """Return a Service that gives the pods of ``app`` names."""
    return service(name, namespace, app, ports, annotations, clusterIP="None")


def service(
    name: str, namespace: str, app: str, ports: Mapping[str, int], annotations: Mapping[str, str], **spec: Any
) -> JsonObject:
    """Return a Service of the pods of ``app``."""
    listed = [{"name": each, "port": port, "protocol": "TCP", "targetPort": port} for each, port in ports.items()]
    metadata = {"name": name, "namespace": namespace, "labels": {"app": app}, "annotations": dict(annotations)}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata,
        "spec": {"selector": {"app": app}, "ports": listed, "sessionAffinity": "None", "type": "ClusterIP", **spec},
    }


def databases(values: ManifestValues) -> list[JsonObject]:
    """Return the Service of the databases of a single zone: where nodes, or the route, find the masters."""
    ports = {"north": NORTHBOUND_PORT, "south": SOUTHBOUND_PORT}
    name, namespace = DATABASES_HOSTED if values.hosted else DATABASES, values.control_namespace
    if values.node_port is None:
        return [headless(name, namespace, "ovnkube-master", ports)]
    made = service(name, namespace, "ovnkube-master", ports, {}, type="NodePort")
    made["spec"]["ports"][1]["nodePort"] = values.node_port
    return [made]


def route(values: ManifestValues) -> list[JsonObject]:
    """Return the route of a hosted cluster's nodes to the southbound database; none where a node port leads there.

    TLS ends in the database, which checks the certificates of nodes.
    """
    if not values.has_route:
        return []
    spec: JsonObject = {
        "port": {"targetPort": SOUTHBOUND_PORT},
        "tls": {"termination": "passthrough", "insecureEdgeTerminationPolicy": "None"},
        "to": {"kind": "Service", "name": DATABASES_HOSTED},
    }
    metadata = {"name": ROUTE, "namespace": values.control_namespace}
    return [{"apiVersion": "route.openshift.io/v1", "kind": "Route", "metadata": metadata, "spec": spec}]


def monitor_master(values: ManifestValues) -> list[JsonObject]:
    """Return what Prometheus needs to scrape ovnkube-master."""
    return _monitor(values, "ovnkube-master", "master", 9102)


def monitor_control_plane(values: ManifestValues) -> list[JsonObject]:
    """Return what Prometheus needs to scrape ovnkube-control-plane."""
    return _monitor(values, "ovnkube-control-plane", "control-plane", 9108)


def _monitor(values: ManifestValues, app: str, short: str, port: int) -> list[JsonObject]:
    name, namespace = f"ovn-kubernetes-{short}", values.control_namespace
    tls = {
        "ca": {"configMap": {"name": "openshift-service-ca.crt", "key": "service-ca.crt"}},
        "serverName": f"{name}.{namespace}.svc",
    }
    spec = {
        "endpoints": [{"port": "metrics", "scheme": "https", "interval": "30s", "tlsConfig": tls}],
        "jobLabel": "app",
        "namespaceSelector": {"matchNames": [namespace]},
        "selector": {"matchLabels": {"app": app}},
    }
    metadata = {"name": f"monitor-ovn-{short}-metrics", "namespace": namespace, "labels": {"app": app}}
    signed = {_SIGNED: f"ovn-{short}-metrics-cert"}
    return [
        {"apiVersion": "monitoring.coreos.com/v1", "kind": "ServiceMonitor", "metadata": metadata, "spec": spec},
        headless(name, namespace, app, {"metrics": port}, **signed),
    ]
