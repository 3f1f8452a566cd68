"""The loop of a node's BGP on real FRR: from an empty FRR to nothing missing, and back after every disturbance."""

import os
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from ovnguard.reconciler.apply.frr.bgp_state import read_bgp
from ovnguard.reconciler.loop.process.metrics import Metrics
from ovnguard.reconciler.loop.status.zone_state import NO_BGP, BgpStatus
from ovnguard.reconciler.loop.zone.bgp_loop import BgpLoop, BgpParts
from ovnguard.reconciler.loop.zone.bgp_metrics import BgpMetrics
from ovnguard.reconciler.plan.desired_state import DesiredState, JudgedNetworks, plan_networks
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.declared.node import ParsedNode
from ovnguard.validators.network.model import ManagedBGP, Network
from tests.support.frr_nodes import bare_nodes, counters, file_of, vtysh_of
from tests.support.monitoring import engine as monitoring
from tests.support.monitoring.engine import Engine, alerts_of, bystanders, faulty, panels_of, reconciler
from tests.support.monitoring.scrapes import Scrape, State, parse, settled
from tests.support.plan_samples import default_network, nodes
from tests.testbed.frr import FrrLab, FrrNode
from tests.testbed.process import wait_until

engine = monitoring.engine
LabFactory = Callable[[Sequence[FrrNode]], FrrLab]
PEER3: Final = "172.18.0.4"


def desired(network: Network, count: int) -> DesiredState:
    judged = JudgedNetworks((), (network,))
    return plan_networks(judged, [ParsedNode(each) for each in nodes(count)], Settings())


class Member:
    """One node with its loop, whose clock a test may turn forward."""

    def __init__(self, node: FrrNode) -> None:
        self.node = node
        self.metrics = Metrics()
        self.skipped = 0.0
        vtysh = vtysh_of(node)
        given = BgpParts(
            file_of(node, vtysh).write,
            partial(read_bgp, vtysh),
            metrics=BgpMetrics(self.metrics.registry),
            monotonic=self.monotonic,
        )
        self.loop = BgpLoop(node.name, given)

    def monotonic(self) -> float:
        return time.monotonic() + self.skipped

    def tick(self, state: DesiredState, skip: float = 0.0) -> BgpStatus:
        """One pass, ``skip`` seconds later."""
        self.skipped += skip
        (text,) = (zone.frr_file for zone in state.plan.zones if zone.node == self.node.name)
        assert text is not None
        self.loop.write(text)
        return self.loop.look(state)

    def settles(self, state: DesiredState) -> bool:
        """Whether FRR runs the plan and nothing is missing after a pass; a look is always due."""
        status = self.tick(state, 5.0)
        is_whole = replace(status, sessions=None) == NO_BGP
        return is_whole and self.sample("incomplete_since_timestamp_seconds") == 0

    def sample(self, name: str) -> float:
        lines = self.metrics.exposition()[1].decode().splitlines()
        return next(float(each.split()[-1]) for each in lines if each.startswith(f"ovnk_reconcile_bgp_{name} "))


def settle(members: Sequence[Member], state: DesiredState) -> bool:
    """One pass of each member; whether nothing is missing anywhere."""
    return all([*map(partial(Member.settles, state=state), members)])


def test_a_mesh_is_done_when_its_last_session_is(frr_lab: LabFactory) -> None:
    state = desired(default_network(), 3)
    lab = frr_lab(bare_nodes(nodes(3)))
    first, second, third = (Member(node) for node in lab.nodes.values())
    first.tick(state)
    second.tick(state)
    wait_until(lambda: len(lab["node1"].bgp_routes()) == 1, "the route of node2", 60)
    status = first.tick(state, 5.0)
    assert status.failures == ()
    assert status.texts[0].startswith(f"BGP of node node1: 1 of 2 sessions not Established: session with {PEER3} is ")
    assert status.missing["default"].startswith(
        "not learnt from other nodes: 10.128.6.0/23 of node node3: session with"
    )
    assert (first.sample("sessions_wanted"), first.sample("sessions_established")) == (2, 1)
    assert (first.sample("routes_missing"), first.sample("convergence_seconds_count")) == (1, 0)
    late = first.tick(state, 130.0)
    assert late.failures == ("BGP of node node1 has not converged within 120 s",)
    third.tick(state)
    wait_until(partial(settle, (first, second, third), state), "the mesh", 60)
    assert (first.sample("sessions_established"), first.sample("routes_missing")) == (2, 0)
    assert (first.sample("convergence_seconds_count"), first.sample("incomplete_since_timestamp_seconds")) == (1, 0)
    assert first.sample("last_reload_succeeded") == 1


def test_a_restarted_bgpd_and_one_that_hangs_are_failures_until_they_answer(frr_lab: LabFactory) -> None:
    state = desired(default_network(), 2)
    lab = frr_lab(bare_nodes(nodes(2)))
    members = [Member(node) for node in lab.nodes.values()]
    wait_until(partial(settle, members, state), "the mesh", 60)
    first, node = members[0], lab["node1"]
    vtysh = node.program("vtysh")
    node.kill("bgpd")
    status = first.tick(state, 30.0)
    assert status.failures == (
        f"{vtysh}: show running-config bgpd: no configuration in its output; does bgpd run?",
        f"BGP of node node1: {vtysh}: show bgp vrf all summary json: bgpd is not running",
    )
    assert first.sample("last_reload_succeeded") == 0
    node.revive("bgpd", "")
    wait_until(partial(settle, members, state), "the mesh again", 60)
    assert first.sample("last_reload_succeeded") == 1
    os.kill(node.pids["zebra"], signal.SIGSTOP)
    try:
        hung = Member(node)
        hung.loop = BgpLoop("node1", BgpParts(file_of(node, vtysh_of(node, 0.5)).write, monotonic=hung.monotonic))
        assert hung.tick(state).failures == (f"{vtysh} did not end within 0.5 s",)
        assert 0 < (hung.loop.due() or 0) <= 5.0
    finally:
        os.kill(node.pids["zebra"], signal.SIGCONT)
    wait_until(lambda: first.settles(state), "zebra", 60)


def test_alerts_begin_and_end_once(frr_lab: LabFactory, engine: Engine) -> None:
    state = desired(default_network(), 2)
    lab = frr_lab(bare_nodes(nodes(2)))
    members = [Member(node) for node in lab.nodes.values()]
    first, pod = members[0], reconciler("node")

    def scraped(name: str, number: float) -> State:
        """The state in which a sample has that number, after a pass of each member for every scrape."""

        def read() -> Scrape:
            for member in members:
                member.tick(state, 5.0)
            return parse(first.metrics.exposition()[1].decode(), time.time())

        return settled(read, lambda found: found.value(f"ovnk_reconcile_bgp_{name}") == number)

    wait_until(partial(settle, members, state), "the mesh", 60)
    before = scraped("sessions_established", 1)
    lab["node2"].kill("bgpd")
    incomplete = scraped("sessions_established", 0)
    lab["node2"].revive("bgpd", "")
    wait_until(partial(settle, members, state), "the mesh again", 60)
    lab["node1"].kill("bgpd")
    unloaded = scraped("last_reload_succeeded", 0)
    lab["node1"].revive("bgpd", "")
    wait_until(partial(settle, members, state), "the mesh once more", 60)
    later = scraped("sessions_established", 1)
    broken = [*bystanders(), faulty(pod, before, incomplete, later)]
    engine.fires(broken, "OvnguardBgpIncomplete")
    engine.shows(broken, [*panels_of("bgp")])
    engine.fires([*bystanders(), faulty(pod, before, unloaded, later)], "OvnguardFrrReloadFails")
    assert alerts_of("bgp") == {"OvnguardBgpIncomplete", "OvnguardFrrReloadFails"}


def test_a_node_that_joins_resets_no_session(frr_lab: LabFactory) -> None:
    lab = frr_lab(bare_nodes(nodes(4)))
    members = [Member(node) for node in lab.nodes.values()]
    three, four = desired(default_network(), 3), desired(default_network(), 4)
    wait_until(partial(settle, members[:3], three), "three nodes", 60)
    before = counters(lab["node1"])
    wait_until(partial(settle, members, four), "four nodes", 60)
    assert {peer: count for peer, count in counters(lab["node1"]).items() if peer in before} == before


def test_another_as_number_on_all_nodes_at_once(frr_lab: LabFactory) -> None:
    lab = frr_lab(bare_nodes(nodes(3)))
    members = [Member(node) for node in lab.nodes.values()]
    old, new = (desired(default_network(managed_bgp=ManagedBGP(asn, "full-mesh")), 3) for asn in (64512, 64600))
    wait_until(partial(settle, members, old), "the old number", 60)
    wait_until(partial(settle, members, new), "the new number", 90)
    assert lab["node1"].json("show bgp summary")["ipv4Unicast"]["as"] == 64600
