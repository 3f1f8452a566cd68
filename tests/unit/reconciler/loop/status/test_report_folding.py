"""Reports of all zones as one sentence per network, and whose reports count."""

import json
from typing import Any

from ovnguard.reconciler.apply.kube_report import KEY
from ovnguard.reconciler.loop.status.report_folding import PAUSE, STALE, ReportFolder, Standing, Trouble
from ovnguard.reconciler.loop.status.zone_report import Problem, ZoneReport, to_json
from tests.support.present import present

MARK = "abcdef"
NODES: dict[str, Any] = {"a": {}, "b": {}, "c": {}}
UNREADY: dict[str, Any] = {"status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}}


def report(node: str, problems: dict[str, Problem], version: str = "1", ready: str = MARK) -> dict[str, Any]:
    # the name in the document is not believed
    text = to_json(ZoneReport("liar", "own", 1, problems, ready=ready), "2000-01-01T00:00:00Z", 300.0)
    return {"metadata": {"name": f"ovnguard-zone-{node}", "resourceVersion": version}, "data": {KEY: text}}


A, B = Problem("Waiting", "no chassis"), Problem("Quarantined", "constraint of secretcorp/vault")


def test_sentences():
    trouble = Trouble((("a", A), ("b", B), ("c", A)))
    assert trouble.reason == "Waiting"
    whole = "on 2 nodes: no chassis, e.g. a; on 1 node: constraint of secretcorp/vault, e.g. b"
    assert trouble.text(public=False) == whole
    assert trouble.text(public=True) == (
        "on 2 nodes: facts about the node or the network are missing, e.g. a; "
        "on 1 node: the database refuses its rows, e.g. b"
    )
    many = Trouble(tuple((f"n{number}", Problem("Waiting", f"m{number}")) for number in range(5)))
    assert many.text(public=False) == (
        "on 1 node: m0, e.g. n0; on 1 node: m1, e.g. n1; on 1 node: m2, e.g. n2; and 2 other problems"
    )


def test_reports_without_a_node_and_of_silent_zones_do_not_count():
    seconds = 0.0
    folder = ReportFolder(lambda: seconds)
    objects = [report("a", {"x": A}), report("b", {"x": A}), report("gone", {"x": B})]
    objects.append({"metadata": {"name": "ovnguard-authority", "resourceVersion": "1"}, "data": objects[0]["data"]})
    folded = folder.fold(objects, NODES)
    assert folded.reported("x") == Trouble((("a", A), ("b", A)))
    assert (folded.silent, folded.gone) == ((), ("gone",))
    seconds = STALE
    objects[0] = report("a", {"x": B}, "2")
    assert folder.fold(objects, NODES).reported("x") == Trouble((("a", B), ("b", A)))
    seconds += PAUSE
    folded = folder.fold(objects, NODES)
    # the clock of the report itself, which is of the year 2000, does not matter
    assert folded.reported("x") == Trouble((("a", B),))
    assert (folded.silent, folded.gone) == (("b",), ("gone",))


def test_the_report_of_an_earlier_node_of_the_name_does_not_count():
    """A Node that returns has a report of before until the garbage collector, or the zone, has come."""
    seconds = 0.0
    folder = ReportFolder(lambda: seconds)
    before, now = ({"a": {"metadata": {"name": "a", "uid": uid}}} for uid in ("old", "new"))
    stale, fresh = report("a", {}), report("a", {}, "2")
    stale["metadata"]["ownerReferences"] = [{"kind": "Node", "name": "a", "uid": "old"}]
    fresh["metadata"]["ownerReferences"] = [{"kind": "Node", "name": "a", "uid": "new"}]
    assert folder.fold([stale], before).standing("x", MARK) == Standing(1, 1)
    seconds = STALE + PAUSE
    assert folder.fold([stale], {}).gone == ("a",)
    seconds += PAUSE
    folded = folder.fold([stale], now)
    missing = Trouble((("a", Problem("NoReport", "the zone does not report")),))
    assert (folded.standing("x", MARK), folded.silent) == (Standing(0, 1, missing), ())
    seconds += PAUSE
    assert folder.fold([fresh], now).standing("x", MARK) == Standing(1, 1)


def test_reports_are_folded_from_time_to_time():
    seconds = 0.0
    folder = ReportFolder(lambda: seconds)
    assert folder.fold((), {"a": {}}).problems == {}
    assert folder.due() is None
    assert folder.fold([report("a", {"x": A})], {"a": {}}).problems == {}
    assert folder.due() == PAUSE
    seconds = PAUSE
    assert folder.fold([report("a", {"x": A})], {"a": {}}).reported("x") == Trouble((("a", A),))


def test_an_object_without_a_report_is_one_without_problems():
    folder = ReportFolder(lambda: 0.0)
    metadata = {"name": "ovnguard-zone-a", "resourceVersion": "1"}
    assert folder.fold([{"metadata": metadata, "data": None}], {"a": {}}).problems == {}


def standing(objects: list[dict[str, Any]], nodes: dict[str, Any] = NODES, mark: str = MARK, **given: Any) -> Standing:
    return ReportFolder(lambda: 0.0).fold(objects, nodes).standing("x", mark, **given)


def test_zones_are_counted():
    everywhere = [report(node, {}) for node in NODES]
    assert standing(everywhere) == (3, 3, None)
    # another generation, or another object of the name
    found = standing(everywhere, mark="fedcba")
    assert (found.ready, found.expected) == (0, 3)
    text = "on 3 nodes: the zone has not reported the network yet, e.g. a"
    assert present(found.trouble).text(public=True) == text
    # a problem counts more than a mark
    found = standing([report("a", {"x": A}), *everywhere[1:]])
    assert found == (2, 3, Trouble((("a", A),)))


def test_only_nodes_that_use_the_network_are_expected():
    objects = [report("a", {}), report("b", {"x": A}, ready="")]
    assert standing(objects, users={"a"}) == (1, 1, None)
    assert standing(objects, users=set()) == (0, 0, None)
    assert standing(objects, users={"a", "b", "gone"}) == (1, 2, Trouble((("b", A),)))


def test_a_zone_without_a_report_is_missing_unless_its_node_is_not_ready():
    found = standing([report("a", {}), report("b", {})])
    assert found == (2, 3, Trouble((("c", Problem("NoReport", "the zone does not report")),)))
    assert standing([report("a", {}), report("b", {})], {**NODES, "c": UNREADY}) == (2, 2, None)
    # of a node that is not ready, what is reported still counts
    assert standing([report("a", {}), report("b", {"x": A})], {"a": UNREADY, "b": UNREADY}).expected == 2
    assert standing([report("a", {}), report("b", {}, ready="")], {"a": {}, "b": UNREADY}) == (1, 1, None)


def test_a_report_of_an_earlier_release_has_no_marks():
    old = report("a", {})
    document = json.loads(old["data"][KEY])
    del document["networks"]["ready"]
    old["data"][KEY] = json.dumps(document)
    assert standing([old], {"a": {}}) == (1, 1, None)


def test_why_a_zone_has_not_reported_a_network():
    failing = report("a", {}, ready="")
    document = json.loads(failing["data"][KEY])
    failing["data"][KEY] = json.dumps({**document, "zone": ["nb is down"]})
    assert present(standing([failing], {"a": {}}).trouble).text(public=False) == (
        "on 1 node: the zone fails: nb is down, e.g. a"
    )
    refused = {"a": "cannot record k8s.ovn.org/node-id=2: 403", "b": "not asked"}
    found = standing([report("a", {"x": A}), report("b", {"x": B})], {"a": {}, "b": {}}, refusals=refused)
    assert found.trouble == Trouble((("a", Problem("NotRecorded", refused["a"])), ("b", B)))
