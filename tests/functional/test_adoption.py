"""A writer takes over a zone that OVN-Kubernetes maintained: the recorded rows in a real database, and what is left."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import pytest

from ovnguard.reconciler.apply.foreign_rows import ForeignRowsError
from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore
from ovnguard.reconciler.plan.rows.row import Column, Ref, Row
from tests.support.recorded_rows import RecordedZone, fill
from tests.support.taking_over import Begin, processes

pytestmark = pytest.mark.conformance

ZONE = RecordedZone("layer3-dual-shared", "node1")
# Advertised networks, whose ports share a port group.
TOGETHER = RecordedZone("routed-strict", "node1")
NETWORKS = ("cluster_udn_blue", "cluster_udn_green", "cluster_udn_violet", "default")


@pytest.fixture
def start(ovn_zone) -> Iterator[Begin]:
    """Begin a process on the database that OVN-Kubernetes left behind; the one before ends."""
    with recorded_processes(ovn_zone, ZONE) as begin:
        yield begin


@contextmanager
def recorded_processes(ovn_zone, recorded: RecordedZone) -> Iterator[Begin]:
    zone = ovn_zone(recorded.node)
    fill(zone.nb, recorded)
    with processes(zone.nb, recorded) as begin:
        yield begin


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


Contents = Mapping[str, tuple[str, Mapping[str, object]]]


def resolved(rows: Sequence[Row]) -> Contents:
    """Table and columns by UUID, with the names of the rows that they refer to."""
    names = {row.uuid: f"{row.table} {' '.join(row.identity or (row.uuid,))}" for row in rows}

    def plain(value: Column) -> object:
        if isinstance(value, tuple):
            return sorted(names[item.uuid] if isinstance(item, Ref) else str(item) for item in value)
        return value

    return {row.uuid: (row.table, {name: plain(value) for name, value in row.columns.items()}) for row in rows}


def contents(store: NorthboundStore) -> tuple[Contents, frozenset[str]]:
    """All rows, and the UUIDs of those that are not ovnguard's."""
    ours = store.read()
    others = store.others()
    return resolved((*others, *ours)), frozenset(row.uuid for row in others)


@pytest.mark.parametrize("network", NETWORKS)
def test_a_network_that_is_taken_over_alone_changes_no_row_that_stays(ovn_zone, network: str) -> None:
    """References included; rows of the network's own names go."""
    with recorded_processes(ovn_zone, TOGETHER) as begin:
        loop, store = begin(network, only=frozenset({network}))
        before, _ = contents(store)
        assert loop.tick() == ()
        assert loop.refusals == ()
        after, others = contents(store)
        assert len(after) - len(others) > 30
        assert {uuid: after[uuid] for uuid in others} == {uuid: before[uuid] for uuid in others}
        protections = [row["copp"] for table, row in after.values() if table == "Logical_Router"]
        assert protections == [["Copp ovnkube-default"]] * len(protections)
        # the process after it knows what stays, and changes nothing
        loop, store = begin(only=frozenset({network}))
        assert loop.tick() == ()
        assert contents(store) == (after, others)


def test_networks_that_are_taken_over_one_after_the_other_leave_nothing(ovn_zone) -> None:
    with recorded_processes(ovn_zone, TOGETHER) as begin:
        for count in range(1, len(NETWORKS)):
            loop, store = begin(NETWORKS[count - 1], only=frozenset(NETWORKS[:count]))
            assert loop.tick() == ()
            store.read()
            assert store.others()
        loop, store = begin(NETWORKS[-1])
        assert loop.tick() == ()
        rows, others = contents(store)
        assert [rows[uuid] for uuid in others] == []
        # and a process without --adopt and --networks has nothing to say
        loop, store = begin()
        assert loop.tick() == ()
        assert contents(store) == (rows, others)
