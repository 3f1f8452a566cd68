"""What plans read of ClusterNetworkConnects: the record of OVN-Kubernetes' cluster manager, and nothing else."""

from ipaddress import ip_interface, ip_network
from typing import Any

import pytest

from ovnguard.reconciler.plan.connections.recorded_connections import KEY, connections_of, reserved_keys
from ovnguard.reconciler.plan.rows.model import Connection
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster_view import ObjectsView
from tests.support.connected import BOTH, ROUTER_KEY, connect
from tests.support.fake_cluster import ID, cudn

NETWORKS = [cudn(name, f"10.{number}.0.0/16", 0, **{ID: str(number)}) for number, name in enumerate("abc", 1)]
NETWORKS[2]["spec"]["network"] = {
    "topology": "Layer3",
    "layer3": {"role": "Primary", "subnets": [{"cidr": "10.3.0.0/16", "hostSubnet": 24}]},
}
OPERATOR = {
    "apiVersion": "operator.openshift.io/v1",
    "kind": "Network",
    "metadata": {"name": "cluster"},
    "spec": {
        "clusterNetwork": [{"cidr": "10.244.0.0/16", "hostPrefix": 24}],
        "serviceNetwork": ["10.96.0.0/16"],
        "defaultNetwork": {"type": "OVNKubernetes"},
    },
}
V4 = BOTH[:1]


def read(*objects: dict[str, Any]) -> tuple[tuple[Connection, ...], list[str]]:
    found = connections_of(ObjectsView([*NETWORKS, *objects]))
    return found.found, [str(note) for note in found.notes]


def test_a_record_names_networks_by_topology_and_id() -> None:
    record = {
        "layer3_3": {"ipv4": "192.168.7.0/24", "ipv6": "fd90::700/120"},
        "layer2_1": {"ipv4": "192.168.1.6/31", "ipv6": "fd90::106/127"},
    }
    (found,), notes = read(connect("join", record), OPERATOR)
    assert (found.name, found.key, found.pods, found.services, notes) == ("join", ROUTER_KEY, True, False, [])
    assert (found.service_subnets, found.ip_versions) == ((ip_network("10.96.0.0/16"),), (4,))
    layer2, layer3 = found.networks
    assert (layer2.network.name, layer2.network_id) == ("cluster_udn_a", 1)
    assert (layer3.network.name, layer3.network_id) == ("cluster_udn_c", 3)
    assert layer3.subnets == (ip_network("192.168.7.0/24"), ip_network("fd90::700/120"))
    # part 7 of 256 links each, and link 3 of part 1
    assert (layer3.first_key, layer2.first_key) == (7 * 256 + 1, 1 * 256 + 3 + 1)


def test_links_of_a_layer3_network_are_counted_by_node_id() -> None:
    (found,), _ = read(connect("join", {"layer3_3": {"ipv4": "192.168.7.0/24", "ipv6": "fd90::700/120"}}))
    (layer3,) = found.networks
    assert layer3.link(4) == (
        (ip_interface("192.168.7.8/31"), ip_interface("192.168.7.9/31")),
        (ip_interface("fd90::708/127"), ip_interface("fd90::709/127")),
    )
    assert (len(layer3.link(127)), layer3.link(128)) == (2, ())


@pytest.mark.parametrize(
    ("subnets", "record", "key"),
    [
        (V4, {"ipv4": "192.168.255.0/24"}, 255 * 256 + 1),
        ([{"cidr": "fd90::/64", "networkPrefix": 96}], {"ipv6": "fd90::2:0:0/96"}, 2 * 5000 + 1),
        ([BOTH[1], BOTH[0]], {"ipv6": "fd90::300/120"}, 3 * 256 + 1),
    ],
)
def test_tunnel_keys_follow_from_the_place_of_the_part(subnets: Any, record: Any, key: int) -> None:
    (found,), _ = read(connect("join", {"layer3_3": record}, subnets))
    assert found.networks[0].first_key == key


def test_connectivity_says_what_is_reached() -> None:
    both = connect("a", {}, connectivity=["PodNetwork", "ServiceNetwork"])
    services = connect("b", {}, connectivity=["ServiceNetwork"])
    assert [(each.pods, each.services) for each in read(services, both)[0]] == [(True, True), (False, True)]


def test_without_a_record_a_connection_has_no_networks_and_without_a_key_it_waits() -> None:
    (found,), notes = read(connect("join", ""))
    assert (found.networks, notes) == ((), [])
    assert read(connect("join", "", key="")) == ((), [f"ClusterNetworkConnect join waits for {KEY}"])


def test_unknown_networks_are_reported() -> None:
    record = {owner: {"ipv4": "192.168.0.0/24"} for owner in ("layer3_1", "layer2_9", "layer3_3")}
    (found,), notes = read(connect("join", record))
    assert [each.network.name for each in found.networks] == ["cluster_udn_c"]
    assert notes == [f"ClusterNetworkConnect join: network {each} is not known" for each in ("layer3_1", "layer2_9")]


@pytest.mark.parametrize(
    ("record", "subnets", "fault"),
    [
        ("{", V4, "k8s.ovn.org/network-connect-subnet is not a map of networks"),
        ("[" * 5000, V4, "k8s.ovn.org/network-connect-subnet is not a map of networks"),
        ("[]", V4, "k8s.ovn.org/network-connect-subnet is not a map of networks"),
        (" " * (256 * 1024 + 1), V4, "k8s.ovn.org/network-connect-subnet is not a map of networks"),
        ({"layer3_3": {"ipv4": "x"}}, V4, "k8s.ovn.org/network-connect-subnet has ipv4 'x', which is no subnet"),
        (
            {"layer3_3": {"ipv4": "fd90::/120"}},
            V4,
            "k8s.ovn.org/network-connect-subnet has ipv4 'fd90::/120', which is no subnet",
        ),
        (
            {"layer3_3": {"ipv4": "1.2.3.4/99"}},
            V4,
            "k8s.ovn.org/network-connect-subnet has ipv4 '1.2.3.4/99', which is no subnet",
        ),
        ({"layer3_3": {"ipv6": "fd90::/120"}}, V4, "connectSubnets has no IPv6 subnet for fd90::/120"),
        ({"layer3_3": {"ipv4": "192.168.0.0/24"}}, {}, "connectSubnets has no IPv4 subnet for 192.168.0.0/24"),
        (
            {"layer3_3": {"ipv4": "192.168.0.0/24"}},
            [{"cidr": "192.168.0.0/16", "networkPrefix": 16}],
            "connectSubnets has networkPrefix 16 for 192.168.0.0/16",
        ),
        (
            {"layer3_3": {"ipv4": "192.168.0.0/24"}},
            [{"cidr": "192.168", "networkPrefix": 24}],
            "connectSubnets has '192.168', which is no subnet",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_reported_and_disconnects_nothing(record: Any, subnets: Any, fault: str) -> None:
    view = ObjectsView([*NETWORKS, connect("join", record, subnets)])
    found = connections_of(view)
    assert (found.found, [str(note) for note in found.notes]) == ((), [f"ClusterNetworkConnect join: {fault}"])
    before, _ = read(connect("join", {"layer3_3": {"ipv4": "192.168.0.0/24"}}), connect("gone", {}))
    assert [each.name for each in found.kept_from(before)] == ["join"]


def test_keys_of_connect_routers_are_reserved() -> None:
    objects = (connect("join", {}), connect("wait", {}, key=""), connect("odd", {}, key="1e3"))
    view = ObjectsView(objects)
    found = reserved_keys(inventory_of(view))
    assert {name: each.keys for name, each in found.items()} == {"ClusterNetworkConnect join": (ROUTER_KEY,)}
