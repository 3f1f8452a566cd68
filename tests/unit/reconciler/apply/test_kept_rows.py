"""Shared rows of another writer: how long they stay, who refers to them, and which ports their groups have."""

import pytest

from ovnguard.reconciler.apply.kept_rows import kept_rows, moved, moved_members, with_kept, without_kept
from ovnguard.reconciler.plan.rows.row import Operation, Ref, Row, row_uuid
from ovnguard.reconciler.plan.rows.row_groups import SHARED, RowGroups, groups_of


def ours(table: str, name: str, **columns: tuple[Ref, ...]) -> Row:
    return Row(table, row_uuid(table, name), {"name": name, "external_ids": {}, **columns})


def theirs(table: str, name: str, network: str = "", **columns: tuple[Ref, ...]) -> Row:
    ids = {"k8s.ovn.org/network": network} if network else {}
    return Row(table, f"u-{name}", {"name": name, "external_ids": ids, **columns})


BAND = Row("Meter_Band", row_uuid("Meter_Band", "25"), {"external_ids": {"ovnguard.io/id": "25"}})
METER = ours("Meter", "arp", bands=(Ref(BAND.uuid),))
COPP = ours("Copp", "protection")
PORT = {name: ours("Logical_Switch_Port", f"port-{name}") for name in "ab"}
GROUP = ours("Port_Group", "isolated", ports=tuple(Ref(port.uuid) for port in PORT.values()), acls=())


def network(name: str) -> tuple[Row, ...]:
    return PORT[name], ours("Logical_Router", f"router-{name}", copp=(Ref(COPP.uuid),))


PLAN = RowGroups({SHARED: (BAND, METER, COPP, GROUP), "a": network("a"), "b": network("b")})
ONLY_A = RowGroups({SHARED: PLAN.groups[SHARED], "a": network("a")})
THEIR_COPP = theirs("Copp", "protection")
THEIR_METER = theirs("Meter", "arp", bands=(Ref("u-band"),))
THEIR_PORTS = {name: theirs("Logical_Switch_Port", f"port-{name}", name) for name in "ab"}
THEIR_GROUP = theirs("Port_Group", "isolated", ports=(Ref("u-port-a"), Ref("u-port-b")), acls=(Ref("u-acl"),))
THEIR_ROUTERS = {name: theirs("Logical_Router", f"router-{name}", name, copp=(Ref("u-protection"),)) for name in "ab"}
THEIRS = (THEIR_COPP, THEIR_METER, THEIR_GROUP, *THEIR_PORTS.values(), *THEIR_ROUTERS.values())
KEPT = {COPP.uuid: THEIR_COPP, METER.uuid: THEIR_METER, GROUP.uuid: THEIR_GROUP}


@pytest.mark.parametrize(
    ("others", "adopt", "kept"),
    [
        (THEIRS, {"a"}, KEPT),
        (THEIRS, set(), KEPT),
        (THEIRS, {"a", "b"}, {}),
        # nothing else is left
        ((THEIR_COPP,), {"a"}, {}),
        # a row that no plan and no owner names refers to it
        ((THEIR_COPP, theirs("Logical_Router", "manual", copp=(Ref("u-protection"),))), {"a"}, {COPP.uuid: THEIR_COPP}),
        ((), {"a"}, {}),
    ],
)
def test_shared_rows_stay_until_the_last_network_goes(others, adopt, kept):
    assert kept_rows(others, PLAN, adopt) == kept


def test_the_plan_refers_to_what_stays():
    found = groups_of(with_kept(ONLY_A, KEPT))
    router = ours("Logical_Router", "router-a", copp=(Ref("u-protection"),))
    assert found == {SHARED: (), "a": (PORT["a"], router)}
    assert found["a"][0] is PORT["a"]
    # a band that another meter uses stays
    both = RowGroups({SHARED: (BAND, METER, ours("Meter", "bfd", bands=(Ref(BAND.uuid),)))})
    assert groups_of(with_kept(both, KEPT))[SHARED] == (BAND, ours("Meter", "bfd", bands=(Ref(BAND.uuid),)))
    assert with_kept(ONLY_A, {}) is ONLY_A


def test_ports_move_in_the_port_group_that_stays():
    wanted = tuple(sorted((Ref("u-port-b"), Ref(PORT["a"].uuid))))
    moves = moved_members(ONLY_A, KEPT, {"u-port-a"})
    assert moves == (Operation("update", "Port_Group", "u-isolated", {"ports": wanted}),)
    assert moves[0].row == {"ports": wanted}
    after = moved(KEPT, moves)
    assert after[GROUP.uuid].columns["ports"] == wanted
    assert moved_members(ONLY_A, after, {"u-port-a"}) == ()
    assert moved_members(ONLY_A, {}, {"u-port-a"}) == ()


def test_load_balancers_move_in_the_group_of_a_connection_that_stays():
    balancer = {name: ours("Load_Balancer", f"balancer-{name}") for name in "ab"}
    group = ours(
        "Load_Balancer_Group", "cnc_svc_join", load_balancer=tuple(Ref(each.uuid) for each in balancer.values())
    )
    acl, port = ours("ACL", "drop"), ours("Logical_Router_Port", "crtor-join")
    switch = ours("Logical_Switch", "switch", load_balancer_group=(Ref(group.uuid),), acls=(Ref(acl.uuid),))
    planned = RowGroups({SHARED: (group, acl, port), "a": (balancer["a"], switch)})
    former = tuple(Ref(f"u-balancer-{name}") for name in "ab")
    kept = {group.uuid: theirs("Load_Balancer_Group", "cnc_svc_join", load_balancer=former)}
    wanted = tuple(sorted((former[1], Ref(balancer["a"].uuid))))
    (move,) = moved_members(planned, kept, {"u-balancer-a"})
    assert (move.table, move.uuid, move.row) == ("Load_Balancer_Group", "u-cnc_svc_join", {"load_balancer": wanted})
    # the load balancers are the networks' and are replaced; no router has the port any more
    balancers = tuple(theirs("Load_Balancer", f"balancer-{name}", name) for name in "ab")
    assert without_kept((*kept.values(), *balancers), kept) == balancers
    found = groups_of(with_kept(planned, kept))
    assert found[SHARED] == (acl,)
    assert found["a"][1].columns["load_balancer_group"] == (Ref("u-cnc_svc_join"),)


def test_what_stays_stops_no_start():
    acl, band = theirs("ACL", "acl"), theirs("Meter_Band", "band")
    assert without_kept((*THEIRS, acl, band), KEPT) == (*THEIR_PORTS.values(), *THEIR_ROUTERS.values())
    assert without_kept(THEIRS, {}) == THEIRS
