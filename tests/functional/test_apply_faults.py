"""Whatever dies in the middle of an apply: the database is in a valid state, and the next run ends at the plan."""

import contextlib
import os
import random
import shutil
import signal
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from ovnguard.reconciler.apply.ovn.converge import Converged, Converger
from ovnguard.reconciler.apply.ovn.ovn_nb import MAX_TRANSACTION, NorthboundStore
from ovnguard.reconciler.apply.store_errors import StoreError, StoreUnavailableError
from ovnguard.reconciler.plan.numbers.memo import Memo
from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.rows.settings import Settings
from tests.support.plan_samples import V4, V6, nodes, udn
from tests.support.soak import sized
from tests.testbed.ovn import OvnZone
from tests.testbed.process import Child, is_listening, wait_until

pytestmark = pytest.mark.timing

KILLS = sized(10, 100)
SERVER_KILLS = sized(10, 40)
SPLIT = 60_000
SHARED = ("Copp", "Meter", "Meter_Band")


class Plans:
    """Plans of random networks on random numbers of nodes, the zone of node1."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self._memo = Memo()

    def rows(self) -> Sequence[Row]:
        numbers = sorted(self.random.sample(range(1, 13), self.random.randint(2, 9)))
        networks = [
            udn(f"ns{number}_net", V4, V6)._replace(
                network_id=number, tunnel_keys=(16711683 + number, 16715779 + number)
            )
            for number in numbers
        ]
        count = self.random.choice((1, 2, 4))
        plan = make_plan(networks, nodes(count, v6=True), Settings(), ("node1",), memo=self._memo)
        return plan.zones[0].rows


def by_uuid(rows: Iterable[Row]) -> dict[str, Row]:
    return {row.uuid: row for row in rows}


def parts_of(rows: Iterable[Row]) -> dict[str, frozenset[str]]:
    """The rows of each network as texts, without those that tell no network: they are named, not noted."""
    found: dict[str, set[str]] = {}
    for row in rows:
        network = row.network
        if row.table not in SHARED and network:
            columns = sorted(
                (name, sorted(value.items()) if hasattr(value, "items") else value)
                for name, value in row.columns.items()
            )
            found.setdefault(network, set()).add(f"{row.table} {row.uuid} {columns}")
    return {name: frozenset(texts) for name, texts in found.items()}


def check_between(observed: Iterable[Row], before: Iterable[Row], after: Iterable[Row], *, split: bool) -> str:
    """Fail unless ``observed`` is one of both, or with ``split`` each network is as in one of both; say which."""
    seen, old, new = by_uuid(observed), by_uuid(before), by_uuid(after)
    if seen == old:
        return "before"
    if seen == new:
        return "after"
    assert split, "one transaction happens or does not"
    networks, was, to_be = parts_of(seen.values()), parts_of(before), parts_of(after)
    for name in networks.keys() | was.keys() | to_be.keys():
        assert networks.get(name) in (was.get(name), to_be.get(name)), f"{name} is neither as before nor as after"
    assert any(row.table == "Copp" for row in seen.values())
    return "between"


def apply_in_child(remote: str, rows: Sequence[Row], limit: int) -> int:
    """Fork a process that brings the database to ``rows``; return its id."""
    pid = os.fork()
    if pid:
        return pid
    try:
        Converger(NorthboundStore(remote, 20.0, exclusive=True, max_transaction=limit)).run(rows)
    finally:
        os._exit(0)


def kill_after(pid: int, seconds: float) -> None:
    time.sleep(seconds)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


@pytest.mark.parametrize("limit", [MAX_TRANSACTION, SPLIT], ids=["one transaction", "split"])
def test_killed_at_random_points(ovn_zone, limit):
    zone, plans = ovn_zone("n1"), Plans(seed=limit)
    found = {"before": 0, "between": 0, "after": 0}
    store = NorthboundStore(zone.nb, 20.0)
    with contextlib.closing(store):
        current = plans.rows()
        Converger(store).run(current)
        longest = 0.05
        wanted = {"before", "after", *(("between",) if limit == SPLIT else ())}
        kills = 0
        while kills < KILLS or any(not found[where] for where in wanted):
            kills += 1
            target = plans.rows()
            kill_after(apply_in_child(zone.nb, target, limit), plans.random.uniform(0, longest))
            where = check_between(store.read(), current, target, split=limit == SPLIT)
            found[where] += 1
            # a writer that never gets to the end is killed too early, one that always does too late
            longest *= 0.8 if where == "after" else 1.5
            Converger(store).run(target)
            assert by_uuid(store.read()) == by_uuid(target)
            current = target
    print(f"killed {kills} times: {found}; up to {longest * 1e3:.0f} ms")
    assert {where for where, count in found.items() if count} == wanted


@pytest.fixture
def server(ovn_zone, parts, tmp_path) -> Iterator["Server"]:
    zone = ovn_zone("n1")
    with contextlib.ExitStack() as stack:
        yield Server(zone, parts, tmp_path, stack)


class Server:
    """A Northbound server that can be killed and comes back, with another file if need be."""

    def __init__(self, zone: OvnZone, parts, directory: Path, stack: contextlib.ExitStack) -> None:
        self.remote = zone.nb
        self._parts, self._directory, self._stack = parts, directory, stack
        self._socket = Path(zone.nb.removeprefix("unix:"))
        self.database = self._socket.parent / "nb.db"
        self._pid = zone.pids()["nb"]
        self._starts = 0

    def kill(self) -> None:
        os.kill(self._pid, signal.SIGKILL)

    def start(self, database: Path | None = None) -> None:
        self._starts += 1
        self._socket.unlink(missing_ok=True)
        quiet = ["-vconsole:off", "-vsyslog:off", f"--unixctl={self._socket.parent / f'again{self._starts}.ctl'}"]
        argv = [self._parts.ovn.tool("ovsdb-server"), *quiet, f"--remote=punix:{self._socket}"]
        child = Child("nb", [*argv, database or self.database], self._directory / f"again{self._starts}.out")
        self._stack.enter_context(child)
        wait_until(partial(is_listening, self._socket), "nb", 60.0, [child])
        self._pid = child.pid


def test_the_server_is_killed_at_random_points(server):
    plans = Plans(seed=3)
    store = NorthboundStore(server.remote, 5.0, exclusive=True, notify=lambda: None)
    found = {"before": 0, "after": 0}
    with contextlib.closing(store):
        converger = Converger(store)
        current = plans.rows()
        converger.run(current)
        for _ in range(SERVER_KILLS):
            target = plans.rows()
            killer = os.fork()
            if not killer:
                time.sleep(plans.random.uniform(0, 0.06))
                with contextlib.suppress(ProcessLookupError):
                    server.kill()
                os._exit(0)
            # The forked generator leaves this one where it was.
            plans.random.random()
            with contextlib.suppress(StoreError):
                converger.run(target)
            os.waitpid(killer, 0)
            server.start()
            with contextlib.closing(NorthboundStore(server.remote)) as reader:
                found[check_between(reader.read(), current, target, split=False)] += 1
            converger.run(target)
            assert by_uuid(store.read()) == by_uuid(target)
            assert converger.run(target) == Converged()
            current = target
    print(f"server killed {SERVER_KILLS} times: {found}")


def test_the_server_comes_back_with_an_older_snapshot(server, tmp_path):
    plans = Plans(seed=4)
    store = NorthboundStore(server.remote, 5.0, exclusive=True, notify=lambda: None)
    with contextlib.closing(store):
        converger = Converger(store)
        converger.run(plans.rows())
        older = tmp_path / "older.db"
        shutil.copy(server.database, older)
        wanted = plans.rows()
        converger.run(wanted)
        server.kill()
        server.start(older)
        done = converger.run(wanted)
        assert done.operations != ()
        assert by_uuid(store.read()) == by_uuid(wanted)
        assert converger.run(wanted) == Converged()


def test_a_server_that_stays_away_is_an_error_and_its_return_needs_nothing(server):
    plans = Plans(seed=5)
    store = NorthboundStore(server.remote, 1.0, exclusive=True, notify=lambda: None)
    with contextlib.closing(store):
        converger = Converger(store)
        wanted = plans.rows()
        converger.run(wanted)
        server.kill()
        for _ in range(3):
            with pytest.raises(StoreUnavailableError, match=f"^{server.remote}: "):
                converger.run(wanted)
        server.start()
        assert converger.run(wanted) == Converged()
