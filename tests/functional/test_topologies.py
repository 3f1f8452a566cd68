"""Plans of every topology on real databases with a real northd: accepted, read back as planned, no complaints."""

import re
from collections.abc import Callable, Iterable, Iterator

import pytest

from reconciler.apply.ovn.ovn_nb import NorthboundStore
from reconciler.plan.diff import diff
from reconciler.plan.rows import Row
from tests.support.plan_samples import nodes, sharing
from tests.support.plan_scenarios import LAYER2, LAYER3_BOTH, SCENARIOS, Scenario, generations, without_overlay
from tests.testbed.ovn import OvnZone

pytestmark = pytest.mark.timeout(120)
ZoneFactory = Callable[[str], OvnZone]

ALLOWED = (
    # northd gives a distributed gateway port and the switch port that faces it each a second, chassisredirect port,
    # copies the requested key onto it and finds it taken: the first port keeps the key, the second gets a free one
    re.compile(r"Logical (router port trtos-|switch port stotr-)\S+ requests same tunnel key 1 as another LSP or LRP"),
    # a network's gateway router has the node's address and its own masquerade address outside: load balanced traffic
    # that leaves there gets the first one, and only the masquerade address is the network's, so it does not matter
    re.compile(r'Logical router port "rtoe-GR_cluster_udn_\S+" is configured with multiple IPv[46] addresses\.'),
)


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


def complaints(zone: OvnZone) -> list[str]:
    lines = [line for line in zone.log("northd").splitlines() if re.search(r"\|(WARN|ERR|EMER)\|", line)]
    return [line for line in lines if not any(each.search(line) for each in ALLOWED)]


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
