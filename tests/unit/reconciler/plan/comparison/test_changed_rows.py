"""Two rows that read as one changed row, and those that stay two."""

import pytest

from ovnguard.reconciler.plan.comparison.audit import ZoneAudit, audit
from ovnguard.reconciler.plan.comparison.explanation import Explanation, Kind, Pattern
from ovnguard.reconciler.plan.comparison.row_differences import Side
from ovnguard.reconciler.plan.rows.row import Column, Ref, Row

BLUE = {"k8s.ovn.org/network": "blue"}
_COLUMNS = {
    "ACL": "acls",
    "Logical_Router_Policy": "policies",
    "Logical_Router_Static_Route": "static_routes",
    "NAT": "nat",
    "QoS": "qos_rules",
}
ROUTE: dict[str, Column] = {"ip_prefix": "10.1.0.0/16", "nexthop": "100.65.0.1", "policy": (), "output_port": ()}
POLICY: dict[str, Column] = {
    "priority": 1004,
    "match": "ip4.dst == 1.1.1.1",
    "action": "reroute",
    "nexthops": ("10.1.0.2",),
}
NAT: dict[str, Column] = {
    "type": "snat",
    "logical_ip": "10.1.0.0/16",
    "external_ip": "169.254.0.11",
    "match": "",
    "logical_port": (),
}
ACL: dict[str, Column] = {
    "direction": "to-lport",
    "priority": 1001,
    "match": "ip4.src == 1.1.1.1",
    "external_ids": {"k8s.ovn.org/id": "a"},
}


def zone(table: str, *rows: dict[str, Column], router: str = "r") -> list[Row]:
    """A router, or a switch, with rows of a table that have no name."""
    owner = "Logical_Switch" if table in ("ACL", "QoS") else "Logical_Router"
    uuids = [f"{router}-{table}-{number}" for number in range(len(rows))]
    children = [Row(table, uuid, columns) for uuid, columns in zip(uuids, rows, strict=True)]
    columns: dict[str, Column] = {"name": router, "external_ids": BLUE, _COLUMNS[table]: tuple(map(Ref, uuids))}
    return [*children, Row(owner, router, columns)]


def drift(observed: list[Row], planned: list[Row], *explanations: Explanation) -> list[str]:
    found: ZoneAudit = audit(observed, planned, explanations=explanations)
    return [str(each) for network in found.networks for each in network.drift]


@pytest.mark.parametrize(
    ("table", "row", "change", "text"),
    [
        ("NAT", NAT, {"external_ip": "9.9.9.9"}, "r | snat 10.1.0.0/16: external_ip is 9.9.9.9, planned 169.254.0.11"),
        ("NAT", NAT, {"match": "ip4"}, "r | snat 10.1.0.0/16 169.254.0.11: match is ip4, planned empty"),
        (
            "Logical_Router_Static_Route",
            ROUTE,
            {"nexthop": "9.9.9.9"},
            "r | 10.1.0.0/16: nexthop is 9.9.9.9, planned 100.65.0.1",
        ),
        (
            "Logical_Router_Static_Route",
            ROUTE,
            {"output_port": ("p",)},
            "r | 10.1.0.0/16 100.65.0.1: output_port is p, planned empty",
        ),
        ("Logical_Router_Policy", POLICY, {"priority": 7}, "r | ip4.dst == 1.1.1.1: priority is 7, planned 1004"),
        ("Logical_Router_Policy", POLICY, {"match": "ip4"}, "r | 1004: match is ip4, planned ip4.dst == 1.1.1.1"),
        ("ACL", ACL, {"priority": 7}, "r | to-lport ip4.src == 1.1.1.1: priority is 7, planned 1001"),
        ("ACL", ACL, {"match": "ip4"}, "r | to-lport 1001: match is ip4, planned ip4.src == 1.1.1.1"),
    ],
)
def test_a_change_of_what_identifies_a_row_is_one_difference(
    table: str, row: dict[str, Column], change: dict[str, Column], text: str
) -> None:
    assert drift(zone(table, {**row, **change}), zone(table, row)) == [f"{table} {text}"]


def test_each_changed_column_is_a_difference_of_the_row() -> None:
    observed = zone("NAT", {**NAT, "external_ip": "9.9.9.9", "match": "ip4", "external_port_range": "1-2"})
    assert drift(observed, zone("NAT", NAT)) == [
        "NAT r | snat 10.1.0.0/16: external_ip is 9.9.9.9, planned 169.254.0.11",
        "NAT r | snat 10.1.0.0/16: external_port_range is 1-2, planned empty",
        "NAT r | snat 10.1.0.0/16: match is ip4, planned empty",
    ]


def test_of_several_the_most_alike_are_one() -> None:
    other = {**ROUTE, "nexthop": "100.65.0.2", "output_port": ("p",)}
    changed = {**other, "nexthop": "9.9.9.9"}
    found = drift(zone("Logical_Router_Static_Route", changed), zone("Logical_Router_Static_Route", ROUTE, other))
    assert found == [
        "Logical_Router_Static_Route r | 10.1.0.0/16 100.65.0.1: not in the zone: "
        "ip_prefix=10.1.0.0/16, nexthop=100.65.0.1",
        "Logical_Router_Static_Route r | 10.1.0.0/16 p: nexthop is 9.9.9.9, planned 100.65.0.2",
    ]


@pytest.mark.parametrize(
    ("table", "one", "other"),
    [
        ("NAT", NAT, {**NAT, "logical_ip": "10.2.0.0/16"}),
        ("Logical_Router_Static_Route", ROUTE, {**ROUTE, "ip_prefix": "10.2.0.0/16"}),
        ("Logical_Router_Static_Route", ROUTE, {**ROUTE, "nexthop": "9.9.9.9", "policy": ("src-ip",)}),
        ("Logical_Router_Policy", POLICY, {**POLICY, "match": "ip4", "nexthops": ("9.9.9.9",)}),
        (
            "Logical_Router_Policy",
            {**POLICY, "external_ids": {"k8s.ovn.org/id": "eip:one"}},
            {**POLICY, "match": "ip4", "external_ids": {"k8s.ovn.org/id": "eip:other"}},
        ),
        ("ACL", {**ACL, "external_ids": {}}, {**ACL, "match": "ip4", "external_ids": {}}),
    ],
)
def test_rows_about_something_else_stay_two(table: str, one: dict[str, Column], other: dict[str, Column]) -> None:
    assert len(drift(zone(table, one), zone(table, other))) == 2


def test_rows_of_two_routers_stay_two() -> None:
    observed = [*zone("NAT", {**NAT, "external_ip": "9.9.9.9"}), *zone("NAT", router="s")]
    assert len(drift(observed, [*zone("NAT"), *zone("NAT", NAT, router="s")])) == 2


def test_a_row_that_a_rule_explains_is_no_part_of_a_change() -> None:
    rule = Explanation("left", Kind.INTENDED, "", "", "", (Pattern(Side.OBSERVED, ("NAT",), r"r \| .*9\.9\.9\.9"),))
    observed = zone("NAT", {**NAT, "external_ip": "9.9.9.9"})
    (text,) = drift(observed, zone("NAT", NAT), rule)
    assert text.startswith("NAT r | snat 10.1.0.0/16 169.254.0.11: not in the zone: ")


def test_two_rows_that_refer_to_rows_of_one_side_each_stay_two() -> None:
    def scoped(name: str) -> list[Row]:
        made = Row("Address_Set", name, {"name": name, "external_ids": {**BLUE, "k8s.ovn.org/id": name}})
        return [made, *zone("NAT", {**NAT, "allowed_ext_ips": (Ref(name),)})]

    found = drift(scoped("one"), scoped("other"))
    assert [each.partition(": not ")[0] for each in found] == [
        "Address_Set one",
        "Address_Set other",
        "NAT r | snat 10.1.0.0/16 169.254.0.11 one",
        "NAT r | snat 10.1.0.0/16 169.254.0.11 other",
    ]
