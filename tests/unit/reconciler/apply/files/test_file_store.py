"""The file-backed store: whole files or none, one clear error for what is not its own."""

import json
import multiprocessing
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ovnguard.reconciler.apply.files.file_store import FileStore
from ovnguard.reconciler.apply.store_errors import (
    StoreCorruptError,
    StoreError,
    StoreUnavailableError,
    TransactionRacedError,
)
from ovnguard.reconciler.plan.rows.northbound import new_row, refs
from ovnguard.reconciler.plan.rows.row import Operation, Row
from tests.support.soak import examples

PORT = new_row("Logical_Switch_Port", {"name": "p", "addresses": ("router",), "options": {"router-port": "r"}})
SWITCH = new_row("Logical_Switch", {"name": "s", "ports": refs([PORT])})
BINDING = new_row(
    "Static_MAC_Binding",
    {"logical_port": "r", "ip": "1.1.1.1", "mac": "0a:58:00:00:00:01", "override_dynamic_mac": True},
)
ROWS = (PORT, SWITCH, BINDING)


def inserts(*rows: Row) -> list[Operation]:
    return [Operation("insert", row.table, row.uuid, row.columns) for row in rows]


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    return FileStore(tmp_path / "store", lock_timeout=0.1)


def test_nothing_is_stored_at_first_and_reading_makes_no_folder(store, tmp_path):
    assert store.nodes() == ()
    assert store.read("n1") == ()
    assert store.read_frr("n1") == ""
    assert list(tmp_path.iterdir()) == []


def test_rows_come_back_as_they_were(store):
    store.apply("n1", inserts(*ROWS))
    assert sorted(store.read("n1"), key=lambda row: row.uuid) == sorted(ROWS, key=lambda row: row.uuid)
    assert store.nodes() == ("n1",)


def test_the_file_is_ovsdb_shaped_json(store, tmp_path):
    store.apply("n1", inserts(SWITCH))
    value = json.loads((tmp_path / "store/nb/n1.json").read_text())
    row = value["OVN_Northbound"]["Logical_Switch"][SWITCH.uuid]
    assert row["name"] == "s"
    assert row["ports"] == ["set", [["uuid", PORT.uuid]]]
    assert row["external_ids"] == ["map", [["ovnguard.io/owner", "ovnguard"]]]


def test_update_changes_only_the_named_columns(store):
    store.apply("n1", inserts(*ROWS))
    store.apply("n1", [Operation("update", PORT.table, PORT.uuid, {"addresses": ("unknown",)})])
    (row,) = [row for row in store.read("n1") if row.uuid == PORT.uuid]
    assert row.columns == {**PORT.columns, "addresses": ("unknown",)}


def test_a_node_whose_rows_and_frr_are_gone_is_gone(store):
    store.apply("n1", inserts(*ROWS))
    assert store.write_frr("n1", "frr version 10\n")
    assert not store.write_frr("n1", "frr version 10\n")
    store.apply("n1", [Operation("delete", row.table, row.uuid) for row in ROWS])
    assert store.nodes() == ("n1",)
    assert store.write_frr("n1", "")
    assert store.nodes() == ()


@pytest.mark.parametrize(
    ("operation", "text"),
    [
        (Operation("insert", PORT.table, PORT.uuid, PORT.columns), "is already there"),
        (Operation("update", SWITCH.table, SWITCH.uuid, {"name": "x"}), "is not there"),
        (Operation("delete", SWITCH.table, SWITCH.uuid), "is not there"),
    ],
)
def test_what_does_not_fit_is_refused_whole(store, operation, text):
    store.apply("n1", inserts(PORT))
    with pytest.raises(TransactionRacedError) as raised:
        store.apply("n1", [*inserts(BINDING), operation])
    where = f"node n1: {operation.op} in {operation.table}: row {operation.uuid} {text}; read the store again"
    assert str(raised.value) == where
    assert store.read("n1") == (PORT,)


UUID = "00000000-0000-5000-8000-000000000000"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not JSON: Expecting value: line 1 column 1 (char 0); move it away"),
        ("{", "is not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1); move it away"),
        ("[" * 100_000, "is not of this store: nested too deeply; move it away"),
        ("[]", "is not of this store: '[]' is not a mapping; move it away"),
        ("{}", 'is not of this store: it has no "OVN_Northbound"; move it away'),
        ('{"OVN_Northbound": {"T": {"u": {}}}}', "is not of this store: 'u' is not a UUID; move it away"),
        (
            f'{{"OVN_Northbound": {{"T": {{"{UUID}": {{"c": null}}}}}}}}',
            "is not of this store: not a value of OVSDB: None; move it away",
        ),
    ],
    ids=["empty", "braces", "brackets", "list", "foreign", "no-uuid", "no-column"],
)
def test_a_spoiled_file_is_one_clear_error(store, tmp_path, text, message):
    file = tmp_path / "store/nb/n1.json"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    for attempt in (lambda: store.read("n1"), lambda: store.apply("n1", inserts(PORT))):
        with pytest.raises(StoreCorruptError) as raised:
            attempt()
        assert str(raised.value) == f"{file}: {message}"
    assert file.read_text() == text


def test_text_that_is_not_utf8(store, tmp_path):
    file = tmp_path / "store/nb/n1.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(StoreCorruptError, match=r"n1\.json: is not UTF-8 text; move it away$"):
        store.read("n1")


@pytest.mark.parametrize(("part", "name"), [("nb", "notes.txt"), ("nb", "N1.json"), ("frr", "n1.conf.bak")])
def test_a_foreign_file_is_one_clear_error(store, tmp_path, part, name):
    store.apply("n1", inserts(PORT))
    store.write_frr("n1", "x\n")
    (tmp_path / "store" / part / name).write_text("mine")
    suffix = ".json" if part == "nb" else ".conf"
    with pytest.raises(StoreCorruptError) as raised:
        store.nodes()
    text = f"is not a file of this store, which contains {part}/NODE{suffix}; move it away"
    assert str(raised.value) == f"{tmp_path / 'store' / part / name}: {text}"


def test_a_folder_that_is_a_file(tmp_path):
    (tmp_path / "store").write_text("")
    with pytest.raises(StoreError, match=r"store/nb: Not a directory$|store/nb/n1\.json: Not a directory$"):
        FileStore(tmp_path / "store").apply("n1", inserts(PORT))


@pytest.mark.parametrize("node", ["", "..", "a/b", "A", "a" * 300, "a\0"])
def test_an_invalid_node_name_never_becomes_a_path(store, node):
    with pytest.raises(ValueError, match="is not a valid node name"):
        store.read(node)


def test_the_lock_keeps_others_out_and_says_so(store, tmp_path):
    with store.locked(), pytest.raises(StoreUnavailableError) as raised, FileStore(tmp_path / "store", 0.05).locked():
        pass
    text = "another process uses this store; wait for it to end, or name another folder"
    assert str(raised.value) == f"{tmp_path / 'store/.lock'}: {text}"
    with store.locked():
        pass


def test_the_lock_sweeps_what_a_killed_writer_left(store, tmp_path):
    store.apply("n1", inserts(PORT))
    leftover = tmp_path / "store/nb/.ovnguard-n1.json-abc"
    leftover.write_text("half")
    assert store.nodes() == ("n1",)
    with store.locked():
        assert not leftover.exists()


def _write_for_ever(folder: Path, ready) -> None:
    store = FileStore(folder)
    even = inserts(PORT, SWITCH)
    store.apply("n1", even)
    ready.set()
    turn = 0
    while True:
        turn += 1
        changes: dict[str, Any] = {"name": f"s{turn}", "other_config": {"turn": str(turn)}}
        with store.locked():
            store.apply("n1", [Operation("update", SWITCH.table, SWITCH.uuid, changes)])


@settings(max_examples=examples(12), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(delay=st.floats(0.0, 0.03))
@pytest.mark.timing
def test_a_writer_killed_at_any_moment_leaves_the_state_before_or_after(tmp_path, delay):
    folder = tmp_path / f"store-{time.monotonic_ns()}"
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    writer = context.Process(target=_write_for_ever, args=(folder, ready))
    writer.start()
    assert ready.wait(10)
    time.sleep(delay)
    writer.kill()
    writer.join()
    store = FileStore(folder, lock_timeout=1.0)
    with store.locked():
        rows = {row.uuid: row for row in store.read("n1")}
    assert rows.keys() == {PORT.uuid, SWITCH.uuid}
    turn = rows[SWITCH.uuid].entry("other_config", "turn")
    assert rows[SWITCH.uuid].columns["name"] == f"s{turn}"
    assert [path.name for path in (folder / "nb").iterdir()] == ["n1.json"]
