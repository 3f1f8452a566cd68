"""Plans of every topology on real databases with a real northd: accepted, read back as planned, no complaints."""

import contextlib
from collections.abc import Callable, Iterable, Iterator

import pytest

from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.rows.row_diff import diff
from tests.support.lab.ovn_complaints import complaints
from tests.support.plan_samples import nodes, sharing
from tests.support.plan_scenarios import LAYER2, LAYER3_BOTH, SCENARIOS, Scenario, generations, without_overlay
from tests.testbed.ovn import OvnZone

ZoneFactory = Callable[[str], OvnZone]


@pytest.fixture
def node1(ovn_zone: ZoneFactory) -> Iterator[tuple[OvnZone, NorthboundStore]]:
    """The zone of node1, with the chassis of all nodes."""
    zone = ovn_zone("node1")
    for node in nodes(4):
        zone.sbctl("chassis-add", node.chassis_id, "geneve", str(node.internal_ips[0]))
        remote = str(node.name != "node1").lower()
        zone.sbctl("set", "chassis", node.chassis_id, f"other_config:is-remote={remote}")
    store = NorthboundStore(zone.nb)
    yield zone, store
    store.close()


def bring(zone: OvnZone, store: NorthboundStore, rows: tuple[Row, ...]) -> None:
    store.apply(diff(store.read(), rows))
    zone.wait_sb()
    assert diff(store.read(), rows) == ()


def rows_of(scenario: Scenario) -> tuple[Row, ...]:
    return tuple(scenario.plan().zones[0].rows)


def by_name(rows: Iterable[Row]) -> dict[str, tuple[str, ...] | None]:
    return {row.uuid: row.identity for row in rows}


@pytest.mark.parametrize("name", SCENARIOS)
def test_northd_takes_the_rows_and_lets_them_go(node1: tuple[OvnZone, NorthboundStore], name: str) -> None:
    zone, store = node1
    rows = rows_of(SCENARIOS[name])
    bring(zone, store, rows)
    assert complaints(zone) == []
    bring(zone, store, ())
    assert store.read() == ()
    for table in (
        "logical_switch",
        "logical_router",
        "static_mac_binding",
        "load_balancer_group",
        "load_balancer",
        "address_set",
    ):
        assert zone.nbctl("--bare", "--columns=_uuid", "list", table) == ""
    assert complaints(zone) == []


def test_an_upgrade_goes_node_by_node_and_snat_is_switched_on_the_second_day(
    node1: tuple[OvnZone, NorthboundStore],
) -> None:
    zone, store = node1
    for upgraded in ("ooo", "oon", "non", "nnn"):
        bring(zone, store, rows_of(Scenario((LAYER2,), generations(upgraded))))
    assert by_name(store.read()) == by_name(rows_of(Scenario((LAYER2,), nodes(3, v6=True))))
    for snat in (True, False, True):
        network = without_overlay(LAYER3_BOTH, snat=snat)
        bring(zone, store, rows_of(Scenario((network,), sharing(nodes(3, v6=True), network))))
    bring(zone, store, rows_of(Scenario((LAYER3_BOTH,), sharing(nodes(3, v6=True), LAYER3_BOTH))))
    assert complaints(zone) == []


@pytest.mark.parametrize("name", ["connected", "connected-services"])
def test_connections_are_written_network_by_network(node1: tuple[OvnZone, NorthboundStore], name: str) -> None:
    zone, _ = node1
    rows = rows_of(SCENARIOS[name])
    with contextlib.closing(NorthboundStore(zone.nb, max_transaction=75_000)) as store:
        store.apply(diff(store.read(), rows))
        # the group was written before its load balancers
        later = diff(store.read(), rows)
        assert [each.table for each in later] == ["Load_Balancer_Group"]
        store.apply(later)
        assert diff(store.read(), rows) == ()
        store.apply(diff(store.read(), ()))
        assert store.read() == ()
