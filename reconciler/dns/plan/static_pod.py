"""The static pod that runs CoreDNS on a node, and the folder that makes the kubelet run it or not.

Source: machine-config-operator, ``templates/common/cloud-platform-alt-dns/files/coredns.yaml``. In the released API
runtimecfg renders the configuration from the addresses in its arguments; in the proposed API ``ovnguard-reconciler dns
run`` follows the load balancer itself.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from ovnguard.reconciler.dns.plan.corefile import HEALTH_PORT
from ovnguard.reconciler.dns.plan.served_names import Dialect
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.model import IPAddress

NAMESPACE: Final = "openshift-cloud-platform-infra"
LABELS: Final = {"app": "cloud-platform-infra-coredns"}
COREFILE: Final = "/etc/coredns/Corefile"
ENABLED: Final = "/etc/kubernetes/manifests"
DISABLED: Final = "/etc/kubernetes/disabled-manifests"
_KUBECONFIG: Final = "/var/lib/kubelet/kubeconfig"
_TEMPLATE: Final = "/config/Corefile.tmpl"
_FOLDERS: Final = {
    "resource-dir": ("/etc/kubernetes/static-pod-resources/coredns", "/config"),
    "kubeconfig": ("/var/lib/kubelet", "/var/lib/kubelet"),
    "conf-dir": ("/etc/coredns", "/etc/coredns"),
    "nm-resolv": ("/var/run/NetworkManager", "/var/run/NetworkManager"),
}


@dataclass(frozen=True, slots=True)
class StaticPodInput:
    """What the manifest depends on; ``platform`` is the type in the Infrastructure.

    ``monitor_image`` contains runtimecfg (released API) or ovnguard (proposed API).
    """

    dialect: Dialect
    platform: str
    coredns_image: str
    monitor_image: str
    ingress: tuple[IPAddress, ...] = ()
    api: tuple[IPAddress, ...] = ()
    api_int: tuple[IPAddress, ...] = ()
    health_port: int = HEALTH_PORT


class StaticPod(NamedTuple):
    """A manifest and its path on the node; the kubelet runs only what is in `ENABLED`."""

    path: str
    manifest: JsonObject

    @property
    def is_enabled(self) -> bool:
        """Whether the kubelet runs the pod."""
        return self.path.startswith(f"{ENABLED}/")


def static_pod(wanted: StaticPodInput) -> StaticPod:
    """Return the manifest, disabled as long as CoreDNS has no address to answer with.

    That is an address for ``*.apps`` in the proposed API, and for api-int in the released API, where nodes find the API
    server through CoreDNS before the ingress operator runs.
    """
    needed = wanted.ingress if wanted.dialect is Dialect.PROPOSED else wanted.api_int
    return StaticPod(f"{ENABLED if needed else DISABLED}/coredns.yaml", _manifest(wanted))


def _manifest(wanted: StaticPodInput) -> JsonObject:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "coredns",
            "namespace": NAMESPACE,
            "deletionGracePeriodSeconds": 65,
            "labels": dict(LABELS),
            "annotations": {
                "target.workload.openshift.io/management": '{"effect": "PreferredDuringScheduling"}',
                "openshift.io/required-scc": "privileged",
            },
        },
        "spec": {
            "hostNetwork": True,
            "priorityClassName": "system-node-critical",
            "tolerations": [{"operator": "Exists"}],
            "volumes": [{"name": name, "hostPath": {"path": path}} for name, (path, _) in _FOLDERS.items()],
            "initContainers": [_first_render(wanted)],
            "containers": [_coredns(wanted), _monitor(wanted)],
        },
    }


def _first_render(wanted: StaticPodInput) -> JsonObject:
    if wanted.dialect is Dialect.PROPOSED:
        command = [*_following(), "--once"]
    else:
        folders = ["/config", "--out-dir", "/etc/coredns", "--resolvconf-path", "/etc/resolv.conf"]
        command = ["runtimecfg", "render", _KUBECONFIG, *_addresses(wanted), *folders]
    container = _container("render-config-coredns", wanted.monitor_image, tuple(_FOLDERS))
    return {**container, "command": command, "resources": {}}


def _monitor(wanted: StaticPodInput) -> JsonObject:
    if wanted.dialect is Dialect.PROPOSED:
        command = _following()
    else:
        command = ["corednsmonitor", _KUBECONFIG, _TEMPLATE, COREFILE, *_addresses(wanted)]
    container = _container("coredns-monitor", wanted.monitor_image, tuple(_FOLDERS))
    return {**container, "command": command, "resources": _requests(), "securityContext": {"privileged": True}}


def _coredns(wanted: StaticPodInput) -> JsonObject:
    return {
        **_container("coredns", wanted.coredns_image, ("conf-dir",)),
        "args": ["--conf", COREFILE],
        "resources": _requests(),
        "livenessProbe": {
            "httpGet": {"path": "/health", "port": wanted.health_port, "scheme": "HTTP"},
            "initialDelaySeconds": 60,
            "timeoutSeconds": 5,
            "successThreshold": 1,
            "failureThreshold": 5,
        },
    }


def _following() -> list[str]:
    """The command that follows the load balancer of ``*.apps``."""
    return ["ovnguard-reconciler", "dns", "run", "--kubeconfig", _KUBECONFIG, "--corefile", COREFILE, "--mode", "own"]


def _addresses(wanted: StaticPodInput) -> list[str]:
    lists = (("ext", wanted.api), ("int", wanted.api_int), ("ingress", wanted.ingress))
    options = (word for kind, listed in lists for word in (f"--cloud-{kind}-lb-ips", _joined(listed)))
    return [*options, "--platform-type", wanted.platform]


def _joined(addresses: Iterable[IPAddress]) -> str:
    return ",".join(map(str, addresses))


def _container(name: str, image: str, volumes: Iterable[str]) -> JsonObject:
    mounts = [
        {"name": volume, "mountPath": _FOLDERS[volume][1], "mountPropagation": "HostToContainer"} for volume in volumes
    ]
    return {
        "name": name,
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": mounts,
    }


def _requests() -> dict[str, Any]:
    return {"requests": {"cpu": "100m", "memory": "200Mi"}}
