"""Doubt never takes a network down."""

from dataclasses import replace

import pytest

from ovnguard.reconciler.apply.retention import DoubtfulNetworks, kind_of, with_former_members, without_deletes_of
from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.rows.names import address_set_hash
from ovnguard.reconciler.plan.rows.northbound import new_row, refs
from ovnguard.reconciler.plan.rows.row import Column, Ref, Row, row_uuid
from ovnguard.reconciler.plan.rows.row_diff import diff
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.cluster_view import CUDN, NAD, OPERATOR_NETWORK, UDN
from ovnguard.validators.network.model import ObjectRef
from tests.support.plan_samples import default_network, nodes, udn
from tests.support.plan_scenarios import ALONE, CONNECTED, CONNECTED_NODES, EXPOSED3, LAYER2, LAYER3_BOTH

BOTH = make_plan([udn("a_net"), udn("b_net")], nodes(2), Settings()).zones[0].rows
ONE = make_plan([udn("a_net")], nodes(2), Settings()).zones[0].rows


def after(frozen, observed, desired):
    """What is deleted, by network or table."""
    operations = without_deletes_of(frozen)(diff(observed, desired), observed)
    return {operation.uuid for operation in operations if operation.op == "delete"}


def uuids(rows):
    return {row.uuid for row in rows}


def test_nothing_frozen_is_the_whole_difference():
    assert after((), BOTH, ()) == uuids(BOTH)


def test_a_frozen_network_keeps_all_its_rows():
    assert after(["b_net"], BOTH, ONE) == set()


def test_others_are_still_deleted_but_what_they_share():
    kept = uuids(BOTH) - after(["a_net"], BOTH, ())
    assert kept == uuids(ONE)


def test_a_frozen_network_without_rows_keeps_nothing():
    assert after(["c_net"], BOTH, ()) == uuids(BOTH)


@pytest.mark.parametrize("name", ["default", ""])
def test_names_without_prefix_match_nothing(name):
    assert after([name], BOTH, ()) == uuids(BOTH)


def test_a_name_that_begins_like_another_is_another():
    rows = make_plan([udn("a_net"), udn("a_net2")], nodes(2), Settings()).zones[0].rows
    assert uuids(rows) - after(["a_net"], rows, ()) == uuids(ONE)


def test_the_default_network_is_frozen_alone():
    default = default_network()
    rows = make_plan([default, udn("a_net")], nodes(2), Settings()).zones[0].rows
    shared = {row.uuid for row in rows if row.table in ("Copp", "Meter", "Meter_Band")}
    alone = make_plan([default], nodes(2), Settings()).zones[0].rows
    assert uuids(rows) - after(["default"], rows, ()) == uuids(alone)
    assert uuids(rows) - after(["a_net"], rows, ()) == uuids(ONE) >= shared


def test_inserts_and_updates_go_on():
    operations = without_deletes_of(["a_net"])(diff(ONE, BOTH), ONE)
    assert {operation.op for operation in operations} == {"insert"}


@pytest.mark.parametrize(
    ("network", "kind"),
    [("default", OPERATOR_NETWORK), ("cluster_udn_blue", CUDN), ("ns_name", UDN), ("tenant", NAD), ("a_b_c", NAD)],
)
def test_a_name_gives_the_kind(network, kind):
    assert kind_of(network) == kind


@pytest.mark.parametrize(("unserved", "kept"), [((UDN,), True), ((CUDN, NAD), False)])
def test_networks_of_a_kind_that_is_not_served_stay(unserved, kept):
    operations = without_deletes_of((), unserved)(diff(BOTH, ()), BOTH)
    assert {operation.uuid for operation in operations} == (set() if kept else uuids(BOTH))


@pytest.mark.parametrize(("unserved", "kept"), [((NAD,), True), ((UDN,), False)])
def test_an_attachments_network_is_not_taken_for_another_kinds(unserved, kept):
    source = ObjectRef("k8s.cni.cncf.io/v1", "NetworkAttachmentDefinition", "ns", "n")
    rows = make_plan([udn("x_y", source=source)], nodes(2), Settings()).zones[0].rows
    operations = without_deletes_of((), unserved)(diff(rows, ()), rows)
    assert {operation.uuid for operation in operations} == (set() if kept else uuids(rows))
    doubtful = DoubtfulNetworks(frozenset(), frozenset(unserved), attached=frozenset({"x_y"}))
    assert ("x_y" in doubtful) is kept


def test_what_is_not_on_the_list_stays():
    operations = without_deletes_of((), (), {"a_net"})(diff(BOTH, ()), BOTH)
    gone = {operation.uuid for operation in operations if operation.op == "delete"}
    kept = uuids(make_plan([udn("b_net")], nodes(2), Settings()).zones[0].rows)
    assert gone == uuids(BOTH) - kept


def test_only_networks_on_the_list_are_beyond_doubt():
    doubtful = DoubtfulNetworks(frozenset({"a_net"}), only=frozenset({"a_net", "b_net"}))
    assert [name in doubtful for name in ("a_net", "b_net", "c_net", "")] == [True, False, True, True]


ADVERTISED = Settings(advertises=True, advertised={"a_net": (), "b_net": (), "c_net": ()}, ip_versions=(4,))
GROUP = address_set_hash("default-network-controller:AdvertisedNetwork:advertised-network-subnets")


def routed(*names):
    return make_plan([udn(name) for name in names], nodes(2), ADVERTISED).zones[0].rows


def group(rows):
    return next(row for row in rows if row.columns.get("name") == GROUP)


def ports_after(frozen, observed, desired):
    """The ports of the shared group after the chosen operations, None where it does not change."""
    operations = without_deletes_of(frozen)(diff(observed, desired), observed)
    changed = [each.row for each in operations if each.uuid == group(desired).uuid]
    return changed[0].get("ports") if changed else None


def test_a_shared_port_group_keeps_the_ports_of_a_frozen_network():
    both, one = routed("a_net", "b_net"), routed("a_net")
    assert ports_after(["b_net"], both, one) is None
    assert ports_after([], both, one) == group(one).columns["ports"]
    # also when only the group was read again
    assert ports_after(["b_net"], [group(both)], [group(one)]) is None
    # and gets those of other networks
    whole = routed("a_net", "b_net", "c_net")
    assert ports_after(["b_net"], both, routed("a_net", "c_net")) == group(whole).columns["ports"]


def test_a_shared_port_group_keeps_ports_in_doubt_and_loses_those_that_go():
    ports = {name: Row("Logical_Switch_Port", row_uuid("Logical_Switch_Port", name), {"name": name}) for name in "abc"}

    def group(*names: str) -> Row:
        columns: dict[str, Column] = {"name": "g", "ports": tuple(sorted(Ref(ports[name].uuid) for name in names))}
        return Row("Port_Group", row_uuid("Port_Group", "g"), columns)

    before, after = [*ports.values(), group("a", "b", "c")], [ports["a"], group("a")]
    # the deletion of b is dropped elsewhere, that of c is not
    operations = [each for each in diff(before, after) if each.subject != "b"]
    (update, delete) = with_former_members(operations, {row.uuid: row for row in before})
    assert (delete.op, delete.subject) == ("delete", "c")
    assert update.row == {"ports": group("a", "b").columns["ports"]}


CONNECTION = ("connect_router_join", "cnc_svc_join")
SERVED = replace(CONNECTED, balanced_services={**CONNECTED.balanced_services, LAYER3_BOTH.name: EXPOSED3})


def connected(settings=SERVED, networks=(LAYER3_BOTH, LAYER2, ALONE)):
    return make_plan(networks, CONNECTED_NODES, settings, ("node1",)).zones[0].rows


def lost(observed, desired, frozen, unserved=()):
    """The names of deleted rows of a connection, and the numbers of members that its router and its group lose."""
    rows = {row.uuid: row for row in observed}
    operations = without_deletes_of(frozen, unserved)(diff(observed, desired), observed)
    deleted = {str(rows[each.uuid].columns.get("name")) for each in operations if each.op == "delete"}
    members = {"Logical_Router": "ports", "Load_Balancer_Group": "load_balancer"}
    left = []
    for name, (table, column) in zip(CONNECTION, members.items(), strict=True):
        uuid = row_uuid(table, name)
        changed = next((each.row for each in operations if each.uuid == uuid and each.op == "update"), {})
        left.append(len(rows[uuid].columns[column]) - len(changed.get(column, rows[uuid].columns[column])))
    return {each for each in deleted if each in CONNECTION or each.startswith("crtor-")}, *left


def test_a_connection_ends_while_a_network_is_in_doubt():
    before, after = connected(), connected(replace(SERVED, connections=()))
    links = {str(row.columns["name"]) for row in before if str(row.columns.get("name")).startswith("crtor-")}
    assert lost(before, after, ()) == ({*CONNECTION, *links}, 0, 0)
    # the switch of the network in doubt refers to the group
    assert lost(before, after, [LAYER2.name]) == ({CONNECTION[0], *links}, 0, 0)
    # one that the API server does not serve may be connected
    assert lost(before, after, (), [CUDN]) == (set(), 0, 0)


def test_a_connection_keeps_the_services_of_a_network_in_doubt_and_all_of_an_unserved_kind():
    (whole,) = SERVED.connections
    before = connected()
    less = connected(replace(SERVED, connections=(replace(whole, networks=whole.networks[:1]),)))
    assert lost(before, less, [ALONE.name]) == ({f"crtor-join_{LAYER2.name}"}, 1, 5)
    waiting = connected(networks=(LAYER3_BOTH, ALONE))
    assert lost(before, waiting, [LAYER2.name]) == (set(), 0, 0)
    assert lost(before, waiting, ()) == (set(), 0, 5)
    assert lost(before, less, (), [UDN]) == (set(), 0, 0)


def test_a_port_of_a_deleted_attachment_stays_on_its_switch() -> None:
    """With the lease that it refers to; other ports go."""
    lease = Row("DHCP_Options", "l", {"cidr": "10.20.0.0/16"})
    stays = new_row("Logical_Switch_Port", {"name": "a.old_a_web", "dhcpv4_options": refs([lease])})
    goes = new_row("Logical_Switch_Port", {"name": "a.old_a_gone"})
    before = new_row("Logical_Switch", {"name": "s", "ports": refs([stays, goes])})
    after = new_row("Logical_Switch", {"name": "s", "ports": ()})
    observed = [before, stays, goes, lease]
    choose = without_deletes_of((), ports={"a.old_a_web"})
    operations = choose(diff(observed, [after]), observed)
    assert [(each.op, each.uuid, dict(each.row)) for each in operations] == [
        ("update", before.uuid, {"ports": (Ref(stays.uuid),)}),
        ("delete", goes.uuid, {}),
    ]
    # a switch that changes in nothing else is not written
    assert [each.op for each in choose(diff([before, stays, lease], [after]), [before, stays, lease])] == []
    assert [each.op for each in without_deletes_of(())(diff(observed, [after]), observed)] == [
        "update",
        *["delete"] * 3,
    ]
