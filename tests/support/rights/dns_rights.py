"""What `ovnguard-reconciler dns run` may do, on nodes and as the leader."""

from collections.abc import Iterator
from pathlib import Path

from ovnguard.reconciler.dns.apply.upstream_servers import RESOLV_CONF
from ovnguard.reconciler.dns.commands.run import LEASE
from ovnguard.reconciler.dns.loop.dns_resources import DNS_RESOURCES, INFRASTRUCTURES
from ovnguard.reconciler.dns.plan.load_balancer import SERVICE
from ovnguard.reconciler.dns.plan.static_pod import COREFILE, DISABLED, ENABLED
from ovnguard.reconciler.loop.process.events import CLUSTER_WIDE
from tests.support.rights.model import Grant, Mount, Right, status

NODE, LEADER = "ovnguard-dns", "ovnguard-dns-leader"
KUBELETS = "group system:nodes"
FILES = "reconciler/dns/apply/node_files.py"
MANIFEST = "coredns.yaml"


def rights() -> Iterator[Right]:
    """Rights of both accounts, and of the monitor in the static pod, which has the kubelet's kubeconfig."""
    for subject in (NODE, LEADER, KUBELETS):
        idle = "the process is that of `ovnguard-dns`" if subject == KUBELETS else ""
        reading = Grant(subject, "dns", "reconciler/dns/loop/dns_resources.py", idle)
        yield from reading.watch(DNS_RESOURCES)
        yield from reading.report(SERVICE.partition("/")[0])
        # without the Service, Events are about the Infrastructure
        yield from reading.report(CLUSTER_WIDE)
    recording = Grant(LEADER, "dns-own", "reconciler/dns/loop/address_publisher.py")
    yield from recording.of("patch", status(INFRASTRUCTURES), "cluster")
    yield from recording.lead(LEASE)


def mounts() -> Iterator[Mount]:
    """Mounts of both workloads; the folders of the files that `own` writes are writable with it."""
    for component, writable in (("dns", False), ("dns-own", True)):
        yield _folder(component, COREFILE, "DirectoryOrCreate", writable)
        yield _folder(component, f"{ENABLED}/{MANIFEST}", "Directory", writable)
        yield _folder(component, f"{DISABLED}/{MANIFEST}", "DirectoryOrCreate", writable)
    resolver = "reconciler/dns/apply/upstream_servers.py"
    yield _folder("dns", str(RESOLV_CONF), "Directory", False)._replace(asker=resolver)
    for workload in (NODE, LEADER):
        yield Mount(workload, "dns", "/tmp", "emptyDir", "", True, ("/tmp",), "deploy/image/Containerfile")


def _folder(component: str, file: str, kind: str, writable: bool) -> Mount:
    folder = str(Path(file).parent)
    return Mount(NODE, component, folder, folder, kind, writable, (file,), FILES)
