"""Which pods are isolated on the default network, and the ports that they open there."""

import json
from typing import Any

import pytest

from ovnguard.reconciler.plan.pods.open_ports import open_ports_of
from ovnguard.reconciler.plan.pods.pod_objects import Pods, pods_of
from ovnguard.reconciler.plan.rows.model import OpenPort, PodPort
from ovnguard.validators.network.cluster_view import ObjectsView
from ovnguard.validators.network.declared.node_values import BadValueError
from tests.support.manifests.network_objects import JsonObject

PRIMARY = "k8s.ovn.org/primary-user-defined-network"
UDN: JsonObject = {
    "apiVersion": "k8s.ovn.org/v1",
    "kind": "UserDefinedNetwork",
    "metadata": {"name": "net", "namespace": "red"},
    "spec": {"topology": "Layer2", "layer2": {"role": "Primary", "subnets": ["10.100.0.0/16"]}},
}


def space(**labels: str) -> JsonObject:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "red", "labels": labels}}


def pod(role: str = "", opens: Any = None) -> JsonObject:
    entry = {"ip_addresses": ["10.128.2.11/23"], "mac_address": "0a:58:0a:80:02:0b", "role": role}
    notes = {"k8s.ovn.org/pod-networks": json.dumps({"default": entry})}
    if opens is not None:
        notes["k8s.ovn.org/open-default-ports"] = opens
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "one", "namespace": "red", "uid": "u", "annotations": notes},
        "spec": {"nodeName": "node1"},
    }


def found(*objects: JsonObject) -> Pods:
    return pods_of(ObjectsView(list(objects)))


def port(*objects: JsonObject) -> PodPort:
    (only,) = found(*objects).ports["default"]
    return only


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        ([pod("infrastructure-locked")], True),
        ([pod("primary")], False),
        # a namespace whose label is unknown, one with it, and one without
        ([pod("primary"), UDN], True),
        ([pod("primary"), UDN, space(**{PRIMARY: ""})], True),
        ([pod("primary"), UDN, space()], False),
        ([pod("infrastructure-locked"), UDN, space()], True),
    ],
)
def test_a_pod_with_another_primary_network_is_isolated(objects, expected):
    assert port(*objects).isolated is expected


def test_isolated_pods_open_ports_and_others_need_not():
    text = "- protocol: tcp\n  port: 22\n- protocol: icmp\n"
    assert port(pod("infrastructure-locked", text)).open_ports == (OpenPort("tcp", 22), OpenPort("icmp", None))
    assert port(pod("primary", text)).open_ports == ()


def test_one_wrong_entry_opens_nothing_and_the_pod_keeps_its_port():
    pods = found(pod("infrastructure-locked", "- protocol: tcp\n  port: 22\n- protocol: gre\n"))
    (only,) = pods.ports["default"]
    assert (only.isolated, only.open_ports, pods.errors) == (True, (), ())
    assert [str(each) for each in pods.notes] == [
        "pod red/one: no port is open: metadata.annotations[k8s.ovn.org/open-default-ports]: "
        "protocol must be one of tcp, udp, sctp, icmp"
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, ()),
        ("", ()),
        ("[]", ()),
        ('[{"protocol":"udp","port":53}]', (OpenPort("udp", 53),)),
        ("- {protocol: sctp, port: 0, name: x}", (OpenPort("sctp", 0),)),
        ("- protocol: tcp\n  port: 65535", (OpenPort("tcp", 65535),)),
    ],
)
def test_annotation_as_go_reads_it(text, expected):
    assert open_ports_of(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (7, "must be text of at most 16384 characters"),
        (" " * 16385, "must be text of at most 16384 characters"),
        ("- [", "must be YAML"),
        ("\ud800", "must be YAML"),
        ("protocol: tcp", "must be a list of at most 100 entries with protocol and port"),
        ("- protocol: icmp\n" * 101, "must be a list of at most 100 entries with protocol and port"),
        ("- tcp", "protocol must be one of tcp, udp, sctp, icmp"),
        ("- port: 80", "protocol must be one of tcp, udp, sctp, icmp"),
        ("- protocol: TCP\n  port: 80", "protocol must be one of tcp, udp, sctp, icmp"),
        ("- protocol: icmp\n  port: 80", "icmp has no port"),
        ("- protocol: tcp", "port of tcp must be a whole number from 0 to 65535"),
        ("- protocol: tcp\n  port: 65536", "port of tcp must be a whole number from 0 to 65535"),
        ("- protocol: tcp\n  port: -1", "port of tcp must be a whole number from 0 to 65535"),
        ("- protocol: tcp\n  port: '80'", "port of tcp must be a whole number from 0 to 65535"),
        ("- protocol: tcp\n  port: true", "port of tcp must be a whole number from 0 to 65535"),
        ('- protocol: tcp\n  port: 80 || ip4 || "x', "port of tcp must be a whole number from 0 to 65535"),
    ],
)
def test_annotation_that_opens_nothing(text, message):
    with pytest.raises(BadValueError) as error:
        open_ports_of(text)
    assert str(error.value) == message
