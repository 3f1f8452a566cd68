"""What a plan takes from manifests, and where it reports errors."""

import json
import shutil
from pathlib import Path

import pytest

from tests.support import service_objects
from tests.support.fake_cluster import cudn
from tests.support.frr_samples import neighbor, router
from tests.support.manifests.network_objects import frr
from tests.support.reconciler_cli import APPLICABLE, INVALID, NO_SERVICES, NODES, VALID, plan, run


def test_a_plan_follows_the_operator_network(examples):
    file = examples / "networks/default-network.yaml"
    assert "mtu: 1400\n" in file.read_text()
    file.write_text(file.read_text().replace("mtu: 1400\n", "mtu: 1340\n", 1))
    steps = json.loads(plan("-f", examples / "networks", "--nodes", NODES, "-o", "json").out)["nodes"]["worker-a"]
    mtus = {value for step in steps["operations"] for key, value in options_of(step) if key == "gateway_mtu"}
    assert mtus == {"1340"}


def options_of(step) -> list[list[str]]:
    return step["row"]["options"][1] if step["table"] == "Logical_Router_Port" else []


def test_route_reflectors_are_planned_though_their_gate_is_off_elsewhere(examples):
    file = examples / "networks/default-network.yaml"
    file.write_text(file.read_text().replace("bgpTopology: fullMesh", "bgpTopology: routeReflector"))
    done = plan("-f", file, "--nodes", NODES)
    fault = "no routes: label at least two nodes with k8s.ovn.org/internal-bgp-role=route-reflector"
    assert done.err.splitlines()[-1] == f"{file}:2:1: error: network default: {fault}"
    labels = "    kubernetes.io/hostname: worker-{0}\n"
    for name in "ab":
        node, label = Path(NODES, f"worker-{name}.yaml"), labels.format(name)
        role = f"{label}    k8s.ovn.org/internal-bgp-role: route-reflector\n"
        (examples / f"worker-{name}.yaml").write_text(node.read_text().replace(label, role))
    reflectors = [examples / f"worker-{name}.yaml" for name in "ab"]
    nodes = [word for each in (*reflectors, Path(NODES, "worker-c.yaml")) for word in ("--nodes", each)]
    conf = plan("-f", file, *nodes, "--node", "worker-a", "-o", "frr").out
    assert "  neighbor 172.18.0.4 route-reflector-client\n" in conf


def test_services_among_the_manifests_get_routes(examples):
    before = plan("-f", examples / "networks", "--nodes", NODES)
    assert before.err.splitlines().count(NO_SERVICES) == 1
    for namespace, name, address in (
        ("default", "kubernetes", "172.30.0.1"),
        ("kube-system", "kube-dns", "172.30.0.10"),
    ):
        manifest = {"apiVersion": "v1", "kind": "Service", "metadata": {"namespace": namespace, "name": name}}
        (examples / f"networks/{name}.yaml").write_text(json.dumps({**manifest, "spec": {"clusterIP": address}}))
    done = plan("-f", examples / "networks", "--nodes", NODES)
    assert (done.code, NO_SERVICES in done.err.splitlines()) == (0, False)
    value = json.loads(plan("-f", examples / "networks", "--nodes", NODES, "-o", "json").out)
    steps = value["nodes"]["worker-a"]["operations"]
    routes = {step["row"]["ip_prefix"] for step in steps if step["table"] == "Logical_Router_Static_Route"}
    assert {"172.30.0.1", "172.30.0.10"} <= routes


def test_services_among_the_manifests_get_load_balancers(examples):
    objects = [
        service_objects.service("elsewhere/web", service_objects.HTTP),
        service_objects.endpoint_slice("elsewhere/web", "10.128.2.5@worker-a"),
        service_objects.service("waiting/web", service_objects.HTTP),
        service_objects.namespace("waiting", primary=True),
    ]
    (examples / "networks/services.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    done = plan("-f", examples / "networks", "--nodes", NODES, "-o", "json")
    value = json.loads(done.out)
    steps = value["nodes"]["worker-a"]["operations"]
    balancers = {step["row"]["name"]: step["row"]["vips"][1] for step in steps if step["table"] == "Load_Balancer"}
    assert balancers == {"Service_elsewhere/web_TCP_cluster": [["10.96.0.7:80", "10.128.2.5:8080"]]}
    assert not [note for note in value["notes"] if "is ignored" in note or "load balancer" in note]


def test_refused_networks_are_reported_with_their_position_and_left_out(examples):
    shutil.copy(f"{INVALID}/join-overlap.yaml", examples / "networks")
    done = plan("-f", examples / "networks", "--nodes", NODES)
    assert done.code == 1
    (error,) = [line for line in done.err.splitlines() if "error:" in line]
    assert error.startswith(f"{examples}/networks/join-overlap.yaml:")
    value = json.loads(plan("-f", examples / "networks", "--nodes", NODES, "-o", "json").out)
    assert value["not_planned"] == ["cluster_udn_red"]
    good = json.loads(plan(*APPLICABLE, "-o", "json").out)
    assert value["nodes"] == good["nodes"]
    (refusal,) = value["errors"]
    assert set(refusal) == {"file", "line", "column", "network", "node", "field", "message", "rule"}
    place = f"{refusal['file']}:{refusal['line']}:{refusal['column']}"
    assert error == f"{place}: error: {refusal['field']}: {refusal['message']}  [{refusal['rule']}]"
    assert refusal["rule"] == "OVNG-NET-001"


def test_every_invalid_example_is_refused():
    value = json.loads(plan("-f", INVALID, "--nodes", NODES, "-o", "json").out)
    refused = {Path(error["file"]).name for error in value["errors"]}
    assert refused == {path.name for path in Path(INVALID).glob("*.yaml") if not path.stem.endswith(".old")}


def _attachment(namespace: str, number: str) -> dict[str, object]:
    """What OVN-Kubernetes renders from a ClusterUserDefinedNetwork in a namespace."""
    name = "cluster_udn_blue"
    config = {"cniVersion": "1.1.0", "name": name, "netAttachDefName": f"{namespace}/blue", "subnets": "10.20.0.0/16"}
    config |= {"type": "ovn-k8s-cni-overlay", "topology": "layer2", "role": "primary"}
    owner = {"apiVersion": "k8s.ovn.org/v1", "kind": "ClusterUserDefinedNetwork", "name": "blue", "uid": "u1"}
    return {
        "apiVersion": "k8s.cni.cncf.io/v1",
        "kind": "NetworkAttachmentDefinition",
        "metadata": {
            "name": "blue",
            "namespace": namespace,
            "annotations": {"k8s.ovn.org/network-id": number, "k8s.ovn.org/network-name": name},
            "ownerReferences": [{**owner, "controller": True, "blockOwnerDeletion": True}],
        },
        "spec": {"config": json.dumps(config)},
    }


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("6", "network id 5 of NetworkAttachmentDefinition a/blue contradicts 6 of NetworkAttachmentDefinition b/blue"),
        (
            "99999",
            "NetworkAttachmentDefinition b/blue: metadata.annotations[k8s.ovn.org/network-id]: "
            "must be a decimal network id from 1 to 4095",
        ),
    ],
)
def test_a_network_whose_records_cannot_be_used_is_reported_at_its_file(tmp_path, number, text):
    blue = {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "ClusterUserDefinedNetwork",
        "metadata": {"name": "blue", "uid": "u1"},
        "spec": {
            "namespaceSelector": {"matchLabels": {"t": "blue"}},
            "network": {"topology": "Layer2", "layer2": {"role": "Primary", "subnets": ["10.20.0.0/16"]}},
        },
    }
    manifest = tmp_path / "list.json"
    items = [blue, _attachment("a", "5"), _attachment("b", number)]
    manifest.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    outcome = run("plan", "-f", manifest, "--nodes", NODES, "-o", "json")
    assert outcome.code == 1
    answer = json.loads(outcome.out)
    (error,) = answer["errors"]
    assert (error["network"], error["message"]) == ("cluster_udn_blue", f"network cluster_udn_blue: {text}")
    assert all(node["operations"] == [] for node in answer["nodes"].values())


def test_a_network_that_cannot_be_planned_is_reported_at_its_file(tmp_path):
    record = {"ovnguard.io/network-id": "7"}
    for number, name in enumerate(("a", "b")):
        manifest = cudn(name, f"10.{number + 20}.0.0/16", second=number, **record)
        (tmp_path / f"{name}.yaml").write_text(json.dumps(manifest))
    done = plan("-f", tmp_path, "--nodes", NODES, "-v")
    assert done.code == 1
    text = 'Invalid value: 7: network id 7 is already held by network "cluster_udn_a"  [OVNG-L2-010]'
    [error] = [line for line in done.err.splitlines() if ": error: " in line]
    assert error.startswith(f"{tmp_path}/b.yaml:1:")
    assert error.endswith(f": error: metadata.annotations[ovnguard.io/network-id]: {text}")
    assert "cluster_udn_a_transit_router" in done.out
    assert "cluster_udn_b_transit_router" not in done.out


def test_a_node_annotation_that_cannot_be_read_is_reported_at_its_line(examples):
    file = examples / "nodes/worker-b.yaml"
    file.write_text(file.read_text().replace("172.18.0.3/16\"]'", "172.18.0.3/99\"]'", 1))
    done = plan("-f", VALID, "--nodes", examples / "nodes")
    assert done.code == 1
    (line,) = [line for line in done.err.splitlines() if "error:" in line]
    assert line.startswith(f"{file}:")
    assert "metadata.annotations[k8s.ovn.org/host-cidrs]: " in line


def test_a_session_that_contradicts_the_mesh_names_both_objects_and_the_network(examples):
    (examples / "networks/frr.yaml").write_text(
        json.dumps(frr(router(neighbor("172.18.0.3", 64600, port=1179), asn=64600)))
    )
    done = plan("-f", examples / "networks", "--nodes", examples / "nodes", "-o", "json")
    (error,) = [each for each in json.loads(done.out)["errors"] if each["node"] == "worker-a"]
    assert (done.code, error["network"]) == (1, "default")
    assert error["file"] == str(examples / "networks/default-network.yaml")
    start = "multiple ports specified for 172.18.0.3 (FRRConfigurations frr/"
    assert start in error["message"]
    assert " and openshift-frr-k8s/ovnk-generated-" in error["message"]


def test_a_network_that_never_starts_is_named(tmp_path: Path) -> None:
    network = {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "UserDefinedNetwork",
        "metadata": {"name": "net", "namespace": "large"},
        "spec": {
            "topology": "Layer2",
            "layer2": {"role": "Primary", "subnets": ["fd00:105::/64"], "reservedSubnets": ["fd00:105::1:0/112"]},
        },
    }
    manager = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "ovnkube-control-plane", "namespace": "ovn-kubernetes"},
        "spec": {"template": {"spec": {"containers": [{"args": ["--enable-preconfigured-udn-addresses"]}]}}},
    }
    (tmp_path / "net.yaml").write_text(json.dumps(network))
    reason = "failed to reserve IP fd00:105::1:0: provided IP is not in the valid range"
    text = f"network large_net: OVN-Kubernetes does not start it: reservedSubnets fd00:105::1:0/112: {reason}"
    # without the feature there is no reservation, and the network starts
    assert text not in json.loads(run("plan", "-f", tmp_path, "--nodes", NODES, "-o", "json").out)["notes"]
    (tmp_path / "manager.yaml").write_text(json.dumps(manager))
    found = json.loads(run("plan", "-f", tmp_path, "--nodes", NODES, "-o", "json").out)
    assert text in found["notes"]
    assert [node["left_out"]["unstarted"] for node in found["nodes"].values()] == [["large_net"]] * 3
