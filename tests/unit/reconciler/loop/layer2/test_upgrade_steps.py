"""The steps of a Layer2 upgrade as a zone takes them, in the order of OKEP-5094, "Upgrade Strategy".

What starts the change of a node's own zone is in ``test_layer2_switch.py``.
"""

import copy
import itertools
import json
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from ovnguard.validators.network.cluster_view import NODE
from ovnguard.validators.network.declared.node import CHASSIS_ID, ROUTER_PORT_KEYS, TOPOLOGY_VERSION
from tests.support.fake_cluster import World, cudn, node

NETWORK = "cluster_udn_blue"
SWITCH, ROUTER = f"{NETWORK}_ovn_layer2_switch", f"{NETWORK}_transit_router"
NUMBERS = {"n1": 2, "n2": 3, "n3": 4}
UPGRADE_PORTS = {f"stotr-{SWITCH}-upgrade", f"trtos-{SWITCH}-upgrade"}


def member(name: str, *, upgraded: bool = False, **annotations: Any) -> dict[str, Any]:
    number = NUMBERS[name]
    found = node(name, number, **{ROUTER_PORT_KEYS: json.dumps({NETWORK: str(100 + number)}), **annotations})
    if not upgraded:
        del found["metadata"]["annotations"][TOPOLOGY_VERSION]
    return found


class Zone(World):
    """The zone of n1; a letter for each node: ``o`` has the topology before transit routers, ``n`` is upgraded."""

    def __init__(self, letters: str) -> None:
        super().__init__(cudn("blue"))
        self.cluster.served[NODE].clear()
        for name, letter in zip(NUMBERS, letters, strict=False):
            self.cluster.put(member(name, upgraded=letter == "n"))
        self.settle()

    def upgrade(self, name: str) -> None:
        changed = copy.deepcopy(self.cluster.get(name, NODE))
        changed["metadata"]["annotations"][TOPOLOGY_VERSION] = "2.0"
        self.cluster.put(changed)
        self.settle()

    def remove(self, name: str) -> None:
        del self.cluster.served[NODE][name]
        self.settle()

    def names(self, part: str = "") -> set[str]:
        found = {str(row.columns.get("name", "")) for row in self.store.rows}
        return {name for name in found if part in name}

    def row(self, name: str) -> dict[str, Any]:
        return next(dict(row.columns) for row in self.store.rows if row.columns.get("name") == name)

    def hops(self) -> dict[str, str]:
        """Next hops of the transit router's routes to join addresses."""
        return {
            str(row.columns["ip_prefix"]): str(row.columns["nexthop"])
            for row in self.store.rows
            if row.table == "Logical_Router_Static_Route" and str(row.columns["ip_prefix"]).startswith("100.65.0.")
        }

    def content(self) -> dict[str, Any]:
        return {row.uuid: row.columns for row in self.store.rows}


def remotes(zone: Zone) -> set[str]:
    """Nodes with a remote port of the topology before, and ``+`` before those with a port on the transit router."""
    old = {name.removeprefix(f"stor-{SWITCH}_") for name in zone.names(f"stor-{SWITCH}_")}
    new = zone.names(f"trtor-GR_{NETWORK}_") - {f"trtor-GR_{NETWORK}_n1"}
    return old | {"+" + name.removeprefix(f"trtor-GR_{NETWORK}_") for name in new}


def test_intermediate_rows_of_an_upgraded_node_while_another_is_old() -> None:
    zone = Zone("non")
    assert remotes(zone) == {"n2", "+n3"}
    assert zone.names("upgrade") == UPGRADE_PORTS
    second = zone.row(f"trtos-{SWITCH}-upgrade")
    assert (second["mac"], second["networks"]) == ("0a:58:64:41:00:02", ("100.65.255.254/16",))
    assert zone.row(f"stotr-{SWITCH}-upgrade")["options"]["requested-tnl-key"] == "102"
    # the old node's gateway router is on the switch, the new one's behind the transit router
    hops = zone.hops()
    assert hops["100.65.0.3"] == "100.65.0.3"
    assert hops["100.65.0.4"].startswith("100.88.")


def test_an_old_node_sees_no_difference_when_another_changes() -> None:
    zone = Zone("ooo")
    before = zone.content()
    zone.upgrade("n2")
    assert zone.content() == before
    assert remotes(zone) == {"n2", "n3"}


def test_own_node_switches_and_keeps_the_ports_of_old_nodes() -> None:
    zone = Zone("oon")
    old = {f"rtos-{SWITCH}", f"stor-{SWITCH}"}
    assert old <= zone.names()
    zone.upgrade("n1")
    assert not old & zone.names()
    assert {ROUTER, f"trtos-{SWITCH}", f"rtotr-GR_{NETWORK}_n1", *UPGRADE_PORTS} <= zone.names()
    assert remotes(zone) == {"n2", "+n3"}
    assert zone.content() == Zone("non").content()


def test_a_remote_node_gets_the_annotation() -> None:
    zone = Zone("noo")
    zone.upgrade("n2")
    assert remotes(zone) == {"+n2", "n3"}
    assert zone.hops()["100.65.0.2"] != zone.hops()["100.65.0.3"] != "100.65.0.3"
    assert zone.names("upgrade") == UPGRADE_PORTS, "n3 still needs them"
    assert zone.content() == Zone("nno").content()


def test_a_remote_node_that_stays_old_changes_nothing() -> None:
    zone = Zone("noo")
    before = zone.content()
    for _ in range(3):
        zone.cluster.put(member("n2", unrelated="x"))
        zone.settle()
    assert zone.content() == before


def test_key_and_chassis_of_a_remote_node_change() -> None:
    zone = Zone("noo")
    port = f"stor-{SWITCH}_n2"
    keys: dict[str, Any] = {ROUTER_PORT_KEYS: json.dumps({NETWORK: "113"})}
    zone.cluster.put(member("n2", **keys))
    zone.settle()
    assert zone.row(port)["options"]["requested-tnl-key"] == "113"
    zone.cluster.put(member("n2", **keys | {CHASSIS_ID: "another"}))
    zone.settle()
    assert zone.row(port)["options"]["requested-chassis"] == "another"


def test_clean_up_when_the_last_old_node_has_changed() -> None:
    zone = Zone("nno")
    gateway, masquerade = zone.row(f"trtos-{SWITCH}")["networks"]
    assert (gateway, masquerade.partition(".")[0]) == ("10.20.0.1/16", "169")
    zone.upgrade("n3")
    assert zone.names("upgrade") == set()
    assert zone.row(f"trtos-{SWITCH}")["networks"] == ("10.20.0.1/16",)
    assert remotes(zone) == {"+n2", "+n3"}
    # connections and load balancers go on using the join address
    assert "100.65.0.2/16" in zone.row(f"rtotr-GR_{NETWORK}_n1")["networks"]


@pytest.mark.parametrize("order", list(itertools.permutations(NUMBERS)), ids="".join)
def test_clean_up_in_any_order_and_again(order: Sequence[str]) -> None:
    zone = Zone("ooo")
    for name in order:
        zone.upgrade(name)
    fresh = Zone("nnn").content()
    assert zone.content() == fresh
    for name in order:
        zone.upgrade(name)
    assert zone.content() == fresh


@pytest.mark.parametrize("order", list(itertools.permutations(NUMBERS)), ids="".join)
def test_changes_seen_at_once_end_as_those_seen_one_by_one(order: Sequence[str]) -> None:
    zone = Zone("ooo")
    together(zone, order)
    assert zone.content() == Zone("nnn").content()


def together(zone: Zone, names: Iterable[str]) -> None:
    for name in names:
        zone.cluster.put(member(name, upgraded=True))
    zone.settle()


def test_an_old_node_that_joins_later_is_served_and_leaves_nothing() -> None:
    zone = Zone("nn")
    before = zone.content()
    assert zone.names("upgrade") == set()
    zone.cluster.put(member("n3"))
    zone.settle()
    assert zone.names("upgrade") == UPGRADE_PORTS
    assert remotes(zone) == {"+n2", "n3"}
    zone.remove("n3")
    assert zone.content() == before


def test_an_old_node_that_is_deleted_takes_its_port_and_route_along() -> None:
    zone = Zone("noo")
    zone.remove("n2")
    assert remotes(zone) == {"n3"}
    assert "100.65.0.3" not in zone.hops()
    assert zone.names("upgrade") == UPGRADE_PORTS
    zone.remove("n3")
    assert zone.names("upgrade") == set()
    assert zone.content() == Zone("n").content()


def test_an_old_node_that_comes_back_under_its_name_is_taken_as_it_is() -> None:
    zone = Zone("noo")
    zone.remove("n2")
    zone.cluster.put(member("n2", upgraded=True))
    zone.settle()
    assert remotes(zone) == {"+n2", "n3"}
    assert zone.content() == Zone("nno").content()
