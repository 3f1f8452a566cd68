"""`audit` of archives made from recordings: no false alarm, and every injected drift in words."""

from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.support.gathered_archive import COLLECTED, Tables, removed, row_of, write_archive
from tests.support.reconciler_cli import run

HEALTHY = ("layer3-dual-shared", "egressip-layer3", "services-layer2-ipv4-shared", "cudn-two-namespaces", "secondary")


@pytest.mark.parametrize("collected", [None, COLLECTED], ids=["all objects", "as a must-gather"])
@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_cluster_has_no_drift(name, collected, tmp_path):
    done = run("audit", str(write_archive(tmp_path / "a.tar.gz", name, collected=collected)))
    assert " 0 without a rule, " in done.out
    assert done.code == 0
    assert done.out.startswith(f"{tmp_path}/a.tar.gz: release 4.20.3; ")


def _changed(table: str, column: str, value: Any, **wanted: Any) -> Callable[[Tables], None]:
    def change(tables: Tables) -> None:
        tables[table][row_of(tables, table, **wanted)][column] = value

    return change


def _added(table: str, owner: str, column: str, **row: Any) -> Callable[[Tables], None]:
    uuid = "00000000-0000-4000-8000-00000000dead"

    def change(tables: Tables) -> None:
        router = tables["Logical_Router"][row_of(tables, "Logical_Router", name=owner)]
        tables[table][uuid] = row
        router[column] = ["set", [*router[column][1], ["uuid", uuid]]]

    return change


ROUTER = "red_net_ovn_cluster_router"


DRIFTS: Final = (
    (
        removed("ACL", action="drop", direction="to-lport"),
        "critical: pods with a primary network on node1 can be reached on the default network: isolation ACL ",
    ),
    (
        _changed("NAT", "external_ip", "192.0.2.9", logical_ip="10.100.0.0/16", type="snat"),
        "high: packets of network red_net leave node1 with another address: NAT GR_red_net_node1 | snat 10.10",
    ),
    (
        _changed("Logical_Router_Static_Route", "nexthop", "192.0.2.9", ip_prefix="10.100.2.0/24"),
        "high: packets of network red_net on node1 take another route: red_net_ovn_cluster_router | 10.100.2.0/24",
    ),
    (
        _added("Logical_Router_Static_Route", ROUTER, "static_routes", ip_prefix="192.0.2.0/24", nexthop="10.1.1.1"),
        "high: packets of network red_net on node1 take a route that is not planned: "
        "red_net_ovn_cluster_router | 192.0.2.0/24 10.1.1.1",
    ),
    (
        _added("Logical_Router_Policy", ROUTER, "policies", priority=2000, match="ip4", action="drop"),
        "high: packets of network red_net on node1 take another way: router policy "
        "red_net_ovn_cluster_router | 2000 ip4 is not planned",
    ),
    (
        removed("Logical_Switch_Port", name="red.net_red_one"),
        "critical: red.net_red_one of network red_net on node1 has no network: its switch port is missing",
    ),
    (
        removed("Address_Set", name="a1042611113178530741"),
        "high: rules of network default on node1 that use address set ",
    ),
    (
        removed("Port_Group", name="a13298398610555951118"),
        "critical: rules of network default on node1 concern no port: port group ",
    ),
    (
        removed("Load_Balancer", name="Service_default/kubernetes_TCP_node_router_node1"),
        "high: a service of network default does not answer on node1: load balancer ",
    ),
    (
        _changed("Logical_Switch", "other_config", ["map", [["subnet", "192.0.2.0/24"]]], name="red_net_node1"),
        "high: switch red_net_node1 of network red_net on node1 has another configuration",
    ),
)
"""Changes of the tables of a node, and how the audit of it begins."""
IDS: Final = (
    "ACL",
    "NAT",
    "route",
    "new route",
    "policy",
    "port",
    "address set",
    "port group",
    "load balancer",
    "switch",
)


@pytest.mark.parametrize(("change", "text"), DRIFTS, ids=IDS)
def test_a_drift_is_found_and_in_words(change, text, tmp_path):
    where = tmp_path / "a.tar.gz"
    archive = write_archive(where, "layer3-dual-shared", collected=None, change=lambda _, tables: change(tables))
    done = run("audit", str(archive))
    assert f"\n  {text}" in done.out
    assert done.code == 1
