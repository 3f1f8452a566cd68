"""What happens in a day, step by step. Each function leaves a cluster that settles by itself."""

import time
from typing import Any, Final

from tests.support.deployed.own_cluster import day_objects as objects
from tests.support.deployed.own_cluster.cluster import CUDNS, LEADERS, OwnCluster, Placed
from tests.support.deployed.own_cluster.day_objects import collection, declare_networks, remove_everything
from tests.support.deployed.running import NAMESPACES, NODES, OURS

__all__ = ["declare_networks", "remove_everything"]

NODE_NAMES: Final = ("node1", "node2", "node3")
JOINER: Final = "node4"
MACHINES: Final = (*NODE_NAMES, JOINER)
LEASE: Final = f"/apis/coordination.k8s.io/v1/namespaces/{OURS}/leases/ovnguard-reconciler-cluster"
DAEMONS: Final = (
    Placed("wide", "agent", JOINER, "wide/wide"),
    Placed("flat", "agent", JOINER, "flat/flat"),
    Placed("plain", "agent", JOINER, "default"),
)
"""Pods of DaemonSets: they are bound to the node as soon as it is there, before it has any number."""
STARTING: Final[dict[str, tuple[str, ...]]] = {
    "warnings": ("RoutesMissing", "NotReported", "Waiting"),
    "false": ("ZonesReady",),
}
"""What a step may cause that lets zones of new nodes start. Until they run, have their numbers and have BGP sessions,
networks are not ready there, longer than ten seconds on a busy machine.
"""
SWITCHING: Final[dict[str, tuple[str, ...]]] = {"warnings": ("Waiting",), "false": ("ZonesReady",)}
"""Zones that render all networks again wait for the subnets that only the next leader gives their nodes."""
DECLARING: Final[dict[str, tuple[str, ...]]] = {"warnings": ("NotReported",), "false": ("ZonesReady",)}
"""New networks wait for the patch ports that ovn-controller adds, and for each other's."""


def install(cluster: OwnCluster) -> None:
    """ovnguard is installed, and three nodes join."""
    cluster.install(objects.OPERATOR)
    for name in NODE_NAMES:
        cluster.join(name)


def run_pods(cluster: OwnCluster) -> None:
    """Tenants run pods in every network, and use a service."""
    cluster.run_pods(*objects.PODS)
    objects.serve(cluster)


def node_joins(cluster: OwnCluster) -> None:
    """A node joins with the pods of DaemonSets, bound to it at once."""
    if not cluster.get(collection("daemonsets", "plain"))["items"]:
        for each in DAEMONS:
            cluster.write("administrator", "POST", collection("daemonsets", each.namespace), _daemon_set(each))
    cluster.join(JOINER)
    cluster.run_pods(*DAEMONS, author="controller-manager")


def _daemon_set(placed: Placed) -> dict[str, Any]:
    labels = {"app": placed.name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "none"}]}}
    metadata = {"name": placed.name, "namespace": placed.namespace}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": metadata, "spec": spec}


def node_leaves(cluster: OwnCluster) -> None:
    """The node is cordoned and drained, its pods end, and its Node is deleted."""
    cluster.write("administrator", "PATCH", f"{NODES}/{JOINER}", {"spec": {"unschedulable": True}})
    for each in DAEMONS:
        path = f"{NAMESPACES}/{each.namespace}/pods/{each.name}"
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": each.name}}
        cluster.write("administrator", "POST", f"{path}/eviction", eviction)
        cluster.unplug(each.namespace, each.name)
        cluster.until_gone(path)
    cluster.processes.leave(JOINER)
    cluster.write("administrator", "DELETE", f"{NODES}/{JOINER}")
    cluster.write("controller-manager", "DELETE", f"{NAMESPACES}/{OURS}/pods/reconciler-{JOINER}?gracePeriodSeconds=0")


def leader(cluster: OwnCluster) -> str:
    """The identity of the process that leads."""
    return str(cluster.get(LEASE)["spec"].get("holderIdentity", ""))


def kill_leader_and_zone(cluster: OwnCluster) -> None:
    """The process that leads and a zone are killed; kubelets start them again, the leader when another one leads."""
    found: list[tuple[str, str]] = []

    def known() -> bool:
        identity = leader(cluster)
        found.extend((name, identity) for name in LEADERS if identity and cluster.processes.has_led(name, identity))
        return bool(found)

    # after an API server that was away for long, nobody leads for a moment
    cluster.until(known, "a leader")
    leading, before = found[0]
    cluster.processes.kill(leading)
    cluster.processes.kill("node2")
    cluster.processes.join("node2")
    cluster.until(lambda: leader(cluster) not in ("", before), "another leader")
    cluster.processes.lead(leading)


def upgrade_webhook(cluster: OwnCluster) -> None:
    """The Deployment replaces one replica after the other."""
    ports = [replica.port for replica in cluster.replicas]
    for replica in cluster.replicas:
        cluster.balancer.lead(*(port for port in ports if port != replica.port))
        time.sleep(1)
        replica.stop()
        replica.start()
        cluster.balancer.lead(*ports)


def rotate_certificate(cluster: OwnCluster) -> None:
    """The administrator rotates the authority by the commands of docs/webhook.md."""
    before = cluster.deployed.bundles()
    cluster.deployed.kubectl(
        "-n", OURS, "patch", "secret", "ovnguard-authority", "--type", "merge", "-p", '{"data":null}'
    )
    for replica in cluster.replicas:
        replica.stop()
        replica.start()
    cluster.deployed.until_asked()
    cluster.until(lambda: cluster.deployed.bundles() != before, "the new authority")


def restart_database(cluster: OwnCluster, node: str = "node1") -> None:
    """The server of a Northbound database is killed and starts again."""
    cluster.machines.lab[node].zone.restart("nb")


def restart_api_server(cluster: OwnCluster) -> None:
    """The API server is killed and starts again."""
    cluster.restart_api_server()


def replace_network(cluster: OwnCluster) -> None:
    """The pods of a network end, the administrator deletes it, and makes it and them again."""
    pods = [each for each in (*objects.PODS, *DAEMONS) if each[:2] in cluster.pods and each.namespace == "flat"]
    for each in pods:
        cluster.end_pod(each.namespace, each.name)
    cluster.write("administrator", "DELETE", f"{CUDNS}/flat")
    cluster.until_gone(f"{CUDNS}/flat")
    cluster.until(lambda: _made(cluster, objects.CLUSTER_NETWORKS["flat"]), "the network again")
    cluster.run_pods(*pods)


def _made(cluster: OwnCluster, network: dict[str, Any]) -> bool:
    """Whether a network is created: a replica of the webhook may still know the attachment that the leader deleted."""
    answer = cluster.authors["administrator"].send("POST", CUDNS, network, (201, 422))
    if answer["kind"] == "Status":
        assert "is already the name of NetworkAttachmentDefinition flat/flat" in answer["message"], answer
    return bool(answer["kind"] == network["kind"])


def allocate_dynamically(cluster: OwnCluster) -> None:
    """All processes are replaced by those with the option; a node loses the rows of a network without pods there."""
    _replace_processes(cluster, "--enable-dynamic-udn-allocation", "--udn-deletion-grace-period=3s")
    cluster.until(lambda: not _has_rows(cluster, "node1", "deep"), "no rows of an unused network")
    cluster.until(lambda: _selected(cluster) == set(objects.CLUSTER_NETWORKS), "the conditions")


def allocate_everywhere(cluster: OwnCluster) -> None:
    """Dynamic allocation is switched off: rows of all networks everywhere, and no condition about nodes."""
    _replace_processes(cluster)
    cluster.until(lambda: _has_rows(cluster, "node1", "deep"), "rows of an unused network")
    cluster.until(lambda: not _selected(cluster), "no conditions")


def _replace_processes(cluster: OwnCluster, *options: str) -> None:
    """Zones first, then the leaders, each as a rolling update does it."""
    cluster.processes.options = options
    for name in sorted(cluster.processes.children, key=lambda name: name in LEADERS):
        cluster.processes.stop(name)
        (cluster.processes.lead if name in LEADERS else cluster.processes.join)(name)


def _has_rows(cluster: OwnCluster, node: str, name: str) -> bool:
    """Whether a zone has the switch of a network of the administrator."""
    listed = cluster.machines.lab[node].zone.nbctl("--columns=external_ids", "list", "Logical_Switch")
    return f"cluster_udn_{name}" in listed


def _selected(cluster: OwnCluster) -> set[str]:
    """The networks of the administrator with the condition NodesSelected."""
    return {
        item["metadata"]["name"]
        for item in cluster.get(CUDNS)["items"]
        if any(each["type"] == "NodesSelected" for each in item["status"]["conditions"])
    }
