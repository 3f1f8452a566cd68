"""Networks that a node does not use any more, in a zone that OVN-Kubernetes maintains."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.rows.model import ActiveNodes
from ovnguard.reconciler.plan.rows.northbound import new_row
from ovnguard.reconciler.plan.rows.row import Column, Ref, Row
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.topology.pod_ports import joined
from ovnguard.reconciler.plan.zone_audit import MARGIN, audit_zone, expired_networks
from ovnguard.validators.network.cluster_view import ObjectsView
from ovnguard.validators.network.ovnkube_settings.dynamic_allocation import GRACE_PERIOD
from tests.support.fake_cluster import World, cudn, desired_state, judged

NETWORK = "cluster_udn_blue"
BOTH = (NETWORK, "cluster_udn_green")
CHANGED = datetime(2026, 1, 1, tzinfo=UTC)
"""When the last node stopped to use the network."""


def condition() -> dict[str, str]:
    moment = CHANGED.isoformat().replace("+00:00", "Z")
    kind = {"type": "NodesSelected", "status": "False", "reason": "DynamicAllocation"}
    return {**kind, "lastTransitionTime": moment}


@pytest.fixture
def world() -> World:
    made = World(cudn("blue"), cudn("green", subnet="10.30.0.0/16"))
    made.settle()
    obj = made.cluster.get("blue")
    obj["status"]["conditions"].append(condition())
    made.cluster.put(obj)
    return made


def state(world: World, *grace: str) -> DesiredState:
    """The desired state of the zone of n1, which is alone with the network if it is in ``grace``."""
    both = frozenset({"n1", "n2"})
    active = (ActiveNodes(NETWORK, frozenset(), frozenset(grace)), ActiveNodes("cluster_udn_green", both))
    objects = [obj for each in world.cluster.served.values() for obj in each.values()]
    return desired_state(ObjectsView(objects), judged, Settings(active=active), "n1")


def rows(world: World) -> list[Row]:
    """The zone while it still has the network."""
    return [row for zone in state(world, "n1").plan.zones for row in zone.rows]


def test_rows_of_an_unused_network_are_explained_until_its_grace_period_is_over(world: World) -> None:
    desired = state(world)
    found = audit_zone(desired, "n1", rows(world))
    (network,) = found.networks
    assert (network.network, network.explained.keys(), found.drift) == (NETWORK, {"grace"}, 0)
    for late, expired in ((0.0, frozenset[str]()), (1.0, frozenset({NETWORK}))):
        now = CHANGED + timedelta(seconds=GRACE_PERIOD + MARGIN + late)
        assert expired_networks(desired, "n1", now) == expired
    after = audit_zone(desired, "n1", rows(world), expired)
    # the empty set of pods with an EgressIP stays
    assert [each.explained for each in after.networks] == [{"sets-of-deleted-networks": 1}]
    assert after.drift == network.explained["grace"] - 1 > 30
    # the longer period of the cluster counts
    longer = replace(desired, settings=replace(desired.settings, grace_period=600.0))
    assert expired_networks(longer, "n1", now) == frozenset()


def changed(row: Row, **columns: Column) -> Row:
    return replace(row, columns={**row.columns, **columns})


def other_switch(zone: list[Row]) -> list[Row]:
    """The management port of the network, on the switch of another one."""
    blue, green = (next(row for row in zone if row.columns.get("name") == f"{name}_ovn_layer2_switch") for name in BOTH)
    port = next(row for row in zone if row.columns.get("name") == f"k8s-{NETWORK}_n1")
    moved = {blue.uuid: without(blue, port), green.uuid: joined([green], str(green.columns["name"]), [port])[-1]}
    return [moved.get(row.uuid, row) for row in zone]


def without(switch: Row, port: Row) -> Row:
    ports = switch.columns["ports"]
    assert isinstance(ports, tuple)
    return changed(switch, ports=tuple(each for each in ports if each != Ref(port.uuid)))


def other_address(zone: list[Row]) -> list[Row]:
    name = f"k8s-{NETWORK}_n1"
    return [
        changed(row, addresses=("0a:58:0a:1e:00:05 10.30.0.5",)) if row.columns.get("name") == name else row
        for row in zone
    ]


def claimed_route(zone: list[Row]) -> list[Row]:
    """A route on the router of the other network that says it is of this one."""
    columns: dict[str, Column] = {
        "ip_prefix": "192.0.2.0/24",
        "nexthop": "100.65.0.9",
        "external_ids": {"k8s.ovn.org/network": NETWORK},
    }
    route = new_row("Logical_Router_Static_Route", columns, "route")
    router = next(row for row in zone if row.columns.get("name") == "cluster_udn_green_transit_router")
    routes = router.columns["static_routes"]
    assert isinstance(routes, tuple)
    wider = changed(router, static_routes=(*routes, Ref(route.uuid)))
    return [route, *(wider if row is router else row for row in zone)]


@pytest.mark.parametrize("change", [other_switch, other_address, claimed_route])
def test_what_an_unused_network_never_had_is_drift(world: World, change: Callable[[list[Row]], list[Row]]) -> None:
    zone = rows(world)
    assert audit_zone(state(world), "n1", zone).drift == 0
    assert audit_zone(state(world), "n1", change(zone)).drift > 0
