"""Containers, pods and the metadata of workloads."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from reconciler.rollout.plan.manifests.values import ManifestValues
from reconciler.rollout.plan.observation import IP_FAMILY_ANNOTATION
from validators.base.json_types import JsonObject
from validators.network.ovnkube_settings.interconnect_workloads import VERSION_ANNOTATION

MASTER_ROLE: Final = "node-role.kubernetes.io/master"
_NODE_NAME: Final = {"name": "K8S_NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}
_PATHS: Final = {
    "run-ovn": "/var/run/ovn",
    "datadir": "/etc/ovn",
    "node-log": "/var/log/ovn",
    "run-openvswitch": "/var/run/openvswitch",
    "etc-openvswitch": "/etc/openvswitch",
    "ovn-cert": "/ovn-cert",
    "ovn-metrics-cert": "/etc/pki/tls/metrics-cert",
    "ovnkube-config": "/run/ovnkube-config",
    "ovn-ca": "/ovn-ca",
}
"""Where containers mount the volumes."""
_OPEN_VSWITCH: Final = {"run-openvswitch": "/var/run/openvswitch", "etc-openvswitch": "/var/lib/openvswitch/etc"}
SINGLE_ZONE_FOLDERS: Final = {
    "run-ovn": "/var/run/ovn",
    "datadir": "/var/lib/ovn/etc",
    "node-log": "/var/log/ovn",
    **_OPEN_VSWITCH,
}
"""Folders of a node with the sockets and databases of the single zone."""
OWN_ZONE_FOLDERS: Final = {
    "run-ovn": "/var/run/ovn-ic",
    "datadir": "/var/lib/ovn-ic/etc",
    "node-log": "/var/log/ovn",
    **_OPEN_VSWITCH,
}
"""Those of the node's own zone: a master runs both until the upgrade ends."""
_SECRETS: Final = ("ovn-cert", "ovn-metrics-cert")
_CONFIG_MAPS: Final = ("ovnkube-config", "ovn-ca")


def container(name: str, image: str, command: Sequence[str], mounts: Sequence[str], **more: Any) -> JsonObject:
    """Return a container that mounts the volumes ``mounts``."""
    return {
        "name": name,
        "image": image,
        "command": list(command),
        "env": [_NODE_NAME],
        "volumeMounts": [{"name": each, "mountPath": _PATHS[each]} for each in mounts],
        "resources": {"requests": {"cpu": "10m", "memory": "50Mi"}},
        "terminationMessagePolicy": "FallbackToLogsOnError",
        **more,
    }


def proxy(name: str, image: str, port: int) -> JsonObject:
    """Return a container that offers the metrics of another one, on loopback, over TLS."""
    certificate = "/etc/pki/tls/metrics-cert/tls"
    command = (
        "/usr/bin/kube-rbac-proxy",
        f"--secure-listen-address=:{port}",
        f"--upstream=http://127.0.0.1:2{port}/",
        f"--tls-private-key-file={certificate}.key",
        f"--tls-cert-file={certificate}.crt",
    )
    ports = [{"containerPort": port, "name": f"https-{port}"}]
    return container(name, image, command, ["ovn-metrics-cert"], ports=ports)


def pod(app: str, containers: Sequence[JsonObject], folders: Mapping[str, str], **spec: Any) -> JsonObject:
    """Return the template of a pod with the volumes that ``containers`` mount.

    ``folders`` are those of the node, by volume; a volume without one is empty at the start, unless it is a claim of
    the workload.
    """
    mounted = dict.fromkeys(mount["name"] for each in containers for mount in each["volumeMounts"])
    return {
        "metadata": {
            "annotations": {"target.workload.openshift.io/management": '{"effect": "PreferredDuringScheduling"}'},
            "labels": {"app": app, "component": "network", "type": "infra", "openshift.io/component": "network"},
        },
        "spec": {
            "containers": list(containers),
            "volumes": [_volume(each, folders) for each in mounted],
            "tolerations": [{"operator": "Exists"}],
            **spec,
        },
    }


def on_host(account: str, *, masters: bool = False) -> JsonObject:
    """Return the fields of a pod on the host's network, on all nodes or only on masters."""
    selected = {MASTER_ROLE: ""} if masters else {}
    return {
        "serviceAccountName": account,
        "hostNetwork": True,
        "dnsPolicy": "Default",
        "priorityClassName": "system-node-critical",
        "nodeSelector": {"kubernetes.io/os": "linux", **selected},
    }


def workload(kind: str, name: str, namespace: str, values: ManifestValues, spec: JsonObject) -> JsonObject:
    """Return a DaemonSet, Deployment or StatefulSet of a release."""
    families = {IP_FAMILY_ANNOTATION: values.ip_families} if values.ip_families else {}
    annotations = {VERSION_ANNOTATION: values.version, **families}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace, "annotations": annotations},
        "spec": {"selector": {"matchLabels": {"app": name}}, **spec},
    }


def _volume(name: str, folders: Mapping[str, str]) -> JsonObject:
    if name in folders:
        return {"name": name, "hostPath": {"path": folders[name], "type": "DirectoryOrCreate"}}
    if name in _SECRETS:
        # optional: a new certificate arrives after the workload
        return {"name": name, "secret": {"secretName": name, "optional": True}}
    if name in _CONFIG_MAPS:
        return {"name": name, "configMap": {"name": name}}
    return {"name": name, "emptyDir": {}}
