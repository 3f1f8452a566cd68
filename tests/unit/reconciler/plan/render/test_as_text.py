"""Texts for people."""

from dataclasses import replace

from ovnguard.reconciler.plan.bgp.advertisements import Result
from ovnguard.reconciler.plan.bgp.routing import Routing
from ovnguard.reconciler.plan.render.as_text import (
    FEW,
    Line,
    Mark,
    changes_as_lines,
    closing,
    node_list,
    routing_as_lines,
    unplanned_text,
)
from ovnguard.reconciler.plan.render.changes import ZoneChange
from ovnguard.reconciler.plan.render.folding import ADDRESS
from ovnguard.reconciler.plan.rows.routing_model import Condition
from ovnguard.reconciler.plan.rows.row import Column, Operation, Ref, Row


def change(node: str, *operations: Operation, observed: tuple[Row, ...] = (), frr=("", "")) -> ZoneChange:
    return ZoneChange(node, operations, {"blue": operations} if operations else {}, observed, frr)


def texts(*zones: ZoneChange, whole: bool = True, columns: bool = False) -> list[str]:
    return [line.text for line in changes_as_lines(zones, whole=whole, columns=columns)]


def test_old_and_new_values_of_every_column() -> None:
    old: dict[str, Column] = {
        "name": "r",
        "mac": "a",
        "networks": ("1", "2", "3"),
        "options": {"gone": "x", "kept": "k", "other": "1"},
        "peer": ("p",),
        "external_ids": {"ovnguard.io/hash": "1"},
    }
    new: dict[str, Column] = {
        "mac": "b",
        "networks": ("1", "4"),
        "options": {"kept": "k", "other": "2", "new": ""},
        "peer": (),
        "external_ids": {"ovnguard.io/hash": "2"},
    }
    update = Operation("update", "Logical_Router_Port", "u", new, "r")
    assert texts(change("n1", update, observed=(Row("Logical_Router_Port", "u", old),))) == [
        "network blue: 0 to add, 1 to change, 0 to destroy on 1 node",
        "  n1:",
        "    ~ Logical_Router_Port r",
        "        mac: a -> b",
        "        networks: [2, 3] -> [4] (1 unchanged)",
        "        options:gone: x -> (none)",
        '        options:new: (none) -> ""',
        "        options:other: 1 -> 2",
        "        peer: [p] -> []",
    ]


def test_references_are_names_of_rows_before_and_after() -> None:
    observed = (
        Row("Logical_Router", "r", {"name": "r", "nat": (Ref("old"),)}),
        Row("NAT", "old", {"external_ids": {"ovnguard.io/id": "r snat 1"}}),
    )
    operations = (
        Operation("insert", "NAT", "new", {"type": "snat", "external_ip": "9"}, "r snat 2"),
        Operation("update", "Logical_Router", "r", {"nat": (Ref("new"), Ref("12345678-9"))}, "r"),
        Operation("delete", "NAT", "old", {}, "r snat 1"),
    )
    assert texts(change("n1", *operations, observed=observed), columns=True)[2:] == [
        "    + NAT r snat 2",
        "        external_ip: 9",
        "    ~ Logical_Router r",
        "        nat: [snat 1] -> [row 12345678 of another writer, snat 2]",
        "    - NAT r snat 1",
    ]


def replaced_nat(match: str) -> tuple[Row, Operation, Operation]:
    """A source NAT whose match, a part of its identity, changes."""
    columns: dict[str, Column] = {"type": "snat", "logical_ip": "10.1.0.0/16", "external_ip": "9"}
    old = Row("NAT", "old", {**columns, "match": "", "external_ids": {"ovnguard.io/id": "r snat 10.1.0.0/16"}})
    subject = f"r snat 10.1.0.0/16 {match}"
    new = {**columns, "match": match, "external_ids": {"ovnguard.io/id": subject}}
    gone = Operation("delete", "NAT", "old", {}, "r snat 10.1.0.0/16")
    return old, Operation("insert", "NAT", "new", new, subject), gone


def test_a_row_that_is_replaced_for_its_identity_is_one_change() -> None:
    old, insert, delete = replaced_nat("ip4")
    zone = change("n1", insert, delete, observed=(old,))
    assert texts(zone, columns=True) == [
        "network blue: 0 to add, 1 to change, 0 to destroy on 1 node",
        "  n1:",
        "    ~ NAT r snat 10.1.0.0/16 ip4",
        '        match: "" -> ip4',
    ]
    assert closing([zone]) == "0 to add, 1 to change, 0 to destroy on 1 node"


def test_a_row_of_another_subject_is_added_and_one_is_destroyed() -> None:
    old, insert, delete = replaced_nat("ip4")
    other = Operation("insert", "NAT", "new", {**insert.row, "logical_ip": "10.2.0.0/16"}, "r snat 10.2.0.0/16")
    zone = change("n1", other, delete, observed=(old,))
    assert texts(zone)[2:] == ["    + NAT r snat 10.2.0.0/16", "    - NAT r snat 10.1.0.0/16"]
    # what was there is not known
    assert texts(change("n1", insert, delete))[0].startswith("network blue: 1 to add, 0 to change, 1 to destroy")


def test_nodes_with_the_same_change_are_one() -> None:
    zones = [
        change(
            name,
            Operation("insert", "Logical_Router", "1", {}, f"GR_{name}"),
            Operation("insert", "NAT", "2", {}, f"address {number}"),
        )
        for number, name in enumerate(("n", "n-1", "n-11", "n.x", "m"))
    ]
    assert texts(*zones, whole=False)[:3] == [
        "network blue: 2 to add, 0 to change, 0 to destroy on each of 5 nodes",
        "  n, n-1 and 3 more:",
        "    + Logical_Router GR_<node>",
    ]
    assert texts(*zones)[1] == "  n, n-1 and 3 more:"
    assert texts(*zones)[3:5] == ["  n:", "    + NAT address 0"]


def test_many_changes_are_counted_by_table() -> None:
    inserts = [Operation("insert", "NAT", str(number), {}, str(number)) for number in range(FEW)]
    assert len(texts(change("n1", *inserts), whole=False)) == FEW + 2
    more = [*inserts, Operation("delete", "NAT", "x"), Operation("delete", "ACL", "y")]
    assert list(changes_as_lines([change("n1", *more), change("n2", *more), change("n3")], whole=False)) == [
        Line("network blue: 20 to add, 0 to change, 2 to destroy on each of 2 nodes", Mark.HEADING),
        Line("  n1 and n2:"),
        Line("    + NAT                            20", Mark.INSERT),
        Line("    - NAT                             1", Mark.DELETE),
        Line("    - ACL                             1", Mark.DELETE),
        Line("no changes on n3"),
    ]
    mixed = changes_as_lines([change("n1", *more), change("n2", *inserts)], whole=False)
    assert [line.text for line in mixed][1:] == [
        "  n1:",
        "    + NAT                            20",
        "    - NAT                             1",
        "    - ACL                             1",
        "  n2:",
        *(f"    + NAT {number}" for number in range(FEW)),
    ]


def test_frr_is_a_unified_diff() -> None:
    zones = [change(name, frr=("a\nb\n", f"a\nc {name}\n")) for name in ("n1", "n2")]
    assert [*changes_as_lines(zones, whole=False)] == [
        Line("FRR configuration of n1 and n2:", Mark.HEADING),
        Line("    --- frr.conf", Mark.DELETE),
        Line("    +++ frr.conf (planned)", Mark.INSERT),
        Line("    @@ -1,2 +1,2 @@", Mark.PLACE),
        Line("     a"),
        Line("    -b", Mark.DELETE),
        Line("    +c <node>", Mark.INSERT),
    ]
    assert texts(change("n1", frr=("", "a\n")), whole=False) == ["FRR configuration of n1: 1 line to add"]


def test_control_characters_do_not_reach_the_terminal() -> None:
    hostile = Operation("insert", "NAT", "1", {"external_ip": "\x1b[2J"}, "a\nb\x1b]0;x\x07")
    assert texts(change("n1", hostile, frr=("", "\x1b[2J")), columns=True)[2:4] == [
        r"    + NAT a\nb\x1b]0;x\x07",
        r"        external_ip: \x1b[2J",
    ]
    assert texts(change("n1", hostile, frr=("", "\x1b[2J")))[-1] == r"    +\x1b[2J"


def test_the_closing_line() -> None:
    one, frr = change("n1", Operation("insert", "NAT", "1")), change("n2", frr=("", "x"))
    assert closing([one]) == "1 to add, 0 to change, 0 to destroy on 1 node"
    assert closing([one, frr, change("n3")], "objects: 1 to add") == (
        "1 to add, 0 to change, 0 to destroy on 2 nodes; FRR configuration of 1 node; objects: 1 to add"
    )
    assert closing([change("n3")]) == ""


def test_large_numbers_have_separators() -> None:
    inserts = [Operation("insert", "NAT", str(number)) for number in range(1000)]
    assert texts(change("n1", *inserts), whole=False) == [
        "network blue: 1,000 to add, 0 to change, 0 to destroy on 1 node",
        "  n1:",
        "    + NAT                          1,000",
    ]
    zones = [change(f"n{number}", inserts[0]) for number in range(1003)]
    assert texts(*zones, whole=False) == [
        "network blue: 1 to add, 0 to change, 0 to destroy on each of 1,003 nodes",
        "  n0, n1 and 1,001 more:",
        "    + NAT 0",
    ]
    assert closing(zones) == "1,003 to add, 0 to change, 0 to destroy on 1,003 nodes"


def test_lists_of_nodes() -> None:
    assert [node_list("abcde"[:count]) for count in range(1, 6)] == [
        "a",
        "a and b",
        "a, b and c",
        "a, b and 2 more",
        "a, b and 3 more",
    ]


def test_objects_that_make_routes_are_counted_and_unmet_conditions_named_once() -> None:
    transport = Condition("TransportAccepted", False, "Missing", "nobody advertises it")
    accepted = Condition("Accepted", True, "Accepted", "fine")
    documents = ({"kind": "FRRConfiguration"}, {"kind": "RouteAdvertisements"}, {"kind": "FRRConfiguration"})
    routing = Routing(documents, results=(Result("ours", accepted),), transports={"blue": transport})
    assert [line.text for line in routing_as_lines(routing)] == [
        "objects that make routes: 2 FRRConfiguration, 1 RouteAdvertisements",
        "ClusterUserDefinedNetwork blue: TransportAccepted is False: nobody advertises it",
    ]
    assert len(list(routing_as_lines(routing, ["network blue: nobody advertises it"]))) == 1
    assert list(routing_as_lines(Routing())) == []


def test_equal_changes_of_fifty_nodes_are_one_entry_and_each_is_listed_without_folding() -> None:
    zones = []
    for number in range(50):
        name, address = f"n{number:02}", f"172.18.0.{number + 2}"
        operation = Operation("update", "NAT", "1", {"external_ip": address}, f"GR_{name} snat {address}")
        old = Row("NAT", "1", {"external_ip": "10.0.0.1"})
        zones.append(replace(change(name, operation, observed=(old,), frr=("x", address)), own=({address: ADDRESS},)))
    assert texts(*zones) == [
        "network blue: 0 to add, 1 to change, 0 to destroy on each of 50 nodes",
        "  n00, n01 and 48 more:",
        "    ~ NAT GR_<node> snat <address>",
        "        external_ip: 10.0.0.1 -> <address>",
        "FRR configuration of n00, n01 and 48 more:",
        "    --- frr.conf",
        "    +++ frr.conf (planned)",
        "    @@ -1 +1 @@",
        "    -x",
        "    +<address>",
    ]
    lines = [line.text for line in changes_as_lines(zones, whole=True, fold=False)]
    assert len(lines) == 1 + 50 * 3 + 50 * 6
    assert lines[-6:] == [
        "FRR configuration of n49:",
        "    --- frr.conf",
        "    +++ frr.conf (planned)",
        "    @@ -1 +1 @@",
        "    -x",
        "    +172.18.0.51",
    ]
    assert lines[148:151] == [
        "  n49:",
        "    ~ NAT GR_n49 snat 172.18.0.51",
        "        external_ip: 10.0.0.1 -> 172.18.0.51",
    ]


def test_the_networks_that_are_not_planned_are_counted() -> None:
    assert [unplanned_text(["a", "b", "c"][:count]) for count in range(3)] == [
        "",
        "1 network not planned",
        "2 networks not planned",
    ]
