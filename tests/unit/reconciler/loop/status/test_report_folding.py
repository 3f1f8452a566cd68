"""Reports of all zones as one sentence per network, and whose reports count."""

from typing import Any

from reconciler.apply.kube_report import KEY
from reconciler.loop.status.report_folding import PAUSE, STALE, ReportFolder, Trouble
from reconciler.loop.status.zone_report import Problem, ZoneReport, to_json


def report(node: str, problems: dict[str, Problem], version: str = "1") -> dict[str, Any]:
    # the name in the document is not believed
    text = to_json(ZoneReport("liar", "own", 1, problems), "2000-01-01T00:00:00Z", 300.0)
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
    folded = folder.fold(objects, {"a", "b", "c"})
    assert folded.troubles == {"x": Trouble((("a", A), ("b", A)))}
    assert (folded.silent, folded.gone) == ((), ("gone",))
    seconds = STALE
    objects[0] = report("a", {"x": B}, "2")
    assert folder.fold(objects, {"a", "b", "c"}).troubles == {"x": Trouble((("a", B), ("b", A)))}
    seconds += PAUSE
    folded = folder.fold(objects, {"a", "b", "c"})
    # the clock of the report itself, which is of the year 2000, does not matter
    assert folded.troubles == {"x": Trouble((("a", B),))}
    assert (folded.silent, folded.gone) == (("b",), ("gone",))


def test_reports_are_folded_from_time_to_time():
    seconds = 0.0
    folder = ReportFolder(lambda: seconds)
    assert folder.fold([], {"a"}).troubles == {}
    assert folder.fold([report("a", {"x": A})], {"a"}).troubles == {}
    seconds = PAUSE
    assert folder.fold([report("a", {"x": A})], {"a"}).troubles == {"x": Trouble((("a", A),))}


def test_an_object_without_a_report_is_one_without_problems():
    folder = ReportFolder(lambda: 0.0)
    metadata = {"name": "ovnguard-zone-a", "resourceVersion": "1"}
    assert folder.fold([{"metadata": metadata, "data": None}], {"a"}).troubles == {}
