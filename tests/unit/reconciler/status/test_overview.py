"""What `ovnguard-reconciler status` says of a cluster in which all is well, and after each single change."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from ovnguard.reconciler.loop.status.zone_report import Problem
from ovnguard.reconciler.status.overview import as_json, as_lines, overview_of
from tests.support.paths import ROOT
from tests.support.status_samples import (
    HOLDER,
    LOGS,
    Counts,
    Lists,
    ago,
    condition,
    decision,
    pod,
    report,
    snapshot,
    well,
    zone,
)

ALERT = "docs/runbooks/Ovnguard"
PAGE = "docs/status.md#"
Found = list[tuple[str, str]]


def printed(lists: Lists, **parts: Any) -> str:
    return "\n".join(line.text for line in as_lines(overview_of(snapshot(lists, **parts))))


WELL = """\
all is well

WEBHOOK
  replicas        2 of 2 ready
  certificate     until 2026-01-15T09:00:00Z (in 6d21h)
  authority       until 2027-01-08T09:00:00Z (in 364d21h)
  failure policy  Fail: validate.ovnguard.io, mutate.udn.ovnguard.io; Ignore: 9 webhooks
  refusals        2 in the last hour
                  2m0s ago: CREATE UserDefinedNetwork team/pink by bob: schema
                  2m10s ago: CREATE ClusterUserDefinedNetwork red by alice: OVNG-NET-005

LEADER
  mode      own
  leads     worker-a_7_0a1b2c3d, renewed 1s ago
  replicas  2 of 2 ready

ZONES
  NODE      MODE  REPORT  ROWS  DRIFT  HELD  BGP     RELEASE
  worker-a  own   12s     213   -      0     2 of 2  0.1.0
  worker-b  own   12s     213   -      0     2 of 2  0.1.0
  worker-c  own   12s     213   -      0     2 of 2  0.1.0

NETWORKS
  NETWORK                          ZONES   PODS WAITING  STATE
  ClusterUserDefinedNetwork blue   3 of 3  0             Ready
  ClusterUserDefinedNetwork green  3 of 3  0             Ready

RELEASES
  webhook       0.1.0
  leader        0.1.0
  zones         0.1.0 on 3 nodes
  this command  0.1.0
  Kubernetes    v1.34.2"""


def test_all_is_well() -> None:
    assert printed(well()) == WELL
    document = json.loads(as_json(overview_of(snapshot(well()))))
    assert (document["ok"], document["findings"]) == (True, [])
    assert [*document] == ["ok", "time", "findings", "webhook", "leader", "zones", "networks", "releases"]
    assert document["zones"][1] == {
        "node": "worker-b",
        "mode": "own",
        "reportSeconds": 12,
        "rows": 213,
        "drift": None,
        "held": {"networks": 0, "rows": 0},
        "bgp": {"established": 2, "sessions": 2},
        "release": "0.1.0",
        "texts": [],
    }


def deployment(lists: Lists, name: str) -> dict[str, Any]:
    (found,) = (each for each in lists["deployments"] if each["metadata"]["name"] == name)
    return found


def set_ready(lists: Lists, name: str, number: int) -> None:
    deployment(lists, name)["status"]["readyReplicas"] = number


def unseen(lists: Lists) -> None:
    deployment(lists, "ovnguard-webhook")["metadata"]["generation"] = 2


def without_webhook(lists: Lists) -> None:
    lists["deployments"].remove(deployment(lists, "ovnguard-webhook"))


def fail_open(lists: Lists) -> None:
    for kind in ("validatingwebhookconfigurations", "mutatingwebhookconfigurations"):
        lists[kind][0]["webhooks"][0]["failurePolicy"] = "Ignore"


def untrusted(lists: Lists) -> None:
    del lists["mutatingwebhookconfigurations"][0]["webhooks"][1]["clientConfig"]["caBundle"]


def lease(lists: Lists, holder: str, **age: float) -> None:
    lists["leases"][0]["spec"]["holderIdentity"] = holder
    lists["leases"][0]["metadata"]["managedFields"][0]["time"] = ago(**age)


def reported(lists: Lists, **changed: Any) -> None:
    lists["reports"][1] = report("worker-b", zone("worker-b", "", **changed), seconds=12)


def conditioned(lists: Lists, *conditions: dict[str, Any]) -> None:
    lists["clusteruserdefinednetworks"][1]["status"]["conditions"] = list(conditions)


def told_by_reports(lists: Lists, **problems: Problem) -> None:
    conditioned(lists)
    reported(lists, problems=problems)


def old_report(lists: Lists) -> None:
    lists["reports"][0]["metadata"]["managedFields"][0]["time"] = ago(minutes=20)


def unready(lists: Lists) -> None:
    lists["reports"].pop()
    lists["nodes"][2]["status"]["conditions"] = [{"type": "Ready", "status": "Unknown"}]


def running(lists: Lists, image: str) -> None:
    deployment(lists, "ovnguard-webhook")["spec"]["template"]["spec"]["containers"][0]["image"] = image


def upgraded(lists: Lists) -> None:
    running(lists, "registry.example.com/ovnguard:v0.2.0@sha256:0")


def labelled(lists: Lists) -> None:
    running(lists, "registry.example.com/ovnguard@sha256:0")
    deployment(lists, "ovnguard-webhook")["metadata"]["labels"]["app.kubernetes.io/version"] = "0.3.0"


def tagged(lists: Lists) -> None:
    running(lists, "localhost/ovnguard:dev")


NOT_READY = condition("ZonesReady", "False", "RoutesMissing", "1 of 3 zones are ready; on 2 nodes: no, e.g. worker-b")
REFUSED = condition("Accepted", "False", "Conflict", "spec: overlaps (OVNG-L2-001)")
LEASE = "Lease ovnguard-system/ovnguard-reconciler-cluster"
CHANGES: dict[str, tuple[Callable[[Lists], object], Found]] = {
    "no replica": (
        lambda lists: set_ready(lists, "ovnguard-webhook", 0),
        [
            (
                "0 of 2 Pods of the webhook, Deployment ovnguard-system/ovnguard-webhook are ready",
                f"{ALERT}WebhookDown.md",
            )
        ],
    ),
    "one replica": (
        lambda lists: set_ready(lists, "ovnguard-webhook", 1),
        [
            (
                "1 of 2 Pods of the webhook, Deployment ovnguard-system/ovnguard-webhook are ready",
                f"{ALERT}WebhookOneReplica.md",
            )
        ],
    ),
    "not counted": (
        unseen,
        [
            (
                "unknown: how many Pods of the webhook, Deployment ovnguard-system/ovnguard-webhook are ready: "
                "no controller has counted them",
                f"{PAGE}what-cannot-be-read",
            )
        ],
    ),
    "no webhook": (
        without_webhook,
        [
            (
                "the webhook is not installed: there is no Deployment ovnguard-system/ovnguard-webhook",
                "docs/webhook.md#install",
            )
        ],
    ),
    "no registration": (
        lambda lists: lists["validatingwebhookconfigurations"].clear(),
        [
            (
                "the API server asks no webhook: validatingwebhookconfigurations/ovnguard is missing",
                f"{ALERT}AdmissionFailsOpen.md",
            )
        ],
    ),
    "no bundle": (
        untrusted,
        [("no caBundle, so API servers cannot trust mutate.nad.ovnguard.io", f"{ALERT}WebhookUnreachable.md")],
    ),
    "fails open": (
        fail_open,
        [
            (
                "networks may change without a verdict: failurePolicy of validate.ovnguard.io, mutate.udn.ovnguard.io "
                "is not Fail",
                f"{ALERT}AdmissionFailsOpen.md",
            )
        ],
    ),
    "no leader": (
        lambda lists: lease(lists, HOLDER, seconds=72),
        [(f"no process leads: {HOLDER} last renewed {LEASE} 1m12s ago", f"{ALERT}NoLeader.md")],
    ),
    "released": (
        lambda lists: lease(lists, "", seconds=1),
        [(f"no process leads: nobody holds {LEASE}", f"{ALERT}NoLeader.md")],
    ),
    "no lease": (
        lambda lists: lists["leases"].clear(),
        [(f"no process leads: there is no {LEASE}", f"{ALERT}NoLeader.md")],
    ),
    "one leader": (
        lambda lists: set_ready(lists, "ovnguard-reconciler-cluster", 1),
        [
            (
                "1 of 2 Pods of the leader, Deployment ovnguard-system/ovnguard-reconciler-cluster are ready",
                f"{ALERT}ReconcilerDown.md",
            )
        ],
    ),
    "zone down": (
        lambda lists: lists["daemonsets"][0]["status"].update(numberReady=2),
        [
            (
                "2 of 3 Pods of the zones, DaemonSet ovnguard-system/ovnguard-reconciler are ready",
                f"{ALERT}ReconcilerDown.md",
            )
        ],
    ),
    "no report": (lambda lists: lists["reports"].pop(), [("zone worker-c: no report", f"{ALERT}ReportStale.md")]),
    "no report of a node that is down": (unready, []),
    "no reports": (
        lambda lists: lists["reports"].clear(),
        [
            (
                "3 zones: zone worker-a: no report; zone worker-b: no report; zone worker-c: no report",
                f"{ALERT}ReportStale.md",
            )
        ],
    ),
    "old report": (old_report, [("zone worker-a: the report is 20m0s old", f"{ALERT}ReportStale.md")]),
    "drift": (
        lambda lists: reported(lists, mode="audit", counts=Counts(213, 1)),
        [("zone worker-b: 1 row not as planned", f"{ALERT}Drift.md")],
    ),
    "held": (
        lambda lists: reported(lists, counts=Counts(213, None, 1, 7, 2, 2)),
        [("zone worker-b: deletions of 1 network and 7 rows wait", f"{ALERT}DeletionsHeld.md")],
    ),
    "held, with its text": (
        lambda lists: reported(
            lists, counts=Counts(213, None, 0, 7), texts=("deletions of 0 networks and 7 wait: why",)
        ),
        [("zone worker-b: deletions of 0 networks and 7 wait: why", f"{ALERT}DeletionsHeld.md")],
    ),
    "BGP": (
        lambda lists: reported(lists, counts=Counts(213, None, 0, 0, 2, 1)),
        [("zone worker-b: 1 of 2 BGP sessions Established", f"{ALERT}BgpIncomplete.md")],
    ),
    "BGP, with its text": (
        lambda lists: reported(
            lists, counts=Counts(sessions=2, established=1), texts=("BGP of node worker-b: 1 of 2",)
        ),
        [("zone worker-b: BGP of node worker-b: 1 of 2", f"{ALERT}BgpIncomplete.md")],
    ),
    "a database": (
        lambda lists: reported(lists, texts=("nb is down",)),
        [("zone worker-b: nb is down", f"{ALERT}WritesFail.md")],
    ),
    "routes": (
        lambda lists: conditioned(lists, NOT_READY),
        [
            (
                "ClusterUserDefinedNetwork green: RoutesMissing: 1 of 3 zones are ready; on 2 nodes: no, e.g. worker-b",
                f"{ALERT}BgpIncomplete.md",
            )
        ],
    ),
    "not accepted": (
        lambda lists: conditioned(lists, REFUSED),
        [
            (
                "ClusterUserDefinedNetwork green: Conflict: spec: overlaps (OVNG-L2-001)",
                f"{PAGE}a-network-is-not-ready",
            )
        ],
    ),
    "without a condition": (conditioned, []),
    "without a condition, and a report that lacks it": (
        told_by_reports,
        [
            (
                "ClusterUserDefinedNetwork green: NotReported: on 1 node: the zone has not reported the network yet, "
                "e.g. worker-b",
                f"{ALERT}ReportStale.md",
            )
        ],
    ),
    "without a condition, with a problem": (
        lambda lists: told_by_reports(lists, cluster_udn_green=Problem("Quarantined", "constraint violation")),
        [
            (
                "ClusterUserDefinedNetwork green: Quarantined: on 1 node: constraint violation, e.g. worker-b",
                f"{ALERT}WritesFail.md",
            )
        ],
    ),
    "dynamic": (
        lambda lists: conditioned(lists, condition("NodesSelected", "True", "DynamicAllocation", "1 node")),
        [
            (
                "ClusterUserDefinedNetwork green: unknown: neither a condition ZonesReady nor reports tell",
                f"{PAGE}what-cannot-be-read",
            )
        ],
    ),
    "a pod": (
        lambda lists: lists["pods"].append(pod("web", seconds=30)),
        [("1 pod waits for an address in network cluster_udn_blue: blue/web", f"{PAGE}pods-wait-for-an-address")],
    ),
    "a new pod": (lambda lists: lists["pods"].append(pod("web", seconds=9)), []),
    "an upgrade": (
        upgraded,
        [("releases differ: webhook 0.2.0, leader 0.1.0, zones 0.1.0 on 3 nodes", f"{PAGE}releases-differ")],
    ),
    "a label": (
        labelled,
        [("releases differ: webhook 0.3.0, leader 0.1.0, zones 0.1.0 on 3 nodes", f"{PAGE}releases-differ")],
    ),
    "a tag that is no release": (tagged, []),
    "an older zone": (
        lambda lists: reported(lists, release="0.0.9"),
        [
            (
                "releases differ: webhook 0.1.0, leader 0.1.0, zones 0.0.9 on 1 node, 0.1.0 on 2 nodes",
                f"{PAGE}releases-differ",
            )
        ],
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_each_fault_is_named_with_its_page(change: str) -> None:
    act, expected = CHANGES[change]
    lists = well()
    act(lists)
    assert [tuple(each) for each in overview_of(snapshot(lists)).findings] == expected


@pytest.mark.parametrize("page", sorted({page for _, found in CHANGES.values() for _, page in found}))
def test_each_page_exists(page: str) -> None:
    name, _, anchor = page.partition("#")
    text = (ROOT / name).read_text(encoding="utf-8")
    headings = {line.lstrip("# ").lower().replace(" ", "-") for line in text.splitlines() if line.startswith("#")}
    assert not anchor or anchor in headings


def test_what_is_wrong_comes_first_and_what_is_unknown_last() -> None:
    lists = well()
    unseen(lists)
    lease(lists, HOLDER, seconds=72)
    lists["reports"].pop()
    first = printed(lists, faults={"pods": "403 Forbidden: no"}).split("\n\n")[0]
    assert first.splitlines() == [
        f"wrong: no process leads: {HOLDER} last renewed {LEASE} 1m12s ago; see docs/runbooks/OvnguardNoLeader.md",
        "wrong: zone worker-c: no report; see docs/runbooks/OvnguardReportStale.md",
        "unknown: pods cannot be listed: 403 Forbidden: no; see docs/status.md#what-cannot-be-read",
        "unknown: how many Pods of the webhook, Deployment ovnguard-system/ovnguard-webhook are ready: "
        "no controller has counted them; see docs/status.md#what-cannot-be-read",
    ]


def table(lists: Lists, title: str, **parts: Any) -> list[str]:
    (found,) = (each for each in printed(lists, **parts).split("\n\n") if each.startswith(f"{title}\n"))
    return found.splitlines()[1:]


def test_zones_with_faults_come_first_and_what_is_not_counted_is_unknown() -> None:
    lists = well()
    lists["reports"][2] = report("worker-c", zone("worker-c", "", release="", counts=Counts()), seconds=12)
    lists["reports"].pop(1)
    assert table(lists, "ZONES") == [
        "  NODE      MODE     REPORT  ROWS     DRIFT    HELD     BGP      RELEASE",
        "  worker-b  unknown  none    unknown  unknown  unknown  unknown  unknown",
        "  worker-a  own      12s     213      -        0        2 of 2   0.1.0",
        "  worker-c  own      12s     unknown  -        unknown  unknown  unknown",
    ]


def test_an_audit_has_drift_and_no_leader() -> None:
    lists = well("kubernetes")
    lists["leases"].clear()
    lists["reports"] = [
        report(name, zone(name, "", mode="audit", counts=Counts(213, 0)), seconds=12) for name in ("worker-a",)
    ]
    lists["nodes"] = lists["nodes"][:1]
    assert overview_of(snapshot(lists)).findings == ()
    assert table(lists, "LEADER") == [
        "  mode      audit",
        "  leads     - (an audit has no leader)",
        "  replicas  1 of 1 ready",
    ]
    assert table(lists, "ZONES")[1] == "  worker-a  audit  12s     213   0      -     unknown  0.1.0"


def test_a_webhook_alone_may_fail_open_with_one_replica() -> None:
    lists = well("dev")
    lists["reports"].clear()
    assert overview_of(snapshot(lists)).findings == ()
    assert (table(lists, "LEADER"), table(lists, "ZONES")) == (["  mode  not installed"], ["  zones  not installed"])
    assert table(lists, "WEBHOOK")[3] == "  failure policy  Fail: none; Ignore: 11 webhooks"


@pytest.mark.parametrize(
    ("logs", "shown"),
    [
        ({}, "  refusals        unknown: the logs of the webhook cannot be read"),
        ({**LOGS, "ovnguard-webhook-y": None}, "  refusals        unknown: the logs of the webhook cannot be read"),
        ({"x": ""}, "  refusals        0 in the last hour"),
        ({"x": decision(0, time=ago(minutes=61))}, "  refusals        0 in the last hour"),
    ],
)
def test_refusals_are_unknown_where_a_log_is(logs: dict[str, str | None], shown: str) -> None:
    assert table(well(), "WEBHOOK", logs=logs)[4] == shown
    assert overview_of(snapshot(well(), logs=logs)).findings == ()


def test_many_refusals_are_a_finding() -> None:
    logs: dict[str, str | None] = {"x": "\n".join(decision(second) for second in range(51))}
    text = (
        "the webhook refused 51 requests in the last hour, the last one: CREATE ClusterUserDefinedNetwork red by alice"
    )
    assert overview_of(snapshot(well(), logs=logs)).findings == ((f"{text}: OVNG-NET-005", f"{ALERT}ManyRefusals.md"),)


def test_a_hundred_zones_are_not_a_hundred_lines() -> None:
    lists = well()
    lists["nodes"] = [{"metadata": {"name": f"n{number:03}"}} for number in range(100)]
    lists["reports"] = [report(f"n{number:03}", zone(f"n{number:03}", ""), seconds=9) for number in range(99)]
    found = table(lists, "ZONES")
    assert (len(found), found[1].split()[:3], found[-1]) == (
        23,
        ["n099", "unknown", "none"],
        "  and 79 more that are well (-o json lists them)",
    )
    assert len(json.loads(as_json(overview_of(snapshot(lists))))["zones"]) == 100


def test_what_others_write_cannot_steer_a_terminal() -> None:
    lists = well()
    lease(lists, "\x1b[2J", seconds=1)
    reported(lists, texts=("\x1b]0;title\x07",), release="\x1b[31m")
    assert "\x1b" not in printed(lists, logs={"x": decision(0, user="\x1b[31m")})
