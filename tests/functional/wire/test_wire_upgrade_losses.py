"""Traffic that goes on while three nodes change to transit routers, one after the other.

`pytest -s` prints what docs/benchmarks.md quotes.
"""

import contextlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from ipaddress import ip_address
from itertools import pairwise

import pytest

from ovnguard.reconciler.plan.rows.model import FIRST_MARK, EgressAssignment, EgressHop, EgressPod
from tests.support.lab import wire
from tests.support.lab.node_port import NODE, NODE_PORT, PORT, node_port
from tests.support.lab.wire import Cluster, LabFactory, Pod
from tests.support.lab.wire_crowd import crowd
from tests.support.lab.wire_losses import INTERVAL, Loss, Traffic, connections, losses, pings
from tests.support.plan_samples import SERVICES, taking_node_ports
from tests.support.plan_scenarios import LAYER2, generations
from tests.support.soak import soak_only

pytestmark = pytest.mark.timing

NODES = ("node1", "node2", "node3")
STATES = ("ooo", "noo", "nno", "nnn")
families = (4, 6)
DNS = {4: "10.96.0.10", 6: "fd00:10:96::a"}
API = "10.96.0.1"
EGRESS_IPS = {"node1": "172.18.0.201", "node2": "172.18.0.202", "node3": "172.18.0.203"}
# an address that only the hosts have: a node with a local gateway sends everything to its host
HELD = {4: "198.51.100.1", 6: "2001:db8::1"}
# Far more than was ever lost, far less than a machine under load needs to answer at all.
MOST_LOST = int(30 / INTERVAL)


@pytest.fixture(params=["shared", "local"])
def cluster(ovn_lab: LabFactory, request: pytest.FixtureRequest) -> Iterator[Cluster]:
    members = taking_node_ports(generations("ooo", mode=request.param))
    with wire.cluster(ovn_lab, members, [LAYER2], SERVICES) as made:
        made.lab.external.serve("tcp", PORT)
        yield made


def mode_of(cluster: Cluster) -> str:
    gateway = cluster.members[0].gateway
    assert gateway is not None
    return gateway.mode


def started(cluster: Cluster, node: str, number: int) -> Pod:
    """Another pod on a node; it serves."""
    pod = cluster.pod(LAYER2.name, node, number)
    pod.machine.serve("tcp", PORT)
    return pod


def host_answers(cluster: Cluster) -> None:
    """Each host has a port on the network, and answers for cluster services and for what is beyond it."""
    for node in NODES:
        cluster.management(LAYER2.name, node)
        for address in (*DNS.values(), API, *HELD.values()):
            cluster.lab[node].namespace.add_address("lo", f"{address}/{128 if ':' in address else 32}")


def served(cluster: Cluster, pods: Mapping[str, Pod]) -> None:
    """These pods are the servers of the node port of node2."""
    cluster.entered.clear()
    node_port(cluster, LAYER2, 4, *pods.values())


def egress_by(cluster: Cluster, node: str, pod: Pod) -> None:
    """What the pod sends outside over IPv4 leaves by ``node`` with an EgressIP, where nodes have no local gateway."""
    if mode_of(cluster) == "shared":
        hop = EgressHop(node, ip_address(EGRESS_IPS[node]))
        served = EgressPod(pod.port.title, pod.port.node, pod.port.addresses)
        out = EgressAssignment("out", LAYER2.name, FIRST_MARK, (hop,), (served,))
        cluster.settings = replace(cluster.settings, egress=(out,))
        cluster.apply()
        leaves_by_egress_ip(cluster, node, pod)


def leaves_by_egress_ip(cluster: Cluster, node: str, pod: Pod) -> None:
    if mode_of(cluster) == "shared":
        assert crowd(pod.machine, wire.outside(4), PORT, 2).peers == {EGRESS_IPS[node]: 2}


def flows_of(cluster: Cluster, pods: Mapping[str, Pod], stack: contextlib.ExitStack) -> Mapping[str, Traffic]:
    """Traffic of every kind of these pods, by what it is."""
    local = mode_of(cluster) == "local"
    ways = {
        f"{node} to {other} v{version}": (pod, pods[other].ip(version))
        for version in families
        for node, pod in pods.items()
        for other in pods
        if other != node
    }
    for node, pod in pods.items():
        for version in families:
            ways[f"{node} egress v{version}"] = (pod, HELD[version] if local else wire.outside(version))
            ways[f"{node} dns v{version}"] = (pod, DNS[version])
        ways[f"{node} api v4"] = (pod, API)
    found = {what: stack.enter_context(pings(pod.machine, address)) for what, (pod, address) in ways.items()}
    if not local:
        found["node port"] = stack.enter_context(connections(cluster.lab.external, NODE[4], NODE_PORT))
    return found


def change(cluster: Cluster, state: str) -> None:
    cluster.members = taking_node_ports(generations(state, mode=mode_of(cluster)))
    cluster.apply()


def print_losses(step: str, found: Mapping[str, Loss]) -> None:
    for what, loss in found.items():
        print(f"{step}  {what:20} {loss.lost:4} of {loss.sent:4}  {loss.silence * 1000:6.0f} ms")
    assert {what: loss for what, loss in found.items() if loss.lost > MOST_LOST} == {}


def test_an_interruption_is_seen(cluster: Cluster) -> None:
    """The proof that the others can fail."""
    one, other = started(cluster, "node1", 1), started(cluster, "node2", 2)
    cluster.apply()
    with pings(one.machine, other.ip(4)) as traffic:
        other.machine.namespace.ip("link", "set", "eth0", "down")
        time.sleep(0.5)
        other.machine.namespace.ip("link", "set", "eth0", "up")
        loss = traffic.loss()
    assert loss.lost > 0
    assert loss.silence >= 0.5


def test_pods_of_other_nodes_while_a_drained_node_changes(cluster: Cluster) -> None:
    """Every node is drained before it changes, as its zone requires; a pod starts there afterwards.

    Meanwhile the node serves an EgressIP of a pod of another node, as it may while it runs no pod.
    """
    pods = {node: started(cluster, node, number) for number, node in enumerate(NODES, 1)}
    cluster.apply()
    host_answers(cluster)
    for number, (node, (before, after)) in enumerate(zip(NODES, pairwise(STATES), strict=True), 4):
        drained = pods.pop(node)
        del cluster.pods[drained.machine.name]
        drained.machine.stop()
        served(cluster, pods)
        abroad = list(pods.values())[-1]
        egress_by(cluster, node, abroad)
        with contextlib.ExitStack() as stack:
            traffic = flows_of(cluster, pods, stack)
            change(cluster, after)
            print_losses(f"{mode_of(cluster)} {before} to {after}", losses(traffic))
            leaves_by_egress_ip(cluster, node, abroad)
            pods[node] = started(cluster, node, number)
            cluster.apply()
            for version in families:
                for other in pods.values():
                    if other is not pods[node]:
                        pods[node].machine.ping(other.ip(version))
            print_losses(f"{mode_of(cluster)} pod on {node}", losses(traffic))


@soak_only
def test_pods_that_stay_on_the_node_that_changes(cluster: Cluster) -> None:
    """No zone does this; it shows what a pod feels that starts while the node's rows are replaced."""
    pods = {node: started(cluster, node, number) for number, node in enumerate(NODES, 1)}
    cluster.apply()
    host_answers(cluster)
    served(cluster, pods)
    with contextlib.ExitStack() as stack:
        traffic = flows_of(cluster, pods, stack)
        change(cluster, "noo")
        print_losses(f"{mode_of(cluster)} ooo to noo, pods stay", losses(traffic))


def test_a_machine_leaves_by_live_migration_and_comes_back(cluster: Cluster) -> None:
    """Its node is drained in this way, changes, and gets it back; a pod of an old node talks to it all the time."""
    machine, peer = started(cluster, "node1", 1), started(cluster, "node3", 2)
    cluster.apply()
    with contextlib.ExitStack() as stack:
        ways = {
            f"{one.port.node} to {other.port.node} v{version}": (one, other.ip(version))
            for version in families
            for one, other in ((machine, peer), (peer, machine))
        }
        traffic = {what: stack.enter_context(pings(pod.machine, address)) for what, (pod, address) in ways.items()}
        steps = {"moves away": "node2", "node1 changes": "", "comes back": "node1"}
        for step, node in steps.items():
            if node:
                machine = cluster.move(machine, node)
                cluster.apply()
            else:
                change(cluster, "noo")
            print_losses(f"{mode_of(cluster)} {step}", losses(traffic))
