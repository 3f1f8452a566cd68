"""Texts for people."""

from reconciler.plan.bgp.advertisements import Result
from reconciler.plan.bgp.routing import Routing
from reconciler.plan.planner import make_plan
from reconciler.plan.render.as_text import (
    FEW,
    changes_as_text,
    objects_as_text,
    operations_as_text,
    rows_as_text,
    zone_as_text,
)
from reconciler.plan.routing_model import Condition
from reconciler.plan.row_diff import diff
from reconciler.plan.rows import Operation, Ref, ZonePlan
from reconciler.plan.settings import Settings
from reconciler.plan.topology.address_sets import NODE_IPS
from tests.support.plan_samples import default_network, nodes, udn


def test_rows_are_counted_by_table() -> None:
    rows = make_plan([udn("a_b")], nodes(3), Settings()).zones[0].rows
    assert rows_as_text(rows).splitlines()[6] == "  Logical_Router_Port             6"
    assert rows_as_text(()) == ""


def test_operations() -> None:
    three, two = (make_plan([udn("a_b")], nodes(count), Settings()).zones[0].rows for count in (3, 2))
    lines = operations_as_text(diff(three, two)).splitlines()
    assert lines[:2] == [f"  ~ Address_Set {NODE_IPS.at(4)}", "      addresses = [172.18.0.2, 172.18.0.3]"]
    assert lines[2] == "  ~ Logical_Router a_b_transit_router"
    assert lines[3].startswith("      ports = [")
    assert lines[-1] == "  - Logical_Router_Port trtor-GR_a_b_node3"


def test_columns_of_an_update() -> None:
    operation = Operation("update", "T", "u", {"b": True, "m": {"k": "v", "a": "b"}, "r": (Ref("12345678-9"), "x")})
    assert operations_as_text([operation]) == (
        "  ~ T u\n      b = True\n      m = {a=b, k=v}\n      r = [12345678, x]\n"
    )


def test_many_changes_are_counted_by_table() -> None:
    operations = [Operation("insert", "NAT", str(number)) for number in range(FEW)]
    assert changes_as_text(operations, whole=False) == operations_as_text(operations)
    operations += [Operation("delete", "NAT", "x"), Operation("delete", "ACL", "y")]
    assert changes_as_text(operations, whole=True) == operations_as_text(operations)
    assert changes_as_text(operations, whole=False) == (
        "  + NAT                            20\n"
        "  - NAT                             1\n"
        "  - ACL                             1\n"
    )


def test_zone() -> None:
    (zone, _) = make_plan([udn("a_b"), default_network()], nodes(2), Settings()).zones
    operations = diff((), zone.rows)
    text = zone_as_text(zone, operations, operations_as_text(operations))
    assert text.startswith("node node1: 103 rows, FRR configuration of 40 lines\n  Meter_Band                      2\n")
    assert "\n103 to insert\n  + Meter_Band 20 packets per second\n" in text
    assert zone_as_text(zone, operations, "").endswith("\n103 to insert\n")
    assert zone_as_text(ZonePlan("n", (), ""), (), "") == "node n: 0 rows\nno changes\n"


def test_objects_that_make_routes_are_counted_and_unmet_conditions_named() -> None:
    transport = Condition("TransportAccepted", False, "Missing", "nobody advertises it")
    accepted = Condition("Accepted", True, "Accepted", "fine")
    documents = ({"kind": "FRRConfiguration"}, {"kind": "RouteAdvertisements"}, {"kind": "FRRConfiguration"})
    routing = Routing(documents, results=(Result("ours", accepted),), transports={"blue": transport})
    assert objects_as_text(routing) == (
        "object FRRConfiguration                2\n"
        "object RouteAdvertisements             1\n"
        "ClusterUserDefinedNetwork blue: TransportAccepted is False: nobody advertises it\n"
    )
    assert objects_as_text(Routing()) == ""
