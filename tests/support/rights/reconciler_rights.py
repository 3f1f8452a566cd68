"""What `ovnguard-reconciler run` and `cluster` may do."""

from collections.abc import Iterator

from ovnguard.reconciler.commands.cluster import LEASE
from ovnguard.reconciler.loop.activity.leader_activity import ACTIVITY_RESOURCES
from ovnguard.reconciler.loop.fabric.fabric_inputs import FABRIC_RESOURCES
from ovnguard.reconciler.loop.inputs.plan_inputs import (
    ADVERTISEMENTS,
    DECLARING_PARTS,
    FRR_CONFIGURATIONS,
    INPUT_RESOURCES,
    NAMESPACES,
    PODS,
)
from ovnguard.reconciler.loop.inputs.policy_resources import OTHER_RESOURCES, POLICY_RESOURCES
from ovnguard.reconciler.loop.process.events import CLUSTER_WIDE
from ovnguard.validators.cluster.resources import CONFIG_MAPS, CUDNS, NADS, NODES, UDNS
from tests.support.manifests.ovnkube_sockets import OVNKUBE_SOCKETS
from tests.support.rights.model import CONSTRAINTS, OURS, Grant, Mount, Right, status

ZONE, LEADER = "ovnguard-reconciler", "ovnguard-reconciler-cluster"
FRR_NAMESPACE = "frr-k8s-system"
SOCKETS, SWITCH = "/var/run/ovn", "/var/run/openvswitch"


def rights() -> Iterator[Right]:
    """Rights of the processes on nodes, and of the leader."""
    yield from _zone()
    yield from _leader()
    yield from _leader_of_own()


def _zone() -> Iterator[Right]:
    reading = Grant(ZONE, "reconciler", "reconciler/loop/inputs/plan_inputs.py")
    # also of what configures ovnkube: which namespace has it depends on who installed OVN-Kubernetes
    yield from reading.watch((*DECLARING_PARTS, *INPUT_RESOURCES))
    yield from reading._replace(asker="reconciler/loop/inputs/policy_resources.py").watch(
        (*POLICY_RESOURCES, *OTHER_RESOURCES)
    )
    yield from reading.report(CLUSTER_WIDE)
    reporting = reading._replace(asker="reconciler/apply/kube_report.py")
    yield from reporting.of("create patch", CONFIG_MAPS, namespace=OURS)
    recording = Grant(ZONE, "own", "reconciler/loop/layer2/layer2_switch.py")
    yield from recording.of("patch", NODES)
    yield from _records(ZONE)
    scc = Grant(ZONE, "openshift-access", "OpenShift, which admits Pods with folders of the host", "no process asks")
    yield from scc.of("use", CONSTRAINTS, "privileged", OURS)


def _leader() -> Iterator[Right]:
    reading = Grant(LEADER, "cluster", "reconciler/loop/inputs/plan_inputs.py")
    yield from reading.watch(DECLARING_PARTS)
    yield from reading._replace(asker="reconciler/loop/fabric/fabric_inputs.py").watch(FABRIC_RESOURCES)
    yield from reading._replace(asker="reconciler/loop/activity/leader_activity.py").watch(ACTIVITY_RESOURCES)
    yield from reading.report("")
    yield from reading._replace(asker="reconciler/apply/kube_report.py").of("list watch", CONFIG_MAPS, namespace=OURS)
    scc = Grant(LEADER, "openshift-access", "OpenShift, which admits Pods on the host network", "no process asks")
    yield from scc.of("use", CONSTRAINTS, "hostnetwork-v2", OURS)


def _leader_of_own() -> Iterator[Right]:
    recording = Grant(LEADER, "own", "reconciler/loop/status/status_writer.py")
    yield from recording._replace(asker="reconciler/loop/inputs/policy_resources.py").watch(POLICY_RESOURCES)
    for resource in (CUDNS, UDNS, NADS):
        yield from recording.of("patch", resource)
    for resource in (CUDNS, UDNS):
        yield from recording.of("patch", status(resource))
    yield from recording._replace(asker="reconciler/loop/leader/node_writer.py").of("patch", NODES)
    yield from recording._replace(asker="reconciler/loop/fabric/fabric_signs.py").of("patch", status(ADVERTISEMENTS))
    writing = recording._replace(asker="reconciler/apply/objects/object_writer.py")
    yield from writing.of("create update delete", ADVERTISEMENTS)
    yield from writing.of("create update delete", FRR_CONFIGURATIONS, namespace=FRR_NAMESPACE)
    publishing = recording._replace(asker="reconciler/loop/fabric/fabric_publisher.py")
    # also those that `reconciler/loop/fabric/fabric_publisher.py` creates
    rendering = recording._replace(asker="reconciler/apply/objects/attachment_writer.py")
    yield from rendering.of("create delete", NADS)
    blocking = rendering._replace(idle="OpenShift asks for it when an attachment is written")
    for resource in (CUDNS, UDNS):
        yield from blocking.of("update", f"{resource.group}/{resource.plural}/finalizers")
    yield from _records(LEADER)
    yield from publishing.of("get", NAMESPACES, OURS)
    yield from recording.lead(LEASE)


def _records(subject: str) -> Iterator[Right]:
    """Rights to give pods addresses."""
    addressing = Grant(subject, "own", "reconciler/apply/pod_records.py")
    yield from addressing.of("get", PODS)
    yield from addressing.of("patch", f"{PODS.plural}/status")


def mounts() -> Iterator[Mount]:
    """Mounts of both workloads."""
    database = (f"{SOCKETS}/ovnnb_db.sock",)
    store = "reconciler/apply/ovn/ovn_nb.py"
    yield Mount(ZONE, "reconciler", SOCKETS, OVNKUBE_SOCKETS["kubernetes"].folder, "Directory", False, database, store)
    yield Mount(ZONE, "openshift", SOCKETS, OVNKUBE_SOCKETS["openshift"].folder, "Directory", False, database, store)
    yield Mount(ZONE, "own", SOCKETS, SOCKETS, "Directory", True, database, store)
    shell = "reconciler/apply/host/host_shell.py"
    yield Mount(ZONE, "own", SWITCH, SWITCH, "Directory", True, (f"{SWITCH}/db.sock",), shell)
    frr = "reconciler/apply/frr/frr_file.py"
    yield Mount(ZONE, "own", "/etc/frr", "/etc/frr", "Directory", True, ("/etc/frr/frr.conf",), frr)
    cni, plugin = "/etc/cni/net.d", "reconciler/apply/host/cni_folder.py"
    yield Mount(ZONE, "own", cni, cni, "DirectoryOrCreate", False, (cni,), plugin)
    vtysh = "reconciler/apply/frr/vtysh.py"
    yield Mount(ZONE, "reconciler", "/tmp", "emptyDir", "", True, ("/tmp",), vtysh)
    yield Mount(LEADER, "cluster", "/tmp", "emptyDir", "", True, ("/tmp",), "deploy/image/Containerfile")
