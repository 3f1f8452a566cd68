"""Nodes from their annotations, and what is said about annotations that cannot be read."""

import json
from ipaddress import ip_address, ip_interface, ip_network
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.declared.node import GatewayMode, NodeGateway, node_of

ANNOTATIONS = {
    "k8s.ovn.org/node-id": "2",
    "k8s.ovn.org/node-chassis-id": "1c1d3c1b-5f3e-4a6c-8f53-0d8e6b1f7a10",
    "k8s.ovn.org/node-primary-ifaddr": '{"ipv4":"172.18.0.3/16","ipv6":"fc00::3/64"}',
    "k8s.ovn.org/host-cidrs": '["172.18.0.3/16","fc00::3/64","10.89.0.3/24"]',
    "k8s.ovn.org/node-subnets": '{"default":["10.244.0.0/24"],"blue":"10.1.2.0/24"}',
    "k8s.ovn.org/node-encap-ips": '["172.18.0.3"]',
    "k8s.ovn.org/layer2-topology-version": "2.0",
    "k8s.ovn.org/udn-layer2-node-gateway-router-lrp-tunnel-ids": '{"blue":"5","red_net":"32767"}',
    "k8s.ovn.org/l3-gateway-config": json.dumps(
        {
            "default": {
                "mode": "shared",
                "bridge-id": "breth0",
                "interface-id": "breth0_n1",
                "mac-address": "02:42:AC:12:00:03",
                "ip-addresses": ["172.18.0.3/16", "fc00::3/64"],
                "next-hops": ["172.18.0.1"],
                "node-port-enable": "true",
                "vlan-id": "7",
            }
        }
    ),
}
LENGTHS = "must hold addresses with prefix length, such as 192.0.2.3/24"
PORT_KEYS = "udn-layer2-node-gateway-router-lrp-tunnel-ids"
GATEWAY_OF_VLAN = (
    '{"default":{"mode":"local","mac-address":"02:42:ac:12:00:03","bridge-id":"breth0",'
    '"ip-address":"172.18.0.3/16","vlan-id":"%s"}}'
)


def node_object(annotations: object = ANNOTATIONS, **changes: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "n1", "labels": {"zone": "a"}, "annotations": annotations},
        "status": {
            "addresses": [
                {"type": "Hostname", "address": "n1"},
                {"type": "InternalIP", "address": "fc00::3"},
                {"type": "InternalIP", "address": "172.18.0.3"},
                {"type": "InternalIP", "address": "10.0.0.3"},
            ]
        },
    } | changes


def test_everything_recorded() -> None:
    parsed = node_of(node_object())
    node = parsed.node
    assert parsed.errors == ()
    assert node is not None
    assert (node.name, dict(node.labels), node.node_id) == ("n1", {"zone": "a"}, 2)
    assert node.chassis_id == "1c1d3c1b-5f3e-4a6c-8f53-0d8e6b1f7a10"
    assert node.internal_ips == (ip_address("172.18.0.3"), ip_address("fc00::3"))
    assert node.primary_addresses == (ip_interface("172.18.0.3/16"), ip_interface("fc00::3/64"))
    assert node.host_cidrs[2] == ip_interface("10.89.0.3/24")
    assert dict(node.host_subnets) == {
        "default": (ip_network("10.244.0.0/24"),),
        "blue": (ip_network("10.1.2.0/24"),),
    }
    assert dict(node.router_port_keys) == {"blue": 5, "red_net": 32767}
    assert node.gateway == NodeGateway(
        mode=GatewayMode.SHARED,
        bridge_id="breth0",
        mac="02:42:ac:12:00:03",
        addresses=(ip_interface("172.18.0.3/16"), ip_interface("fc00::3/64")),
        next_hops=(ip_address("172.18.0.1"),),
        interface_id="breth0_n1",
        vlan_id=7,
        node_port=True,
    )
    assert node.encap_ips == (ip_address("172.18.0.3"),)
    assert node.topology_version == "2.0"
    assert node.gateway_mtu_support
    assert node.own_addresses == {ip_address(ip) for ip in ("172.18.0.3", "fc00::3", "10.89.0.3")}


def test_what_other_controllers_recorded_about_ports() -> None:
    parsed = node_of(
        node_object(
            {
                "k8s.ovn.org/node-transit-switch-port-ifaddr": '{"ipv4":"100.88.0.9/16","ipv6":"fd97::9/64"}',
                "k8s.ovn.org/node-mgmt-port-mac-addresses": '{"default":"0A:58:0A:00:00:02"}',
                "k8s.ovn.org/hybrid-overlay-distributed-router-gateway-ip": "10.244.0.3,10.244.1.3",
            }
        )
    )
    node = parsed.node
    assert parsed.errors == ()
    assert node is not None
    assert node.transit_addresses == (ip_interface("100.88.0.9/16"), ip_interface("fd97::9/64"))
    assert dict(node.management_macs) == {"default": "0a:58:0a:00:00:02"}
    assert node.is_in_hybrid_overlay
    assert node.hybrid_gateways == (ip_address("10.244.0.3"), ip_address("10.244.1.3"))


def test_nothing_recorded() -> None:
    parsed = node_of({"metadata": {"name": "n1"}})
    assert parsed.errors == ()
    assert parsed.node is not None
    assert parsed.node.node_id is None
    assert parsed.node.gateway is None
    assert parsed.node.own_addresses == frozenset()


@pytest.mark.parametrize(
    ("key", "text", "detail"),
    [
        ("node-id", "1", "must be a decimal node id from 2 to 5000"),
        ("node-id", "5001", "must be a decimal node id from 2 to 5000"),
        ("node-id", "٣", "must be a decimal node id from 2 to 5000"),
        ("node-id", "", "must be a decimal node id from 2 to 5000"),
        ("node-chassis-id", "a b", "must be a chassis name of letters, digits, '-', '_' and '.'"),
        ("node-primary-ifaddr", "{", "must be JSON"),
        ("node-primary-ifaddr", "[]", "must be a JSON object"),
        ("node-primary-ifaddr", "{}", 'must be an object with "ipv4", "ipv6" or both'),
        ("node-primary-ifaddr", '{"ipv4":"fc00::3/64"}', "ipv4 must be an address of its family"),
        (
            "node-primary-ifaddr",
            '{"ipv4":"172.18.0.3"}',
            "must hold addresses with prefix length, such as 192.0.2.3/24",
        ),
        ("host-cidrs", '"172.18.0.3/16"', "must be a JSON list"),
        ("host-cidrs", "[3]", "must hold addresses with prefix length, such as 192.0.2.3/24"),
        ("host-cidrs", "[" * 9000, "must be JSON"),
        ("node-subnets", '{"default":["10.244.0.1/24"]}', "must hold subnets without host bits, such as 192.0.2.0/24"),
        ("node-subnets", '{"default":7}', "must be a JSON list"),
        ("node-encap-ips", '["fe80::1%eth0"]', "must be an IP address"),
        ("node-encap-ips", "[null]", "must be an IP address"),
        ("layer2-topology-version", "3.0", "must be 2.0, or the annotation absent for the older topology"),
        ("node-transit-switch-port-ifaddr", '{"ipv4":"100.88.0.9"}', LENGTHS),
        ("node-mgmt-port-mac-addresses", '{"a":"0a:58"}', "must hold MACs of six octets, such as 0a:58:0a:00:00:02"),
        ("node-mgmt-port-mac-addresses", '{"a":7}', "must hold MACs of six octets, such as 0a:58:0a:00:00:02"),
        ("hybrid-overlay-distributed-router-gateway-ip", "10.244.0.3,", "must be an IP address"),
        ("hybrid-overlay-distributed-router-gateway-ip", "1" * 262145, "must not be longer than 262144 characters"),
        (PORT_KEYS, '{"a":5}', "must hold decimal port keys from 1 to 32767"),
        (PORT_KEYS, '{"a":"0"}', "must hold decimal port keys from 1 to 32767"),
        (
            "udn-layer2-node-gateway-router-lrp-tunnel-ids",
            '{"a":"32768"}',
            "must hold decimal port keys from 1 to 32767",
        ),
        (PORT_KEYS, '["5"]', "must be a JSON object"),
        ("gateway-mtu-support", "no", 'must be "true" or "false"'),
        ("l3-gateway-config", '{"default":[]}', "must be a JSON object"),
        ("l3-gateway-config", '{"default":{"mode":"both"}}', 'mode must be "shared" or "local"'),
        ("l3-gateway-config", '{"default":{"mode":3}}', "mode must be a string"),
        (
            "l3-gateway-config",
            '{"default":{"mode":"local"}}',
            "mac-address must be six octets, such as 0a:58:0a:00:00:01",
        ),
        (
            "l3-gateway-config",
            '{"default":{"mode":"local","mac-address":"02:42:ac:12:00:03"}}',
            "bridge-id must be the name of a bridge",
        ),
        (
            "l3-gateway-config",
            '{"default":{"mode":"local","mac-address":"02:42:ac:12:00:03","bridge-id":"breth0"}}',
            "ip-addresses must not be empty",
        ),
        (
            "l3-gateway-config",
            GATEWAY_OF_VLAN % "4095",
            "vlan-id must be a decimal number from 0 to 4094",
        ),
    ],
)
def test_annotation_that_cannot_be_read(key: str, text: str, detail: str) -> None:
    annotation = f"k8s.ovn.org/{key}"
    parsed = node_of(node_object(ANNOTATIONS | {annotation: text}))
    shown = text if len(text) <= 120 else text[:120] + "..."
    assert parsed.errors == (
        FieldError(ErrorType.INVALID, f"metadata.annotations[{annotation}]", shown, detail, "node-unreadable"),
    )
    without = node_of(node_object({k: v for k, v in ANNOTATIONS.items() if k != annotation})).node
    assert without is not None
    # its mere presence shows that there is a hybrid overlay
    assert parsed.node == without._replace(is_in_hybrid_overlay=key.startswith("hybrid-overlay-"))


def test_gateway_without_mtu_support() -> None:
    parsed = node_of(node_object({"k8s.ovn.org/gateway-mtu-support": "false"}))
    assert parsed.node is not None
    assert not parsed.node.gateway_mtu_support


def test_annotation_that_is_too_long() -> None:
    parsed = node_of(node_object({"k8s.ovn.org/host-cidrs": "[" + " " * 262144 + "]"}))
    assert [error.detail for error in parsed.errors] == ["must not be longer than 262144 characters"]


def test_single_valued_keys_of_the_gateway() -> None:
    config = {"mode": "local", "mac-address": "02:42:ac:12:00:03", "bridge-id": "br-ex"}
    config |= {"ip-address": "172.18.0.3/16", "next-hop": "172.18.0.1"}
    parsed = node_of(node_object({"k8s.ovn.org/l3-gateway-config": json.dumps({"default": config})}))
    assert parsed.node is not None
    assert parsed.node.gateway == NodeGateway(
        GatewayMode.LOCAL, "br-ex", "02:42:ac:12:00:03", (ip_interface("172.18.0.3/16"),), (ip_address("172.18.0.1"),)
    )


@pytest.mark.parametrize("text", ["{}", '{"default":{}}', '{"default":{"mode":""}}'])
def test_node_without_gateway(text: str) -> None:
    parsed = node_of(node_object({"k8s.ovn.org/l3-gateway-config": text}))
    assert parsed.errors == ()
    assert parsed.node is not None
    assert parsed.node.gateway is None


@pytest.mark.parametrize("name", [None, "", "N1", "a\nb", "a" * 254, 7])
def test_node_without_usable_name(name: object) -> None:
    parsed = node_of({"metadata": {"name": name}})
    assert parsed.node is None
    assert [(error.field, error.detail) for error in parsed.errors] == [
        ("metadata.name", "must be a DNS-1123 subdomain of at most 253 octets")
    ]


def test_shapes_that_are_no_node() -> None:
    parsed = node_of({"metadata": {"name": "n1", "labels": ["x"], "annotations": {"a": 1}}, "status": {"addresses": 3}})
    assert [error.field for error in parsed.errors] == ["metadata.labels", "metadata.annotations"]
    assert node_of({"metadata": [], "status": {}}).node is None
    bad = node_of(node_object({}, status={"addresses": [{"type": "InternalIP", "address": "n1"}, "x"]}))
    assert [(error.field, error.detail) for error in bad.errors] == [
        ("status.addresses[0].address", "must be an IP address")
    ]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@given(value=json_values | st.dictionaries(st.just("default"), json_values), key=st.sampled_from(sorted(ANNOTATIONS)))
def test_any_json_gives_a_node_and_at_most_one_error(value: object, key: str) -> None:
    parsed = node_of(node_object({key: json.dumps(value)}))
    assert parsed.node is not None
    assert len(parsed.errors) <= 1
