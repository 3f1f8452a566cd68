"""A writer takes over a zone that OVN-Kubernetes maintained: the recorded rows in a real database, and what is left."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime

import pytest

from reconciler.apply.foreign_rows import ForeignRowsError
from reconciler.apply.ovn.ovn_nb import NorthboundStore
from reconciler.loop.process.events import EventRecorder
from reconciler.loop.process.lifecycle import judge_live
from reconciler.loop.status.status_writer import StatusWriter
from reconciler.loop.status.zone_state import WriteOptions
from reconciler.loop.zone.zone_loop import ZoneLoop, ZoneLoopParts
from reconciler.plan.rows.settings import Settings
from tests.support.fake_cluster import Cluster
from tests.support.recorded_rows import RecordedZone, fill, recording
from validators.base.json_types import JsonObject
from validators.network.cluster_view import GroupKind, ObjectsView

pytestmark = pytest.mark.conformance

ZONE = RecordedZone("layer3-dual-shared", "node1")


class Watched(ObjectsView):
    """Recorded objects as a process keeps those that it watches."""

    def __init__(self, recorded: Sequence[JsonObject]) -> None:
        super().__init__(recorded, all_complete=True)

    def waiting_for(self) -> tuple[str, ...]:
        return ()

    def emptied(self) -> frozenset[GroupKind]:
        return frozenset()


@pytest.fixture
def start(ovn_zone) -> Iterator[Callable[..., tuple[ZoneLoop, NorthboundStore]]]:
    """Begin a process on the database that OVN-Kubernetes left behind; the one before ends."""
    zone = ovn_zone(ZONE.node)
    fill(zone.nb, ZONE)
    data = recording(ZONE.recording)
    view = Watched([data["operator"], *data["inputs"]])
    stores: list[NorthboundStore] = []

    def begin(*adopt: str) -> tuple[ZoneLoop, NorthboundStore]:
        for each in stores:
            each.close()
        stores.append(store := NorthboundStore(zone.nb, 10.0, exclusive=True, notify=lambda: None))
        reporter = StatusWriter(None, EventRecorder(Cluster(), ZONE.node, lambda: datetime.now(UTC)))
        options = WriteOptions(adopt=frozenset(adopt))
        parts = ZoneLoopParts(
            view, judge_live(), store, lambda _: False, reporter, Settings(), options=options, records=False
        )
        return ZoneLoop(ZONE.node, parts), store

    yield begin
    for each in stores:
        each.close()


@pytest.mark.parametrize("adopt", [(), ("default",), ("red_net",)], ids=lambda each: "-".join(each) or "nothing")
def test_a_zone_that_ovn_kubernetes_maintained_is_not_joined(start, adopt: tuple[str, ...]) -> None:
    loop, store = start(*adopt)
    before = store.read(), store.others()
    with pytest.raises(ForeignRowsError) as raised:
        loop.tick()
    message = str(raised.value)
    assert ("network default: " in message, "network red_net: " in message) == (
        "default" not in adopt,
        "red_net" not in adopt,
    )
    assert ("shared rows: " in message) is not bool(adopt)
    assert len(message) < 1000
    assert (store.read(), store.others()) == before


def test_a_zone_is_taken_over_in_one_pass_and_nothing_is_left_twice(start) -> None:
    loop, store = start("default", "red_net")
    assert loop.tick() == ()
    assert loop.refusals == ()
    names = Counter((row.table, row.identity) for row in (*store.read(), *store.others()) if row.identity)
    assert {name for name, count in names.items() if count > 1} == set()
    ours = {row.uuid for row in store.read()}
    assert len(ours) > 150
    # all that OVN-Kubernetes wrote hung on names that are planned
    assert store.others() == ()
    assert loop.tick() == ()
    assert {row.uuid for row in store.read()} == ours
    # and the next process need not be told
    loop, store = start()
    assert loop.tick() == ()
    assert {row.uuid for row in store.read()} == ours
