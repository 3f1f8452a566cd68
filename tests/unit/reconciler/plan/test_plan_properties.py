"""What holds for the plan of any networks on any nodes."""

from collections.abc import Iterable
from ipaddress import ip_interface

from hypothesis import given, settings
from hypothesis import strategies as st

from ovnguard.reconciler.plan.planner import Plan, make_plan
from ovnguard.reconciler.plan.rows.row import Ref, Row
from ovnguard.reconciler.plan.rows.row_diff import apply, diff
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.model import Network, Role
from tests.support.plan_samples import DUAL_DEFAULT, V4, V6, node, udn
from tests.support.soak import examples

udns = st.builds(
    lambda name, cidrs, role: udn(f"ns-{name}_net", *cidrs, role=role),
    name=st.integers(0, 99),
    cidrs=st.sampled_from([(V4,), (V6,), (V4, V6), (V6, V4)]),
    role=st.sampled_from(list(Role)),
)
clusters = st.tuples(
    st.lists(udns, unique_by=lambda network: network.name, max_size=4),
    st.sets(st.integers(1, 12), min_size=1, max_size=5),
    st.sampled_from(["shared", "local"]),
)


def planned(cluster: tuple[list[Network], set[int], str]) -> Plan:
    networks, numbers, mode = cluster
    members = [node(number, v6=True, mode=mode) for number in sorted(numbers)]
    return make_plan([*networks, DUAL_DEFAULT], members, Settings())


@settings(max_examples=examples(10))
@given(cluster=clusters)
def test_same_input_same_plan(cluster: tuple[list[Network], set[int], str]) -> None:
    plan = planned(cluster)
    assert planned(cluster) == plan
    for zone in plan.zones:
        assert diff(zone.rows, zone.rows) == ()
        assert apply(diff((), zone.rows), ()) == zone.rows


@settings(max_examples=examples(10))
@given(before=clusters, after=clusters)
def test_diff_leads_from_plan_to_plan(
    before: tuple[list[Network], set[int], str], after: tuple[list[Network], set[int], str]
) -> None:
    rows = {zone.node: zone.rows for zone in planned(before).zones}
    for zone in planned(after).zones:
        held = rows.get(zone.node, ())
        assert apply(diff(held, zone.rows), held) == zone.rows


@settings(max_examples=examples(10))
@given(cluster=clusters)
def test_rows_of_a_zone_fit_together(cluster: tuple[list[Network], set[int], str]) -> None:
    for zone in planned(cluster).zones:
        by_uuid = {row.uuid: row for row in zone.rows}
        assert len(by_uuid) == len(zone.rows)
        referred = [ref for row in zone.rows for ref in references(row)]
        assert {ref.uuid for ref in referred} <= by_uuid.keys()
        owned = [ref.uuid for ref in referred if by_uuid[ref.uuid].table not in SHARED]
        assert not duplicates(owned)
        assert not duplicates(tunnel_keys(zone.rows))
        assert not duplicates(router_addresses(zone.rows))
        peers_name_each_other(zone.rows)


# rows that several others refer to; ports of switches stand in port groups too
SHARED = {"Copp", "Meter_Band", "Load_Balancer_Group", "Logical_Switch_Port"}


def references(row: Row) -> list[Ref]:
    values = (value for value in row.columns.values() if isinstance(value, tuple))
    return [item for value in values for item in value if isinstance(item, Ref)]


def duplicates(values: Iterable[object]) -> list[object]:
    seen: set[object] = set()
    found: list[object] = []
    for value in values:
        (found.append if value in seen else seen.add)(value)
    return found


def tunnel_keys(rows: Iterable[Row]) -> Iterable[object]:
    """Datapath keys, and port keys per router."""
    for row in rows:
        for column in ("options", "other_config"):
            key = getattr(row.columns.get(column), "get", lambda _: None)("requested-tnl-key")
            if key and row.table in ("Logical_Router", "Logical_Switch"):
                yield key
            elif key and row.table == "Logical_Router_Port":
                yield row.network, key


def router_addresses(rows: Iterable[Row]) -> Iterable[object]:
    """Addresses of the ports of one network's routers."""
    for row in rows:
        if row.table == "Logical_Router_Port":
            for each in row.texts("networks"):
                yield row.network, ip_interface(each).ip


def peers_name_each_other(rows: Iterable[Row]) -> None:
    ports = {row.columns["name"]: row for row in rows if row.table == "Logical_Router_Port"}
    for name, row in ports.items():
        for peer in row.texts("peer"):
            assert ports[peer].columns["peer"] == (name,)
