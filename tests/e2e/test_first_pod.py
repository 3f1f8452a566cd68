"""The first pod of a network, from its definition to a packet between two nodes, where ovnguard is the only writer."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.deployed.first_pod import CUDNS, LEADER, NADS, NAMESPACES, NODES, FirstPods, first_pods, network
from tests.support.lab.wire import LabFactory
from tests.support.soak import limit
from tests.testbed.apiserver import ApiServer

pytestmark = limit(600)


@pytest.fixture
def cluster(apiserver: ApiServer, ovn_lab: LabFactory, tmp_path: Path) -> Iterator[FirstPods]:
    with first_pods(apiserver, ovn_lab, tmp_path) as made:
        yield made


def talk(cluster: FirstPods, namespace: str, attachment: str) -> None:
    """One pod on each node, and a connection between them."""
    for name, node in (("one", "node1"), ("two", "node2")):
        cluster.bind(namespace, name, node)
    one, two = (cluster.plugged(namespace, name, attachment) for name in ("one", "two"))
    two.serve("tcp", 8000)
    answer = one.ask("tcp", two.ip(4), 8000, 100_000)
    assert (answer.name, answer.peer) == (two.name, one.ip(4))


def test_the_first_pods_of_every_topology_talk(cluster: FirstPods) -> None:
    for name, subnet, share in (("wide", "10.40.0.0/16", 24), ("flat", "10.41.0.0/16", 0)):
        cluster.create(CUDNS, network(name, subnet, share))
        cluster.space(name)
    cluster.space("plain", primary=False)
    talk(cluster, "plain", "default")
    talk(cluster, "wide", "wide/wide")
    talk(cluster, "flat", "flat/flat")
    assert cluster.record("flat", "one").keys() == {"default", "flat/flat"}
    roles = {key: entry["role"] for key, entry in cluster.record("wide", "two").items()}
    assert roles == {"default": "infrastructure-locked", "wide/wide": "primary"}
    attachments = cluster.get(NADS)["items"]
    assert [f"{each['metadata']['namespace']}/{each['metadata']['name']}" for each in attachments] == [
        "flat/flat",
        "wide/wide",
    ]
    # the network stays while its pods do, and goes with them
    status, _ = cluster.api.request("DELETE", f"{CUDNS}/flat")
    assert status == 200
    cluster.until(lambda: any("in use" in each["message"] for each in cluster.log("leader")), "the pods' network stays")
    for name in ("one", "two"):
        cluster.api.request("DELETE", f"{NAMESPACES}/flat/pods/{name}?gracePeriodSeconds=0")
    cluster.until(lambda: cluster.api.request("GET", f"{CUDNS}/flat")[0] == 404, "the network goes")
    assert [each["metadata"]["name"] for each in cluster.get(NADS)["items"]] == ["wide"]
    warnings = [
        each["message"]
        for name in ("leader", "node1", "node2")
        for each in cluster.log(name)
        if each["level"] in ("warning", "error") and "in use" not in each["message"]
    ]
    assert warnings == []
    # the webhook was asked about our attachments, and refused nothing
    decisions = cluster.decisions()
    assert {each["allowed"] for each in decisions} == {True}
    accounts = {each["user"].rpartition(":")[2] for each in decisions if "NetworkAttachmentDefinition" in each["gvk"]}
    assert accounts == {LEADER}


DYNAMIC = "--enable-dynamic-udn-allocation"


def test_the_first_pod_of_a_network_on_a_node_waits_until_the_network_is_rendered(
    apiserver: ApiServer, ovn_lab: LabFactory, tmp_path: Path
) -> None:
    with first_pods(apiserver, ovn_lab, tmp_path, DYNAMIC, zones=["node2"]) as cluster:
        cluster.create(CUDNS, network("wide", "10.40.0.0/16", 24))
        cluster.space("wide")
        cluster.bind("wide", "two", "node2")
        two = cluster.plugged("wide", "two", "wide/wide")
        # the leader gives the node its subnet, but nothing renders the network there yet
        cluster.bind("wide", "one", "node1")
        subnets = "k8s.ovn.org/node-subnets"
        cluster.until(
            lambda: "cluster_udn_wide" in cluster.get(f"{NODES}/node1")["metadata"]["annotations"].get(subnets, ""),
            "the subnet of the node",
        )
        assert "wide/wide" not in cluster.record("wide", "one")
        switches = ("--bare", "--columns=name", "list", "Logical_Switch")
        assert "cluster_udn_wide_node1" not in cluster.lab["node1"].zone.nbctl(*switches).split()
        cluster.begin_zone("node1", DYNAMIC)
        one = cluster.plugged("wide", "one", "wide/wide")
        assert "cluster_udn_wide_node1" in cluster.lab["node1"].zone.nbctl(*switches).split()
        two.serve("tcp", 8000)
        answer = one.ask("tcp", two.ip(4), 8000, 100_000)
        assert (answer.name, answer.peer) == (two.name, one.ip(4))
