"""What a zone reports while a network waits, while the zone fails, and when."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from ovnguard.reconciler.apply.kube_report import PAUSE, ReportPublisher
from ovnguard.reconciler.loop.status.zone_report import Problem, ZoneReport, mark_of
from ovnguard.reconciler.loop.status.zone_reporter import SETTLING, ZoneReporter
from ovnguard.reconciler.loop.status.zone_state import BgpStatus, PassResult
from ovnguard.reconciler.plan.rows.settings import Settings
from tests.support.fake_cluster import ID, KEYS, TRANSIT, Cluster, cudn, desired_state, judged, node

RECORD: dict[str, Any] = {ID: "7", TRANSIT: "100.88.0.0/16", KEYS: "[16711690,16715780]"}
NAME = "cluster_udn_blue"
FINE = PassResult()
OWNER = {"metadata": {"name": "n1", "uid": "u1"}}


class NotedReports(ReportPublisher):
    """Notes what it is asked to publish."""

    def __init__(self, *dependencies: Any) -> None:
        super().__init__(*dependencies)
        self.reports: list[Any] = []

    def publish(self, content: object, document: Callable[[str, float], str], owner: dict[str, Any]) -> None:
        self.reports.append(content)
        super().publish(content, document, owner)


class Bench:
    """A zone whose one network is recorded or not."""

    def __init__(self) -> None:
        self.seconds = 100.0
        publisher = NotedReports(self, "ours", "n1", lambda: datetime(2026, 1, 1, tzinfo=UTC), lambda: self.seconds)
        self.reports = publisher.reports
        self.reporter = ZoneReporter(publisher, "n1", "own")
        self.written = 0

    def request(self, *_: Any) -> dict[str, Any]:
        self.written += 1
        return {}

    def watch(self, *_: Any) -> Any:
        raise AssertionError("nobody watches here")

    def report(self, annotations: dict[str, Any], result: PassResult = FINE) -> ZoneReport:
        cluster = Cluster(node(), cudn("blue", **annotations))
        self.mark = mark_of(cluster.get("blue"))
        self.reporter.publish(OWNER, desired_state(cluster, judged, Settings(), "n1"), result)
        return self.reports[-1]


def test_a_network_that_waits_briefly_is_neither_a_problem_nor_ready():
    bench = Bench()
    first = bench.report({})
    assert (first.networks, first.problems, first.ready) == (0, {}, "")
    assert bench.reporter.due() == SETTLING
    second = bench.report(RECORD)
    assert (second.networks, second.problems, second.ready) == (1, {}, bench.mark)
    # the first report, of no network, is followed by this one after the pause
    assert (bench.written, bench.reporter.due()) == (1, PAUSE)
    bench.seconds += PAUSE
    bench.report(RECORD)
    assert (bench.written, bench.reporter.due()) == (2, None)


def test_a_network_that_waits_for_long_is_a_problem():
    bench = Bench()
    bench.report({})
    bench.seconds += SETTLING
    found = bench.report({})
    assert found.problems[NAME].state == "Waiting"
    assert found.ready == ""


def test_routes_that_are_missing_for_a_moment_leave_a_network_ready():
    bench = Bench()
    bench.report(RECORD)
    missing = PassResult(bgp=BgpStatus(missing={NAME: "not learnt"}))
    assert bench.report(RECORD, missing).ready == bench.mark
    bench.seconds += SETTLING
    found = bench.report(RECORD, missing)
    assert (found.ready, found.problems) == ("", {NAME: Problem("RoutesMissing", "not learnt")})


def test_while_the_zone_fails_no_further_network_is_ready():
    bench = Bench()
    assert bench.report(RECORD, PassResult(failures=["nb is down"])).ready == ""
    assert bench.report(RECORD).ready == bench.mark
    assert bench.report(RECORD, PassResult(failures=["nb is down"])).ready == bench.mark
