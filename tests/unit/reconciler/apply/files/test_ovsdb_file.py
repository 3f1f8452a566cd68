"""The reader of database files: what each record does, and what is refused."""

from contextlib import suppress
from hashlib import sha1
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovnguard.reconciler.apply.files.ovsdb_file import DatabaseFile, read_database_file
from ovnguard.reconciler.apply.store_errors import ClusteredDatabaseError, StoreCorruptError, StoreError
from ovnguard.reconciler.plan.rows.row import Column, Ref
from tests.support.gathered_archive import record

A, B = "00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"
SCHEMA = {
    "name": "OVN_Northbound",
    "version": "7.11.0",
    "tables": {
        "T": {
            "columns": {
                "name": {"type": "string"},
                "number": {"type": {"key": {"type": "integer", "minInteger": 0}}},
                "flag": {"type": "boolean"},
                "parent": {"type": "uuid"},
                "meter": {"type": {"key": "string", "min": 0, "max": 1}},
                "members": {"type": {"key": "string", "min": 0, "max": "unlimited"}},
                "ids": {"type": {"key": "string", "value": "string", "min": 0, "max": "unlimited"}},
            }
        }
    },
}


def raw(text: bytes) -> bytes:
    return f"OVSDB JSON {len(text)} {sha1(text).hexdigest()}\n".encode() + text


def read(*transactions: Any) -> DatabaseFile:
    return read_database_file(BytesIO(b"".join(map(record, (SCHEMA, *transactions)))), "nb.db")


def columns(*transactions: Any) -> dict[str, dict[str, Column]]:
    return {row.uuid: dict(row.columns) for row in read(*transactions).rows}


def test_a_column_that_was_never_written_has_the_default_of_its_type():
    assert columns({"T": {A: {}}}) == {
        A: {
            "name": "",
            "number": 0,
            "flag": False,
            "parent": Ref("00000000-0000-0000-0000-000000000000"),
            "meter": (),
            "members": (),
            "ids": {},
        }
    }


@pytest.mark.parametrize(
    ("first", "second", "is_diff", "found"),
    [
        ({"name": "a"}, {"name": "b"}, False, {"name": "b"}),
        ({"name": "a"}, {"name": "b"}, True, {"name": "b"}),
        ({"members": ["set", ["a", "b"]]}, {"members": "c"}, False, {"members": ("c",)}),
        ({"members": ["set", ["a", "b"]]}, {"members": ["set", ["b", "c"]]}, True, {"members": ("a", "c")}),
        ({"members": "a"}, {"members": "a"}, True, {"members": ()}),
        ({}, {"members": "a"}, True, {"members": ("a",)}),
        ({"meter": "a"}, {"meter": ["set", []]}, True, {"meter": ()}),
        ({"meter": "a"}, {"meter": "b"}, True, {"meter": ("b",)}),
        ({"ids": ["map", [["a", "1"]]]}, {"ids": ["map", [["b", "2"]]]}, False, {"ids": {"b": "2"}}),
        (
            {"ids": ["map", [["a", "1"], ["b", "2"], ["c", "3"]]]},
            {"ids": ["map", [["a", "1"], ["b", "3"], ["d", "4"]]]},
            True,
            {"ids": {"b": "3", "c": "3", "d": "4"}},
        ),
    ],
)
def test_a_transaction_writes_values_or_differences(first, second, is_diff, found):
    later = {"T": {A: second}} | ({"_is_diff": True} if is_diff else {})
    assert columns({"T": {A: first}}, later)[A].items() >= found.items()


def test_null_deletes_a_row_and_the_last_time_counts():
    done = read({"_date": 1, "T": {A: {}, B: {}}}, {"_date": 2, "_comment": "x", "T": {A: None}}, {"T": {B: {}}})
    assert [row.uuid for row in done.rows] == [B]
    assert (done.database, done.version, done.written, done.is_cut) == ("OVN_Northbound", "7.11.0", 2, False)


@given(st.lists(st.frozensets(st.sampled_from("abcde")), min_size=1))
def test_differences_of_sets_and_maps_lead_to_the_last_value(values):
    """As ovsdb-server writes them: the elements that one of both values has."""
    transactions: list[Any] = [{"T": {A: {}}}]
    before: frozenset[str] = frozenset()
    for value in values:
        changed = sorted(before ^ value)
        row: dict[str, Any] = {"members": ["set", changed], "ids": ["map", [[each, "x"] for each in changed]]}
        transactions.append({"_is_diff": True, "T": {A: row}})
        before = value
    found = columns(*transactions)[A]
    assert found["members"] == tuple(sorted(before))
    assert found["ids"] == dict.fromkeys(before, "x")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "nb.db: no schema: the file is empty or cut in its first record"),
        (b"hello\n", "nb.db: record 1 does not begin with a header of ovsdb-server"),
        (b"x" * 200, "nb.db: record 1 does not begin with a header of ovsdb-server"),
        (record([]), "nb.db: record 1 is not an object"),
        (record({}), "nb.db: record 1 is no schema of a database (RFC 7047, 3.2)"),
        (record({"tables": []}), "nb.db: record 1 is no schema of a database (RFC 7047, 3.2)"),
        (
            record({"tables": {"T": {"columns": {"a": {"type": 7}}}}}),
            "nb.db: record 1 is no schema of a database (RFC 7047, 3.2)",
        ),
        (
            record({"tables": {"T": {"columns": {"a": {"type": "x"}}}}}),
            "nb.db: record 1 is no schema of a database (RFC 7047, 3.2)",
        ),
        (record(SCHEMA) + b"\n\n", "nb.db: record 2 does not begin with a header of ovsdb-server"),
        (record(SCHEMA) + raw(b"{]\n"), "nb.db: record 2 is not JSON"),
        (record(SCHEMA) + raw(b"[" * 100_000), "nb.db: record 2 is not JSON"),
        (record(SCHEMA) + record({"U": {}}), "nb.db: record 2: the schema has no table 'U'"),
        (record(SCHEMA) + record({"T": 1}), "nb.db: record 2: the schema has no table 'T'"),
        (record(SCHEMA) + record({"T": {A: None}}), "nb.db: record 2: a row of T is not as the schema says"),
        (record(SCHEMA) + record({"T": {A: 7}}), "nb.db: record 2: a row of T is not as the schema says"),
        (record(SCHEMA) + record({"T": {A: {"ids": ["map", [["a"]]]}}}), "nb.db: not a pair of strings: ['a']"),
        (
            b"OVSDB JSON 99999999999 " + b"a" * 40 + b"\n",
            "nb.db: record 1 has 99999999999 bytes; at most 1073741824 are read",
        ),
    ],
)
def test_a_file_that_no_server_wrote_is_one_error(data, message):
    with pytest.raises(StoreCorruptError) as error:
        read_database_file(BytesIO(data), "nb.db")
    assert str(error.value) == message


def test_the_file_of_a_cluster_is_another_database():
    with pytest.raises(ClusteredDatabaseError) as error:
        read_database_file(BytesIO(record({"server_id": A}, "CLUSTER")), "leader_nbdb")
    assert str(error.value) == "leader_nbdb: the file of a clustered database"


@given(st.binary(max_size=60), st.integers(0, 400), st.integers(0, 400))
def test_hostile_bytes_are_read_or_one_error(noise, at, until):
    whole = record(SCHEMA) + record({"T": {A: {"members": ["set", ["a"]]}}}) + record({"T": {A: None}})
    data = whole[: len(whole) - at] + noise + whole[len(whole) - min(at, until) :]
    with suppress(StoreError):
        read_database_file(BytesIO(data), "nb.db")
