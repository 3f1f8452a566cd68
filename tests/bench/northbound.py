"""The Northbound database: a thousand primary Layer2 networks in one node's zone, on a real ovsdb-server.

northd is stopped, for it takes ten times as long as everything here. Times are wall time, which the server takes part
in, with the CPU time of our own process beside it. Peers write the same rows into a database of their own in the same
run: ovsdbapp's commands, and requests that were encoded before the clock started (what the server alone costs).
"""

import contextlib
import importlib.util
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ovnguard.reconciler.apply.ovn.batches import parts_of
from ovnguard.reconciler.apply.ovn.converge import Converger, without_cycles
from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore
from ovnguard.reconciler.apply.ovn.session import Session
from ovnguard.reconciler.apply.ovn.shared_rows import select_all, snapshot
from ovnguard.reconciler.plan.numbers.memo import Memo
from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.rows.row import Column, Ref, Row
from ovnguard.reconciler.plan.rows.row_diff import diff, row_order
from ovnguard.reconciler.plan.rows.row_groups import groups_of
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.model import Network
from tests.support.plan_samples import nodes, udn
from tests.testbed.ovn import OvnZone

NETWORKS = 1000
# Peers are slow, so the three that are compared write fewer.
COMPARED = 200
ROUNDS = 3


def networks(count: int) -> list[Network]:
    return [
        udn(f"ns{number}_net")._replace(network_id=number, tunnel_keys=(16711683 + number, 16715779 + number))
        for number in range(1, count + 1)
    ]


@contextlib.contextmanager
def database() -> Iterator[OvnZone]:
    """An empty zone without northd."""
    with tempfile.TemporaryDirectory() as logs, OvnZone("bench", Path(logs)) as zone:
        os.kill(zone.pids()["northd"], signal.SIGKILL)
        yield zone


def measure() -> Iterator[str]:
    """Yield one line a figure."""
    yield from _life()
    yield from _throughput()


def _life() -> Iterator[str]:
    """What one reconciler does from its start on, in a process of its own, whose memory is counted."""
    with database() as zone:
        for what in ("write", "restart"):
            argv = [sys.executable, "-m", "tests.bench.northbound", what, zone.nb]
            done = subprocess.run(argv, capture_output=True, text=True, check=True)
            for name, wall, cpu in json.loads(done.stdout):
                unit = "MiB" if name.startswith("memory") else "ms"
                yield f"{f'{NETWORKS} networks: {name}':<60} {wall:9.1f} {unit}" + (
                    f"  (CPU {cpu:.1f} ms)" if cpu else ""
                )


def _throughput() -> Iterator[str]:
    rows = _compared()
    writers = [name for name in _WRITERS if name != "ovsdbapp" or importlib.util.find_spec("ovsdbapp")]
    best: dict[str, float] = {}
    for _ in range(ROUNDS):
        for name in writers:
            with database() as zone:
                # Each in a process of its own: ovsdbapp keeps one connection per process.
                argv = [sys.executable, "-m", "tests.bench.northbound", name, zone.nb]
                done = subprocess.run(argv, capture_output=True, text=True, check=True)
                best[name] = min(best.get(name, 1e9), float(done.stdout))
                with contextlib.closing(NorthboundStore(zone.nb, 60.0)) as store:
                    found = len(store.read())
            if found != len(rows) and name != "ovsdbapp":
                raise RuntimeError(f"{name} wrote {found} of {len(rows)} rows")
    for name, seconds in best.items():
        rate, factor = len(rows) / seconds, seconds / best["ours"]
        yield f"{f'write {len(rows)} rows: {name}':<60} {rate:9,.0f} rows/s {factor:6.2f} x our time"
    if "ovsdbapp" not in writers:
        yield "ovsdbapp is not there: it comes with the group dev"


def _compared() -> Sequence[Row]:
    return make_plan(networks(COMPARED), nodes(3), Settings(), ("node1",)).zones[0].rows


def _ours(remote: str, rows: Sequence[Row]) -> float:
    with contextlib.closing(NorthboundStore(remote, 60.0, exclusive=True, notify=lambda: None)) as store:
        store.read()
        began = time.perf_counter()
        Converger(store).run(rows)
        return time.perf_counter() - began


def _raw(remote: str, rows: Sequence[Row]) -> float:
    """One request, ready before the clock starts."""
    session = Session(remote, 60.0, lambda: False)
    before = snapshot(session.schema, session.transact(select_all(session.schema)))
    parts = parts_of(diff((), rows), before, 1 << 30)
    steps, count = [text for part in parts for text in part.steps], sum(len(part.kinds) for part in parts)
    began = time.perf_counter()
    session.transact_text(steps, count)
    taken = time.perf_counter() - began
    session.close()
    return taken


def _ovsdbapp(remote: str, rows: Sequence[Row]) -> float:
    """The generic commands of ovsdbapp, one transaction a network, after its IDL has loaded the empty database."""
    from ovsdbapp.backend.ovs_idl import connection
    from ovsdbapp.schema.ovn_northbound import impl_idl

    idl = connection.OvsdbIdl.from_server(remote, "OVN_Northbound", leader_only=False)
    api = impl_idl.OvnNbApiIdlImpl(connection.Connection(idl, timeout=60))
    began = time.perf_counter()
    known: dict[str, object] = {}
    for group in groups_of(rows).values():
        created: dict[str, object] = {}
        with api.transaction(check_error=True) as transaction:
            for row in sorted(group, key=row_order):
                values = {name: _value(value, created, known) for name, value in row.columns.items() if value}
                created[row.uuid] = transaction.add(api.db_create(row.table, **values))
        if not known:
            (copp,) = api.tables["Copp"].rows.values()
            known = dict.fromkeys(created, copp)
    taken = time.perf_counter() - began
    api.ovsdb_connection.stop()
    return taken


def _value(value: Column, created: dict[str, object], known: dict[str, object]) -> object:
    if isinstance(value, Ref):
        return created.get(value.uuid, known.get(value.uuid))
    if isinstance(value, tuple):
        return [_value(item, created, known) for item in value]
    return value if isinstance(value, (str, int)) else dict(value)


class _Life:
    """One process's work, and how long each step took: name, wall and CPU time in milliseconds."""

    def __init__(self, remote: str) -> None:
        self._store = NorthboundStore(remote, 60.0, exclusive=True, notify=lambda: None)
        self._converger = Converger(self._store)
        self._memo = Memo()
        self._all = networks(NETWORKS + 1)
        self.figures: list[tuple[str, float, float]] = []

    def step(self, count: int, plan: str, converge: str, operations: int | None = None) -> None:
        with self._timed(plan), without_cycles() if not self.figures else contextlib.nullcontext():
            made = make_plan(self._all[:count], nodes(3), Settings(), ("node1",), memo=self._memo)
        with self._timed(converge):
            done = self._converger.run(made.zones[0].rows)
        if operations is not None and len(done.operations) != operations:
            raise RuntimeError(f"{converge}: {len(done.operations)} operations, not {operations}")

    @contextlib.contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.figures.append((name, (time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3))

    def planned_and_compared(self) -> None:
        """One network more, without the write."""
        known = make_plan(self._all[:NETWORKS], nodes(3), Settings(), ("node1",), memo=self._memo).zones[0].rows
        self._converger.run(known)
        with self._timed("one more: plan and diff"):
            made = make_plan(self._all, nodes(3), Settings(), ("node1",), memo=self._memo)
            old, new = self._converger._moved(groups_of(made.zones[0].rows))
            operations = diff(old.values(), new.values())
        if {row.op for row in operations} != {"insert"} or len(operations) > 60:
            raise RuntimeError(f"one network more is {len(operations)} operations")

    def close(self) -> None:
        self._store.close()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        self.figures.append(("memory, peak", peak, 0.0))
        print(json.dumps(self.figures))


def _write(remote: str) -> None:
    life = _Life(remote)
    life.step(NETWORKS, "plan", "compare and write")
    life.step(NETWORKS, "no change: plan", "no change: compare", 0)
    life.planned_and_compared()
    life.step(NETWORKS + 1, "one more: plan", "one more: compare and write")
    life.step(NETWORKS, "one less: plan", "one less: compare and write")
    life.close()


def _restart(remote: str) -> None:
    life = _Life(remote)
    life.step(NETWORKS, "after a restart: plan", "after a restart: read and compare all", 0)
    life.close()


_WRITERS: dict[str, Callable[[str, Sequence[Row]], float]] = {"ours": _ours, "raw": _raw, "ovsdbapp": _ovsdbapp}
_LIVES = {"write": _write, "restart": _restart}

if __name__ == "__main__":
    task, remote = sys.argv[1:]
    if task in _LIVES:
        _LIVES[task](remote)
    else:
        print(_WRITERS[task](remote, _compared()))
