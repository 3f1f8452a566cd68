"""Manifests of all phases: the pre-puller of images, and IPsec."""

from typing import Final

from reconciler.rollout.plan.manifests.pods import container, on_host, pod, workload
from reconciler.rollout.plan.manifests.values import ManifestValues
from validators.base.json_types import JsonObject
from validators.network.ovnkube_settings.interconnect import NAMESPACE
from validators.network.ovnkube_settings.interconnect_workloads import PREPULLER

_ACCOUNT: Final = "ovn-kubernetes-node"
_IDLE: Final = ("/bin/bash", "-c", "sleep infinity")


def prepuller(values: ManifestValues) -> list[JsonObject]:
    """Return a DaemonSet that does nothing but pull the image, so that no node waits for it while it rolls."""
    pull = container(PREPULLER, values.image, _IDLE, (), imagePullPolicy="Always")
    template = pod(PREPULLER, [pull], {}, **on_host(_ACCOUNT))
    return [workload("DaemonSet", PREPULLER, NAMESPACE, values, {"template": template})]


def ipsec_on_host(values: ManifestValues) -> list[JsonObject]:
    """Return IPsec of 4.14 for nodes that have libreswan on the host."""
    return _ipsec(values, "ovn-ipsec-host", "exec ovs-monitor-ipsec --ike-daemon=libreswan --no-restart-ike-daemon")


def ipsec_in_containers(values: ManifestValues) -> list[JsonObject]:
    """Return IPsec of 4.14 for all other nodes."""
    start = "/usr/libexec/ipsec/pluto --leak-detective && exec ovs-monitor-ipsec --ike-daemon=libreswan"
    return _ipsec(values, "ovn-ipsec-containerized", start)


def ipsec_before(values: ManifestValues) -> list[JsonObject]:
    """Return the place of the DaemonSet of 4.13, which is never written: it only keeps the existing one."""
    return _ipsec(values, "ovn-ipsec", "exec sleep infinity")


def _ipsec(values: ManifestValues, name: str, command: str) -> list[JsonObject]:
    folders = {"run-openvswitch": "/var/run/openvswitch", "etc-openvswitch": "/var/lib/openvswitch/etc"}
    work = container(
        name, values.image, ("/bin/bash", "-ec", command), [*folders], securityContext={"privileged": True}
    )
    template = pod(name, [work], folders, **on_host(_ACCOUNT))
    return [workload("DaemonSet", name, NAMESPACE, values, {"template": template})]
