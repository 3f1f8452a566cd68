"""A virtual machine moves between nodes and notices nothing: OKEP-5094, story 1, "seamless live migration".

What leaves by its node's own address ends with the node, whoever routes it. What leaves by an EgressIP does not depend
on where the machine runs: such connections have to go on without anybody telling the machine about its gateway.
"""

import os
import re
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from ipaddress import ip_address

import pytest

from ovnguard.reconciler.plan.rows.model import FIRST_MARK, EgressAssignment, EgressHop, EgressPod
from tests.support.busy import busy
from tests.support.lab import wire
from tests.support.lab.wire import Cluster, LabFactory, Pod
from tests.support.plan_samples import SERVICES, nodes
from tests.support.plan_scenarios import LAYER2, generations
from tests.support.soak import limit, sized
from tests.testbed.endpoint import Capture, Stream
from tests.testbed.process import wait_until

pytestmark = pytest.mark.timing

MEMBERS = nodes(3, v6=True)
LEAVES_BY = {4: "172.18.0.203", 6: "fc00::203"}
PORT = 8000
GATEWAY_MAC = "0a:58:cb:cb:00:01"
# derived from the MAC (EUI-64)
ROUTER = "fe80::858:cbff:fecb:1"
GATEWAYS = ("203.203.0.1", ROUTER)
# what a loaded machine with two cores may take to tell three zones; else it is half a second
PATIENCE = 60.0
# the loss of a node that carries nothing of a connection is not felt
AT_ONCE = 30.0


@pytest.fixture
def cluster(ovn_lab: LabFactory) -> Iterator[Cluster]:
    with wire.cluster(ovn_lab, MEMBERS, [LAYER2], SERVICES) as made:
        made.lab.external.serve("tcp", PORT)
        yield made


@pytest.fixture
def machine(cluster: Cluster) -> Pod:
    """The machine, on node1; it takes its IPv6 router from advertisements, and leaves by node3."""
    pod = cluster.pod(LAYER2.name, "node1", advertised=True)
    serve(cluster, pod)
    # each node has its own port on each network, so that all flows of the network are there before a machine comes
    for member in MEMBERS:
        cluster.management(LAYER2.name, member.name)
    cluster.apply()
    pod.machine.solicit()
    return pod


def serve(cluster: Cluster, *pods: Pod) -> None:
    """The EgressIP serves the pods that the machine runs in, or will."""
    hops = tuple(EgressHop("node3", ip_address(text)) for text in LEAVES_BY.values())
    ports = sorted((pod.port for pod in pods), key=lambda port: port.title)
    served = tuple(EgressPod(port.title, port.node, port.addresses) for port in ports)
    cluster.settings = replace(SERVICES, egress=(EgressAssignment("out", LAYER2.name, FIRST_MARK, hops, served),))


def handed_over(cluster: Cluster, source: Pod, node: str, name: str, *streams: Stream) -> Pod:
    """Hand the machine over as KubeVirt does: its target is there before, and its source still after; `ended` follows.

    The streams rest while the machine is on no node.
    """
    target = cluster.prepared(source, node, name)
    serve(cluster, source, target)
    cluster.apply()
    with at_rest(cluster, source, streams):
        target = cluster.take_over(source, target)
        cluster.apply()
    return target


def ended(cluster: Cluster, source: Pod, target: Pod) -> None:
    """The source of a migration is gone."""
    cluster.end(source)
    serve(cluster, target)
    cluster.apply()


class Pause:
    """The longest time that a stream stood still, in seconds, measured to about 10 ms."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._done = threading.Event()

    @contextmanager
    def of(self, stream: Stream) -> Iterator[None]:
        """Look at the stream while the context lasts."""
        watcher = threading.Thread(target=self._watch, args=(stream,))
        watcher.start()
        try:
            yield
        finally:
            self._done.set()
            watcher.join()

    def _watch(self, stream: Stream) -> None:
        last, since = stream.count, time.monotonic()
        while not self._done.wait(0.01):
            count, now = stream.count, time.monotonic()
            if count != last:
                self.longest = max(self.longest, now - since)
                last, since = count, now
        self.longest = max(self.longest, time.monotonic() - since)


def nobody_told(seen: Capture, machine: Pod) -> None:
    """The machine heard of neighbours and routers only what it had asked for."""
    asked = {"arp": 0, "nd": 0}
    for line in seen.lines():
        _, source, _, target, *_ = re.split(r"[ ,]+", line)
        if source == machine.port.mac:
            asked["arp"] += "who-has" in line
            asked["nd"] += "neighbor solicitation" in line
            continue
        assert "router advertisement" not in line
        for kind, words in (("arp", "ARP"), ("nd", "neighbor advertisement")):
            if words in line:
                assert target == machine.port.mac, f"told to everybody: {line}"
                asked[kind] -= "Reply" in line or kind == "nd"
    assert min(asked.values()) >= 0, f"told without having asked: {seen.lines()}"


@pytest.mark.parametrize("version", [4, 6])
def test_connection_outlives_the_node_it_began_on(cluster: Cluster, machine: Pod, version: int) -> None:
    stream = machine.machine.stream(wire.outside(version), PORT)
    assert stream.answer.peer == LEAVES_BY[version]
    stream.wait_more()
    known = [machine.machine.neighbour(gateway) for gateway in GATEWAYS]
    address = machine.machine.namespace.ip_json("address", "show", "eth0")
    assert known[version == 6] == GATEWAY_MAC
    with machine.machine.capture("arp or icmp6") as seen:
        pause = Pause()
        with pause.of(stream):
            moved = handed_over(cluster, machine, "node2", "target", stream)
            ended(cluster, machine, moved)
            stream.wait_more(PATIENCE)
        assert pause.longest < PATIENCE
        pause = Pause()
        with pause.of(stream):
            cluster.lab.kill("node1")
            stream.wait_more()
            cluster.members = tuple(member for member in cluster.members if member.name != "node1")
            cluster.apply()
            stream.wait_more()
        assert pause.longest < AT_ONCE
        nobody_told(seen, machine)
        # which is not for want of looking
        machine.machine.solicit()
        seen.wait("router advertisement")
    assert [machine.machine.neighbour(gateway) for gateway in GATEWAYS] == known
    assert machine.machine.namespace.ip_json("address", "show", "eth0") == address
    # and what begins now leaves in the same way
    assert machine.machine.ask("tcp", wire.outside(version), PORT).peer == LEAVES_BY[version]


@contextmanager
def at_rest(cluster: Cluster, machine: Pod, streams: Sequence[Stream]) -> Iterator[None]:
    """Nothing of the streams is on its way: the machine sends the first packet afterwards.

    OVN takes a connection for one from outside if the machine receives a packet of it on the new node before it sends
    one; rule EgressIP-Mark-Reply-Traffic then keeps it from its EgressIP.
    """

    def unsent() -> list[str]:
        spaces = (machine.machine.namespace, cluster.lab.external.namespace)
        lines = [line for space in spaces for line in space.run("cat", "/proc/net/tcp", "/proc/net/tcp6").splitlines()]
        return [line for line in lines if f":{PORT:04X} " in line and " 00000000:" not in line]

    for stream in streams:
        os.kill(stream.child.pid, signal.SIGSTOP)
    try:
        wait_until(lambda: not unsent(), "the end of what is on its way", PATIENCE)
        yield
    finally:
        for stream in streams:
            os.kill(stream.child.pid, signal.SIGCONT)


@limit(900)
def test_many_migrations_reset_no_connection_that_rests(cluster: Cluster, machine: Pod) -> None:
    """The source is the first or the second by name; half of the migrations happen on a busy machine."""
    many = sized(10, 200)
    streams = [machine.machine.stream(wire.outside(version), PORT) for version in LEAVES_BY]
    with ExitStack() as loops:
        for number in range(many):
            if number == many // 2:
                loops.enter_context(busy(4))
            node = "node1" if machine.port.node == "node2" else "node2"
            source, name = machine, f"{'az'[number // 2 % 2]}{number}"
            machine = handed_over(cluster, source, node, name, *streams)
            for stream in streams:
                # a connection that was reset is an error
                stream.wait_more(PATIENCE)
            ended(cluster, source, machine)
            for stream in streams:
                stream.wait_more(PATIENCE)


def test_one_router_is_advertised_wherever_the_machine_is(cluster: Cluster, machine: Pod) -> None:
    for node in ("node1", "node2", "node3"):
        if machine.port.node != node:
            machine = cluster.move(machine, node)
            cluster.apply()
        with machine.machine.capture("icmp6 and ip6[40] == 134") as seen:
            machine.machine.solicit()
            advertised = seen.wait("router advertisement")
        assert all(re.search(rf" {GATEWAY_MAC} > .* {ROUTER} > ", line) for line in advertised)
        defaults = [route for route in machine.machine.routes() if route["dst"] == "default"]
        assert [route["gateway"] for route in defaults] == [ROUTER]


@pytest.mark.parametrize("topology", ["nnn", "onn", "non"], ids=["transit-router", "from-before", "to-before"])
def test_a_live_migration_hands_the_machine_over_when_the_target_is_ready(ovn_lab: LabFactory, topology: str) -> None:
    """Both pods have the machine's addresses, and at every moment exactly one of them is on the network."""
    with wire.cluster(ovn_lab, generations(topology), [LAYER2], SERVICES) as made:
        made.lab.external.serve("tcp", PORT)
        source, other = made.pod(LAYER2.name, "node1"), made.pod(LAYER2.name, "node3", 2)
        target = made.target(source, "node2")
        made.apply()
        for pod in (source, target):
            pod.machine.serve("tcp", PORT)

        def runs_in(carrier: Pod, closed: Pod) -> None:
            for version in (4, 6):
                assert other.machine.ask("tcp", carrier.machine.ip(version), PORT).name == carrier.machine.name
                assert not closed.machine.reaches(other.machine.ip(version))
            assert carrier.machine.reaches(wire.outside(4))

        runs_in(source, target)
        made.hand_over(source, target)
        made.apply()
        runs_in(target, source)
        # the migration fails after all
        made.hand_over(target, source)
        made.apply()
        runs_in(source, target)


@pytest.mark.parametrize(("topology", "goes_on"), [("nnn", True), ("ooo", False)], ids=["transit-router", "before"])
def test_gateway_stays_only_where_it_is_the_same_everywhere(ovn_lab: LabFactory, topology: str, goes_on: bool) -> None:
    """The topology before had a gateway of another MAC on every node: the proof that these tests can fail."""
    with wire.cluster(ovn_lab, generations(topology), [LAYER2], SERVICES) as made:
        made.lab.external.serve("tcp", PORT)
        pod = made.pod(LAYER2.name, "node1")
        made.apply()
        assert pod.machine.ask("tcp", wire.outside(4), PORT).peer == "172.18.0.2"
        made.move(pod, "node2")
        made.apply()
        made.lab.kill("node1")
        assert pod.machine.reaches(wire.outside(4)) is goes_on
        pod.machine.namespace.ip("neighbour", "flush", "dev", "eth0")
        assert pod.machine.ask("tcp", wire.outside(4), PORT).peer == "172.18.0.3"
