"""Everything about a live database that needs a second party: locks, watching, clusters, bounded transactions."""

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ovnguard.reconciler.apply.ovn.converge import Converged, Converger
from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore
from ovnguard.reconciler.apply.ovn.row_notes import IDS
from ovnguard.reconciler.apply.store_errors import (
    StoreLockedError,
    StoreUnavailableError,
    TransactionRacedError,
    TransactionTooLargeError,
)
from ovnguard.reconciler.plan.numbers.memo import Memo
from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.rows.northbound import new_row
from ovnguard.reconciler.plan.rows.row import NETWORK_KEY, OWNER_KEY, Operation
from ovnguard.reconciler.plan.rows.row_groups import SHARED, RowGroups, groups_of
from ovnguard.reconciler.plan.rows.settings import Settings
from tests.support.plan_samples import V4, V6, nodes, udn
from tests.testbed.apiserver import free_port
from tests.testbed.process import Child, scratch, wait_until

pytestmark = pytest.mark.timing

FIRST = "ns1_net"


def network(number: int, **changes):
    keys = (16711683 + number, 16715779 + number)
    return udn(f"ns{number}_net", V4, V6)._replace(network_id=number, tunnel_keys=keys, **changes)


class Planner:
    """Plans of the zone of node1, with one memo for all."""

    def __init__(self) -> None:
        self._memo = Memo()

    def rows(self, *numbers: int, count: int = 3):
        networks = [network(number) for number in numbers]
        plan = make_plan(networks, nodes(count, v6=True), Settings(), ("node1",), memo=self._memo)
        assert plan.errors == ()
        return plan.zones[0].rows


@pytest.fixture
def connect() -> Iterator:
    with contextlib.ExitStack() as stack:

        def start(remote: str, timeout: float = 5.0, **options) -> NorthboundStore:
            return stack.enter_context(contextlib.closing(NorthboundStore(remote, timeout, **options)))

        yield start


@pytest.fixture
def watched(ovn_zone, connect):
    """A zone, its exclusive and watched store, a converger on it, and the list that grows with every notification."""
    zone, news = ovn_zone("n1"), []
    store = connect(zone.nb, exclusive=True, notify=lambda: news.append(1))
    return zone, store, Converger(store), news


def test_every_row_carries_owner_network_and_hash(watched):
    zone, _, converger, _ = watched
    rows = Planner().rows(1, 2)
    converger.run(rows)
    tables = {row.table for row in rows}
    shared = {row.uuid for row in groups_of(rows)[SHARED]}
    for table in tables - {"Load_Balancer_Group", "Static_MAC_Binding"}:
        found = json.loads(zone.nbctl("--format=json", "--columns=_uuid,external_ids", "list", table))["data"]
        for (_, uuid), column in found:
            ids = dict(column[1])
            assert ids[OWNER_KEY] == "ovnguard"
            assert len(ids["ovnguard.io/hash"]) == 16
            assert (ids.get(NETWORK_KEY) in ("ns1_net", "ns2_net")) is (uuid not in shared)


def test_one_network_more_or_less_is_that_networks_rows_alone(watched):
    _, store, converger, _ = watched
    planner = Planner()
    converger.run(planner.rows(1, 2))
    more = converger.run(planner.rows(1, 2, 3)).operations
    assert {step.op for step in more} == {"insert"}
    assert len(more) == len(groups_of(planner.rows(3))["ns3_net"])
    less = converger.run(planner.rows(1, 3)).operations
    assert {step.op for step in less} == {"delete"}
    assert converger.run(planner.rows(1, 3)) == Converged()
    assert {row.uuid for row in store.read()} == {row.uuid for row in planner.rows(1, 3)}


def test_a_manual_change_is_noticed_reverted_and_reported(watched):
    zone, store, converger, news = watched
    rows = Planner().rows(1, 2)
    converger.run(rows)
    assert converger.run(rows) == Converged()
    seen = len(news)
    zone.nbctl("set", "logical_router_port", "trtos-ns1_net_ovn_layer2_switch", "networks=9.9.9.9/24")
    zone.nbctl("set", "logical_switch", "ns1_net_ovn_layer2_switch", "other_config:mcast_snoop=false")
    zone.nbctl("set", "logical_router", "ns2_net_transit_router", "options:theirs=1")
    zone.nbctl("lr-del", "GR_ns2_net_node1")
    wait_until(lambda: len(news) > seen, "a notification", 60.0)
    done = converger.run(rows)
    repairs = {str(repair) for repair in done.repairs}
    port = "Logical_Router_Port trtos-ns1_net_ovn_layer2_switch"
    assert f"network ns1_net: {port}: networks changed by hand, put back" in repairs
    switch = "Logical_Switch ns1_net_ovn_layer2_switch"
    assert f"network ns1_net: {switch}: other_config changed by hand, put back" in repairs
    assert "network ns2_net: Logical_Router GR_ns2_net_node1: deleted by hand, put back" in repairs
    assert not any("transit_router" in text for text in repairs), "a key of somebody else is no change"
    assert converger.run(rows) == Converged()
    assert {row.uuid: row for row in store.read()} == {row.uuid: row for row in rows}


def test_a_change_by_hand_is_known_after_a_restart_too(watched, connect):
    zone, store, converger, _ = watched
    rows = Planner().rows(1)
    converger.run(rows)
    store.close()
    zone.nbctl("set", "logical_router_port", "trtos-ns1_net_ovn_layer2_switch", "networks=9.9.9.9/24")
    (repair,) = Converger(connect(zone.nb)).run(rows).repairs
    assert (repair.columns, repair.network) == (("networks",), "ns1_net")


def test_what_a_new_plan_changes_is_no_repair(watched):
    _, _, converger, _ = watched
    planner = Planner()
    converger.run(planner.rows(1, count=3))
    done = converger.run(planner.rows(1, count=2))
    assert {step.op for step in done.operations} == {"update", "delete"}
    assert done.repairs == ()


def test_the_second_of_two_is_refused_until_the_first_ends(watched, connect):
    zone, store, converger, _ = watched
    rows = Planner().rows(1)
    converger.run(rows)
    second = connect(zone.nb, exclusive=True)
    with pytest.raises(StoreLockedError) as raised:
        second.read()
    assert str(raised.value) == (
        f'{zone.nb}: another process holds the lock "ovnguard" of this database, so it keeps these rows; '
        "stop it, or wait until it stops"
    )
    assert len(connect(zone.nb).read()) == len(rows), "reading needs no lock"
    store.close()
    assert len(second.read()) == len(rows)


def test_a_lock_that_was_stolen_stops_the_writer(watched):
    zone, _, converger, _ = watched
    planner = Planner()
    converger.run(planner.rows(1))
    thief = NorthboundStore(zone.nb)
    with contextlib.closing(thief):
        thief.read()
        assert thief._session is not None
        assert thief._session.call("steal", ["ovnguard"]) == {"locked": True}
        with pytest.raises(StoreLockedError):
            converger.run(planner.rows(1, 2))
    assert zone.nbctl("lr-list").count("ns2_net") == 0


def test_the_connection_outlives_silence(watched):
    _, store, converger, _ = watched
    rows = Planner().rows(1)
    converger.run(rows)
    session = store._session
    time.sleep(12)
    assert store._session is session, "the server asks after 5 s and hangs up after 10"
    assert converger.run(rows) == Converged()


def test_nb_cfg_shows_when_northd_has_followed(watched):
    _, store, converger, _ = watched
    assert store.lag() is None
    converger.run(Planner().rows(1))

    def followed() -> bool:
        store.changed()
        lag = store.lag()
        return lag is not None and lag[1] >= lag[0] > 0

    wait_until(followed, "northd", 60.0)


def test_audit_says_and_does_nothing(ovn_zone, connect):
    zone = ovn_zone("n1")
    rows = Planner().rows(1)
    converger = Converger(connect(zone.nb, notify=lambda: None), audit=True)
    for _ in range(2):
        assert len(converger.run(rows).operations) == len(rows)
    assert zone.nbctl("lr-list") == ""


def test_a_transaction_over_the_limit_is_whole_networks(ovn_zone, connect):
    zone = ovn_zone("n1")
    planner, seen = Planner(), []
    store = connect(zone.nb, exclusive=True, max_transaction=60_000)
    write = store._write

    def spy(parts):
        write(parts)
        seen.append(connect(zone.nb).read())

    store._write = spy
    numbers = tuple(range(1, 13))
    Converger(store).run(planner.rows(*numbers))
    assert len(seen) > 2
    for rows in seen:
        there = [number for number in numbers if any(f"ns{number}_net_transit_router" in str(row) for row in rows)]
        planned = {row.uuid: row for row in planner.rows(*there)} if there else {}
        assert {row.uuid: row for row in rows if row.uuid in planned} == planned
        rest = {row.table for row in rows if row.uuid not in planned}
        assert rest <= {"Copp", "Meter", "Meter_Band"}
    seen.clear()
    Converger(store).run(())
    assert len(seen) > 1
    assert seen[-1] == ()


def test_the_port_group_of_all_networks_refers_to_ports_of_several_transactions(ovn_zone, connect):
    zone = ovn_zone("n1")
    networks = [network(number) for number in range(1, 7)]
    settings = Settings(advertises=True, advertised={each.name: () for each in networks}, ip_versions=(4, 6))
    rows = make_plan(networks, nodes(1, v6=True), settings).zones[0].rows
    store = connect(zone.nb, exclusive=True, max_transaction=60_000)
    write, sent = store._write, []

    def spy(parts):
        sent.append(1)
        write(parts)

    store._write = spy
    Converger(store).run(rows)
    assert len(sent) > 2
    found = {row.uuid: row for row in connect(zone.nb).read()}
    groups = [row for row in rows if row.entry("external_ids", "k8s.ovn.org/name") == "advertised-network-subnets"]
    (group,) = (row for row in groups if row.table == "Port_Group")
    assert len(group.texts("ports")) == len(networks)
    assert found[group.uuid].columns == group.columns


def test_a_network_that_does_not_fit_is_refused(ovn_zone, connect):
    zone = ovn_zone("n1")
    store = connect(zone.nb, max_transaction=12_000)
    with pytest.raises(TransactionTooLargeError) as raised:
        Converger(store).run(Planner().rows(1))
    text = str(raised.value)
    assert text.startswith(f"{zone.nb}: the changes of network ns1_net take ")
    assert text.endswith(" octets, more than the transaction limit of 12000; raise --max-transaction")
    assert connect(zone.nb).read() == ()


@pytest.mark.parametrize(("command", "table"), [("ls-add", "Logical_Switch"), ("lr-add", "Logical_Router")])
def test_never_a_second_switch_or_router_of_an_existing_name(watched, command, table):
    zone, store, converger, _ = watched
    rows = Planner().rows(1, 2)
    name = next(str(row.columns["name"]) for row in rows if row.table == table and row.entry(IDS, NETWORK_KEY) == FIRST)
    store.read()
    # somebody creates it between the read and the transaction, which must not build a second one
    zone.nbctl(command, name)
    done = converger.run(rows)
    uuid = zone.nbctl("--bare", "--columns=_uuid", "find", table, f"name={name}").split()
    assert len(uuid) == 1
    text = f"{table} {name} exists already (UUID {uuid[0]}) and is not ovnguard's"
    assert [str(each) for each in done.refusals] == [f"network ns1_net: not written: {text}"]
    assert {row.entry(IDS, NETWORK_KEY) for row in store.read()} == {"", "ns2_net"}


def test_a_name_that_is_taken_after_the_read_fails_the_transaction(ovn_zone, connect):
    zone = ovn_zone("n1")
    store = connect(zone.nb)
    rows = Planner().rows(1)
    store.read()
    zone.nbctl("lr-add", next(str(row.columns["name"]) for row in rows if row.table == "Logical_Router"))
    with pytest.raises(TransactionRacedError):
        store.apply([Operation("insert", row.table, row.uuid, row.columns) for row in rows])
    assert store.read() == ()


def test_one_refused_row_does_not_stop_other_networks(ovn_zone, connect):
    zone, now = ovn_zone("n1"), [0.0]
    store = connect(zone.nb, exclusive=True, notify=lambda: None)
    converger = Converger(store, clock=lambda: now[0])
    rows = Planner().rows(1, 2, 3)
    ids = {NETWORK_KEY: "ns2_net"}
    bad = new_row("ACL", {"direction": "sideways", "action": "allow", "match": "ip", "external_ids": ids}, "bad")
    groups = {**groups_of(rows), "ns2_net": (*groups_of(rows)["ns2_net"], bad)}
    done = converger.run(RowGroups(groups))
    (refusal,) = done.refusals
    assert refusal.network == "ns2_net"
    assert refusal.text.startswith("constraint violation: ")
    assert "sideways" in refusal.text
    assert {row.entry(IDS, NETWORK_KEY) for row in store.read()} == {"", "ns1_net", "ns3_net"}
    # it waits for its next attempt, and is written once the plan is sound again
    assert converger.run(RowGroups(groups)).operations == ()
    now[0] = refusal.retry
    # refused alone, it waits longer
    (again,) = converger.run(RowGroups(groups)).refusals
    assert (again.network, again.text, again.attempts) == ("ns2_net", refusal.text, 2)
    assert converger.run(rows).refusals == (again,)
    now[0] = again.retry
    assert converger.run(rows).refusals == ()
    assert {row.uuid for row in store.read()} == {row.uuid for row in rows}
    assert converger.run(rows) == Converged()


def test_the_only_network_that_changes_is_refused_like_one_of_several(ovn_zone, connect):
    zone = ovn_zone("n1")
    converger = Converger(connect(zone.nb, exclusive=True, notify=lambda: None))
    converger.run(Planner().rows(1))
    rows = Planner().rows(1, 2)
    port = next(str(row.columns["name"]) for row in groups_of(rows)["ns2_net"] if row.table == "Logical_Switch_Port")
    zone.nbctl("ls-add", "other", "--", "lsp-add", "other", port)
    (refusal,) = converger.run(rows).refusals
    assert (refusal.network, refusal.attempts) == ("ns2_net", 1)
    assert f'multiple rows in "Logical_Switch_Port" table to have identical values ({port})' in refusal.text


class Cluster:
    """Three members of one clustered Northbound database."""

    def __init__(self, stack: contextlib.ExitStack, parts, directory: Path) -> None:
        self._ovn = parts.ovn
        self._run = stack.enter_context(scratch("raft"))
        ports = [free_port() for _ in range(3)]
        schema = self._ovn.file("ovn-nb.ovsschema")
        self.members: list[Child] = []
        for number, port in enumerate(ports):
            database, local = self._run / f"m{number}.db", f"tcp:127.0.0.1:{port}"
            argv = [self._ovn.tool("ovsdb-tool"), "create-cluster", database, schema, local]
            if number:
                argv = [self._ovn.tool("ovsdb-tool"), "join-cluster", database, "OVN_Northbound", local]
                argv.append(f"tcp:127.0.0.1:{ports[0]}")
            subprocess.run(argv, check=True)
            quiet = ["-vconsole:off", "-vsyslog:off", f"--unixctl={self._run / f'm{number}.ctl'}"]
            server = [
                self._ovn.tool("ovsdb-server"),
                *quiet,
                f"--remote=punix:{self._run / f'm{number}.sock'}",
                database,
            ]
            self.members.append(stack.enter_context(Child(f"member {number}", server, directory / f"m{number}.out")))
            # The closure is called before the loop goes on, so it sees this number.
            wait_until(lambda: self.role(number) in ("leader", "follower"), "member", 60.0, self.members)  # noqa: B023

    @property
    def remotes(self) -> str:
        return ",".join(f"unix:{self._run / f'm{number}.sock'}" for number in range(3))

    def ctl(self, number: int, command: str) -> str:
        argv = [self._ovn.tool("ovn-appctl"), "-t", self._run / f"m{number}.ctl", command, "OVN_Northbound"]
        return subprocess.run(argv, capture_output=True, text=True, check=False).stdout

    def role(self, number: int) -> str:
        lines = dict(line.split(": ", 1) for line in self.ctl(number, "cluster/status").splitlines() if ": " in line)
        return lines.get("Role", "") if lines.get("Status") == "cluster member" else ""

    def leader(self) -> int:
        wait_until(lambda: "leader" in [self.role(number) for number in range(3)], "a leader", 60.0)
        return next(number for number in range(3) if self.role(number) == "leader")


@pytest.fixture
def raft(parts, ovn_zone, tmp_path) -> Iterator[Cluster]:
    with contextlib.ExitStack() as stack:
        yield Cluster(stack, parts, tmp_path)


def test_a_clustered_database_is_written_through_its_leader_whoever_that_is(raft, connect):
    planner = Planner()
    store = connect(raft.remotes, 10.0, exclusive=True, notify=lambda: None)
    converger = Converger(store)
    converger.run(planner.rows(1))
    first = raft.leader()
    assert store._session is not None
    assert store._session.remote == raft.remotes.split(",")[first]
    with pytest.raises(StoreLockedError):
        connect(raft.remotes, exclusive=True).read()

    os.kill(raft.members[first].pid, signal.SIGKILL)
    raft.members[first].process.wait()
    wanted = planner.rows(1, 2)

    def written() -> bool:
        with contextlib.suppress(StoreUnavailableError):
            converger.run(wanted)
            return True
        return False

    wait_until(written, "the next leader", 60.0)
    assert store._session.remote == raft.remotes.split(",")[raft.leader()]
    assert raft.leader() != first
    assert {row.uuid: row for row in store.read()} == {row.uuid: row for row in wanted}
    assert converger.run(wanted) == Converged()


def test_a_follower_alone_is_not_written_to(raft, connect):
    follower = next(number for number in range(3) if number != raft.leader())
    remote = raft.remotes.split(",")[follower]
    with pytest.raises(StoreUnavailableError) as raised:
        connect(remote, exclusive=True).read()
    assert str(raised.value) == f"{remote}: is not the leader of its cluster"


def test_numbers_of_a_rule_are_put_back(watched):
    zone, store, converger, news = watched
    rows = Planner().rows(1)
    converger.run(rows)
    rule = next(row for row in rows if row.table == "QoS")
    seen = len(news)
    zone.nbctl("set", "qos", rule.uuid, "action:mark=43")
    wait_until(lambda: len(news) > seen, "a notification", 60.0)
    (step,) = converger.run(rows).operations
    assert (step.op, step.row["action"]) == ("update", {"mark": "42"})
    assert zone.nbctl("get", "qos", rule.uuid, "action").strip() == "{mark=42}"
    assert converger.run(rows) == Converged()
    assert {row.uuid for row in store.read()} == {row.uuid for row in rows}
