"""`run --mode audit` plans a zone from a watched cluster as `plan` does from the same objects in manifests."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reconciler.loop.inputs.plan_inputs import INPUT_RESOURCES
from reconciler.loop.process.events import EventRecorder
from reconciler.loop.process.lifecycle import judge_live
from reconciler.loop.status.status_writer import StatusWriter
from reconciler.loop.status.zone_state import WriteOptions
from reconciler.loop.zone.zone_auditor import ZoneAuditor
from reconciler.loop.zone.zone_loop import ZoneLoop, ZoneLoopParts
from reconciler.plan.comparison.row_differences import compare
from reconciler.plan.desired_state import DesiredState
from reconciler.plan.rows.row import Row
from reconciler.plan.rows.settings import Settings
from tests.support.fake_cluster import Cluster, Store
from tests.support.recorded_cluster import recorded_cluster
from tests.support.recorded_rows import RecordedZone, planned_rows, recorded_zones, recording
from validators.base.json_types import JsonObject
from validators.network.cluster_view import GroupKind, ObjectsView


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


def looped_rows(zone: RecordedZone) -> Sequence[Row]:
    data = recording(zone.recording)
    auditor = Desired(Nothing(), zone.node)
    parts = ZoneLoopParts(
        Watched(recorded_cluster(data)),
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
    compared = compare(looped_rows(zone), planned_rows(zone, tmp_path)[0])
    assert [str(each) for each in compared.differences] == []
