"""The text of a new row: what the server reads, and a digest that everybody else computes the same."""

import json
from hashlib import blake2b

from hypothesis import given
from hypothesis import strategies as st

from ovnguard.reconciler.apply.ovn.inserts import insert_text
from ovnguard.reconciler.apply.ovn.ovsdb_json import value_json
from ovnguard.reconciler.apply.ovn.row_notes import HASH, KEYS, digest, noted
from ovnguard.reconciler.plan.rows.row import Operation, Ref

TEXTS = st.text(max_size=6) | st.sampled_from(["", '"', "\\", '["uuid",', "\x7f", "é", "\ud800", "\n", "%s", "%"])
REFS = st.builds(Ref, st.uuids().map(str))
SETS = st.one_of(*(st.lists(atoms, max_size=3).map(tuple) for atoms in (TEXTS, REFS, st.integers(0, 9), st.booleans())))
MAPS = st.dictionaries(TEXTS, TEXTS, max_size=3)
NAMES = ("name", "names", "name_x", "external_id", "options", "tier")
ROWS = st.tuples(
    st.dictionaries(st.sampled_from(NAMES), TEXTS | st.integers() | st.booleans() | REFS | SETS | MAPS, max_size=5),
    st.none() | st.dictionaries(TEXTS | st.sampled_from([HASH, KEYS]), TEXTS, max_size=4),
).map(lambda pair: pair[0] if pair[1] is None else {**pair[0], "external_ids": pair[1]})


def reference(columns):
    """A digest by its definition: JSON with sorted keys, nothing escaped that need not be, nothing empty, no notes."""
    plain = {name: value for name, value in columns.items() if value}
    ids = {key: text for key, text in columns.get("external_ids", {}).items() if key not in (HASH, KEYS)}
    plain = {**plain, "external_ids": ids} if ids else {k: v for k, v in plain.items() if k != "external_ids"}
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return blake2b(text.encode(errors="surrogatepass"), digest_size=8).hexdigest()


def row_of(columns, *, with_notes=True):
    text = insert_text(Operation("insert", "NAT", "u", columns), noted=with_notes)
    assert text.isascii()
    step = json.loads(text)
    row = step.pop("row")
    assert step == {"op": "insert", "table": "NAT", "uuid": "u"}
    return row


def sorted_map(value):
    return ["map", sorted(map(list, value.items()))]


def expected(columns):
    """Every column that is not empty, as the encoder of single values writes it; maps sorted."""
    spelled = {name: value_json(value) for name, value in columns.items() if value}
    return {**spelled, **{name: sorted_map(value) for name, value in columns.items() if value and type(value) is dict}}


@given(ROWS)
def test_a_new_row_is_its_columns_and_its_notes(columns):
    ids = noted(columns)
    row = row_of(columns)
    kind, pairs = row.pop("external_ids")
    assert (kind, dict(map(tuple, pairs))) == ("map", ids)
    assert ids[HASH] == digest(columns) == reference(columns)
    assert row == expected({name: value for name, value in columns.items() if name != "external_ids"})


@given(ROWS)
def test_a_table_without_notes_takes_the_columns_alone(columns):
    columns = {name: value for name, value in columns.items() if name != "external_ids"}
    assert row_of(columns, with_notes=False) == expected(columns)


def test_the_notes_of_a_row():
    columns = {"name": "r", "ports": (Ref("u"),), "options": {"b": "2", "a": "1"}, "external_ids": {}}
    keys = '{"options":["a","b"]}'
    assert row_of(columns) == {
        "name": "r",
        "ports": ["set", [["uuid", "u"]]],
        "options": ["map", [["a", "1"], ["b", "2"]]],
        "external_ids": ["map", [[HASH, "befcf4a504124c0a"], [KEYS, keys]]],
    }


def test_numbers_of_a_map_are_numbers_for_the_server_alone():
    columns = {"action": {"mark": "42", "dscp": "7"}, "external_ids": {}}
    row = json.loads(insert_text(Operation("insert", "QoS", "u", columns), noted=True))["row"]
    assert row["action"] == ["map", [["dscp", 7], ["mark", 42]]]
    assert dict(row["external_ids"][1])[HASH] == digest(columns) == reference(columns)
