"""EgressIPs, namespaces and pods as manifests or the API server have them."""

import json
from ipaddress import ip_address
from typing import Any

import pytest

from ovnguard.reconciler.plan.egress.egress_objects import egresses_of
from ovnguard.reconciler.plan.rows.model import EgressAssignment, EgressHop, EgressPod
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import ObjectsView
from tests.support.manifests.egress_manifests import BLUE, UDN, namespace

ITEMS = [{"node": "node2", "egressIP": "172.18.0.202"}, {"node": "node3", "egressIP": "fc00::203"}]
HOPS = (EgressHop("node2", ip_address("172.18.0.202")), EgressHop("node3", ip_address("fc00::203")))


def egress_ip(name: str = "out", mark: str | None = "50001", items: Any = ITEMS, **spec: Any) -> JsonObject:
    annotations = {} if mark is None else {"k8s.ovn.org/egressip-mark": mark}
    spec = {"namespaceSelector": {"matchLabels": {"team": "a"}}, **spec}
    metadata, status = {"name": name, "annotations": annotations}, {"items": items}
    return {"apiVersion": "k8s.ovn.org/v1", "kind": "EgressIP", "metadata": metadata, "spec": spec, "status": status}


def pod(namespace: str, name: str, ip: str, attached: Any = None, **spec: Any) -> JsonObject:
    """A pod with ``ip`` in the default network, or with a record of its own; its status says nothing true."""
    recorded = {"default": {"ip_addresses": [f"{ip}/23"], "role": "primary"}} if attached is None else attached
    text = recorded if isinstance(recorded, str) else json.dumps(recorded)
    annotations = {"k8s.ovn.org/pod-networks": text}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "labels": {"app": name}, "annotations": annotations},
        "spec": {"nodeName": "node1", **spec},
        "status": {"phase": "Running", "podIPs": [{"ip": "192.0.2.1"}]},
    }


def served(name: str, address: str) -> EgressPod:
    return EgressPod(name, "node1", (ip_address(address),))


ATTACHED = {
    "default": {"ip_addresses": ["10.128.2.11/23"], "role": "infrastructure-locked"},
    "blue/net": {"ip_addresses": ["203.203.0.11/16"], "role": "primary"},
}


def test_pods_are_served_in_the_network_of_their_default_route() -> None:
    plain = [
        namespace("red"),
        pod("red", "b", "10.128.2.9"),
        pod("red", "a", "fd01::9"),
        pod("red", "host", "172.18.0.2", hostNetwork=True),
    ]
    found = egresses_of(ObjectsView([egress_ip(), UDN, BLUE, pod("blue", "c", "10.128.2.11", ATTACHED), *plain]))
    assert found.notes == ()
    assert set(found.assignments) == {
        EgressAssignment("out", "blue_net", 50001, HOPS, (served("blue/c", "203.203.0.11"),)),
        EgressAssignment(
            "out",
            "default",
            50001,
            HOPS,
            (
                served("red/a", "fd01::9"),
                served("red/b", "10.128.2.9"),
            ),
        ),
    }


@pytest.mark.parametrize(
    ("attached", "addresses"),
    [
        ({"default": {"ip_address": "10.128.2.9/23"}}, ["10.128.2.9"]),
        ({"default": {"ip_addresses": ["10.128.2.9/23", "fd01::9/64"], "role": "primary"}}, ["10.128.2.9", "fd01::9"]),
        ({"default": {"ip_addresses": ["10.128.2.9/23"], "role": "infrastructure-locked"}}, None),
        ({"blue/net": {"ip_addresses": ["203.203.0.9/16"], "role": "primary"}}, None),
        ({}, None),
        ("", None),
    ],
)
def test_addresses_in_the_default_network_are_the_recorded_ones(attached: Any, addresses: list[str] | None) -> None:
    found = egresses_of(ObjectsView([egress_ip(), namespace("red"), pod("red", "a", "", attached)])).assignments
    expected = None if addresses is None else [tuple(map(ip_address, addresses))]
    assert ([each.addresses for each in found[0].pods] if found else None) == expected


def test_selectors_select() -> None:
    objects = [namespace("red"), pod("red", "a", "10.128.2.9"), pod("red", "b", "10.128.2.10")]
    only = egresses_of(ObjectsView([egress_ip(podSelector={"matchLabels": {"app": "b"}}), *objects]))
    assert [each.name for each in only.assignments[0].pods] == ["red/b"]
    other = egress_ip(namespaceSelector={"matchLabels": {"team": "z"}})
    assert egresses_of(ObjectsView([other, *objects])).assignments == ()


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"mark": None}, "EgressIP out waits for k8s.ovn.org/egressip-mark"),
        ({"mark": "49999"}, "EgressIP out waits for k8s.ovn.org/egressip-mark"),
        ({"mark": "\u0665\u0660\u0660\u0660\u0660"}, "EgressIP out waits for k8s.ovn.org/egressip-mark"),
        ({"items": None}, "EgressIP out waits for nodes in status.items"),
        ({"items": [{"node": "n", "egressIP": "x"}, 7]}, "EgressIP out waits for nodes in status.items"),
    ],
)
def test_missing_inputs_are_reported(changes: dict[str, Any], text: str) -> None:
    found = egresses_of(ObjectsView([egress_ip(**changes), namespace("red"), pod("red", "a", "10.128.2.9")]))
    assert (found.assignments, [str(note) for note in found.notes]) == ((), [text])


def test_egress_objects_without_pods_give_no_notes() -> None:
    done = {**pod("red", "a", "10.128.2.9"), "status": {"phase": "Succeeded", "podIPs": [{"ip": "10.128.2.9"}]}}
    for attached in (
        "[",
        "[]",
        '{"blue/net": 7}',
        '{"blue/net": {"role": "primary", "ip_addresses": ["x", "fe80::1%1"]}}',
    ):
        objects = [UDN, BLUE, namespace("red"), done, pod("blue", "c", "10.128.2.11", attached)]
        assert egresses_of(ObjectsView([egress_ip(mark=None), *objects])) == egresses_of(ObjectsView(objects))


def test_without_namespaces_and_pods_egress_ips_are_not_planned() -> None:
    notes = egresses_of(ObjectsView([egress_ip()])).notes
    assert [str(note) for note in notes] == ["EgressIPs are not planned: needs namespaces and Pods"]
