"""What a zone reports, and what a reader takes from documents that anybody may have written."""

import json
from dataclasses import replace
from typing import Any

import pytest

from ovnguard.reconciler.apply.deletion_brake import HeldDeletions
from ovnguard.reconciler.apply.kube_report import KEY, MAX_DOCUMENT, ReportPublisher
from ovnguard.reconciler.apply.ovn.quarantine import Refusal
from ovnguard.reconciler.loop.status.zone_report import (
    MAX_NETWORKS,
    MAX_TEXT,
    Problem,
    ZoneReport,
    contents_of,
    mark_of,
    report_of,
    supports_legacy,
    to_json,
)
from ovnguard.reconciler.loop.status.zone_state import BgpStatus, PassResult, Written
from ovnguard.reconciler.plan.rows.settings import Settings
from tests.support.fake_cluster import ID, KEYS, TRANSIT, Cluster, World, cudn, desired_state, judged, node

RECORD: dict[str, Any] = {ID: "7", TRANSIT: "100.88.0.0/16", KEYS: "[16711690,16715780]"}


def refused(name: str):
    bad = cudn(name, "10.20.0.0/16")
    bad["spec"]["network"]["layer2"]["joinSubnets"] = ["10.20.128.0/17"]
    bad["metadata"]["generation"] = 4
    return bad


def test_every_reason_for_which_a_network_is_not_written_here():
    other: dict[str, Any] = {**RECORD, ID: "8", KEYS: "[16711691,16715781]"}
    cluster = Cluster(
        node(),
        refused("red"),
        cudn("waits", "10.21.0.0/16"),
        cudn("fine", "10.22.0.0/16", **RECORD),
        cudn("locked", "10.23.0.0/16", second=1, **other),
    )
    desired = desired_state(cluster, judged, Settings(), "n1")
    refusals = (Refusal("cluster_udn_locked", "constraint violation", 1, 0.0), Refusal("", "no meters", 1, 0.0))
    held_deletions = HeldDeletions(("a",), 3, "why")
    done = Written(refusals=refusals, held_deletions=held_deletions, foreign="frr.conf: is of somebody else")
    found = report_of(desired, "n1", "own", PassResult(done, ["nb is down", "nb is down"]))
    assert {name: each.state for name, each in found.problems.items()} == {
        "cluster_udn_red": "Refused",
        "cluster_udn_waits": "Waiting",
        "cluster_udn_locked": "Quarantined",
    }
    assert found.problems["cluster_udn_red"].generation == 4
    assert found.problems["cluster_udn_locked"].message == "constraint violation"
    assert found.networks == 4
    assert found.texts == (
        "nb is down",
        "shared rows: not written: no meters",
        "deletions of 1 networks (a) and 3 other rows wait: why",
        "frr.conf: is of somebody else",
    )


def test_drift_is_the_least_of_problems():
    desired = desired_state(Cluster(node(), refused("red"), cudn("fine", **RECORD)), judged, Settings(), "n1")
    drift = {"cluster_udn_fine": {"b", "a" * 999}, "cluster_udn_red": {"c"}, "": {"d"}, "gone": {"e"}}
    found = report_of(desired, "n1", "audit", PassResult(drift=drift))
    assert {name: each.state for name, each in found.problems.items()} == {
        "cluster_udn_fine": "Drift",
        "cluster_udn_red": "Refused",
        "gone": "Drift",
    }
    assert found.problems["gone"] == Problem("Drift", "e")
    message = found.problems["cluster_udn_fine"].message
    assert (len(message), message.endswith("a (and 1 more)")) == (MAX_TEXT, True)


def test_a_node_that_is_not_ready_is_about_the_zone():
    cluster = Cluster({**node(), "metadata": {"name": "n1"}}, cudn("blue", **RECORD))
    desired = desired_state(cluster, judged, Settings(), "n1")
    found = report_of(desired, "n1", "own", PassResult())
    assert found.texts == ("node n1: waiting for k8s.ovn.org/node-id",)


def test_a_report_is_bounded():
    objects = [cudn(f"n{number}", f"10.{number}.0.0/16") for number in range(MAX_NETWORKS + 7)]
    desired = desired_state(Cluster(node(), *objects), judged, Settings(), "n1")
    refusals = tuple(Refusal(each.name, "x" * 10_000, 1, 0.0) for each in desired.candidates)
    found = report_of(
        desired, "n1", "own", PassResult(Written(refusals=refusals), [f"{n}" + "y" * 10_000 for n in range(20)])
    )
    assert (len(found.problems), found.omitted, len(found.texts)) == (MAX_NETWORKS, 7, 5)
    assert {len(each.message) for each in found.problems.values()} == {MAX_TEXT}
    assert len(to_json(found, "now", 300.0)) < MAX_DOCUMENT


def test_what_is_written_is_read():
    problems = {"a": Problem("Waiting", "because", 3)}
    text = to_json(ZoneReport("n1", "own", 2, problems, 1, ("t",)), "2026-01-01T00:00:00Z", 300.0)
    assert contents_of(text).problems == problems
    assert json.loads(text) == {
        "version": 1,
        "node": "n1",
        "mode": "own",
        "time": "2026-01-01T00:00:00Z",
        "renewedWithinSeconds": 300.0,
        "networks": {
            "total": 2,
            "ready": "",
            "problems": {"a": {"state": "Waiting", "message": "because", "generation": 3}},
            "omitted": 1,
        },
        "layer2Legacy": True,
        "frr": False,
        "release": "",
        "counts": {
            "rows": None,
            "drift": None,
            "heldNetworks": None,
            "heldRows": None,
            "bgpSessions": None,
            "bgpEstablished": None,
        },
        "zone": ["t"],
    }


GOOD: dict[str, Any] = {"state": "Waiting", "message": "m", "generation": 1}
BAD: tuple[Any, ...] = (
    None,
    [],
    {},
    {**GOOD, "state": "Fine"},
    {**GOOD, "state": []},
    {**GOOD, "message": 1},
    {**GOOD, "generation": "1"},
)


@pytest.mark.parametrize(
    "value",
    [
        None,
        7,
        "",
        "{",
        "[" * 100_000,
        "[]",
        '{"version":1}',
        '{"version":1,"networks":[]}',
        '{"version":1,"networks":{"problems":[]}}',
        json.dumps({"version": 2, "networks": {"problems": {"a": GOOD}}}),
        json.dumps({"version": 1, "networks": {"problems": {"a": GOOD}}, "x": "y" * MAX_DOCUMENT}),
        json.dumps({"version": 1, "networks": {"problems": {"a" * 513: GOOD}}}),
        *(json.dumps({"version": 1, "networks": {"problems": {"a": bad}}}) for bad in BAD),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_no_zone_wrote_is_no_problem(value: object):
    assert contents_of(value).problems == {}


def test_what_is_too_long_or_not_text_is_cut():
    many = {f"n{number}": {**GOOD, "message": "a\n\x1b[31m" + "b" * 999} for number in range(99)}
    found = contents_of(json.dumps({"version": 1, "networks": {"problems": many}})).problems
    assert len(found) == MAX_NETWORKS
    assert {each.message for each in found.values()} == {"a  [31m" + "b" * (MAX_TEXT - 7)}


def test_a_zone_publishes_after_every_pass():
    world = World(cudn("blue"))
    published: list[str] = []

    class Client:
        def request(self, *asked):
            published.append(asked[3]["data"][KEY])
            return {}

        def watch(self, *_):
            raise AssertionError("nobody watches here")

    publisher = ReportPublisher(Client(), "ours", "n1", lambda: world.now, lambda: world.seconds)
    world.parts = replace(world.parts, publisher=publisher)
    world.zone = world.zone_of(world.store)
    world.zone.tick()
    world.seconds += 10
    world.settle()
    first, second = map(contents_of, published)
    # what was not recorded before the first pass is written in the second; to wait so briefly is no problem
    assert (first.problems, first.ready) == ({}, "")
    assert (second.problems, second.ready) == ({}, mark_of(world.cluster.get("blue")))
    assert [json.loads(each)["networks"]["total"] for each in published] == [0, 1]


@pytest.mark.parametrize(
    ("text", "supported"),
    [
        (to_json(ZoneReport("n1", "own"), "now", 300.0), True),
        (to_json(ZoneReport("n1", "own", layer2_legacy=False), "now", 300.0), False),
        ("{", True),
        ("[]", True),
        (None, True),
        ('{"layer2Legacy": 0}', True),
    ],
)
def test_in_doubt_a_zone_supports_the_earlier_topology(text, supported):
    assert supports_legacy(text) is supported


def test_routes_that_are_missing_are_a_problem_of_the_network():
    desired = desired_state(Cluster(node(), cudn("fine", "10.22.0.0/16", **RECORD)), judged, Settings(), "n1")
    bgp = BgpStatus(("frr.conf: line 1",), ("1 of 2 sessions not Established",), {"cluster_udn_fine": "not learnt: a"})
    found = report_of(desired, "n1", "own", PassResult(bgp=bgp))
    assert found.problems == {"cluster_udn_fine": Problem("RoutesMissing", "not learnt: a", 0)}
    assert found.texts == ("frr.conf: line 1", "1 of 2 sessions not Established")
    assert contents_of(to_json(found, "now", 300)).problems == found.problems
