"""frr.conf is loaded when changes have settled, and a partial mesh is never reported as done. Time is simulated."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from ovnguard.reconciler.apply.store_errors import FrrForeignError, FrrRefusedError, StoreError, StoreUnavailableError
from ovnguard.reconciler.loop.status.zone_state import NO_BGP, BgpStatus
from ovnguard.reconciler.loop.zone.bgp_loop import BgpLoop, BgpParts
from ovnguard.reconciler.loop.zone.bgp_metrics import BgpMetrics, BgpNumbers
from ovnguard.reconciler.plan.bgp.convergence import Convergence, MissingRoute, MissingSession
from ovnguard.reconciler.plan.bgp.wanted_routes import Session, WantedRoute
from ovnguard.reconciler.plan.desired_state import DesiredState, JudgedNetworks, plan_networks
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.declared.node import ParsedNode
from tests.support.plan_samples import default_network, nodes

CONF = "router bgp 64512\n neighbor 172.18.0.3 remote-as 64512\n neighbor 172.18.0.4 remote-as 64512\n"
PEER = Session("172.18.0.4")


def desired(count: int = 3) -> DesiredState:
    judged = JudgedNetworks((), (default_network(),))
    return plan_networks(judged, [ParsedNode(each, ()) for each in nodes(count)], Settings())


class Bench(BgpMetrics):
    """A node whose FRR a test controls, and a clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0
        self.written: list[tuple[float, str]] = []
        self.error: StoreError | None = None
        self.unreadable: StoreError | None = None
        self.is_up = True
        self.reads = 0
        self.goals: list[tuple[int, int]] = []
        self.numbers: BgpNumbers | None = None
        self.reloads: list[bool] = []
        self.times: list[float] = []
        self.texts: set[str] = set()
        self.desired = desired()

    def loop(self, **parts: Any) -> BgpLoop:
        given = BgpParts(self.write, self.read, metrics=self, monotonic=lambda: self.now, clock=lambda: self.now + 1000)
        return BgpLoop("node1", replace(given, **parts))

    def write(self, text: str) -> bool:
        if self.error is not None:
            self.written.append((self.now, "failed"))
            raise self.error
        changed = text not in self.texts
        self.texts = {text}
        if changed:
            self.written.append((self.now, text))
        return changed

    def read(
        self, sessions: Sequence[Session], routes: Sequence[WantedRoute], down: Mapping[Session, float]
    ) -> Convergence:
        self.reads += 1
        if self.unreadable is not None:
            raise self.unreadable
        if self.is_up:
            return Convergence(len(sessions), len(routes))
        session = MissingSession(PEER, "Active", down.get(PEER, 0.0), "Connection refused")
        missing = tuple(MissingRoute(each, str(session)) for each in routes if each.node == "node3")
        return Convergence(len(sessions), len(routes), (session,), missing)

    def set(self, numbers: BgpNumbers) -> None:
        self.numbers = numbers

    def reloaded(self, *, succeeded: bool, at: float) -> None:
        self.reloads.append(succeeded)

    def converged(self, seconds: float) -> None:
        self.times.append(seconds)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_the_first_configuration_is_written_at_once_and_changes_after_they_settle(bench: Bench):
    loop = bench.loop()
    assert loop.due() is None
    assert loop.write("one\n")
    bench.now = 110.0
    assert not loop.write("two\n")
    assert loop.due() == 3.0
    bench.now = 112.0
    assert not loop.write("three\n")
    bench.now = 113.0
    assert loop.write("three\n")
    assert bench.written == [(100.0, "one\n"), (113.0, "three\n")]
    assert bench.reloads == [True, True]


def test_what_frr_runs_is_compared_every_half_minute(bench: Bench):
    loop = bench.loop(read=None)
    loop.write("one\n")
    assert loop.due() == 30.0
    bench.texts.clear()
    bench.now = 129.9
    assert not loop.write("one\n")
    bench.now = 130.0
    assert loop.write("one\n")


def test_failures_are_retried_later_and_later_and_a_change_after_the_usual_time(bench: Bench):
    loop = bench.loop(read=None)
    bench.error = FrrRefusedError("frr.conf: line 1")
    times = []
    for _ in range(9):
        assert not loop.write("one\n")
        assert loop.look(bench.desired) == BgpStatus(("frr.conf: line 1",))
        due = loop.due()
        assert due is not None
        times.append(due)
        bench.now += due
    assert times == [5, 10, 20, 40, 80, 160, 300, 300, 300]
    bench.error = None
    bench.now -= 100
    assert not loop.write("two\n")
    bench.now += 3
    assert loop.write("two\n")
    assert loop.look(bench.desired) == NO_BGP
    assert bench.reloads == [False] * 9 + [True]


def test_a_file_of_somebody_else_is_the_callers_matter(bench: Bench):
    loop = bench.loop()
    bench.error = FrrForeignError("frr.conf: of somebody else")
    for _ in range(2):
        with pytest.raises(FrrForeignError):
            loop.write("one\n")


def test_a_partial_mesh_is_no_success_and_its_text_is_steady(bench: Bench):
    loop = bench.loop()
    loop.write(CONF)
    bench.is_up = False
    session = "session with 172.18.0.4 is Active: Connection refused"
    network = f"not learnt from other nodes: 10.128.6.0/23 of node node3: {session}"
    texts = (
        f"BGP of node node1: 1 of 2 sessions not Established: {session}",
        f"network default, node node1: {network}",
    )
    assert loop.look(bench.desired) == BgpStatus((), texts, {"default": network}, (1, 2))
    seen = []
    for _ in range(12):
        bench.now += 5
        seen.append(loop.look(bench.desired).texts[0].partition("Active")[2].partition(":")[0])
    assert seen == ["", *[" for 10 s"] * 6, *[" for 40 s"] * 5]
    assert bench.numbers == BgpNumbers(2, 1, 2, 1, 1100.0, 120.0)


def test_convergence_is_measured_and_the_budget_is_a_failure(bench: Bench):
    loop = bench.loop(budget=20.0)
    loop.write(CONF)
    bench.is_up = False
    for seconds in (0, 5, 10, 15, 20):
        bench.now = 100.0 + seconds
        assert loop.look(bench.desired).failures == ()
    bench.now = 125.0
    assert loop.look(bench.desired).failures == ("BGP of node node1 has not converged within 20 s",)
    bench.is_up = True
    bench.now = 130.0
    assert loop.look(bench.desired) == BgpStatus(sessions=(2, 2))
    assert bench.times == [30.0]
    assert bench.numbers == BgpNumbers(2, 2, 2, 0, 0.0, 20.0)


def test_what_frr_does_not_run_yet_is_not_complete(bench: Bench):
    loop = bench.loop()
    loop.write(CONF)
    loop.look(bench.desired)
    bench.now = 200.0
    loop.write(CONF + "! more\n")
    loop.look(bench.desired)
    assert bench.numbers is not None
    assert bench.numbers.incomplete_since == 1200.0
    bench.now = 203.0
    bench.error = FrrRefusedError("frr.conf: line 1")
    loop.write(CONF + "! more\n")
    bench.now = 206.0
    loop.look(bench.desired)
    assert bench.numbers.incomplete_since == 1200.0
    bench.error = None
    bench.now = 208.0
    loop.write(CONF + "! more\n")
    loop.look(bench.desired)
    assert bench.numbers.incomplete_since == 0.0
    assert bench.times == [0.0, 8.0]


def test_frr_is_asked_in_steps(bench: Bench):
    loop = bench.loop()
    loop.write(CONF)
    for _ in range(5):
        loop.look(bench.desired)
    assert bench.reads == 1
    bench.is_up = False
    bench.now += 30
    loop.look(bench.desired)
    assert (bench.reads, loop.due()) == (2, 5.0)


def test_another_plan_is_looked_at_at_once(bench: Bench):
    loop = bench.loop()
    loop.write(CONF)
    loop.look(bench.desired)
    loop.look(desired(4))
    assert bench.reads == 2
    assert bench.numbers is not None
    assert bench.numbers.routes == 3


def test_without_bgp_nothing_is_asked(bench: Bench):
    loop = bench.loop()
    assert loop.look(bench.desired) == BgpStatus(sessions=(0, 0))
    loop.write("")
    assert loop.look(desired(1)) == BgpStatus(sessions=(0, 0))
    assert bench.reads == 0


def test_an_frr_that_cannot_be_asked_is_a_failure(bench: Bench):
    loop = bench.loop()
    loop.write(CONF)
    bench.unreadable = StoreUnavailableError("vtysh did not end within 10 s")
    for _ in range(2):
        failures = ("BGP of node node1: vtysh did not end within 10 s",)
        assert loop.look(bench.desired) == BgpStatus(failures)
    assert bench.reads == 1
    pauses = []
    for _ in range(3):
        pauses.append(loop.due())
        bench.now += loop.due() or 0
        loop.look(bench.desired)
    assert pauses == [5, 10, 15]


def test_without_vtysh_the_status_says_that_nothing_is_known(bench: Bench):
    loop = bench.loop(read=None, unread="not verified")
    assert loop.look(bench.desired) == NO_BGP
    loop.write(CONF)
    assert loop.look(bench.desired) == BgpStatus((), ("not verified",))


def test_what_waits_for_another_reason_is_not_due(bench: Bench):
    """A tick that may not write must not be followed by the next one at once."""
    loop = bench.loop(read=None)
    loop.write("one\n")
    bench.now = 200.0
    assert loop.due() is None
