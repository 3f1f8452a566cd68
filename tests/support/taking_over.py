"""Processes that take over a zone that OVN-Kubernetes maintained, one after the other, with the recorded objects."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TypeAlias

from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore
from ovnguard.reconciler.loop.process.events import EventRecorder
from ovnguard.reconciler.loop.status.status_writer import StatusWriter
from ovnguard.reconciler.loop.status.zone_state import WriteOptions
from ovnguard.reconciler.loop.zone.zone_loop import ZoneLoop, ZoneLoopParts
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import GroupKind, ObjectsView
from tests.support.fake_cluster import Cluster
from tests.support.live_judge import judge_live
from tests.support.recorded_rows import RecordedZone, recording

Begin: TypeAlias = Callable[..., tuple[ZoneLoop, NorthboundStore]]
"""Begins a process that takes over networks, of ``only`` some; the one before ends."""


class Watched(ObjectsView):
    """Recorded objects as a process keeps those that it watches."""

    def __init__(self, recorded: Sequence[JsonObject]) -> None:
        super().__init__(recorded, all_complete=True)

    def waiting_for(self) -> tuple[str, ...]:
        return ()

    def emptied(self) -> frozenset[GroupKind]:
        return frozenset()


@contextmanager
def processes(remote: str, recorded: RecordedZone) -> Iterator[Begin]:
    """Return what begins a process on the database ``remote`` of the recorded zone."""
    data = recording(recorded.recording)
    view = Watched([data["operator"], *data["inputs"]])
    stores: list[NorthboundStore] = []

    def begin(*adopt: str, only: frozenset[str] | None = None) -> tuple[ZoneLoop, NorthboundStore]:
        for each in stores:
            each.close()
        stores.append(store := NorthboundStore(remote, 10.0, exclusive=True, notify=lambda: None))
        reporter = StatusWriter(None, EventRecorder(Cluster(), recorded.node, lambda: datetime.now(UTC)))
        options = WriteOptions(adopt=frozenset(adopt), only=only)
        parts = ZoneLoopParts(
            view, judge_live(), store, lambda _: False, reporter, Settings(), options=options, records=False
        )
        return ZoneLoop(recorded.node, parts), store

    try:
        yield begin
    finally:
        for each in stores:
            each.close()
