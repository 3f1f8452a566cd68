"""The workloads of both architectures: ovnkube-node, ovnkube-master and ovnkube-control-plane."""

from collections.abc import Mapping
from typing import Final

from reconciler.rollout.plan.manifests.pods import (
    OWN_ZONE_FOLDERS,
    SINGLE_ZONE_FOLDERS,
    container,
    on_host,
    pod,
    proxy,
    workload,
)
from reconciler.rollout.plan.manifests.services import headless
from reconciler.rollout.plan.manifests.values import NORTHBOUND_PORT, SOUTHBOUND_PORT, ManifestValues
from validators.base.json_types import JsonObject
from validators.network.ovnkube_settings.interconnect import NAMESPACE
from validators.network.ovnkube_settings.interconnect_workloads import CONTROL_PLANE, FLAG, MASTER, NODE

_TLS: Final = ("-p", "/ovn-cert/tls.key", "-c", "/ovn-cert/tls.crt", "-C", "/ovn-ca/ca-bundle.crt")
_CONFIG_FILE: Final = "--config-file=/run/ovnkube-config/ovnkube.conf"
_OVN: Final = ("run-ovn", "datadir", "node-log", "ovn-cert", "ovn-ca")
_NODE: Final = (*_OVN, "run-openvswitch", "etc-openvswitch")
_DATABASES: Final = "datadir"
_PRIVILEGED: Final = {"privileged": True}
_NODE_PORT: Final = 9103
_OVN_METRICS_PORT: Final = 9105


def node(values: ManifestValues) -> list[JsonObject]:
    """Return ovnkube-node of a single zone: its containers use the databases of the masters."""
    image = values.image
    databases = (
        f"--sb-address={values.southbound_of_nodes}",
        *([] if values.hosted else [f"--nb-address={values.remotes(NORTHBOUND_PORT)}"]),
    )
    command = ("/usr/bin/ovnkube", "--init-node", "$(K8S_NODE)", *databases, *_flags(values))
    ovnkube = container(NODE, image, command, (*_NODE, "ovnkube-config"), securityContext=_PRIVILEGED)
    return [_node(values, [*_data_plane(image, values.southbound_of_nodes), ovnkube], SINGLE_ZONE_FOLDERS)]


def multizone_node(values: ManifestValues) -> list[JsonObject]:
    """Return ovnkube-node with the whole OVN of the node's own zone."""
    image, local = values.image, "unix:/var/run/ovn/ovn{}_db.sock"
    command = ("/usr/bin/ovnkube", "--init-ovnkube-controller", "$(K8S_NODE)", "--init-node", "$(K8S_NODE)")
    zone = ("--zone", "$(K8S_NODE)", *_flags(values))
    controller = container(
        "ovnkube-controller", image, (*command, *zone), (*_NODE, "ovnkube-config"), securityContext=_PRIVILEGED
    )
    own = _databases(image, local.format("nb"), local.format("sb"))
    return [_node(values, [*_data_plane(image, local.format("sb")), *own, controller], OWN_ZONE_FOLDERS)]


def master(values: ManifestValues) -> list[JsonObject]:
    """Return ovnkube-master: the control plane and the databases of a single zone.

    The budget keeps the majority of the databases while nodes are drained. A StatefulSet has names of its own for them.
    """
    image, namespace = values.control_image, values.control_namespace
    databases = [values.remotes(port) for port in (NORTHBOUND_PORT, SOUTHBOUND_PORT)]
    command = ("/usr/bin/ovnkube", "--init-master", "$(K8S_NODE)", f"--nb-address={databases[0]}")
    config = (*_OVN, "ovnkube-config")
    containers = [
        *_databases(image, *databases),
        container(MASTER, image, (*command, f"--sb-address={databases[1]}", *_flags(values)), config),
        container("ovn-dbchecker", image, ("/usr/bin/ovndbchecker", _CONFIG_FILE), config),
        proxy("kube-rbac-proxy", image, 9102),
    ]
    if values.hosted:
        template = pod(MASTER, containers, {}, priorityClassName="hypershift-api-critical")
        # the claim takes the place of the volume of its name
        template["spec"]["volumes"] = [each for each in template["spec"]["volumes"] if each["name"] != _DATABASES]
        internal = f"{MASTER}-internal"
        spec = {"serviceName": internal, "podManagementPolicy": "Parallel", "replicas": len(values.masters)}
        claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
        claims = {"volumeClaimTemplates": [{"metadata": {"name": _DATABASES}, "spec": claim}]}
        made = workload("StatefulSet", MASTER, namespace, values, {**spec, **claims, "template": template})
        return [made, headless(internal, namespace, MASTER, {"north": NORTHBOUND_PORT, "south": SOUTHBOUND_PORT})]
    template = pod(MASTER, containers, SINGLE_ZONE_FOLDERS, **on_host("ovn-kubernetes-controller", masters=True))
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}}
    made = workload("DaemonSet", MASTER, namespace, values, {"updateStrategy": strategy, "template": template})
    return [made, *_quorum(values)]


def control_plane(values: ManifestValues) -> list[JsonObject]:
    """Return ovnkube-control-plane: cluster managers, of which the elected one allocates subnets to nodes."""
    certificate = "/etc/pki/tls/metrics-cert/tls"
    metrics = (
        "--metrics-bind-address=:9108",
        f"--node-server-privkey={certificate}.key",
        f"--node-server-cert={certificate}.crt",
    )
    command = ("/usr/bin/ovnkube", "--init-cluster-manager", "$(K8S_NODE)", *metrics, *_flags(values))
    manager = container(
        "ovnkube-cluster-manager",
        values.control_image,
        command,
        ("ovnkube-config", "ovn-metrics-cert"),
        ports=[{"containerPort": 9108, "name": "metrics-port"}],
    )
    fields = (
        {"priorityClassName": "hypershift-api-critical"}
        if values.hosted
        else on_host("ovn-kubernetes-control-plane", masters=True)
    )
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}
    spec = {
        "replicas": values.control_plane_replicas,
        "strategy": strategy,
        "template": pod(CONTROL_PLANE, [manager], {}, **fields),
    }
    return [workload("Deployment", CONTROL_PLANE, values.control_namespace, values, spec)]


def _flags(values: ManifestValues) -> tuple[str, ...]:
    return (_CONFIG_FILE, *([FLAG] if values.interconnect else []))


def _node(values: ManifestValues, containers: list[JsonObject], folders: Mapping[str, str]) -> JsonObject:
    template = pod(NODE, containers, folders, hostPID=True, **on_host("ovn-kubernetes-node"))
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "10%"}}
    return workload("DaemonSet", NODE, NAMESPACE, values, {"updateStrategy": strategy, "template": template})


def _data_plane(image: str, southbound: str) -> list[JsonObject]:
    """The containers that every ovnkube-node has."""
    command = ("ovn-controller", "unix:/var/run/openvswitch/db.sock", "--pidfile=/var/run/ovn/ovn-controller.pid")
    remote = f"ovs-vsctl set Open_vSwitch . external_ids:ovn-remote={southbound}"
    logs = ("--log-file=/var/log/ovn/acl-audit-log.log", "-vfile:acl_log:info", *_TLS)
    start = f"{remote} && exec {' '.join((*command, *logs))}"
    return [
        container("ovn-controller", image, ("/bin/bash", "-ec", start), _NODE, securityContext=_PRIVILEGED),
        container("ovn-acl-logging", image, ("tail", "-F", "/var/log/ovn/acl-audit-log.log"), ("node-log",)),
        proxy("kube-rbac-proxy-node", image, _NODE_PORT),
        proxy("kube-rbac-proxy-ovn-metrics", image, _OVN_METRICS_PORT),
    ]


def _databases(image: str, northbound: str, southbound: str) -> list[JsonObject]:
    """northd and the two databases."""
    control = "/usr/share/ovn/scripts/ovn-ctl"
    remotes = (f"--ovnnb-db={northbound}", f"--ovnsb-db={southbound}")
    return [
        container("northd", image, ("ovn-northd", *remotes, "--pidfile=/var/run/ovn/ovn-northd.pid", *_TLS), _OVN),
        container("nbdb", image, (control, "run_nb_ovsdb"), _OVN),
        container("sbdb", image, (control, "run_sb_ovsdb"), _OVN),
    ]


def _quorum(values: ManifestValues) -> list[JsonObject]:
    """The budget of the databases; a single one has none."""
    if len(values.masters) < 2:
        return []
    return [
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": "ovn-raft-quorum-guard", "namespace": values.control_namespace},
            "spec": {"minAvailable": len(values.masters) // 2 + 1, "selector": {"matchLabels": {"app": MASTER}}},
        }
    ]
