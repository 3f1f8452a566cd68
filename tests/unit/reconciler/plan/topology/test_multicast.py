"""Multicast rows, where ovnkube runs with enable-multicast; tests/support/topology_values.py has the constant ones."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.rows.names import Names, address_set_hash
from ovnguard.reconciler.plan.rows.row import Row, row_uuid
from ovnguard.reconciler.plan.topology.acls import Acl
from ovnguard.validators.network.model import Network, Role
from tests.support.plan_samples import SERVICES, nodes, sharing
from tests.support.plan_scenarios import DUAL_OVERLAY_DEFAULT, LAYER2, LAYER3_6, LAYER3_BOTH, OVERLAY_DEFAULT

MULTICAST = replace(SERVICES, multicast=True)
PACKETS = "(ip4.mcast || mldv1 || mldv2 || (ip6.dst[120..127] == 0xff && ip6.dst[116] == 1))"
SECONDARY = LAYER3_BOTH._replace(role=Role.SECONDARY)


def rows(network: Network, settings: object = MULTICAST, mode: str = "shared") -> tuple[Row, ...]:
    assert isinstance(settings, type(SERVICES))
    plan = make_plan([network], sharing(nodes(2, v6=True, mode=mode), network), settings)
    assert plan.errors == ()
    return tuple(plan.zones[0].rows)


def config(found: Iterable[Row], switch: str) -> dict[str, str]:
    (row,) = (row for row in found if row.table == "Logical_Switch" and row.columns["name"] == switch)
    keys = ("mcast_snoop", "mcast_querier", "mcast_eth_src", "mcast_ip4_src", "mcast_ip6_src")
    return {key: value for key in keys if (value := row.entry("other_config", key))}


@pytest.mark.parametrize(
    ("network", "expected"),
    [
        (OVERLAY_DEFAULT, {"mcast_eth_src": "0a:58:0a:80:04:01", "mcast_ip4_src": "10.128.4.1"}),
        (
            DUAL_OVERLAY_DEFAULT,
            {
                "mcast_eth_src": "0a:58:0a:80:04:01",
                "mcast_ip4_src": "10.128.4.1",
                "mcast_ip6_src": "fe80::858:aff:fe80:401",
            },
        ),
        (LAYER3_6, {"mcast_eth_src": "0a:58:11:e5:af:2a", "mcast_ip6_src": "fe80::858:11ff:fee5:af2a"}),
    ],
    ids=["ipv4", "dual", "ipv6"],
)
def test_the_switch_of_a_node_asks_its_pods_as_their_gateway(network: Network, expected: dict[str, str]) -> None:
    switch = Names(network.name).node_switch("node1")
    asking = {"mcast_snoop": "true", "mcast_querier": "true"}
    assert config(rows(network), switch) == asking | expected
    assert config(rows(network, SERVICES), switch) == {}


def test_the_cluster_router_relays_between_nodes_and_keeps_its_other_options() -> None:
    def options(network: Network, **changes: str) -> object:
        name = Names(network.name).cluster_router
        (row,) = (row for row in rows(network, **changes) if row.columns.get("name") == name)
        return row.columns["options"]

    always = {"always_learn_from_arp_request": "false"}
    assert options(DUAL_OVERLAY_DEFAULT) == {**always, "mcast_relay": "true"}
    assert options(LAYER3_BOTH, mode="local") == {**always, "mcast_relay": "true", "ct-commit-all": "true"}
    assert options(SECONDARY) == always


@pytest.mark.parametrize("network", [DUAL_OVERLAY_DEFAULT, LAYER3_BOTH, LAYER2], ids=lambda each: each.name)
def test_multicast_of_pods_is_dropped_except_at_the_ports_towards_routers(network: Network) -> None:
    controller = Names(network.name).controller
    groups = {
        name: address_set_hash(f"{controller}:Cluster:{name}") for name in ("clusterPortGroup", "clusterRtrPortGroup")
    }
    relayed = groups["clusterRtrPortGroup"]
    expected = {
        "DefaultDeny:Egress": Acl("from-lport", 1011, PACKETS, "drop", 2, after_lb=True),
        "DefaultDeny:Ingress": Acl("to-lport", 1011, PACKETS, "drop", 2),
        "AllowInterNode:Egress": Acl(
            "from-lport", 1012, f"inport == @{relayed} && {PACKETS}", "allow", 2, after_lb=True
        ),
        "AllowInterNode:Ingress": Acl("to-lport", 1012, f"outport == @{relayed} && {PACKETS}", "allow", 2),
    }
    found = rows(network)
    acls = [row for row in found if row.entry("external_ids", "k8s.ovn.org/owner-type") == "MulticastCluster"]
    by_id = {row.entry("external_ids", "k8s.ovn.org/id"): row for row in acls}
    assert by_id.keys() == {f"{controller}:MulticastCluster:{each}" for each in expected}
    for each, acl in expected.items():
        row = by_id[f"{controller}:MulticastCluster:{each}"]
        assert dict(acl.row(dict(ids(row))).columns) == dict(row.columns)
        kind, direction = each.split(":")
        assert (row.entry("external_ids", "type"), row.entry("external_ids", "direction")) == (kind, direction)
    members = {row.columns["name"]: row for row in found if row.table == "Port_Group"}
    dropping, relaying = (members[groups[name]].texts("acls") for name in ("clusterPortGroup", "clusterRtrPortGroup"))
    uuids = {each: str(by_id[f"{controller}:MulticastCluster:{each}"].uuid) for each in expected}
    assert {each for each, uuid in uuids.items() if any(uuid in text for text in dropping)} == {
        "DefaultDeny:Egress",
        "DefaultDeny:Ingress",
    }
    assert len(relaying) == 2
    assert all("MulticastCluster" not in str(row.columns) for row in rows(network, SERVICES))


def ids(row: Row) -> dict[str, str]:
    value = row.columns["external_ids"]
    assert not isinstance(value, (str, int, tuple))
    return dict(value)


def test_only_switches_that_end_at_the_node_relay_by_a_port() -> None:
    def ports(network: Network, settings: object = MULTICAST) -> object:
        name = address_set_hash(f"{Names(network.name).controller}:Cluster:clusterRtrPortGroup")
        (row,) = (row for row in rows(network, settings) if row.columns.get("name") == name)
        return row.columns["ports"]

    to_router = Names(LAYER3_BOTH.name).node_to_cluster("node1")
    assert ports(LAYER3_BOTH) == ((row_uuid("Logical_Switch_Port", to_router),),)
    assert ports(LAYER3_BOTH, SERVICES) == ports(LAYER2) == ()
