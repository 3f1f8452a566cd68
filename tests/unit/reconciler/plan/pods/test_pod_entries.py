"""Entries of pods' records, in the order and with the routes of OVN-Kubernetes. Recorded ones: tests/conformance."""

import json
from dataclasses import replace
from ipaddress import ip_network

from ovnguard.reconciler.plan.pods.pod_entries import EntryFacts, pod_entry, with_entries
from ovnguard.validators.network.model import Role
from tests.support.plan_samples import DUAL_DEFAULT, LAYER3_DUAL, SERVICES, layer3, node, pod, sharing, udn

FACTS = EntryFacts(SERVICES, (ip_network("172.30.0.0/16"), ip_network("fd02::/112")))
FLAT = udn("red_net", "10.100.0.0/16", "fd00:100::/64")


def text(port, network, member=None, facts=FACTS) -> str:
    return with_entries(None, {port.attachment: pod_entry(port, network, member or node(1, v6=True), facts)})


def test_a_primary_layer2_network() -> None:
    port = pod(FLAT, "a", "node1", "10.100.0.3", "fd00:100::3", key=10, attachment="red/net")
    assert text(port, FLAT) == (
        '{"red/net":{"ip_addresses":["10.100.0.3/16","fd00:100::3/64"],"mac_address":"0a:58:0a:64:00:03",'
        '"gateway_ips":["10.100.0.1","fd00:100::1"],"routes":[{"dest":"172.30.0.0/16","nextHop":"10.100.0.1"},'
        '{"dest":"100.65.0.0/16","nextHop":"10.100.0.1"},{"dest":"fd02::/112","nextHop":"fd00:100::1"},'
        '{"dest":"fd99::/64","nextHop":"fd00:100::1"}],"ipv6_lla_gateway_ip":"fe80::858:aff:fe64:1",'
        '"tunnel_id":10,"role":"primary"}}'
    )
    # in the earlier topology, pods reach the gateway router of their node on the join subnet
    legacy = node(1, v6=True, topology_version="", router_port_keys={"red_net": 3})
    entry = pod_entry(port, FLAT, legacy, FACTS)
    assert entry["ipv6_lla_gateway_ip"] == "fe80::858:64ff:fe41:2"


def test_a_layer3_network_and_the_default_one_next_to_it() -> None:
    network = layer3("cluster_udn_wide", *LAYER3_DUAL)
    (member,) = sharing((node(1, v6=True),), network)
    share = member.host_subnets[network.name][0]
    port = pod(network, "a", "node1", str(share.network_address + 3), attachment="wide/wide", key=None)
    gateway = str(share.network_address + 1)
    entry = pod_entry(port, network, member, FACTS)
    assert entry["ip_address"] == f"{share.network_address + 3}/24"
    assert (entry["gateway_ips"], entry["gateway_ip"]) == ([gateway], gateway)
    assert [route["dest"] for route in entry["routes"]] == ["10.20.0.0/16", "172.30.0.0/16", "100.65.0.0/16"]
    other = replace(pod(DUAL_DEFAULT, "a", "node1", "10.128.2.5", attachment="default", key=None), isolated=True)
    entry = pod_entry(other, DUAL_DEFAULT, member, FACTS)
    assert entry == {
        "ip_addresses": ["10.128.2.5/23"],
        "mac_address": other.mac,
        "routes": [
            {"dest": "10.128.0.0/14", "nextHop": "10.128.2.1"},
            {"dest": "100.64.0.0/16", "nextHop": "10.128.2.1"},
        ],
        "ip_address": "10.128.2.5/23",
        "role": "infrastructure-locked",
    }
    alone = pod_entry(replace(other, isolated=False), DUAL_DEFAULT, member, FACTS)
    assert [route["dest"] for route in alone["routes"]] == [
        "10.128.0.0/14",
        "172.30.0.0/16",
        "169.254.0.5/32",
        "100.64.0.0/16",
    ]
    assert (alone["gateway_ip"], alone["role"]) == ("10.128.2.1", "primary")


def test_a_secondary_network_has_no_gateway() -> None:
    network = FLAT._replace(role=Role.SECONDARY)
    entry = pod_entry(pod(network, "a", "node1", "10.100.0.3", key=7), network, node(1), FACTS)
    assert entry == {
        "ip_addresses": ["10.100.0.3/16"],
        "mac_address": "0a:58:0a:64:00:03",
        "ip_address": "10.100.0.3/16",
        "tunnel_id": 7,
        "role": "secondary",
    }


def test_what_a_record_has_stays() -> None:
    record = json.dumps({"red/net": {"role": "primary"}})
    entries = {"default": {"role": "a"}, "red/net": {"role": "b"}, "a/b": {"role": "c"}}
    assert with_entries(record, entries) == ('{"a/b":{"role":"c"},"default":{"role":"a"},"red/net":{"role":"primary"}}')
