"""When a network is ready, not ready, and worth a Warning."""

from typing import Any

from ovnguard.reconciler.apply.kube import Condition
from ovnguard.reconciler.loop.status.report_folding import Standing, Trouble
from ovnguard.reconciler.loop.status.zone_report import Problem
from ovnguard.reconciler.loop.status.zones_ready import ZonesReady
from ovnguard.reconciler.plan.inputs.candidates import Candidate, candidate_of, consider
from ovnguard.validators.network.cluster_view import ObjectsView
from tests.support.fake_cluster import cudn, judged, node

READY = Standing(3, 3)


def lacking(state: str, text: str = "because") -> Standing:
    return Standing(2, 3, Trouble((("c", Problem(state, text)),)))


class Bench:
    def __init__(self) -> None:
        self.seconds = 50.0
        self.obj: dict[str, Any] = cudn("blue")
        self.obj["metadata"]["uid"] = "u"
        self.zones = self.another()

    def another(self) -> ZonesReady:
        return ZonesReady(lambda: self.seconds)

    @property
    def candidate(self) -> Candidate:
        view = ObjectsView([node(), self.obj])
        return consider([self.obj], lambda obj: candidate_of(obj, judged(obj, view)))[0]

    def look(self, standing: Standing) -> tuple[str, bool]:
        """The condition that is written, and whether it is an Event now."""
        found = self.zones.condition(self.candidate, self.obj, standing)
        if found is None:
            return "", False
        self.store(found)
        return f"{found.status} {found.reason}: {found.message}", self.zones.news(self.obj, found)

    def store(self, found: Condition) -> None:
        status = "True" if found.status else "False"
        entry = {"type": found.type, "status": status, "reason": found.reason, "message": found.message}
        self.obj["status"] = {"conditions": [entry]}


def test_a_healthy_network_has_a_condition_at_once_and_no_event():
    bench = Bench()
    assert bench.look(READY) == ("True Ready: 3 of 3 zones are ready.", False)
    assert bench.zones.due() is None


def test_a_failure_is_a_condition_at_once_and_a_warning_when_it_lasts():
    bench = Bench()
    text = "False Quarantined: 2 of 3 zones are ready; on 1 node: because, e.g. c"
    assert bench.look(lacking("Quarantined")) == (text, False)
    assert bench.zones.due() == 10.0
    bench.seconds += 10
    assert bench.look(lacking("Quarantined")) == (text, True)
    assert bench.look(lacking("Quarantined")) == (text, False)
    assert bench.look(READY) == ("True Ready: 3 of 3 zones are ready.", True)
    assert bench.look(READY) == ("True Ready: 3 of 3 zones are ready.", False)


def test_a_failure_that_ends_soon_is_no_event():
    bench = Bench()
    bench.look(lacking("Quarantined"))
    bench.seconds += 9
    assert bench.look(READY) == ("True Ready: 3 of 3 zones are ready.", False)
    bench.seconds += 9
    assert bench.look(lacking("Quarantined"))[1] is False


def test_what_is_not_reported_yet_changes_nothing_for_a_moment():
    bench = Bench()
    bench.look(READY)
    assert bench.look(lacking("NotReported")) == ("", False)
    assert bench.zones.due() == 4.0
    bench.seconds += 4
    text = "False NotReported: 2 of 3 zones are ready; on 1 node: because, e.g. c"
    assert bench.look(lacking("NotReported")) == (text, False)
    # a condition that is false says at once what is new
    assert bench.look(lacking("NotReported", "other"))[0].endswith("on 1 node: other, e.g. c")


def test_a_node_that_joins_has_a_minute_to_report():
    bench = Bench()
    bench.look(READY)
    assert bench.look(lacking("NoReport")) == ("", False)
    bench.seconds += 59
    assert bench.look(lacking("NoReport")) == ("", False)
    # meanwhile, the other zones have as long as ever
    other = Standing(1, 3, Trouble((("b", Problem("NotReported", "b")), ("c", Problem("NoReport", "c")))))
    assert bench.look(other) == ("", False)
    bench.seconds += 1
    assert bench.look(lacking("NoReport"))[1] is True


def test_a_new_leader_reports_nothing_twice():
    bench = Bench()
    bench.look(lacking("Quarantined"))
    bench.seconds += 10
    bench.look(lacking("Quarantined"))
    bench.zones = bench.another()
    bench.look(lacking("Quarantined"))
    bench.seconds += 10
    assert bench.look(lacking("Quarantined"))[1] is False
    assert bench.look(READY)[1] is True


def test_networks_that_are_gone_are_forgotten():
    bench = Bench()
    bench.look(lacking("NotReported"))
    bench.zones.keep({"other": {}})
    assert bench.zones.due() is None


def test_a_network_without_conditions_has_trouble_when_it_lasts():
    bench = Bench()
    assert bench.zones.lasting(bench.candidate, bench.obj, lacking("Drift")) is None
    bench.seconds += 10
    found = bench.zones.lasting(bench.candidate, bench.obj, lacking("Drift"))
    assert found is not None
    assert (found.reason, found.message) == ("Drift", "on 1 node: because, e.g. c")
