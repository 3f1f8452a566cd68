from ovnguard.reconciler.plan.comparison.audit import EMPTY, ZoneAudit, audit
from ovnguard.reconciler.plan.comparison.explanation import Explanation, Kind, Pattern
from ovnguard.reconciler.plan.comparison.policies import PolicyObjects
from ovnguard.reconciler.plan.comparison.row_differences import Side
from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.rows.row import Ref, Row
from ovnguard.validators.network.cluster_view import NETWORK_POLICY
from tests.support.plan_samples import SERVICES, V4, V6, nodes, udn
from tests.support.soak import limit, sized

BLUE = {"k8s.ovn.org/network": "blue"}
METER = Explanation("meter", Kind.INTENDED, "", "", "", (Pattern(Side.OBSERVED, ("Meter",), "spare"),))


def switch(**columns) -> Row:
    return Row("Logical_Switch", "s", {"name": "s", "external_ids": BLUE, **columns})


def owned(table: str, uuid: str, owner_type: str) -> Row:
    return Row(table, uuid, {"name": uuid, "external_ids": {"k8s.ovn.org/owner-type": owner_type}})


def test_differences_are_by_network_and_explained_or_drift():
    observed = [switch(other_config={"mcast_snoop": "true"}), Row("Meter", "m", {"name": "spare"})]
    found = audit(observed, [switch()], explanations=[METER])
    (blue, default) = found.networks
    assert (blue.network, [str(each) for each in blue.drift], blue.explained) == (
        "blue",
        ["Logical_Switch s: other_config:mcast_snoop is true, planned empty"],
        {},
    )
    assert (default.network, default.drift, default.explained) == ("default", (), {"meter": 1})
    assert (found.drift, found.is_as_planned, found.equal) == (1, False, 0)


def test_explained_differences_are_no_drift():
    assert audit([switch(), Row("Meter", "m", {"name": "spare"})], [switch()], explanations=[METER]).is_as_planned


def test_rows_of_other_controllers_are_counted_by_owner():
    others = [owned("Port_Group", "p1", "NetworkPolicy"), owned("Port_Group", "p2", "NetworkPolicy")]
    found = audit([switch(), *others, owned("ACL", "a", "EgressFirewall")], [switch()])
    assert (found.others, found.networks, found.equal) == ({"NetworkPolicy": 2, "EgressFirewall": 1}, (), 1)


def test_a_row_of_a_policy_that_does_not_exist_is_drift():
    rows = [switch(), owned("Port_Group", "p1", "NetworkPolicy")]
    found = audit(rows, [switch()], policies=PolicyObjects({NETWORK_POLICY: frozenset()}))
    assert (found.others, found.drift) == ({}, 1)


def test_a_row_of_an_owner_that_plans_have_is_drift():
    assert audit([switch(), owned("Address_Set", "a", "EgressIP")], [switch()]).drift == 1


def test_a_changed_row_of_another_controller_that_is_planned_is_drift():
    assert audit(
        [switch(), owned("Port_Group", "p", "NetworkPolicy")], [switch(), Row("Port_Group", "x", {"name": "p"})]
    ).drift


def test_rows_of_unplanned_networks_are_counted():
    other = Row("Logical_Switch", "o", {"name": "o", "external_ids": {"k8s.ovn.org/network": "red"}})
    found = audit([switch(), other], [switch()], {"red"})
    assert (found.unplanned, found.is_as_planned) == ({"red": 1}, True)
    assert audit([switch(), other], [switch()]).drift == 1
    spare = Row("Meter", "m", {"name": "spare"})
    assert audit([switch(), spare], [switch()], {"default"}, [METER]).unplanned == {"default": 1}


def test_an_empty_database_is_one_fault():
    assert audit([Row("NB_Global", "g", {"name": "node1"})], [switch()]) == ZoneAudit(fault=EMPTY)
    assert not audit([], [switch()]).is_as_planned
    assert audit([], []).is_as_planned


@limit(180)
def test_a_zone_of_thousands_of_rows_is_compared_row_by_row():
    """About 90 microseconds for each row on the machine of docs/benchmarks.md; pairs of rows would take hours."""
    count = sized(100, 400)
    networks = [
        udn(f"ns_net{each}", V4, V6)._replace(network_id=each, tunnel_keys=(16711683 + each, 16715779 + each))
        for each in range(1, count + 1)
    ]
    (zone,) = make_plan(networks, nodes(3, v6=True), SERVICES, ("node1",)).zones
    theirs = [
        Row(row.table, f"{row.uuid}-", {name: _renamed(value) for name, value in row.columns.items()})
        for row in zone.rows
    ]
    found = audit(theirs, zone.rows)
    assert (found.drift, found.equal) == (0, len(zone.rows))
    assert found.equal > 50 * count


def _renamed(value):
    if isinstance(value, Ref):
        return Ref(f"{value.uuid}-")
    return tuple(map(_renamed, value)) if isinstance(value, tuple) else value
