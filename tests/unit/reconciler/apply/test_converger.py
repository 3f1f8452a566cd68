"""A converger looks only at what can differ, and tells what was changed by hand."""

from collections.abc import Mapping

import pytest

from ovnguard.reconciler.apply.ovn.converge import WHOLE_LOOK, Converged, Converger, converge
from ovnguard.reconciler.apply.ovn.quarantine import FIRST_PAUSE, Refusal
from ovnguard.reconciler.apply.ovn.repairs import Repair
from ovnguard.reconciler.apply.ovn.row_notes import HASH
from ovnguard.reconciler.apply.store_errors import NetworksRefusedError, TransactionRacedError, TransactionRefusedError
from ovnguard.reconciler.plan.rows.northbound import new_row
from ovnguard.reconciler.plan.rows.row import NETWORK_KEY, Row
from ovnguard.reconciler.plan.rows.row_diff import apply
from ovnguard.reconciler.plan.rows.row_groups import RowGroups


def switch(network: str, **config: str) -> Row:
    return new_row("Logical_Switch", {"name": network, "other_config": config, "external_ids": {NETWORK_KEY: network}})


A, B, C = (switch(name) for name in "abc")


class Store:
    """A watched store in memory."""

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}
        self.calls: list[str] = []
        self.heard: frozenset[tuple[str, str]] | None = frozenset()
        self.failure: Exception | None = None

    def read(self):
        self.calls.append("read")
        self.heard = frozenset()
        return tuple(self.rows.values())

    def changed(self):
        heard, self.heard = self.heard, frozenset()
        return heard

    def reread(self, uuids):
        found = [uuid for _, uuid in uuids]
        self.calls.append(f"reread {len(found)}")
        return tuple(self.rows[uuid] for uuid in found if uuid in self.rows)

    def apply(self, operations):
        self.calls.append(f"apply {len(operations)}")
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure
        self.rows = {row.uuid: row for row in apply(operations, self.rows.values())}

    def close(self):
        """Nothing."""

    def by_hand(self, row: Row, **columns) -> None:
        """Somebody changes a row, whose note is then no longer true."""
        noted = row.columns["external_ids"]
        assert isinstance(noted, Mapping)
        ids = {**noted, HASH: "0123456789abcdef"}
        self.rows[row.uuid] = Row(row.table, row.uuid, {**row.columns, **columns, "external_ids": ids})
        self.heard = frozenset([(row.table, row.uuid)])


def groups(*rows: Row) -> RowGroups:
    return RowGroups({str(row.columns["name"]): KNOWN.setdefault(row, (row,)) for row in rows})


KNOWN: dict[Row, tuple[Row, ...]] = {}


@pytest.fixture
def store():
    return Store()


@pytest.fixture
def converger(store):
    found = Converger(store, clock=lambda: 1000.0)
    found.run(groups(A, B))
    store.calls.clear()
    return found


def test_nothing_new_is_nothing_read(store, converger):
    assert converger.run(groups(A, B)) == Converged()
    assert store.calls == []


def test_only_what_the_plan_changed_is_read(store, converger):
    assert [step.uuid for step in converger.run(groups(A, B, C)).operations] == [C.uuid]
    assert store.calls == ["reread 1", "apply 1"]
    store.calls.clear()
    assert [step.op for step in converger.run(groups(A, C)).operations] == ["delete"]
    assert store.calls == ["reread 1", "apply 1"]


def test_a_row_changed_by_hand_is_put_back(store, converger):
    store.by_hand(A, other_config={"mcast_snoop": "true"})
    done = converger.run(groups(A, B))
    assert done.repairs == (Repair("Logical_Switch", "a", "a", ("other_config",)),)
    assert str(done.repairs[0]) == "network a: Logical_Switch a: other_config changed by hand, put back"
    assert store.rows[A.uuid] == A


def test_a_row_deleted_by_hand_is_put_back(store, converger):
    del store.rows[B.uuid]
    store.heard = frozenset([(B.table, B.uuid)])
    (repair,) = converger.run(groups(A, B)).repairs
    assert str(repair) == "network b: Logical_Switch b: deleted by hand, put back"


def test_after_a_new_connection_everything_is_read(store, converger):
    store.heard = None
    del store.rows[B.uuid]
    (repair,) = converger.run(groups(A, B)).repairs
    assert repair.subject == "b"
    assert store.calls == ["read", "apply 1"]


@pytest.mark.parametrize("failure", [TransactionRacedError("raced")])
def test_a_lost_race_reads_everything(store, converger, failure):
    store.failure = failure
    assert len(converger.run(groups(A, B, C)).operations) == 1
    assert store.calls == ["reread 1", "apply 1", "read", "apply 1"]


def test_what_a_failure_left_undone_is_done_the_next_time(store, converger):
    store.by_hand(A, other_config={"x": "y"})
    store.failure = TransactionRefusedError("no")
    with pytest.raises(TransactionRefusedError):
        converger.run(groups(A, B, C))
    assert {step.uuid for step in converger.run(groups(A, B, C)).operations} == {A.uuid, C.uuid}
    assert store.rows == {row.uuid: row for row in (A, B, C)}


def test_other_terms_read_everything_only_after_something_was_withheld(store, converger):
    assert converger.run(groups(A, B), terms="other") == Converged()
    assert store.calls == []
    assert converger.run(groups(A), lambda operations, observed: (), "some") == Converged()
    assert store.calls == ["reread 1"]
    assert [step.uuid for step in converger.run(groups(A), terms="all").operations] == [B.uuid]
    assert store.calls == ["reread 1", "read", "apply 1"]


def test_from_time_to_time_everything_is_read(store):
    now = [0.0]
    converger = Converger(store, clock=lambda: now[0])
    converger.run(groups(A))
    now[0] = WHOLE_LOOK + 1
    store.calls.clear()
    converger.run(groups(A))
    assert store.calls == ["read"]


def test_audit_writes_nothing(store):
    converger = Converger(store, audit=True)
    for _ in range(2):
        assert len(converger.run(groups(A, B)).operations) == 2
    assert store.calls == ["read", "read"]


class Refusing(Store):
    """A database that refuses one network."""

    refused = "b"

    def apply(self, operations):
        accepted = [each for each in operations if each.row["name"] != self.refused]
        super().apply(accepted)
        if len(accepted) < len(operations):
            raise NetworksRefusedError("unix:nb", {self.refused: "constraint violation: no"})


def test_one_refused_network_does_not_stop_the_others():
    store, now = Refusing(), [1000.0]
    converger = Converger(store, clock=lambda: now[0])
    done = converger.run(groups(A, B, C))
    assert {each.subject or each.row["name"] for each in done.operations} == {"a", "c"}
    assert done.refusals == (Refusal("b", "constraint violation: no", 1, 1000.0 + FIRST_PAUSE),)
    assert set(store.rows) == {A.uuid, C.uuid}
    # it waits for its turn, and then twice as long
    assert converger.run(groups(A, B, C)) == Converged((), (), done.refusals)
    now[0] += FIRST_PAUSE
    second = converger.run(groups(A, B, C))
    assert second.refusals == (Refusal("b", "constraint violation: no", 2, now[0] + 2 * FIRST_PAUSE),)
    # the database accepts it in the end, which repairs nothing
    store.refused = ""
    now[0] += 2 * FIRST_PAUSE
    last = converger.run(groups(A, B, C))
    assert ([each.uuid for each in last.operations], last.repairs, last.refusals) == ([B.uuid], (), ())
    assert converger.run(groups(A, B, C)) == Converged()


def test_a_refused_network_that_is_no_longer_planned_is_forgotten():
    store = Refusing()
    converger = Converger(store, clock=lambda: 1000.0)
    assert len(converger.run(groups(A, B)).refusals) == 1
    assert converger.run(groups(A)) == Converged()


def test_a_single_run_names_the_refused_networks(store):
    store = Refusing()
    with pytest.raises(TransactionRefusedError) as raised:
        converge(store, (A, B, C))
    assert str(raised.value) == "network b: not written: constraint violation: no"
