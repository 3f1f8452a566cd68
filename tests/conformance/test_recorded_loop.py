"""`run --mode audit` plans a zone from a watched cluster as `plan` does from the same objects in manifests."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ovnguard.reconciler.commands.manifests import read_manifests
from ovnguard.reconciler.commands.planned_manifests import plan_manifests
from ovnguard.reconciler.loop.inputs.default_network_view import DefaultNetworkView
from ovnguard.reconciler.loop.inputs.live_view import LiveView
from ovnguard.reconciler.loop.inputs.plan_inputs import INPUT_RESOURCES
from ovnguard.reconciler.loop.process.events import EventRecorder
from ovnguard.reconciler.loop.status.status_writer import StatusWriter
from ovnguard.reconciler.loop.status.zone_state import WriteOptions
from ovnguard.reconciler.loop.zone.zone_auditor import ZoneAuditor
from ovnguard.reconciler.loop.zone.zone_loop import ZoneLoop, ZoneLoopParts
from ovnguard.reconciler.plan.comparison.row_differences import compare
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import OPERATOR_NETWORK, GroupKind, ObjectsView
from tests.support.fake_cluster import Cluster, Store
from tests.support.live_judge import judge_live
from tests.support.recorded_cluster import ovnkube_objects, recorded_cluster
from tests.support.recorded_rows import RecordedZone, planned_rows, recorded_zones, recording, rows_of_plan


class Watched(ObjectsView):
    """Recorded objects as a process keeps those that it watches."""

    def __init__(self, recorded: Sequence[JsonObject]) -> None:
        super().__init__(recorded, all_complete=True)

    def objects(self, kind: GroupKind) -> Sequence[JsonObject] | None:
        found = super().objects(kind) or ()
        trims = {resource.group_kind: part.trim for resource, part in INPUT_RESOURCES}
        return [trims[kind](obj) for obj in found] if kind in trims else found

    def waiting_for(self) -> tuple[str, ...]:
        return ()

    def emptied(self) -> frozenset[GroupKind]:
        return frozenset()


class Nothing(Store):
    """A database that is not read."""

    def read_everything(self) -> tuple[Row, ...]:
        raise AssertionError


class Desired(ZoneAuditor):
    """Keeps what the loop wants to compare with."""

    rows: Sequence[Row] = ()

    def look(self, desired: DesiredState) -> tuple[str, ...]:
        self.rows = next((each.rows for each in desired.plan.zones if each.node == self._node), ())
        return ()


def looped_rows(zone: RecordedZone, view: LiveView) -> Sequence[Row]:
    auditor = Desired(Nothing(), zone.node)
    parts = ZoneLoopParts(
        view,
        judge_live(),
        Nothing(),
        lambda text: False,
        StatusWriter(None, EventRecorder(Cluster(), zone.node, lambda: datetime.now(UTC))),
        Settings(),
        options=WriteOptions(audit=True),
        auditor=auditor,
    )
    assert ZoneLoop(zone.node, parts).tick() == ()
    return auditor.rows


@pytest.mark.parametrize("zone", recorded_zones(), ids=str)
def test_a_watched_cluster_is_planned_as_its_manifests(zone: RecordedZone, tmp_path: Path) -> None:
    watched = Watched(recorded_cluster(recording(zone.recording)))
    compared = compare(looped_rows(zone, watched), planned_rows(zone, tmp_path)[0])
    assert [str(each) for each in compared.differences] == []


class WithoutOperator(Watched):
    """A cluster whose API server serves no Network of an operator."""

    def objects(self, kind: GroupKind) -> Sequence[JsonObject] | None:
        return None if kind == OPERATOR_NETWORK else super().objects(kind)


PLAIN = ("default-dual-local", "services-default-dual-shared", "no-overlay-default-enabled", "connect")


@pytest.mark.parametrize("name", PLAIN)
def test_the_default_network_follows_from_the_options_of_ovnkube(name: str, tmp_path: Path) -> None:
    zone, data = RecordedZone(name, "node1"), recording(name)
    expected = planned_rows(zone, tmp_path)[0]
    watched = DefaultNetworkView(WithoutOperator(recorded_cluster(data)))
    assert [str(each) for each in compare(looped_rows(zone, watched), expected).differences] == []
    items = [*ovnkube_objects(data), *(each for each in data["inputs"] if each["kind"] != "Node")]
    (tmp_path / "networks.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    manifests = read_manifests([str(tmp_path / "networks.json")], [str(tmp_path / "nodes.json")])
    planned = plan_manifests(manifests, {}, (zone.node,))
    assert [str(each) for each in compare(rows_of_plan(planned.desired, zone.node)[0], expected).differences] == []


def test_a_given_default_network_counts_where_the_cluster_has_none() -> None:
    data = recording("default-dual-local")
    given, own = {"metadata": {"name": "given"}}, Watched(recorded_cluster(data))
    assert DefaultNetworkView(own, given).objects(OPERATOR_NETWORK) == [data["operator"]]
    none = WithoutOperator(recorded_cluster(data))
    assert DefaultNetworkView(none, given).objects(OPERATOR_NETWORK) == (given,)
    view = DefaultNetworkView(none)
    assert view.objects(OPERATOR_NETWORK) is view.objects(OPERATOR_NETWORK)
    assert DefaultNetworkView(WithoutOperator(data["inputs"])).objects(OPERATOR_NETWORK) is None
