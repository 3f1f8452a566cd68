"""Who leads: never two at once, nobody for long, whatever the API server does meanwhile."""

import copy
import logging
import time
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ovnguard.reconciler.loop.process.lease import DEADLINE, DURATION, RETRY, Elector
from ovnguard.validators.cluster.client_protocol import ApiStatusError, ClusterError

PATH = "/apis/coordination.k8s.io/v1/namespaces/ns/leases/leader"


class Server:
    """One Lease with optimistic concurrency, and a clock that all share."""

    def __init__(self) -> None:
        self.now = 100.0
        self.lease: dict | None = None
        self.version = 0
        self.failure: Exception | None = None
        self.unreachable: set[str] = set()
        self.asked: list[str] = []

    def handle(self, who: str, method: str, path: str, body) -> dict:
        self.asked.append(method)
        if self.failure or who in self.unreachable:
            raise self.failure or ClusterError("unreachable")
        if method == "POST":
            assert path == PATH.rpartition("/")[0]
            if self.lease is not None:
                raise ApiStatusError(409, "AlreadyExists", "exists")
        elif self.lease is None:
            raise ApiStatusError(404, "NotFound", "no lease")
        elif method == "PUT" and body["metadata"]["resourceVersion"] != self.lease["metadata"]["resourceVersion"]:
            raise ApiStatusError(409, "Conflict", "changed")
        if method != "GET":
            self.version += 1
            self.lease = copy.deepcopy(cast(dict[str, Any], body))
            self.lease["metadata"]["resourceVersion"] = str(self.version)
        return copy.deepcopy(self.lease or {})


class Seat:
    """The client of one process; its clock may run apart from the others'."""

    def __init__(self, server: Server, name: str) -> None:
        self.server, self.name = server, name
        self.ahead = timedelta(0)
        self.elector = Elector(self, name, ("ns", "leader"), self._clock, lambda: server.now)

    def _clock(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.server.now) + self.ahead

    def request(self, method, path, query=None, body=None, content_type=""):
        assert query is None
        return self.server.handle(self.name, method, path, body)

    def watch(self, *_):
        raise AssertionError("nobody watches here")


def seats(*names: str) -> tuple[Server, list[Seat]]:
    server = Server()
    return server, [Seat(server, name) for name in names]


def leaders(found: list[Seat]) -> list[str]:
    return [seat.name for seat in found if seat.elector.leading()]


def test_the_first_leads_and_says_so_in_the_lease(caplog):
    caplog.set_level(logging.INFO)
    server, (a, b) = seats("a", "b")
    a.elector.step()
    b.elector.step()
    assert leaders([a, b]) == ["a"]
    assert server.lease == {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": "leader", "namespace": "ns", "resourceVersion": "1"},
        "spec": {
            "holderIdentity": "a",
            "acquireTime": "2026-01-01T00:01:40.000000Z",
            "renewTime": "2026-01-01T00:01:40.000000Z",
            "leaseDurationSeconds": 15,
            "leaseTransitions": 0,
        },
    }
    server.now += RETRY
    a.elector.step()
    spec = server.lease["spec"]
    assert (spec["acquireTime"], spec["renewTime"]) == ("2026-01-01T00:01:40.000000Z", "2026-01-01T00:01:42.000000Z")
    assert caplog.messages == ["a leads"]


def test_a_silent_leader_gives_up_before_another_begins(caplog):
    caplog.set_level(logging.INFO)
    server, (a, b) = seats("a", "b")
    a.elector.step()
    server.unreachable = {"a"}
    began = server.now
    while not b.elector.leading():
        a.elector.step()
        b.elector.step()
        assert len(leaders([a, b])) <= 1
        server.now += RETRY
    assert DEADLINE < DURATION <= server.now - began <= DURATION + 2 * RETRY
    assert server.lease is not None
    assert server.lease["spec"]["leaseTransitions"] == 1
    server.unreachable = set()
    a.elector.step()
    assert leaders([a, b]) == ["b"]
    assert (a.elector.lost, b.elector.lost) == (True, False)
    assert caplog.messages == ["a leads", "lease ns/leader: unreachable", "a no longer leads", "b leads"]


def test_a_leader_whose_machine_was_suspended_does_not_lead(monkeypatch):
    server, (a, b) = seats("a", "b")
    clocks = {time.CLOCK_MONOTONIC: 1000.0, time.CLOCK_BOOTTIME: 5000.0}
    elector = Elector(a, "a", ("ns", "leader"), lambda: datetime(2026, 1, 1, tzinfo=UTC))
    with monkeypatch.context() as patched:
        patched.setattr(time, "clock_gettime", clocks.__getitem__)
        elector.step()
        b.elector.step()
        clocks[time.CLOCK_BOOTTIME] += DEADLINE - 0.1
        assert elector.leading()
        # the machine is suspended: the other clock stops, and another machine begins to lead
        clocks[time.CLOCK_BOOTTIME] += 3600
        server.now += 3600
        b.elector.step()
        assert (elector.leading(), b.elector.leading()) == (False, True)
        elector.step()
        assert (elector.leading(), elector.lost) == (False, True)


def test_a_renewal_is_one_request_while_nobody_else_writes():
    server, (a,) = seats("a")
    a.elector.step()
    for _ in range(3):
        server.now += RETRY
        a.elector.step()
    assert server.asked == ["GET", "POST", "GET", "PUT", "PUT", "PUT"]
    # somebody annotates it: what the leader knows is old, and it reads again
    assert server.lease is not None
    server.version += 1
    server.lease["metadata"] |= {"resourceVersion": str(server.version), "annotations": {"a": "b"}}
    server.now += RETRY
    a.elector.step()
    assert server.asked[6:] == ["PUT", "GET", "PUT"]
    assert server.lease["metadata"]["annotations"] == {"a": "b"}
    assert leaders([a]) == ["a"]


def test_a_leader_that_cannot_renew_loses_the_lease_only_to_another_holder():
    server, (a, b) = seats("a", "b")
    a.elector.step()
    b.elector.step()
    server.unreachable = {"a", "b"}
    server.now += DURATION + RETRY
    a.elector.step()
    assert (leaders([a, b]), a.elector.lost) == ([], False)
    server.unreachable = set()
    a.elector.step()
    assert (leaders([a, b]), a.elector.lost) == (["a"], False)
    # who never led loses nothing either, and somebody may clear the holder
    b.elector.step()
    assert server.lease is not None
    server.lease["spec"]["holderIdentity"] = ""
    a.elector.step()
    assert (leaders([a, b]), a.elector.lost, b.elector.lost) == (["a"], False, False)


def test_released_is_free_at_once():
    server, (a, b) = seats("a", "b")
    a.elector.step()
    b.elector.release()
    assert leaders([a, b]) == ["a"]
    a.elector.release()
    assert leaders([a, b]) == []
    b.elector.step()
    assert leaders([a, b]) == ["b"]
    server.failure = ClusterError("gone")
    b.elector.release()
    assert leaders([a, b]) == []


def test_clocks_of_machines_do_not_matter():
    server, (a, b) = seats("a", "b")
    b.ahead = timedelta(days=400)
    for _ in range(20):
        a.elector.step()
        b.elector.step()
        assert leaders([a, b]) == ["a"]
        server.now += RETRY


@pytest.mark.parametrize("code", [403, 500])
def test_refusals_are_logged_once(code, caplog):
    server, (a,) = seats("a")
    server.failure = ApiStatusError(code, "X", "no")
    for _ in range(3):
        a.elector.step()
    assert caplog.messages == [f"lease ns/leader: {code} X: no"]
    assert leaders([a]) == []


@pytest.mark.parametrize("spec", [None, {}, {"holderIdentity": None}, {"leaseDurationSeconds": "x"}])
def test_a_lease_without_a_holder_is_taken(spec):
    server, (a,) = seats("a")
    server.lease = {"metadata": {"name": "leader", "resourceVersion": "0"}, "spec": spec}
    a.elector.step()
    assert leaders([a]) == ["a"]
    assert server.lease["spec"]["holderIdentity"] == "a"


@pytest.mark.parametrize("seconds", ["x", -1, 0, 10**9, None])
def test_a_senseless_duration_is_ours(seconds):
    server, (a,) = seats("a")
    spec = {"holderIdentity": "z", "leaseDurationSeconds": seconds}
    server.lease = {"metadata": {"name": "leader", "resourceVersion": "0"}, "spec": spec}
    a.elector.step()
    server.now += DURATION - 1
    a.elector.step()
    assert leaders([a]) == []
    server.now += 1
    a.elector.step()
    assert leaders([a]) == ["a"]


STEP = st.tuples(st.sampled_from("abc"), st.sampled_from(["step", "step", "step", "release", "cut", "mend"]))


@settings(deadline=None)
@given(st.lists(st.tuples(STEP, st.floats(0, 9)), max_size=60))
def test_never_two_leaders(steps):
    server, found = seats("a", "b", "c")
    by_name = {seat.name: seat for seat in found}
    for (name, what), pause in steps:
        server.now += pause
        if what == "step":
            by_name[name].elector.step()
        elif what == "release":
            by_name[name].elector.release()
        elif what == "cut":
            server.unreachable.add(name)
        else:
            server.unreachable.discard(name)
        assert len(leaders(found)) <= 1


def test_the_next_leader_finds_what_the_last_one_remembered():
    server, (one, two) = seats("one", "two")
    one.elector.step()
    one.elector.remember("ids")
    one.elector.step()
    assert server.lease is not None
    assert server.lease["metadata"]["annotations"] == {"ovnguard.io/remembered": "ids"}
    server.lease["metadata"]["annotations"]["other"] = "stays"
    one.elector.release()
    two.elector.step()
    assert (two.elector.leading(), two.elector.recall()) == (True, "ids")
    two.elector.remember("")
    two.elector.step()
    assert server.lease["metadata"]["annotations"] == {"other": "stays"}
