"""Files that a real ovsdb-server wrote: what the reader finds is what the server has, wherever the file is cut."""

import gzip
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import pytest

from ovnguard.reconciler.apply.files.ovsdb_file import read_database_file
from ovnguard.reconciler.apply.ovn.session import Session
from ovnguard.reconciler.apply.ovn.whole_zone import whole_zone
from ovnguard.reconciler.apply.store_errors import StoreCorruptError
from ovnguard.reconciler.plan.rows.row import Row
from tests.support.recorded_rows import RecordedZone, recorded_zones, recording
from tests.testbed.parts import Part, Parts
from tests.testbed.process import Child, call, is_listening, scratch, wait_until

pytestmark = pytest.mark.conformance

CUTS: Final = 200
CHANGES: Final = 60
# A router or switch comes with all that it refers to. Port groups refer weakly to ports of switches.
_FIRST: Final = ("Logical_Router", "Logical_Switch")


class Server:
    """An ovsdb-server, its control socket, and a session with it."""

    def __init__(self, ovn: Part, run: Path) -> None:
        self.file = run / "nb.db"
        self._ovn, self._control = ovn, run / "nb.ctl"
        self._socket = run / "nb.sock"

    def session(self) -> Session:
        """A session, which ends when the server gets another file."""
        return Session(f"unix:{self._socket}", 30, lambda: False)

    def rows(self) -> tuple[Row, ...]:
        """All rows of the database."""
        with closing(self.session()) as session:
            return whole_zone(session)

    def replay(self, zone: RecordedZone, seed: int) -> bytes:
        """Write the rows of a recorded zone in many transactions, change some, and return the file."""
        with closing(self.session()) as session:
            _replay(session, recording(zone.recording)["northbound"][zone.node], random.Random(seed))
        return self.file.read_bytes()

    def serves(self, data: bytes) -> tuple[Row, ...]:
        """What the server has of a database file with these bytes."""
        self._call("remove-db", "OVN_Northbound")
        self.file.write_bytes(data)
        self._call("add-db", str(self.file))
        return self.rows()

    def _call(self, command: str, argument: str) -> None:
        call([self._ovn.tool("ovs-appctl"), "-t", self._control, f"ovsdb-server/{command}", argument])


@contextmanager
def serving(parts: Parts, folder: Path) -> Iterator[Server]:
    """A server with an empty Northbound database."""
    with scratch("file") as run:
        file, socket = run / "nb.db", run / "nb.sock"
        call([parts.ovn.tool("ovsdb-tool"), "create", file, parts.ovn.file("ovn-nb.ovsschema")])
        control = ["-vconsole:off", "-vsyslog:off", f"--unixctl={run / 'nb.ctl'}", f"--remote=punix:{socket}"]
        with Child("file", [parts.ovn.tool("ovsdb-server"), *control, file], folder / "server.out") as child:
            wait_until(partial(is_listening, socket), "ovsdb-server", 60, [child])
            yield Server(parts.ovn, run)


def test_what_a_server_wrote_is_read_as_the_server_has_it(parts, tmp_path):
    """Every recorded zone in many transactions; then values change, elements come and go, and rows are deleted."""
    for zone in recorded_zones()[::8]:
        with serving(parts, tmp_path) as server:
            read = _read(server.replay(zone, 1))
            assert _by_uuid(read.rows) == _by_uuid(server.rows()), zone
        assert read.database == "OVN_Northbound"
        assert not read.is_cut
        assert read.written is not None


def test_a_file_that_is_cut_anywhere_is_read_to_its_last_whole_transaction(parts, tmp_path):
    picked = random.Random(25)
    with serving(parts, tmp_path) as server:
        whole = server.replay(recorded_zones()[0], 2)
        ends = _ends(whole)
        for length in [picked.randrange(ends[0], len(whole)) for _ in range(CUTS)]:
            read = _read(whole[:length])
            assert _by_uuid(read.rows) == _by_uuid(server.serves(whole[:length])), length
            assert read.is_cut == (length not in ends), length


def test_a_file_without_a_whole_schema_is_an_error(parts, tmp_path):
    with serving(parts, tmp_path) as server:
        whole = server.file.read_bytes()
    for length in (0, 1, 20, len(whole) // 2, len(whole) - 1):
        with pytest.raises(StoreCorruptError, match=r"^nb: no schema: the file is empty or cut in its first record$"):
            _read(whole[:length])


def test_a_wrong_checksum_before_the_end_is_an_error(parts, tmp_path):
    with serving(parts, tmp_path) as server:
        whole = server.replay(recorded_zones()[0], 1)
    starts = [0, *_ends(whole)]
    second = whole.index(b"\n", starts[1]) + 5
    with pytest.raises(StoreCorruptError, match=r"^nb: record 2: the checksum is wrong$"):
        _read(whole[:second] + bytes([whole[second] ^ 1]) + whole[second + 1 :])
    last = len(whole) - 5
    damaged = _read(whole[:last] + bytes([whole[last] ^ 1]) + whole[last + 1 :])
    assert damaged.is_cut
    assert _by_uuid(damaged.rows) == _by_uuid(_read(whole[: starts[-2]]).rows)


def test_a_compressed_file_is_the_same(parts, tmp_path):
    with serving(parts, tmp_path) as server:
        whole = server.replay(recorded_zones()[0], 1)
    with gzip.open(BytesIO(gzip.compress(whole))) as stream:
        assert read_database_file(stream, "nb") == _read(whole)


def _read(data: bytes):
    return read_database_file(BytesIO(data), "nb")


def _ends(whole: bytes) -> list[int]:
    """Where records end."""
    ends, at = [], 0
    while at < len(whole):
        line = whole.index(b"\n", at) + 1
        at = line + int(whole[at:line].split()[2])
        ends.append(at)
    return ends


def _by_uuid(rows: Sequence[Row]) -> dict[str, Row]:
    return {row.uuid: row for row in rows}


def _replay(session: Session, tables: Mapping[str, Mapping[str, Any]], picked: random.Random) -> None:
    """Write recorded rows in many transactions, then change some."""
    rows = {uuid: (table, row) for table, each in tables.items() for uuid, row in each.items() if table != "NB_Global"}
    schema = session.call("get_schema", ["OVN_Northbound"])["tables"]
    roots = [uuid for uuid in rows if schema[rows[uuid][0]].get("isRoot")]
    written: dict[str, None] = {}
    for root in sorted(roots, key=lambda each: (rows[each][0] not in _FIRST, each)):
        new = [each for each in _reachable(root, rows) if each not in written]
        session.transact([{"op": "insert", "table": rows[each][0], "uuid": each, "row": rows[each][1]} for each in new])
        written |= dict.fromkeys(new)
    for number in range(CHANGES):
        uuid = picked.choice([each for each in written if "external_ids" in schema[rows[each][0]]["columns"]])
        table = rows[uuid][0]
        operation = picked.choice(list(_CHANGES) if schema[table].get("isRoot") else ["note", "no note", "notes"])
        session.transact([{"table": table, "where": [["_uuid", "==", ["uuid", uuid]]]} | _change(operation, number)])
    _change_elements(session, rows, picked)


_CHANGES: Final[Mapping[str, Mapping[str, Any]]] = {
    "note": {"op": "mutate", "mutations": [["external_ids", "insert", ["map", [["note-%d", "a\u00e9"]]]]]},
    "no note": {"op": "mutate", "mutations": [["external_ids", "delete", ["set", ["note-1", "note-2"]]]]},
    "notes": {"op": "update", "row": {"external_ids": ["map", [["note-1", "changed"], ["other-%d", ""]]]}},
    "deleted": {"op": "delete"},
}


def _change(operation: str, number: int) -> dict[str, Any]:
    change: dict[str, Any] = json.loads(json.dumps(_CHANGES[operation]).replace("%d", str(number % 5)))
    return change


def _change_elements(session: Session, rows: Mapping[str, tuple[str, Any]], picked: random.Random) -> None:
    """Sets, optional values and single values of rows that are still there change, and ports go."""
    for uuid, (table, row) in rows.items():
        where = [["_uuid", "==", ["uuid", uuid]]]
        if table == "Address_Set":
            session.transact([{"op": "mutate", "table": table, "where": where, "mutations": _ADDRESSES}])
        elif table == "ACL":
            changed = {"priority": picked.randrange(1000), "meter": "acl-logging", "label": 7}
            session.transact([{"op": "update", "table": table, "where": where, "row": changed}])
            session.transact([{"op": "update", "table": table, "where": where, "row": {"meter": ["set", []]}}])
        elif table == "Logical_Switch":
            ports = ["set", [each for each in _references(row.get("ports")) if picked.random() < 0.5]]
            session.transact([{"op": "update", "table": table, "where": where, "row": {"ports": ports}}])


_ADDRESSES: Final = [
    ["addresses", "insert", ["set", ["10.99.0.1", "10.99.0.2"]]],
    ["addresses", "delete", "10.99.0.1"],
]


def _references(value: Any) -> list[Any]:
    """The references of a column, as they are."""
    if not isinstance(value, list):
        return []
    if value[0] == "uuid":
        return [value]
    return [found for each in value[1] for found in (_references(each))] if value[0] == "set" else []


def _reachable(root: str, rows: Mapping[str, tuple[str, Any]]) -> list[str]:
    """A row and all rows that it refers to, in the order in which they were found."""
    found, waiting = dict.fromkeys([root]), [root]
    while waiting:
        _, row = rows[waiting.pop()]
        for value in row.values():
            new = [uuid for _, uuid in _references(value) if uuid in rows and uuid not in found]
            found |= dict.fromkeys(new)
            waiting += new
    return list(found)
