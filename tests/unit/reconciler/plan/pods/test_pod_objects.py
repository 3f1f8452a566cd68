"""Pods as manifests or the API server have them: what is recorded of them, read with care."""

import json
from ipaddress import ip_address, ip_network
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovnguard.reconciler.plan.inputs.attachment_names import networks_of_undeclared
from ovnguard.reconciler.plan.pods.pod_objects import PodMemo, PodObject, Pods, pod_object, pods_of
from ovnguard.reconciler.plan.pods.pod_record import Attached
from ovnguard.reconciler.plan.pods.pod_requests import Request
from ovnguard.reconciler.plan.rows.model import Lease, PodPort, RunningMachine
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import ObjectsView
from tests.support.manifests.egress_manifests import UDN
from tests.support.manifests.pod_manifests import CHOSEN, RECORD, REQUESTS, cudn, nad, pod

DEFAULT = {"ip_addresses": ["10.128.2.11/23"], "mac_address": "0a:58:0A:80:02:0b", "role": "infrastructure-locked"}
BLUE = {"ip_addresses": ["203.203.0.11/16", "2010::b/60"], "mac_address": "0a:58:cb:cb:00:0b", "tunnel_id": 12}


def found(*objects: JsonObject) -> Pods:
    return pods_of(ObjectsView(list(objects)))


def test_a_record_is_a_port_on_every_network() -> None:
    pods = found(UDN, pod(record={"default": DEFAULT, "blue/net": BLUE}))
    assert pods.ports == {
        "default": (
            PodPort(
                "default",
                "default",
                "blue",
                "a",
                "u-a",
                "node1",
                "0a:58:0a:80:02:0b",
                (ip_address("10.128.2.11"),),
                isolated=True,
            ),
        ),
        "blue_net": (
            PodPort(
                "blue_net",
                "blue/net",
                "blue",
                "a",
                "u-a",
                "node1",
                "0a:58:cb:cb:00:0b",
                (ip_address("203.203.0.11"), ip_address("2010::b")),
                12,
            ),
        ),
    }
    assert (pods.unrecorded, pods.notes, pods.errors) == ((), (), ())
    assert [port.name for ports in pods.ports.values() for port in ports] == ["blue_a", "blue.net_blue_a"]


@pytest.mark.parametrize(
    ("attachment", "network"),
    [
        ("default", "default"),
        ("blue/net", "blue_net"),
        ("red/green", "cluster_udn_green"),
        ("blue/raw", "raw-net"),
        ("blue/raw/2", "raw-net"),
        ("blue/other-plugin", ""),
        ("red/net", ""),
    ],
)
def test_an_attachment_is_that_of_its_network(attachment: str, network: str) -> None:
    other = nad("blue", "other-plugin", "x")
    other["spec"]["config"] = '{"type": "macvlan"}'
    objects = [UDN, cudn("green"), nad("blue", "raw", "raw-net"), other]
    pods = found(*objects, pod(record={attachment: BLUE}), pod("b", record={attachment: BLUE}))
    assert list(pods.ports) == ([network] if network else [])
    text = f"pod blue/a: no port on {attachment}, which no object declares (and 1 more)"
    assert [str(note) for note in pods.notes] == ([] if network else [text])


def test_a_deleted_network_of_a_pod_is_one_of_two() -> None:
    pods = found(UDN, pod(record={"default": DEFAULT, "blue/net": BLUE, "blue/gone/2": BLUE}))
    assert [port.attachment for port in pods.detached] == ["blue/gone/2"]
    assert networks_of_undeclared("blue/gone/2") == ("cluster_udn_gone", "blue_gone")


def test_an_attachment_that_somebody_made_counts_before_the_network_of_its_name() -> None:
    assert list(found(UDN, nad("blue", "net", "other"), pod(record={"blue/net": BLUE})).ports) == ["other"]


@pytest.mark.parametrize(
    "changes",
    [
        {"spec": {"nodeName": "node1", "hostNetwork": True}},
        {"spec": {}},
        {"status": {"phase": "Succeeded"}},
        {"status": {"phase": "Failed"}},
    ],
)
def test_pods_without_a_port(changes: JsonObject) -> None:
    assert pod_object({**pod(record={"default": DEFAULT}), **changes}) is None


def test_a_pod_that_is_going_away_has_its_port_until_it_is_gone() -> None:
    obj = pod(record={"default": DEFAULT})
    obj["metadata"]["deletionTimestamp"] = "2025-01-01T00:00:00Z"
    assert list(found(obj).ports) == ["default"]


def test_order_is_that_of_creation_and_then_of_names() -> None:
    late, early = "2025-01-01T00:00:02Z", "2025-01-01T00:00:01Z"
    objects = [pod("c", created=late), pod("b", created=early), pod("a", created=late), pod("d")]
    for order in (objects, objects[::-1]):
        assert [each.name for each in found(*order).unrecorded] == ["d", "b", "a", "c"]


MAC = "mac_address must be six octets, such as 0a:58:0a:80:02:05"
ADDRESS = "ip_addresses must contain addresses, such as 10.128.2.5/23"


@pytest.mark.parametrize(
    ("record", "text"),
    [
        ("[", "must be JSON"),
        ("[" * 100000, "must be JSON"),
        ('{"default": ' + "9" * 5000 + "}", "must be JSON"),
        ("[]", "must be a JSON object of at most 100 networks"),
        ({f"a/b{number}": DEFAULT for number in range(101)}, "must be a JSON object of at most 100 networks"),
        ("x" * (256 * 1024 + 1), "must be text of at most 262144 characters"),
        ({'a/"': DEFAULT}, "every key must be default or namespace/name of an attachment"),
        ({"a/b..c": DEFAULT}, "every key must be default or namespace/name of an attachment"),
        ({"a.b/c": DEFAULT}, "every key must be default or namespace/name of an attachment"),
        ({"a/b/00001": DEFAULT}, "every key must be default or namespace/name of an attachment"),
        ({"a/b/": DEFAULT}, "every key must be default or namespace/name of an attachment"),
        ({"a": DEFAULT}, "every key must be default or namespace/name of an attachment"),
        ({"default": 7}, f"default: {MAC}"),
        ({"default": {**DEFAULT, "mac_address": "0a:58"}}, f"default: {MAC}"),
        ({"default": {**DEFAULT, "ip_addresses": "x"}}, "default: ip_addresses must be a list of at most 8"),
        (
            {"default": {**DEFAULT, "ip_addresses": ["10.0.0.1/8"] * 9}},
            "default: ip_addresses must be a list of at most 8",
        ),
        ({"default": {**DEFAULT, "ip_addresses": [7]}}, f"default: {ADDRESS}"),
        ({"default": {**DEFAULT, "ip_addresses": ["fe80::1%1"]}}, f"default: {ADDRESS}"),
        ({"default": {**DEFAULT, "ip_addresses": ["10.0.0.1/x"]}}, f"default: {ADDRESS}"),
        ({"default": {**DEFAULT, "tunnel_id": 32768}}, "default: tunnel_id must be a whole number from 1 to 32767"),
        ({"default": {**DEFAULT, "tunnel_id": True}}, "default: tunnel_id must be a whole number from 1 to 32767"),
    ],
)
def test_what_cannot_be_read_is_one_error_about_that_pod(record: Any, text: str) -> None:
    pods = found(pod(record=record), pod("b", {"default": DEFAULT}))
    assert [str(error) for error in pods.errors] == [f"pod blue/a: metadata.annotations[{RECORD}]: {text}"]
    assert [port.pod for port in pods.ports["default"]] == ["b"]
    assert pods.unrecorded == ()


def test_invalid_names_are_refused() -> None:
    for field, obj in (
        ("metadata.name", pod('a"')),
        ("spec.nodeName", pod("a", nodeName="A b")),
        ("metadata.namespace", {**pod(), "metadata": {"name": "a", "namespace": 7}}),
    ):
        (error,) = found(obj).errors
        assert (error.error.field, error.error.detail) == (field, "must be a DNS-1123 subdomain of at most 253 octets")


def test_older_records_name_one_address_and_some_name_none() -> None:
    single = {"ip_address": "10.0.0.7/8", "mac_address": "0a:58:00:00:00:07", "tunnel_id": 0}
    bare = {"ip_addresses": None, "mac_address": "0a:58:00:00:00:08"}
    parsed = pod_object(pod(record={"default": single, "a/b": bare}))
    assert parsed is not None
    assert parsed.recorded == (
        Attached("default", "0a:58:00:00:00:07", (ip_address("10.0.0.7"),)),
        Attached("a/b", "0a:58:00:00:00:08", ()),
    )


@pytest.mark.parametrize(
    ("requests", "wanted"),
    [
        ("", ()),
        ("wire, red/side@net1", (Request("blue/wire"), Request("red/side"))),
        ([{"name": "wire"}], (Request("blue/wire"),)),
        (
            [{"name": "wire", "namespace": "red", "ips": ["10.0.0.9/8"]}],
            (Request("red/wire", (ip_address("10.0.0.9"),)),),
        ),
        ([{"name": "wire", "mac": "x"}], "mac is not allocated: record it in k8s.ovn.org/pod-networks"),
        ("[", "must be JSON, or names separated by commas"),
        ("[7]", "must be a JSON list of objects"),
        (",".join(["x"] * 33), "must name at most 32 networks"),
        ("a b", "every network must be name, namespace/name or namespace/name@interface"),
        ([{"name": "wire", "ips": "x"}], "ips must be a list of at most 8 addresses"),
        ([{"name": "wire", "ips": ["x"]}], "must be an IP address"),
        ("x" * 65537, "must be text of at most 65536 characters"),
    ],
)
def test_further_networks_that_a_pod_asks_for(requests: Any, wanted: Any) -> None:
    parsed = pod_object(pod(requests=requests))
    assert parsed is not None
    if isinstance(wanted, tuple):
        assert (parsed.requested, parsed.errors) == (wanted, ())
    else:
        (error,) = parsed.errors
        assert (error.field, error.detail) == (f"metadata.annotations[{REQUESTS}]", wanted)


def test_addresses_that_a_pod_asks_of_its_primary_network() -> None:
    ips = ["10.0.0.9/8", "fd00::9/64"]
    parsed = pod_object(pod(chosen=[{"namespace": "ovn-kubernetes", "name": "default", "ips": ips}]))
    assert parsed is not None
    assert (parsed.chosen, parsed.requested) == ((ip_address("10.0.0.9"), ip_address("fd00::9")), ())
    recorded = pod_object(pod(record={}, chosen="["))
    assert recorded is not None
    assert (recorded.errors, recorded.chosen) == ((), ())
    spoiled = pod_object(pod(chosen="["))
    assert spoiled is not None
    (error,) = spoiled.errors
    assert (error.field, error.bad_value) == (f"metadata.annotations[{CHOSEN}]", "[")
    assert error.detail == "must be JSON, or names separated by commas"


def test_a_memo_gives_the_same_ports_until_something_changes() -> None:
    memo, objects = PodMemo(), [UDN, pod("a", {"blue/net": BLUE}), pod("b", {"default": DEFAULT})]
    first = pods_of(ObjectsView(objects), memo)
    again = pods_of(ObjectsView([json.loads(json.dumps(obj)) for obj in objects]), memo)
    assert again == first == found(*objects)
    assert again.ports["blue_net"][0] is first.ports["blue_net"][0]
    moved = pods_of(ObjectsView([objects[0], objects[1], pod("b", {"default": DEFAULT}, nodeName="node2")]), memo)
    assert moved.ports["blue_net"][0] is first.ports["blue_net"][0]
    assert moved.ports["default"][0].node == "node2"
    assert pods_of(ObjectsView([]), memo) == Pods()
    assert (memo.read, memo.made) == ({}, {})


LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.floats(allow_nan=False)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@given(JSON, JSON, JSON, JSON)
def test_no_object_is_a_traceback(metadata: Any, spec: Any, record: Any, status: Any) -> None:
    annotated = {"name": "a", "annotations": {RECORD: json.dumps({"default": record, "a/b": record}), REQUESTS: record}}
    for each in (metadata, annotated):
        obj = {"apiVersion": "v1", "kind": "Pod", "metadata": each, "spec": spec, "status": status}
        parsed = pod_object(obj)
        assert parsed is None or isinstance(parsed, PodObject)
        pods_of(ObjectsView([obj, {**obj, "spec": {"nodeName": "node1"}}]))


KEPT = {"kubevirt.io/allow-pod-bridge-network-live-migration": ""}
MOVED = {"kubevirt.io/migration-target-ready-timestamp": "2026-01-01T00:00:00Z"}


def launcher(name: str, node: str, phase: str = "Running", **annotations: str) -> JsonObject:
    entry = {**BLUE, "gateway_ips": ["203.203.0.1", "2010::1"], "tunnel_id": ord(name)}
    record = {"default": {**DEFAULT, "gateway_ips": ["10.128.2.1"]}, "blue/net": entry}
    obj = pod(name, record, created=f"2025-0{ord(name) - 96}")
    obj["metadata"]["labels"] = {"kubevirt.io": "virt-launcher"}
    obj["metadata"]["annotations"] |= {"kubevirt.io/domain": "vm", **annotations}
    return {**obj, "spec": {"nodeName": node}, "status": {"phase": phase}}


def test_a_machine_has_a_lease_of_the_subnets_that_its_record_names() -> None:
    (port,) = found(UDN, launcher("a", "node1")).ports["blue_net"]
    assert (port.machine, port.enabled) == ("vm", None)
    assert port.lease == Lease((ip_network("203.203.0.0/16"), ip_network("2010::/60")), ip_address("203.203.0.1"))


def test_a_completed_pod_of_a_machine_has_no_port_but_tells_that_a_migration_failed() -> None:
    pods = found(UDN, launcher("a", "node1"), launcher("b", "node2", "Failed"))
    assert [(port.pod, port.enabled) for port in pods.ports["blue_net"]] == [("a", True)]
    assert (pods.unrecorded, pods.running) == ((), ())


def test_the_default_network_leases_only_kept_addresses_and_only_where_the_machine_runs() -> None:
    def leased(*objects: JsonObject) -> dict[str, bool]:
        ports = found(UDN, *objects).ports["default"]
        return {port.pod: port.lease is not None and not port.moved for port in ports}

    assert leased(launcher("a", "node1")) == {"a": False}
    assert leased(launcher("a", "node1", **KEPT)) == {"a": True}
    assert leased(launcher("a", "node1", **KEPT), launcher("b", "node2", **KEPT)) == {"a": True, "b": True}
    target = launcher("b", "node2", **KEPT, **MOVED)
    assert leased(launcher("a", "node1", **KEPT), target) == {"a": False, "b": True}


def test_a_machine_that_keeps_its_address_has_moved_in_all_networks_when_its_target_is_ready() -> None:
    def moved(*objects: JsonObject) -> dict[str, bool]:
        return {port.pod: port.moved for port in found(UDN, *objects).ports["blue_net"]}

    source, target = launcher("a", "node1", **KEPT), launcher("b", "node2", **KEPT)
    assert moved(source, target) == {"a": False, "b": False}
    assert moved(source, launcher("b", "node2", **KEPT, **MOVED)) == {"a": True, "b": False}
    assert moved(launcher("a", "node1"), launcher("b", "node2", **MOVED)) == {"a": False, "b": False}
    failed = launcher("b", "node2", "Failed", **KEPT, **MOVED)
    assert moved(source, failed) == {"a": False}


def test_a_machine_that_keeps_its_address_runs_where_the_target_is_ready() -> None:
    kept = (ip_address("10.128.2.11"),)
    assert found(UDN, launcher("a", "node1", **KEPT)).running == ()
    pods = found(UDN, launcher("a", "node1", **KEPT), launcher("b", "node2", **KEPT, **MOVED))
    assert pods.running == (RunningMachine("default", "blue", "vm", "node2", kept),)


def test_a_gateway_that_cannot_be_read_is_an_error_about_that_pod() -> None:
    obj = launcher("a", "node1")
    obj["metadata"]["annotations"][RECORD] = json.dumps({"blue/net": {**BLUE, "gateway_ips": ["x"]}})
    (error,) = found(UDN, obj).errors
    assert error.error.detail == "blue/net: gateway_ips must contain addresses, such as 10.128.2.1"
