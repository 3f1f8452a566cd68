"""The live backend on a real ovsdb-server with a real northd beside it."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from ovnguard.reconciler.apply.ovn.converge import converge
from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore
from ovnguard.reconciler.apply.store_errors import (
    SchemaTooOldError,
    StoreUnavailableError,
    TransactionRacedError,
    TransactionRefusedError,
)
from ovnguard.reconciler.apply.zone_store import TLSFiles
from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.rows.northbound import new_row
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.rows.settings import Settings
from tests.support.plan_samples import V4, V6, nodes, udn
from tests.support.reconciler_cli import APPLICABLE
from tests.testbed import pki
from tests.testbed.apiserver import free_port
from tests.testbed.process import Child, is_listening, wait_until

SWITCH = "test12_namespace.scoped_ovn_layer2_switch"
ROUTER = "test12_namespace.scoped_transit_router"


def planned(count: int = 3, zone: int = 0, **changes) -> Sequence[Row]:
    network = udn("test12_namespace-scoped", V4, V6, **changes)
    return make_plan([network], nodes(count, v6=True), Settings()).zones[zone].rows


@pytest.fixture
def connect():
    with contextlib.ExitStack() as stack:

        def start(remote: str, timeout: float = 5.0, **options) -> NorthboundStore:
            return stack.enter_context(contextlib.closing(NorthboundStore(remote, timeout, **options)))

        yield start


def by_uuid(rows) -> dict[str, Row]:
    return {row.uuid: row for row in rows}


def test_every_zone_reads_back_what_was_planned_and_a_second_apply_does_nothing(ovn_zone, connect):
    for index in range(3):
        zone = ovn_zone(f"n{index + 1}")
        store = connect(zone.nb)
        rows = planned(zone=index)
        assert len(converge(store, rows)) == len(rows)
        assert by_uuid(store.read()) == by_uuid(rows)
        assert converge(store, rows) == ()
        zone.wait_sb()
        assert converge(store, rows) == (), "what northd fills in is not ours"


def test_northd_takes_the_plan(ovn_zone, connect):
    zone = ovn_zone("n1")
    converge(connect(zone.nb), planned())
    zone.wait_sb()
    datapaths = json.loads(zone.sbctl("--format=json", "--columns=tunnel_key", "list", "Datapath_Binding"))
    assert max(row[0] for row in datapaths["data"]) > 16711683
    assert "Traceback" not in zone.log("northd")
    assert "|ERR|" not in zone.log("northd")


def test_a_node_less_is_a_small_difference_and_none_is_nothing_left(ovn_zone, connect):
    zone = ovn_zone("n1")
    store = connect(zone.nb)
    converge(store, planned(3))
    steps = converge(store, planned(2))
    assert {step.op for step in steps} == {"update", "delete"}
    assert {step.table for step in steps} == {
        "Address_Set",
        "Logical_Router",
        "Logical_Router_Port",
        "Logical_Router_Static_Route",
    }
    converge(store, ())
    assert store.read() == ()
    assert zone.nbctl("lr-list") == zone.nbctl("ls-list") == ""


def test_what_others_wrote_survives(ovn_zone, connect):
    zone = ovn_zone("n1")
    store = connect(zone.nb)
    rows = planned()
    converge(store, rows)
    zone.nbctl("ls-add", "foreign", "--", "lsp-add", SWITCH, "pod1", "--", "lsp-set-addresses", "pod1", "dynamic")
    zone.nbctl("lr-policy-add", ROUTER, "100", "ip4.src == 203.203.0.5", "reroute", "100.88.0.5")
    zone.nbctl("set", "logical_switch", SWITCH, "other_config:their_key=1", "external_ids:their/id=x")
    zone.nbctl("set", "logical_router", ROUTER, "options:mcast_relay=true", "enabled=false")
    assert by_uuid(store.read()) == by_uuid(rows)
    assert converge(store, rows) == ()

    converge(store, planned(2))
    converge(store, planned(3))
    assert "(pod1)" in zone.nbctl("lsp-list", SWITCH)
    assert "203.203.0.5" in zone.nbctl("lr-policy-list", ROUTER)
    assert zone.nbctl("get", "logical_switch", SWITCH, "other_config:their_key").strip() == '"1"'
    assert zone.nbctl("get", "logical_switch", SWITCH, "external_ids:their/id").strip() == "x"
    assert zone.nbctl("get", "logical_router", ROUTER, "enabled").strip() == "false"

    converge(store, ())
    assert zone.nbctl("ls-list").split() == [
        zone.nbctl("get", "logical_switch", "foreign", "_uuid").strip(),
        "(foreign)",
    ]


def test_rows_changed_by_others_are_repaired(ovn_zone, connect):
    zone = ovn_zone("n1")
    store = connect(zone.nb)
    rows = planned()
    converge(store, rows)
    port = f"trtos-{SWITCH}"
    zone.nbctl("set", "logical_switch", SWITCH, "other_config:mcast_snoop=false")
    zone.nbctl("remove", "logical_router", ROUTER, "external_ids", "ovnguard.io/keys")
    zone.nbctl("set", "logical_router_port", port, "networks=9.9.9.9/24", "external_ids={}")
    zone.nbctl("set", "logical_switch", SWITCH, "name=renamed")
    zone.nbctl("lrp-del", "trtor-GR_test12_namespace.scoped_node2")
    converge(store, rows)
    assert by_uuid(store.read()) == by_uuid(rows)
    assert converge(store, rows) == ()


def test_a_key_that_is_no_longer_planned_goes_and_theirs_stays(ovn_zone, connect):
    zone = ovn_zone("n1")
    store = connect(zone.nb)
    row = new_row("Logical_Router", {"name": "r", "options": {"mac_binding_age_threshold": "300", "chassis": "c"}})
    converge(store, [row])
    zone.nbctl("set", "logical_router", "r", "options:theirs=1")
    converge(store, [new_row("Logical_Router", {"name": "r", "options": {"chassis": "d"}})])
    assert zone.nbctl("get", "logical_router", "r", "options").strip() == '{chassis=d, theirs="1"}'


class Interfering:
    """A store whose reader is overtaken by somebody else, `times` times."""

    def __init__(self, store: NorthboundStore, interfere, times: int) -> None:
        self._store, self._interfere, self._left = store, interfere, times
        self.reads = 0

    def read(self):
        rows = self._store.read()
        self.reads += 1
        if self._left:
            self._left -= 1
            self._interfere(self.reads)
        return rows

    def apply(self, operations):
        self._store.apply(operations)

    def close(self):
        """Nothing of its own."""


@pytest.mark.parametrize(
    "command",
    [
        lambda turn: ("set", "logical_router_port", f"trtos-{SWITCH}", f"networks=9.9.{turn}.9/24"),
        lambda turn: ("--if-exists", "lrp-del", f"trtor-GR_test12_namespace.scoped_node{4 - turn}"),
    ],
    ids=["a column changed", "a row went away"],
)
def test_a_lost_race_is_run_again(ovn_zone, connect, command):
    zone = ovn_zone("n1")
    store = connect(zone.nb)
    converge(store, planned())
    zone.nbctl("set", "logical_router_port", f"trtos-{SWITCH}", "networks=8.8.8.8/24")
    target = planned(1)
    rival = Interfering(store, lambda turn: zone.nbctl(*command(turn)), times=2)
    converge(rival, target)
    assert rival.reads == 3
    assert by_uuid(store.read()) == by_uuid(target)


def test_two_at_once_end_at_the_plan(ovn_zone, connect):
    zone = ovn_zone("n1")
    rows = planned()
    failures = []

    def work() -> None:
        try:
            with contextlib.closing(NorthboundStore(zone.nb, 10.0)) as store:
                for _ in range(10):
                    converge(store, rows)
                    converge(store, planned(2))
                    converge(store, rows)
        except Exception as error:  # noqa: BLE001 - a thread's failure is the test's
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [error for error in failures if not isinstance(error, TransactionRacedError)] == []
    store = connect(zone.nb)
    converge(store, rows)
    assert by_uuid(store.read()) == by_uuid(rows)


def test_what_the_database_refuses_waits_alone(ovn_zone, connect):
    zone = ovn_zone("n1")
    store = connect(zone.nb)
    rows = planned()
    bad = new_row("ACL", {"direction": "sideways", "action": "allow", "match": "ip"}, "bad")
    with pytest.raises(TransactionRefusedError) as raised:
        converge(store, [*rows, bad])
    assert str(raised.value).startswith("shared rows: not written: constraint violation: ")
    assert "sideways" in str(raised.value)
    assert {row.uuid for row in store.read()} == {row.uuid for row in rows}


def restarted(zone, parts, directory: Path, database: Path, *options: str, ports: Sequence[int] = ()) -> Child:
    """A new ovsdb-server behind the old one's socket, and listening on ``ports``."""
    path = Path(zone.nb.removeprefix("unix:"))
    path.unlink(missing_ok=True)
    quiet = ["-vconsole:off", "-vsyslog:off", f"--unixctl={path.parent / 'again.ctl'}"]
    argv = [parts.ovn.tool("ovsdb-server"), *quiet, *options, f"--remote=punix:{path}", database]
    child = Child("nb again", argv, directory / "again.out")
    wait_until(partial(is_listening, path), "nb again", 60.0, [child])
    for port in ports:
        wait_until(partial(accepts, port), f"nb again on port {port}", 60.0, [child])
    return child


def accepts(port: int) -> bool:
    """Whether a server accepts TCP connections there."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_the_database_is_killed_and_comes_back(ovn_zone, parts, connect, tmp_path):
    zone = ovn_zone("n1")
    store = connect(zone.nb, 2.0)
    rows = planned()
    converge(store, rows)
    os.kill(zone.pids()["nb"], signal.SIGKILL)
    with pytest.raises(StoreUnavailableError):
        converge(store, rows)
    with restarted(zone, parts, tmp_path, Path(zone.nb.removeprefix("unix:")).parent / "nb.db"):
        assert by_uuid(store.read()) == by_uuid(rows), "the database kept what it had accepted"
        assert converge(store, rows) == ()
        assert len(converge(store, planned(2))) > 0


def test_an_emptied_database_is_filled_again(ovn_zone, parts, connect, tmp_path):
    zone = ovn_zone("n1")
    store = connect(zone.nb, 2.0)
    rows = planned()
    converge(store, rows)
    os.kill(zone.pids()["nb"], signal.SIGKILL)
    empty = tmp_path / "empty.db"
    subprocess.run([parts.ovn.tool("ovsdb-tool"), "create", empty, parts.ovn.file("ovn-nb.ovsschema")], check=True)
    with restarted(zone, parts, tmp_path, empty):
        with contextlib.suppress(StoreUnavailableError):
            store.read()
        assert len(converge(store, rows)) == len(rows)


def test_an_older_schema_is_refused_by_name(ovn_zone, parts, connect, tmp_path):
    schema = json.loads(parts.ovn.file("ovn-nb.ovsschema").read_text())
    schema["version"] = "6.1.0"
    del schema["cksum"]
    old, database = tmp_path / "old.ovsschema", tmp_path / "old.db"
    old.write_text(json.dumps(schema))
    subprocess.run([parts.ovn.tool("ovsdb-tool"), "create", database, old], check=True)
    zone = ovn_zone("n1")
    os.kill(zone.pids()["nb"], signal.SIGKILL)
    with restarted(zone, parts, tmp_path, database), pytest.raises(SchemaTooOldError) as raised:
        connect(zone.nb).read()
    assert str(raised.value) == (
        f"{zone.nb}: OVN_Northbound of schema 6.1.0 knows no transit routers; "
        "OVN 25.03 (schema 7.11.0) or newer is needed"
    )


def test_tls_and_tcp_are_the_same_database(ovn_zone, parts, connect, tmp_path):
    zone = ovn_zone("n1")
    os.kill(zone.pids()["nb"], signal.SIGKILL)
    folder = tmp_path / "pki"
    folder.mkdir()
    authority = pki.Authority(folder)
    server, client, ca = authority.server("nb"), authority.client("zone", "zones"), folder / "ca.crt"
    plain, encrypted = free_port(), free_port()
    options = [f"--private-key={server.key}", f"--certificate={server.cert}", f"--ca-cert={ca}"]
    remotes = [f"--remote=ptcp:{plain}:127.0.0.1", f"--remote=pssl:{encrypted}:127.0.0.1"]
    database = Path(zone.nb.removeprefix("unix:")).parent / "nb.db"
    rows = planned()
    with restarted(zone, parts, tmp_path, database, *options, *remotes, ports=(plain, encrypted)):
        files = TLSFiles(client.key, client.cert, ca)
        converge(connect(f"ssl:127.0.0.1:{encrypted}", tls=files), rows)
        assert by_uuid(connect(f"tcp:127.0.0.1:{plain}").read()) == by_uuid(rows)
        stranger_folder = tmp_path / "stranger"
        stranger_folder.mkdir()
        pki.Authority(stranger_folder)
        stranger = TLSFiles(client.key, client.cert, stranger_folder / "ca.crt")
        with pytest.raises(StoreUnavailableError, match=f"^ssl:127.0.0.1:{encrypted}: "):
            connect(f"ssl:127.0.0.1:{encrypted}", tls=stranger).read()


def test_the_certificate_must_name_the_host_of_the_remote(ovn_zone, parts, connect, tmp_path):
    zone = ovn_zone("n1")
    database = Path(zone.nb.removeprefix("unix:")).parent / "nb.db"
    authority = pki.Authority(tmp_path)
    client = authority.client("zone", "zones")
    files, port = TLSFiles(client.key, client.cert, tmp_path / "ca.crt"), free_port()
    remote = f"ssl:127.0.0.1:{port}"
    os.kill(zone.pids()["nb"], signal.SIGKILL)
    for address, is_host in (("127.0.0.1", True), ("127.0.0.2", False)):
        server = authority.server(address, "db.example", [address])
        options = [f"--private-key={server.key}", f"--certificate={server.cert}", f"--ca-cert={tmp_path / 'ca.crt'}"]
        with restarted(zone, parts, tmp_path, database, *options, f"--remote=pssl:{port}:127.0.0.1", ports=(port,)):
            if is_host:
                assert connect(remote, tls=files).read() == ()
                continue
            with pytest.raises(StoreUnavailableError) as raised:
                connect(remote, tls=files).read()
        message = "the server's certificate is for db.example, 127.0.0.2, not for 127.0.0.1"
        assert str(raised.value) == f"{remote}: {message}"


def test_three_hundred_networks_are_one_transaction_and_seconds(ovn_zone, connect):
    zone = ovn_zone("n1")
    os.kill(zone.pids()["northd"], signal.SIGKILL)
    base = nodes(3)
    networks = [
        udn(f"ns{number}_net")._replace(network_id=number, tunnel_keys=(16711683 + number, 16715779 + number))
        for number in range(1, 301)
    ]
    rows = make_plan(networks, base, Settings()).zones[0].rows
    store = connect(zone.nb, 60.0)
    began = time.monotonic()
    converge(store, rows)
    written = time.monotonic() - began
    began = time.monotonic()
    assert converge(store, rows) == ()
    compared = time.monotonic() - began
    print(f"{len(rows)} rows: written in {written:.2f} s, read and compared in {compared:.2f} s")
    assert len(rows) > 9000


def test_the_command_line_writes_into_live_databases(ovn_zone, tmp_path):
    zones = {name: ovn_zone(name) for name in ("worker-a", "worker-b")}
    remotes = [arg for name, zone in zones.items() for arg in ("--nb-db", f"{name}={zone.nb}")]
    argv = ["apply", *APPLICABLE, "--frr-dir", tmp_path / "frr", *remotes]
    program = Path(sys.executable).parent / "ovnguard-reconciler"
    first = subprocess.run([program, *argv], check=True, capture_output=True, text=True)
    assert first.stdout.splitlines()[-1].endswith(
        " added, 0 changed, 0 destroyed on 2 nodes; FRR configuration of 2 nodes"
    )
    for name, zone in zones.items():
        assert f"(GR_cluster_udn_blue_{name})" in zone.nbctl("lr-list")
        assert "remote-as" in (tmp_path / "frr" / f"{name}.conf").read_text()
        zone.wait_sb()
    second = subprocess.run([program, *argv], check=True, capture_output=True, text=True)
    assert second.stdout == "no changes\n"
