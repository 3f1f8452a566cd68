"""What is kept of objects: everything that rules read, and nothing that only grows or flickers."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovnguard.validators.cluster import trim
from ovnguard.validators.network.cluster.pod_index import POD_NETWORKS, pod_of
from ovnguard.validators.network.declared.node import node_of
from ovnguard.validators.network.frr.frr_secrets import PRESENT

APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
METADATA = {
    "name": "a",
    "namespace": "b",
    "uid": "u",
    "resourceVersion": "7",
    "managedFields": [{"manager": "x"}],
    "labels": {"l": "1"},
    "annotations": {APPLIED: "{}", "k8s.ovn.org/x": "1", "other": "2"},
}


def test_plain():
    obj = {"kind": "K", "metadata": METADATA, "spec": {"a": 1}}
    before = copy.deepcopy(obj)
    kept = {"name": "a", "namespace": "b", "uid": "u", "labels": {"l": "1"}}
    annotations = {"k8s.ovn.org/x": "1", "other": "2"}
    assert trim.plain(obj) == {"kind": "K", "metadata": {**kept, "annotations": annotations}, "spec": {"a": 1}}
    assert obj == before


def test_passwords_are_kept_by_presence_only():
    neighbors = [
        {"address": "192.0.2.1", "asn": 64512, "password": "hunter2"},
        {"address": "192.0.2.2", "asn": 64512, "password": ""},
        {"address": "192.0.2.3", "asn": 64512, "passwordSecret": {"name": "s"}},
        "no neighbour",
    ]
    routers = [{"asn": 64512, "neighbors": neighbors}, {"asn": 64513}, {"neighbors": "none"}, "no router"]
    obj = {
        "kind": "FRRConfiguration",
        "metadata": {**METADATA, "annotations": {APPLIED: '{"password":"hunter2"}'}},
        "spec": {"bgp": {"routers": routers}, "raw": {"rawConfig": "neighbor 192.0.2.1 password hunter2"}},
    }
    before = copy.deepcopy(obj)
    kept = trim.frr_configuration(obj)
    assert "hunter2" not in repr(kept)
    assert "raw" not in kept["spec"]
    assert kept["spec"]["bgp"]["routers"][1:] == routers[1:]
    first, *others = kept["spec"]["bgp"]["routers"][0]["neighbors"]
    assert first == {"address": "192.0.2.1", "asn": 64512, "password": PRESENT}
    assert others == neighbors[1:]
    assert obj == before


@pytest.mark.parametrize("spec", [None, [], {}, {"bgp": 1}, {"bgp": {"routers": 1}}])
def test_a_shapeless_frr_configuration_stays(spec: object):
    obj = {"metadata": {"name": "a"}, "spec": spec}
    assert trim.frr_configuration(obj) == obj


def test_node_says_the_same_to_rules():
    addresses = [{"type": "InternalIP", "address": "192.0.2.1"}]
    status = {"addresses": addresses, "images": [{"names": ["x"]}], "conditions": [{"lastHeartbeatTime": "now"}]}
    annotations = {"k8s.ovn.org/node-id": "2", "k8s.ovn.org/host-cidrs": '["192.0.2.1/24"]'}
    obj = {"kind": "Node", "metadata": {"name": "n", "annotations": annotations}, "spec": {"x": 1}, "status": status}
    assert trim.node(obj)["status"] == {"addresses": addresses}
    assert node_of(trim.node(obj)) == node_of(obj)


def test_pod_says_the_same_to_rules():
    annotations = {POD_NETWORKS: '{"b/net":{}}', "big": "x" * 1000}
    obj = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {**METADATA, "annotations": annotations},
        "spec": {"nodeName": "n", "hostNetwork": True, "containers": [{"image": "x"}]},
        "status": {"phase": "Running", "containerStatuses": [{}]},
    }
    kept = trim.pod(obj)
    assert pod_of(kept) == pod_of(obj)
    assert kept["spec"] == {"nodeName": "n", "hostNetwork": True}
    assert kept["status"] == {"phase": "Running"}
    assert kept["metadata"]["annotations"] == {POD_NETWORKS: '{"b/net":{}}'}


def test_service_has_no_status():
    assert trim.service({"kind": "Service", "metadata": {"name": "s"}, "status": {"x": 1}}) == {
        "kind": "Service",
        "metadata": {"name": "s"},
    }


def test_definition_keeps_a_property_of_the_name_description():
    inner = {"type": "object", "description": "gone", "properties": {"description": {"type": "string"}}}
    schema = {"type": "object", "description": "gone", "properties": {"list": {"type": "array", "items": inner}}}
    version = {"name": "v1", "schema": {"openAPIV3Schema": schema}}
    obj = {"metadata": METADATA, "spec": {"group": "g", "versions": [version]}, "status": {"conditions": []}}
    kept = trim.definition(obj)
    assert "status" not in kept
    assert kept["spec"]["versions"][0]["schema"]["openAPIV3Schema"] == {
        "type": "object",
        "properties": {
            "list": {"type": "array", "items": {"type": "object", "properties": {"description": {"type": "string"}}}}
        },
    }


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)
PARTS = ["metadata", "spec", "status", "versions", "annotations", "schema", "openAPIV3Schema"]
OBJECTS = st.dictionaries(
    st.sampled_from(PARTS),
    JSON | st.dictionaries(st.sampled_from(PARTS), JSON | st.lists(JSON, max_size=2)),
    max_size=4,
)


@pytest.mark.parametrize("kept", [trim.plain, trim.node, trim.pod, trim.service, trim.definition])
@given(OBJECTS)
def test_anything_is_taken_and_twice_is_once(kept, obj):
    once = kept(obj)
    assert kept(once) == once


def test_pod_with_machine_says_the_same_to_plans():
    status = {"phase": "Running", "podIPs": [{"ip": "10.128.0.5"}], "podIP": "10.128.0.5", "conditions": [{}]}
    metadata = METADATA | {"creationTimestamp": "2026-01-01T00:00:00Z", "deletionTimestamp": "2026-01-02T00:00:00Z"}
    spec = {"nodeName": "n", "containers": [{"image": "x"}]}
    kept = trim.pod_with_machine(
        {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec} | {"status": status}
    )
    assert kept == {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "a",
            "namespace": "b",
            "labels": {"l": "1"},
            "deletionTimestamp": "2026-01-02T00:00:00Z",
            "annotations": {"k8s.ovn.org/x": "1"},
            "uid": "u",
            "creationTimestamp": "2026-01-01T00:00:00Z",
        },
        "spec": {"nodeName": "n"},
        "status": {"phase": "Running"},
    }


def test_pod_with_machine_keeps_what_kubevirt_says_about_its_machine():
    machine = {
        "kubevirt.io/domain": "vm",
        "kubevirt.io/migration-target-ready-timestamp": "2026-01-01T00:00:00Z",
        "kubevirt.io/allow-pod-bridge-network-live-migration": "",
    }
    annotations = {"k8s.ovn.org/x": "1", **machine, "kubevirt.io/other": "2"}
    kept = trim.pod_with_machine({"metadata": {"annotations": annotations}})
    assert kept["metadata"] == {"annotations": {"k8s.ovn.org/x": "1", **machine}}


def test_pod_with_machine_keeps_what_a_pod_requests():
    requested = {"k8s.v1.cni.cncf.io/networks": "lan", "v1.multus-cni.io/default-network": '[{"ips":["10.0.0.9/16"]}]'}
    kept = trim.pod_with_machine({"metadata": {"annotations": {**requested, "other": "2"}}})
    assert kept["metadata"] == {"annotations": requested}


def test_selectable_is_what_selectors_go_by():
    obj = {"apiVersion": "v1", "kind": "Namespace", "metadata": METADATA, "spec": {"finalizers": ["kubernetes"]}}
    metadata = {"name": "a", "namespace": "b", "labels": {"l": "1"}}
    assert trim.selectable(obj) == {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
    enabled = {"k8s.ovn.org/multicast-enabled": "true", "k8s.ovn.org/routing-external-gws": "172.18.0.9"}
    loud = {"metadata": {"name": "a", "annotations": {**enabled, "other": "1"}}}
    assert trim.selectable(loud) == {"metadata": {"name": "a", "annotations": enabled}}


def test_a_policy_is_its_name_age_and_subject():
    age: dict[str, object] = {"creationTimestamp": "2026-01-01T00:00:00Z"}
    subject: dict[str, object] = {"namespaces": {}}
    obj = {"kind": "AdminNetworkPolicy", "metadata": {**METADATA, **age}, "spec": {"subject": subject, "ingress": []}}
    kept = {"name": "a", "namespace": "b", "labels": {"l": "1"}, **age}
    assert trim.policy(obj) == {"kind": "AdminNetworkPolicy", "metadata": kept, "spec": {"subject": subject}}


def test_objects_without_parts_are_taken_as_well():
    assert trim.pod_with_machine({"kind": "Pod"}) == {"kind": "Pod", "metadata": {}, "spec": {}, "status": {}}
    assert trim.selectable({"metadata": None}) == {"metadata": {}}


def test_a_balanced_service_is_its_addresses_ports_and_policies():
    spec = {"clusterIP": "10.96.0.7", "type": "ClusterIP", "selector": {"app": "web"}}
    obj = {"apiVersion": "v1", "kind": "Service", "metadata": METADATA, "spec": spec, "status": {"conditions": []}}
    kept = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a", "namespace": "b"}}
    kept["spec"] = {"clusterIP": "10.96.0.7", "type": "ClusterIP"}
    assert trim.balanced_service(obj) == kept
    ingress = {"loadBalancer": {"ingress": [{"ip": "192.0.2.2"}]}}
    assert trim.balanced_service({**obj, "status": {**ingress, "conditions": []}}) == kept | {"status": ingress}


def test_an_endpoint_slice_is_its_service_and_its_servers():
    labels = {"kubernetes.io/service-name": "web", "k8s.ovn.org/service-name": "shop"}
    annotations = {"k8s.ovn.org/endpointslice-network": "red_net"}
    metadata = {**METADATA, "labels": labels | {"x": "y"}, "annotations": annotations | {"large": "x"}}
    server = {"addresses": ["10.20.0.5"], "conditions": {"ready": True}, "nodeName": "n1"}
    fields = {"addressType": "IPv4", "ports": [{"port": 80}]}
    obj = {**fields, "metadata": metadata, "endpoints": [server | {"targetRef": {"kind": "Pod"}, "zone": "z"}]}
    names = {"name": "a", "namespace": "b", "labels": labels, "annotations": annotations}
    assert trim.endpoint_slice(obj) == {**fields, "metadata": names, "endpoints": [server]}


@pytest.mark.parametrize("obj", [{}, {"metadata": 7, "spec": [], "status": "x", "endpoints": {}}, {"endpoints": [7]}])
def test_shapeless_services_and_slices_stay_so(obj):
    assert trim.balanced_service(obj) == {"metadata": {}, "spec": {}}
    assert trim.endpoint_slice(obj) == {"metadata": {}, "endpoints": [{}] if "metadata" not in obj and obj else []}


def test_what_configures_ovnkube_is_its_data_and_the_commands_of_its_containers():
    data = {"kind": "ConfigMap", "metadata": METADATA, "data": {"ovnkube.conf": "x"}}
    names = {"name": "a", "namespace": "b"}
    assert trim.ovnkube(data) == {"kind": "ConfigMap", "metadata": names, "data": {"ovnkube.conf": "x"}}
    container = {"name": "c", "command": ["x"], "args": [], "env": [], "envFrom": []}
    pod = {"containers": [container | {"image": "i"}], "initContainers": [7], "volumes": []}
    obj = {"metadata": METADATA, "spec": {"template": {"spec": pod}, "selector": {}}, "status": {"numberReady": 1}}
    kept = {"template": {"spec": {"initContainers": [{}], "containers": [container]}}}
    assert trim.ovnkube(obj) == {"metadata": names, "spec": kept}
    assert trim.ovnkube({"spec": {"template": 7}}) == {"metadata": {}}
