"""Dynamic allocation as the loop runs it, next to what OVN-Kubernetes recorded of the same objects."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from ovnguard.reconciler.apply.kube import find_condition
from ovnguard.reconciler.loop.activity.activity_status import selected_count, selection_of
from ovnguard.reconciler.loop.activity.leader_activity import LeaderActivity
from ovnguard.reconciler.loop.activity.zone_activity import ZoneActivity
from ovnguard.reconciler.loop.process.events import EventRecorder
from ovnguard.reconciler.loop.status.status_writer import StatusWriter
from ovnguard.reconciler.loop.zone.zone_loop import ZoneLoop, ZoneLoopParts
from ovnguard.reconciler.plan.comparison.explanation import explained
from ovnguard.reconciler.plan.comparison.explanations import EXPLANATIONS
from ovnguard.reconciler.plan.comparison.row_differences import compare
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import CUDN, UDN, GroupKind
from ovnguard.validators.network.declared.network_of import group_kind_of, network_of
from ovnguard.validators.network.declared.node import node_of
from tests.conformance.test_recorded_loop import Watched
from tests.support.fake_cluster import Cluster, Store
from tests.support.live_judge import judge_live
from tests.support.recorded_rows import RecordedZone, recorded_rows, recorded_zones, recording

GRACE = 60.0
DYNAMIC = [
    zone
    for zone in recorded_zones()
    if "--enable-dynamic-udn-allocation" in recording(zone.recording)["config"].get("features", ())
]
STAGES = sorted({zone.recording for zone in DYNAMIC})


def watched(name: str) -> Watched:
    data = recording(name)
    return Watched([data["operator"], *data["inputs"]])


class Stages:
    """A watched cluster that goes from one stage of a recording to another."""

    def __init__(self, first: str) -> None:
        self.now: Any = watched(first)

    def objects(self, kind: GroupKind) -> Sequence[JsonObject] | None:
        found: Sequence[JsonObject] | None = self.now.objects(kind)
        return found

    def waiting_for(self) -> tuple[str, ...]:
        return ()

    def emptied(self) -> frozenset[GroupKind]:
        return frozenset()


@pytest.mark.parametrize("name", STAGES)
def test_the_nodes_that_use_a_network_are_those_that_ovn_kubernetes_counts(name: str) -> None:
    inputs = recording(name)["inputs"]
    active = {each.network: each.nodes for each in LeaderActivity(watched(name)).look() or ()}
    nodes = [node for obj in inputs if obj["kind"] == "Node" and (node := node_of(obj).node) is not None]
    for obj in inputs:
        network = network_of(obj).network if group_kind_of(obj) in (CUDN, UDN) else None
        if network is None:
            continue
        condition = find_condition(obj, "NodesSelected")
        assert (0 if condition is None else selected_count(condition)) == len(active[network.name])
        # what says the same in its words is left as it is
        assert selection_of(obj, len(active[network.name])) is None
        holders = {node.name for node in nodes if node.host_subnets.get(network.name)}
        assert holders in (set(), active[network.name]) or name.endswith("@grace")


@pytest.mark.parametrize("zone", DYNAMIC, ids=str)
def test_a_zone_of_our_own_has_the_recorded_rows(zone: RecordedZone) -> None:
    """Also in the period after the last pod, which the same zone had before."""
    in_grace = zone.recording.endswith("@grace")
    before = zone.recording.removesuffix("@grace")
    store, seconds = Store(), [0.0]
    cluster, now = Stages(before if in_grace and before in STAGES else zone.recording), lambda: datetime.now(UTC)
    parts = ZoneLoopParts(
        cluster,
        judge_live(dynamic=True),
        store,
        lambda _: False,
        StatusWriter(None, EventRecorder(Cluster(), zone.node, now)),
        Settings(dynamic=True),
        records=False,
        activity=ZoneActivity(zone.node, GRACE, lambda: seconds[0]),
    )
    loop = ZoneLoop(zone.node, parts)
    assert loop.tick() == ()
    if in_grace and before in STAGES:
        seconds[0] = GRACE
        cluster.now = watched(zone.recording)
        assert loop.tick() == ()
        seconds[0] += GRACE - 1
        assert loop.tick() == ()
    found = compare(recorded_rows(zone), store.rows).differences
    assert [str(each) for each in found if explained(each, EXPLANATIONS) is None] == []
