"""What is ours of a shared row, and transactions that leave the rest alone."""

import json
from typing import Any

import pytest

from ovnguard.reconciler.apply.ovn.batches import parts_of
from ovnguard.reconciler.apply.ovn.northbound_schema import ColumnType, Schema
from ovnguard.reconciler.apply.ovn.ovsdb_json import Kind
from ovnguard.reconciler.apply.ovn.row_notes import HASH, KEYS, digest, is_spoiled
from ovnguard.reconciler.apply.ovn.shared_rows import ZoneSnapshot, select_all, select_some, snapshot
from ovnguard.reconciler.plan.rows.northbound import new_row, refs
from ovnguard.reconciler.plan.rows.row import NETWORK_KEY, Operation, Ref, Row

ONE, SET, MAP, REFS = (
    ColumnType(Kind.ONE),
    ColumnType(Kind.SET),
    ColumnType(Kind.MAP),
    ColumnType(Kind.SET, is_reference_set=True),
)
SCHEMA = Schema(
    "7.11.0",
    {
        "Load_Balancer_Group": {"name": ONE},
        "Logical_Switch": {"name": ONE, "ports": REFS, "other_config": MAP, "external_ids": MAP},
        "Logical_Switch_Port": {
            "name": ONE,
            "type": ONE,
            "addresses": SET,
            "port_security": SET,
            "enabled": SET,
            "dhcpv4_options": REFS,
            "dhcpv6_options": REFS,
            "tag_request": SET,
            "options": MAP,
            "external_ids": MAP,
        },
    },
)
PORT = new_row("Logical_Switch_Port", {"name": "p"})
POD = "b1d3ac4a-58a5-4b2c-9a1c-2f0c0f0e0a01"
OWNER = ["ovnguard.io/owner", "ovnguard"]


def uuid(value: str) -> list[str]:
    return ["uuid", value]


def raw_port(identifier: str = PORT.uuid, name: str = "p", **columns):
    names = ("addresses", "port_security", "enabled", "dhcpv4_options", "dhcpv6_options", "tag_request")
    sets = {key: ["set", []] for key in names}
    empty = {"type": "", **sets, "options": ["map", []], "external_ids": ["map", []]}
    return {"_uuid": uuid(identifier), "name": name, **empty, **columns}


def seen(switches=(), ports=(), groups=()) -> ZoneSnapshot:
    return snapshot(SCHEMA, [{"rows": list(groups)}, {"rows": list(switches)}, {"rows": list(ports)}])


def raw_switch(row: Row, ports=(), config=(), ids=()):
    return {
        "_uuid": uuid(row.uuid),
        "name": "s",
        "ports": ["set", [uuid(port) for port in ports]] if len(ports) != 1 else uuid(ports[0]),
        "other_config": ["map", list(config)],
        "external_ids": ["map", list(ids)],
    }


SWITCH = new_row("Logical_Switch", {"name": "s"})
NOTE = [KEYS, '{"external_ids":["ovnguard.io/owner"],"other_config":["ours"]}']
SEEN: dict[str, Any] = {
    "name": "s",
    "ports": refs([PORT]),
    "other_config": {"ours": "1"},
    "external_ids": {OWNER[0]: OWNER[1]},
}
IDS = (OWNER, ["their/key", "x"], NOTE, [HASH, digest(SEEN)])
SHARED = raw_switch(SWITCH, (PORT.uuid, POD), (["ours", "1"], ["theirs", "2"]), IDS)


def transaction(operations, before):
    """The operations of the request that is sent, decoded."""
    parts = parts_of(operations, before, 1 << 20)
    guards = json.loads("[" + ",".join(text for part in parts for text in part.guards) + "]")
    steps = json.loads("[" + ",".join(text for part in parts for text in part.steps) + "]")
    assert len(guards) == sum(part.guard_count for part in parts)
    assert [(step["op"], step["table"]) for step in steps] == [kind for part in parts for kind in part.kinds]
    return guards + steps


def hash_of(**columns):
    """The mutations that note what the switch holds after a change."""
    return [
        ["external_ids", "delete", ["set", [HASH]]],
        ["external_ids", "insert", ["map", [[HASH, digest({**SEEN, **columns})]]]],
    ]


def test_every_planned_column_is_read_in_one_request():
    assert select_all(SCHEMA)[0] == {
        "op": "select",
        "table": "Load_Balancer_Group",
        "where": [],
        "columns": ["_uuid", "name"],
    }
    assert [step["table"] for step in select_all(SCHEMA)] == list(SCHEMA.tables)


def test_only_our_rows_references_and_keys_are_visible():
    (port, switch) = sorted(
        seen([SHARED], [raw_port(), raw_port(POD, "pod")]).visible(), key=lambda row: row.table, reverse=True
    )
    assert port.uuid == PORT.uuid
    assert switch.columns == SEEN
    assert not is_spoiled(switch)


@pytest.mark.parametrize("changed", [{"name": "t"}, {"other_config": [["ours", "2"]]}, {"ports": []}], ids=str)
def test_a_row_that_is_not_what_its_note_says_shows_the_note(changed):
    columns = {"ports": (PORT.uuid, POD), "config": (["ours", "1"],), "ids": IDS}
    renames = {"other_config": "config"}
    raw = raw_switch(SWITCH, **columns | {renames.get(k, k): v for k, v in changed.items() if k != "name"})
    raw["name"] = changed.get("name", "s")
    row = new_row("Logical_Switch", {"name": raw["name"]})
    raw["_uuid"] = uuid(row.uuid)
    (switch,) = [each for each in seen([raw], [raw_port()]).visible() if each.table == "Logical_Switch"]
    assert is_spoiled(switch)
    assert switch.columns["external_ids"] == {"ovnguard.io/owner": "ovnguard", HASH: digest(SEEN)}


def test_some_rows_are_asked_for_by_uuid():
    assert select_some(SCHEMA, [("Load_Balancer_Group", "u")]) == [
        {
            "op": "select",
            "table": "Load_Balancer_Group",
            "where": [["_uuid", "==", ["uuid", "u"]]],
            "columns": ["_uuid", "name"],
        }
    ]


@pytest.mark.parametrize("note", ["", "{", "[]", '{"other_config":7}', '{"other_config":[7]}'])
def test_without_a_readable_note_no_key_is_known_to_be_ours(note):
    shared = raw_switch(SWITCH, (), (["ours", "1"],), (OWNER, [KEYS, note]))
    (switch,) = seen([shared]).visible()
    assert switch.columns["other_config"] == {}
    assert switch.columns["external_ids"] == {HASH: ""}


@pytest.mark.parametrize(
    "row",
    [
        raw_port(POD),
        raw_port(PORT.uuid, "renamed"),
        raw_port("11111111-2222-5333-8444-555555555555"),
    ],
    ids=["random UUID", "other name", "somebody else's version 5 UUID"],
)
def test_rows_whose_uuid_does_not_follow_from_their_identity_are_not_ours(row):
    assert seen(ports=[row]).visible() == ()


def test_insert_notes_which_keys_are_ours():
    _, step = transaction(
        [Operation("insert", SWITCH.table, SWITCH.uuid, {**SWITCH.columns, "other_config": {"b": "1", "a": "2"}})],
        seen(),
    )
    assert step["op"] == "insert"
    assert step["uuid"] == SWITCH.uuid
    note = '{"external_ids":["ovnguard.io/owner"],"other_config":["a","b"]}'
    found = digest({**SWITCH.columns, "other_config": {"a": "2", "b": "1"}})
    assert step["row"]["external_ids"] == ["map", [[HASH, found], [KEYS, note], OWNER]]


def test_insert_into_a_table_without_external_ids():
    group = new_row("Load_Balancer_Group", {"name": "g"})
    (step,) = transaction([Operation("insert", group.table, group.uuid, group.columns)], seen())
    assert step == {"op": "insert", "table": "Load_Balancer_Group", "uuid": group.uuid, "row": {"name": "g"}}


def guard(row: Row, **columns):
    found = {"_uuid": uuid(row.uuid), **columns}
    return {
        "op": "wait",
        "timeout": 0,
        "table": row.table,
        "where": [["_uuid", "==", uuid(row.uuid)]],
        "columns": sorted(found),
        "until": "==",
        "rows": [found],
    }


def test_references_are_added_and_removed_one_by_one():
    new = new_row("Logical_Switch_Port", {"name": "new"})
    before = seen([SHARED], [raw_port(), raw_port(POD, "pod")])
    steps = transaction([Operation("update", SWITCH.table, SWITCH.uuid, {"ports": refs([new])})], before)
    where = [["_uuid", "==", uuid(SWITCH.uuid)]]
    ports = [["ports", "delete", ["set", [uuid(PORT.uuid)]]], ["ports", "insert", ["set", [uuid(new.uuid)]]]]
    mutations = [*ports, *hash_of(ports=refs([new]))]
    assert steps == [
        guard(SWITCH),
        {"op": "mutate", "table": "Logical_Switch", "where": where, "mutations": mutations},
    ]


def test_a_wish_to_keep_foreign_references_changes_nothing_but_the_note():
    before = seen([SHARED], [raw_port(), raw_port(POD, "pod")])
    both = (Ref(PORT.uuid), Ref(POD))
    steps = transaction([Operation("update", SWITCH.table, SWITCH.uuid, {"ports": both})], before)
    assert steps[0] == guard(SWITCH)
    assert steps[1]["mutations"] == hash_of()


def test_map_keys_are_replaced_one_by_one_and_noted():
    before = seen([SHARED], [raw_port()])
    steps = transaction([Operation("update", SWITCH.table, SWITCH.uuid, {"other_config": {"new": "3"}})], before)
    note = '{"external_ids":["ovnguard.io/owner"],"other_config":["new"]}'
    assert steps[1]["mutations"] == [
        ["external_ids", "delete", ["set", [HASH, KEYS]]],
        ["external_ids", "insert", ["map", [[HASH, digest({**SEEN, "other_config": {"new": "3"}})], [KEYS, note]]]],
        ["other_config", "delete", ["set", ["new", "ours"]]],
        ["other_config", "insert", ["map", [["new", "3"]]]],
    ]


def test_a_map_that_becomes_empty_gives_up_only_our_keys():
    steps = transaction(
        [Operation("update", SWITCH.table, SWITCH.uuid, {"other_config": {}})], seen([SHARED], [raw_port()])
    )
    assert ["other_config", "delete", ["set", ["ours"]]] in steps[1]["mutations"]
    assert all(mutation[0] != "other_config" or mutation[1] == "delete" for mutation in steps[1]["mutations"])


def test_other_columns_are_overwritten_and_guarded_by_what_was_read():
    before = seen(ports=[raw_port(addresses="router")])
    steps = transaction([Operation("update", PORT.table, PORT.uuid, {"addresses": ("unknown",)})], before)
    where = [["_uuid", "==", uuid(PORT.uuid)]]
    assert steps[2]["mutations"][0] == ["external_ids", "delete", ["set", [HASH]]]
    assert steps[:2] == [
        guard(PORT, addresses=["set", ["router"]]),
        {"op": "update", "table": PORT.table, "where": where, "row": {"addresses": ["set", ["unknown"]]}},
    ]


def test_guards_come_before_every_step():
    before = seen([SHARED], [raw_port()])
    other = new_row("Logical_Switch_Port", {"name": "o"})
    steps = transaction(
        [
            Operation("insert", other.table, other.uuid, other.columns),
            Operation("update", SWITCH.table, SWITCH.uuid, {"name": "t"}),
            Operation("delete", PORT.table, PORT.uuid),
        ],
        before,
    )
    assert [step["op"] for step in steps] == ["wait", "wait", "insert", "update", "mutate", "delete"]


def test_a_new_switch_must_be_the_only_one_of_its_name():
    row = new_row("Logical_Switch", {"name": "n"})
    steps = transaction([Operation("insert", row.table, row.uuid, row.columns)], seen())
    assert steps[0] == {
        "op": "wait",
        "timeout": 0,
        "table": "Logical_Switch",
        "where": [["name", "==", "n"]],
        "columns": ["_uuid"],
        "until": "==",
        "rows": [],
    }


THEIRS = "00000000-0000-4000-8000-000000000001"


def test_a_switch_of_a_name_that_another_row_has_is_not_sent():
    row = new_row("Logical_Switch", {"name": "n", "external_ids": {NETWORK_KEY: "blue"}})
    before = seen([{**raw_switch(SWITCH), "_uuid": ["uuid", THEIRS], "name": "n"}])
    insert = Operation("insert", row.table, row.uuid, row.columns)
    (part,) = parts_of([insert], before, 1 << 20)
    assert part.network == "blue"
    assert part.fault == f"Logical_Switch n exists already (UUID {THEIRS}) and is not ovnguard's"
    # unless the same transaction deletes it
    parts = parts_of([insert, Operation("delete", row.table, THEIRS)], before, 1 << 20)
    assert [each.fault for each in parts] == ["", ""]
    assert json.loads(parts[0].guards[0])["rows"] == [{"_uuid": ["uuid", THEIRS]}]


def test_a_row_that_somebody_renamed_is_overwritten_instead_of_inserted_twice():
    before = seen(ports=[raw_port(name="renamed")])
    steps = transaction([Operation("insert", PORT.table, PORT.uuid, PORT.columns)], before)
    assert steps[0]["op"] == "wait"
    assert steps[1]["row"]["name"] == "p"
    assert steps[2]["op"] == "mutate"
