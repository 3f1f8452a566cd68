"""The reconciler's command line: outputs, exit codes, and one clear line for whatever is wrong."""

import errno
import gc
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from reconciler.apply.files.file_store import FileStore
from reconciler.apply.store_errors import StoreUnavailableError
from reconciler.cli import reconciler
from tests.support import service_objects
from tests.support.fake_cluster import cudn
from tests.support.frr_samples import neighbor, router
from tests.support.manifests.network_objects import frr
from tests.support.paths import ROOT
from tests.support.reconciler_cli import INVALID, NODES, VALID, Outcome, run
from tests.support.soak import limit

WORKERS = ["worker-a", "worker-b", "worker-c"]


def plan(*args: object, stdin: str | None = None) -> Outcome:
    return run("plan", *args, stdin=stdin)


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """Networks, nodes and a place for a store, to be changed by the test."""
    shutil.copytree(VALID, tmp_path / "networks")
    shutil.copytree(NODES, tmp_path / "nodes")
    return tmp_path


def apply(folder: Path, *args: object) -> Outcome:
    return run("apply", "-f", folder / "networks", "--nodes", folder / "nodes", "--store", folder / "store", *args)


@pytest.mark.parametrize("args", [["--help"], ["plan", "--help"], ["apply", "--help"], ["run", "--help"]])
def test_help_has_examples(args):
    result = CliRunner().invoke(reconciler, args)
    assert result.exit_code == 0
    assert "Examples:\n" in result.output
    assert "ovnguard-reconciler " in result.output


@limit(60)
def test_help_and_plan_import_nothing_that_only_run_needs():
    code = (
        "import sys; from click.testing import CliRunner; from reconciler.cli import reconciler\n"
        "result = CliRunner().invoke(reconciler, ['--help']); assert result.exit_code == 0\n"
        "heavy = {'kubernetes', 'ovs', 'celpy', 'flask', 'jsonschema'} & set(sys.modules); assert not heavy, heavy\n"
        "import reconciler.commands.plan\n"
        "heavy = {'kubernetes', 'ovs', 'flask'} & set(sys.modules); assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_json_is_operations_frr_and_host_by_node():
    done = plan("-f", VALID, "--nodes", NODES, "-o", "json")
    assert (done.code, done.err) == (0, "")
    value = json.loads(done.out)
    assert list(value) == ["nodes", "documents", "patches", "statuses", "default_network", "notes", "errors"]
    assert list(value["nodes"]) == WORKERS
    assert value["errors"] == []
    for zone in value["nodes"].values():
        assert set(zone) == {"operations", "frr", "host", "left_out"}
        assert set(zone["host"]) == {"nft", "commands", "notes"}
        assert zone["frr"].count("remote-as") == 2
        assert {frozenset(step) for step in zone["operations"]} == {frozenset(("op", "table", "uuid", "row"))}
        assert {step["op"] for step in zone["operations"]} == {"insert"}


def test_text_counts_rows_and_lists_them_on_demand():
    done = plan("-f", VALID, "--nodes", NODES)
    listed = "    + Logical_Router cluster_udn_blue_transit_router\n"
    assert listed not in done.out
    assert done.out.count("    + Logical_Router                  2\n") == 2
    assert plan("-f", VALID, "--nodes", NODES, "-v").out.count(listed) == len(WORKERS)
    assert plan("-f", VALID, "--nodes", NODES, "--node", "worker-b").out.count(listed) == 1
    assert done.code == 0
    assert [line for line in done.out.splitlines() if line.startswith("network ")] == [
        f"network {name}: {count} to add, 0 to change, 0 to destroy on each of 3 nodes"
        for name, count in (("cluster_udn_blue", 43), ("default", 48))
    ]
    *notes, unchecked = done.err.splitlines()
    assert notes == [
        SELECTED,
        NO_SERVICES,
        "note: network cluster_udn_green, node worker-a: waiting for k8s.ovn.org/node-subnets (and 2 more)",
    ]
    assert unchecked.startswith("note: ")
    assert " rules not checked: no RouteAdvertisements, " in unchecked
    assert unchecked.endswith(" given (-v lists them)")
    every = plan("-f", VALID, "--nodes", NODES, "-v").err.splitlines()
    assert every[:3] == notes
    assert every[3:]
    assert all(line.startswith("note: network ") and ": not checked: needs " in line for line in every[3:])


def test_a_plan_follows_the_operator_network(examples):
    file = examples / "networks/default-network.yaml"
    assert "mtu: 1400\n" in file.read_text()
    file.write_text(file.read_text().replace("mtu: 1400\n", "mtu: 1340\n", 1))
    steps = json.loads(plan("-f", examples / "networks", "--nodes", NODES, "-o", "json").out)["nodes"]["worker-a"]
    mtus = {value for step in steps["operations"] for key, value in options_of(step) if key == "gateway_mtu"}
    assert mtus == {"1340"}


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


SELECTED = (
    "note: network cluster_udn_blue: transit subnets 100.90.0.0/16 selected: "
    '100.88.0.0/16 overlaps user defined subnet "100.88.0.0/15"'
)
NO_SERVICES = "note: no routes to default/kubernetes and kube-system/kube-dns: their Services are not known"


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


def options_of(step) -> list[list[str]]:
    return step["row"]["options"][1] if step["table"] == "Logical_Router_Port" else []


def test_dot_has_a_graph_of_every_network():
    done = plan("-f", VALID, "--nodes", NODES, "-o", "dot")
    graphs = [line for line in done.out.splitlines() if line.startswith('graph "')]
    assert graphs == ['graph "network cluster_udn_blue" {', 'graph "network default" {']
    assert done.out.count("label=<worker-b>") == len(graphs)


def test_dot_without_anything_to_draw_says_so():
    done = plan("-f", NODES, "--nodes", NODES, "-o", "dot")
    assert (done.code, done.out.startswith('graph "No network is planned." {')) == (0, True)


def test_commands_of_one_node_are_a_script_and_of_all_have_headings():
    whole = plan("-f", VALID, "--nodes", NODES, "-o", "nbctl")
    one = plan("-f", VALID, "--nodes", NODES, "-o", "nbctl", "--node", "worker-b")
    assert [line for line in whole.out.splitlines() if line.startswith("# ----")] == [
        f"# ---- node {n}" for n in WORKERS
    ]
    assert one.out.startswith("# shared by all networks\novn-nbctl \\\n  -- --id=")
    assert f"# ---- node worker-b\n{one.out}" in whole.out


def test_frr_of_one_node_is_a_file_and_of_all_has_headings():
    whole = plan("-f", VALID, "--nodes", NODES, "-o", "frr")
    one = plan("-f", VALID, "--nodes", NODES, "-o", "frr", "--node", "worker-b")
    assert [line for line in whole.out.splitlines() if line.startswith("! ----")] == [f"! ---- {n}" for n in WORKERS]
    assert one.out.startswith("log ")
    assert f"! ---- worker-b\n{one.out}" in whole.out


def test_one_node_is_that_part_of_the_whole():
    whole = json.loads(plan("-f", VALID, "--nodes", NODES, "-o", "json").out)
    one = json.loads(plan("-f", VALID, "--nodes", NODES, "-o", "json", "--node", "worker-b").out)
    assert one["nodes"] == {"worker-b": whole["nodes"]["worker-b"]}


def test_standard_input():
    text = "".join(f"---\n{path.read_text()}" for path in sorted(Path(VALID).glob("*.yaml")))
    assert (
        plan("-f", "-", "--nodes", NODES, "-o", "json", stdin=text).out
        == plan("-f", VALID, "--nodes", NODES, "-o", "json").out
    )


def test_nodes_may_stand_among_the_networks(examples):
    for path in (examples / "nodes").iterdir():
        shutil.copy(path, examples / "networks" / path.name)
    folder = examples / "networks"
    mixed = json.loads(plan("-f", folder, "--nodes", folder, "-o", "json").out)
    assert list(mixed["nodes"]) == WORKERS


def test_refused_networks_are_told_with_their_place_and_left_out(examples):
    shutil.copy(f"{INVALID}/join-overlap.yaml", examples / "networks")
    done = plan("-f", examples / "networks", "--nodes", NODES)
    assert done.code == 1
    (error,) = [line for line in done.err.splitlines() if "error:" in line]
    assert error.startswith(f"{examples}/networks/join-overlap.yaml:")
    value = json.loads(plan("-f", examples / "networks", "--nodes", NODES, "-o", "json").out)
    good = json.loads(plan("-f", VALID, "--nodes", NODES, "-o", "json").out)
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
def test_a_network_whose_records_cannot_be_used_is_told_at_its_file(tmp_path, number, text):
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


def test_a_network_that_cannot_be_planned_is_told_at_its_file(tmp_path):
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


def test_a_node_annotation_that_cannot_be_read_is_told_at_its_line(examples):
    file = examples / "nodes/worker-b.yaml"
    file.write_text(file.read_text().replace("172.18.0.3/16\"]'", "172.18.0.3/99\"]'", 1))
    done = plan("-f", VALID, "--nodes", examples / "nodes")
    assert done.code == 1
    (line,) = [line for line in done.err.splitlines() if "error:" in line]
    assert line.startswith(f"{file}:")
    assert "metadata.annotations[k8s.ovn.org/host-cidrs]: " in line


def test_other_kinds_are_left_out_with_a_note(examples):
    (examples / "networks/map.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n")
    done = plan("-f", examples / "networks", "--nodes", NODES)
    assert done.code == 0
    text = "ConfigMap declares neither a network nor a node and is ignored"
    assert f"note: {examples}/networks/map.yaml:2: {text}" in done.err.splitlines()


def test_route_advertisements_are_read(examples):
    text = "apiVersion: k8s.ovn.org/v1\nkind: RouteAdvertisements\nmetadata: {name: x}\n"
    (examples / "networks/routes.yaml").write_text(text)
    done = plan("-f", examples / "networks", "--nodes", NODES)
    assert "is ignored" not in done.err


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("x.yaml", "a: [", ":2:1: malformed YAML: did not find expected node content"),
        ("x.yaml", "a: 1\na: 2\n", ":2:1: "),
        ("x.yaml", "- 1\n", ":1:1: not a Kubernetes object: a mapping is expected"),
    ],
)
def test_what_cannot_be_read_is_exit_code_2(tmp_path, name, content, text):
    (tmp_path / name).write_text(content)
    for command in ("plan", "apply"):
        more = ["--store", tmp_path / "store"] if command == "apply" else []
        done = run(command, "-f", tmp_path / name, "--nodes", NODES, *more)
        assert done.code == 2
        assert done.out == ""
        assert done.err.startswith(f"{tmp_path / name}{text}")
        assert len(done.err.splitlines()) == 1
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["plan", "--nodes", NODES], "Missing option '-f' / '--filename'."),
        (["plan", "-f", VALID], "Missing option '--nodes'."),
        (["plan", "-f", VALID, "--nodes", NODES, "--node", "worker-x"], "--node: no node worker-x in --nodes"),
        (
            ["apply", "-f", VALID, "--nodes", NODES],
            "name one place to apply to: --store DIR or --nb-db NODE=REMOTE",
        ),
        (
            ["apply", "-f", VALID, "--nodes", NODES, "--store", "s", "--nb-db", "worker-a=unix:x"],
            "name one place to apply to: --store DIR or --nb-db NODE=REMOTE",
        ),
        (
            ["apply", "-f", VALID, "--nodes", NODES, "--store", "s", "--frr-dir", "d"],
            "--frr-dir needs --nb-db; a store has its own folder for FRR",
        ),
        (
            ["apply", "-f", VALID, "--nodes", NODES, "--nb-db", "unix:x"],
            "Invalid value for --nb-db: 'unix:x' is not NODE=REMOTE",
        ),
        (
            ["apply", "-f", VALID, "--nodes", NODES, "--nb-db", "worker-a=http:x"],
            "Invalid value for --nb-db: 'http:x' is not a database: unix:PATH, tcp:IP:PORT or ssl:IP:PORT is needed",
        ),
        (
            ["apply", "-f", VALID, "--nodes", NODES, "--nb-db", "worker-a=ssl:1.2.3.4:5"],
            "Invalid value for --nb-db: 'ssl:1.2.3.4:5' needs a private key, a certificate and a CA certificate",
        ),
        (
            ["apply", "-f", VALID, "--nodes", NODES, "--nb-db", "worker-x=unix:x"],
            "--nb-db: no node worker-x in --nodes",
        ),
        (
            ["apply", "-f", VALID, "--nodes", NODES, "--nb-db", "worker-a=unix:x,tcp:1.2.3.4:5"],
            "Invalid value for --nb-db: 'tcp:1.2.3.4:5' is neither encrypted nor authenticated; name an ssl: remote "
            "or add --insecure-nb",
        ),
        (
            ["run", "--node", "n", "--nb-db", "tcp:1.2.3.4:5"],
            "Invalid value for --nb-db: 'tcp:1.2.3.4:5' is neither encrypted nor authenticated; name an ssl: remote "
            "or add --insecure-nb",
        ),
        (
            ["verify", "-f", VALID, "--nodes", NODES, "--node", "worker-a", "--nb-db", "tcp:1.2.3.4:5", "--sb-db", "x"],
            "Invalid value for --nb-db: 'tcp:1.2.3.4:5' is neither encrypted nor authenticated; name an ssl: remote "
            "or add --insecure-nb",
        ),
        (
            [
                "verify",
                "-f",
                VALID,
                "--nodes",
                NODES,
                "--node",
                "worker-a",
                "--nb-db",
                "unix:x",
                "--sb-db",
                "tcp:1.2.3.4:5",
            ],
            "Invalid value for --sb-db: 'tcp:1.2.3.4:5' is neither encrypted nor authenticated; name an ssl: remote "
            "or add --insecure-nb",
        ),
        (["run", "--node", "n"], "name one place for the rows: --nb-db REMOTE or --store DIR"),
        (["run", "--node", "../n", "--store", "s"], "Invalid value for --node: '../n' is not a valid node name"),
        (
            ["run", "--mode", "own", "--node", "n", "--store", "s", "--frr-reload", "x"],
            "--frr-reload needs --frr-conf or --frr-dir",
        ),
        (
            ["run", "--mode", "own", "--node", "n", "--store", "s", "--vtysh", "x"],
            "--vtysh needs --frr-conf or --frr-dir",
        ),
        (
            ["run", "--mode", "own", "--node", "n", "--store", "s", "--frr-secrets", "frr"],
            "--frr-secrets needs --frr-conf or --frr-dir",
        ),
        (
            ["run", "--mode", "own", "--node", "n", "--store", "s", "--frr-conf", "f", "--frr-secrets", "a/b"],
            "Invalid value for --frr-secrets: 'a/b' is not a valid namespace name",
        ),
        (
            ["run", "--node", "n", "--store", "s", "--frr-secrets", "frr"],
            "--frr-secrets needs --mode own: an audit does not write",
        ),
        (
            ["verify", "-f", VALID, "--nodes", NODES, "--node", "worker-a"],
            "name what to verify: --nb-db REMOTE and --sb-db REMOTE, --frr, or all three",
        ),
        (
            ["verify", "-f", VALID, "--nodes", NODES, "--node", "worker-a", "--frr", "--nb-db", "unix:x"],
            "name what to verify: --nb-db REMOTE and --sb-db REMOTE, --frr, or all three",
        ),
        (
            [
                *("verify", "-f", VALID, "--nodes", NODES, "--node", "worker-a"),
                *("--nb-db", "unix:x", "--sb-db", "unix:y", "--frr-pathspace", "n"),
            ],
            "--frr-pathspace needs --frr",
        ),
        (
            ["run", "--mode", "own", "--node", "n", "--store", "s", "--frr-conf", "a", "--frr-dir", "b"],
            "name one place for FRR: --frr-conf FILE or --frr-dir DIR",
        ),
        (
            ["run", "--node", "n", "--store", "s", "--frr-conf", "a"],
            "--frr-conf needs --mode own: an audit does not write",
        ),
        (["run", "--node", "n", "--store", "s", "--record"], "--record needs --mode own: an audit does not write"),
        (
            ["run", "--node", "n", "--nb-db", "ssl:1.2.3.4:5"],
            "Invalid value for --nb-db: 'ssl:1.2.3.4:5' needs a private key, a certificate and a CA certificate",
        ),
        (
            ["run", "--node", "n", "--nb-db", "ssl:1.2.3.4:5", "--nb-ca-cert", "x"],
            "--nb-private-key, --nb-certificate and --nb-ca-cert belong together",
        ),
        (
            ["run", "--node", "n", "--store", "s", "--kubeconfig", "/nowhere"],
            "/nowhere: Invalid kube-config file. No configuration found.; name one with --kubeconfig",
        ),
        (
            ["plan", "-f", VALID, "--nodes", NODES, "--store", "s", "-o", "nbctl"],
            "-o nbctl prints commands for empty databases; use `diff --store DIR -o nbctl` to compare",
        ),
        (["nothing"], "No such command 'nothing'."),
    ],
    ids=lambda value: " ".join(value[:1] + value[-2:]) if isinstance(value, list) else "",
)
def test_wrong_calls(args, text):
    done = run(*args)
    assert (done.code, done.out) == (2, "")
    assert done.err == text


def test_no_node_among_the_nodes(tmp_path):
    done = plan("-f", VALID, "--nodes", VALID)
    assert done.code == 2
    assert done.err == f"{VALID}:1:1: contains no Node; a plan needs the nodes of the cluster"


def test_apply_writes_the_plan_and_a_second_apply_does_nothing(examples):
    first = apply(examples)
    assert first.code == 0
    assert first.out.count("    + Logical_Router                  2\n") == 2
    assert "transit_router" not in first.out
    store = FileStore(examples / "store")
    assert list(store.nodes()) == WORKERS
    planned = json.loads(plan("-f", VALID, "--nodes", NODES, "-o", "json").out)["nodes"]
    for name in WORKERS:
        assert {row.uuid for row in store.read(name)} == {step["uuid"] for step in planned[name]["operations"]}
        assert store.read_frr(name) == planned[name]["frr"]
    total = sum(len(zone["operations"]) for zone in planned.values())
    plans, done = (
        f"{total} {add}, 0 {change}, 0 {destroy} on 3 nodes; FRR configuration of 3 nodes; "
        f"objects: 6 {add}, 0 {change}, 0 {destroy}"
        for add, change, destroy in (("to add", "to change", "to destroy"), ("added", "changed", "destroyed"))
    )
    assert first.out.splitlines()[-2:] == [f"Plan: {plans}", f"Applied: {done}"]

    files = {path: path.stat().st_mtime_ns for path in (examples / "store").rglob("*.*")}
    second = apply(examples)
    assert second.out == "no changes\n"
    assert {path: path.stat().st_mtime_ns for path in (examples / "store").rglob("*.*")} == files


def test_objects_that_make_routes_are_in_the_store(examples):
    where = ("-f", examples / "networks", "--nodes", examples / "nodes", "--store", examples / "store")
    titles = json.loads(plan(*where, "-o", "json").out)["objects"]["added"]
    assert len(titles) == 6
    assert {"FRRConfiguration openshift-frr-k8s/ovnk-managed-bgp", "RouteAdvertisements ovnk-managed-bgp-default"} <= {
        *titles
    }
    shown = "".join(f"  + {title}\n" for title in titles)
    assert f"objects: 6 to add, 0 to change, 0 to destroy\n{shown}" in plan(*where).out
    assert f"objects: 6 to add, 0 to change, 0 to destroy\n{shown}" in run("diff", *where).out
    assert shown in apply(examples).out
    documents = json.loads(plan(*where, "-o", "json").out)["documents"]
    stored = FileStore(examples / "store").read_objects()
    assert len(stored) == len(documents) == 6
    assert all(each in documents for each in stored)
    compared = run("diff", *where, "-o", "json")
    assert (compared.code, json.loads(compared.out)["objects"]) == (0, {"added": [], "changed": [], "removed": []})
    assert "objects: " not in plan(*where).out + run("diff", *where).out


def test_objects_of_the_store_change_and_go_with_their_reason(examples):
    apply(examples)
    file = examples / "store/objects.json"
    before = file.read_text()
    network = examples / "networks/default-network.yaml"
    text = network.read_text()
    network.write_text(text.replace("/14", "/99"))
    assert apply(examples).code == 1
    assert file.read_text() == before
    network.write_text(text)
    (examples / "nodes/worker-c.yaml").unlink()
    last = apply(examples).out.splitlines()[-1]
    assert last.endswith("objects: 0 added, 3 changed, 1 destroyed")
    network.unlink()
    done = apply(examples)
    assert done.code == 0
    assert "  - RouteAdvertisements ovnk-managed-bgp-default\n" in done.out
    assert done.out.splitlines()[-1].endswith("objects: 0 added, 0 changed, 5 destroyed")
    assert not file.exists()


def test_a_difference_of_objects_alone_is_one(examples):
    apply(examples)
    where = ("-f", examples / "networks", "--nodes", examples / "nodes", "--store", examples / "store")
    (examples / "store/objects.json").unlink()
    done = run("diff", *where)
    assert done.code == 1
    assert done.out.startswith("objects: 6 to add, 0 to change, 0 to destroy\n  + ")
    text = "0 {0}, 0 {1}, 0 {2} on 0 nodes; objects: 6 {0}, 0 {1}, 0 {2}"
    assert done.out.splitlines()[-1] == f"Plan: {text.format('to add', 'to change', 'to destroy')}"
    assert apply(examples).out.splitlines()[-1] == f"Applied: {text.format('added', 'changed', 'destroyed')}"
    assert run("diff", *where).code == 0


def test_a_spoiled_file_of_objects_stops_before_anything_is_written(examples):
    file = examples / "store/objects.json"
    file.parent.mkdir()
    file.write_text("{")
    where = ("-f", examples / "networks", "--nodes", examples / "nodes", "--store", examples / "store")
    for command in ("plan", "apply", "diff"):
        done = run(command, *where)
        assert done.code == 2
        problem = "is not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"
        assert done.err.splitlines()[-1] == f"error: {file}: {problem}; move it away"
    assert not (examples / "store/nb").exists()


def test_the_objects_of_one_node_are_not_compared(examples):
    apply(examples)
    where = ("-f", examples / "networks", "--nodes", examples / "nodes", "--store", examples / "store")
    assert "objects: " not in plan(*where, "--node", "worker-a").out


def test_apply_lists_every_row_on_demand(examples):
    assert "    + Logical_Router cluster_udn_blue_transit_router\n" in apply(examples, "--verbose").out


def test_a_node_that_moves_away_is_a_small_difference(examples):
    apply(examples)
    (examples / "nodes/worker-c.yaml").unlink()
    expected = plan("-f", examples / "networks", "--nodes", examples / "nodes", "--store", examples / "store")
    done = apply(examples)
    assert done.code == 0
    *changes, last = expected.out.splitlines()
    assert done.out.splitlines()[: len(changes) + 1] == [*changes, last]
    assert "network cluster_udn_blue: 0 to add, 2 to change, 47 to destroy on 3 nodes" in changes
    assert done.out.splitlines()[-1] == last.replace("Plan: ", "Applied: ").replace("to add", "added").replace(
        "to change", "changed"
    ).replace("to destroy", "destroyed")
    assert FileStore(examples / "store").nodes() == ("worker-a", "worker-b")


def test_a_network_that_is_refused_now_keeps_its_rows(examples):
    apply(examples)
    rows = FileStore(examples / "store").read("worker-a")
    blue = examples / "networks/blue-layer2.yaml"
    blue.write_text(blue.read_text().replace("100.88.0.0/15", "100.88.0.0/99"))
    done = apply(examples)
    assert done.code == 1
    assert FileStore(examples / "store").read("worker-a") == rows
    blue.unlink()
    assert apply(examples).code == 0
    left = FileStore(examples / "store").read("worker-a")
    assert {row.network for row in left} - {""} == {"default"}


def write_cudn(folder: Path, file: str, name: str, subnet: str, **annotations: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / file).write_text(json.dumps(cudn(name, subnet, 0, **annotations)))


def keys_of(rows, network: str) -> dict[str, str]:
    columns = {"Logical_Switch": "other_config", "Logical_Router": "options"}
    own = [row for row in rows if row.table in columns and row.columns["name"].startswith(f"{network}_")]
    return {row.table: row.columns[columns[row.table]]["requested-tnl-key"] for row in own}


@pytest.fixture
def zones_of_files(tmp_path, monkeypatch):
    """Databases of all nodes are zones of one folder."""
    store = FileStore(tmp_path / "databases")
    monkeypatch.setattr(
        "reconciler.commands.options.Target.databases",
        lambda target, **_: {name: store.zone(name) for name in target.remotes},
    )
    return store


@pytest.mark.parametrize("live", [False, True], ids=["store", "databases"])
def test_a_live_network_keeps_its_keys_beside_an_earlier_one_of_the_same_hash(tmp_path, zones_of_files, live):
    where = ["--store", tmp_path / "store"]
    if live:
        where = [arg for name in WORKERS for arg in ("--nb-db", f"{name}=unix:{name}")]
    store = zones_of_files if live else FileStore(tmp_path / "store")
    call = ["apply", "-f", tmp_path / "n", "--nodes", NODES, *where]
    write_cudn(tmp_path / "n", "b.yaml", "n0154", "10.21.0.0/16")
    assert run(*call).code == 0
    before = keys_of(store.read("worker-a"), "cluster_udn_n0154")
    assert len(before) == 2
    write_cudn(tmp_path / "n", "a.yaml", "n0034", "10.22.0.0/16")
    assert run(*call).code == 0
    for name in WORKERS:
        rows = store.read(name)
        assert keys_of(rows, "cluster_udn_n0154") == before
        moved = keys_of(rows, "cluster_udn_n0034")
        assert int(moved["Logical_Switch"]) == int(before["Logical_Switch"]) + 1
    again = run(*call)
    assert (again.code, again.out.splitlines()[-1]) == (0, "no changes")


def transit_of(rows) -> set[str]:
    """Transit subnets as the router tells them."""
    routers = [row for row in rows if row.columns.get("name") == "cluster_udn_blue_transit_router"]
    return {row.columns["external_ids"]["ovnguard.io/transit-subnets"] for row in routers}


@pytest.mark.parametrize("live", [False, True], ids=["store", "databases"])
def test_a_live_network_keeps_its_transit_subnet_while_it_is_valid(tmp_path, zones_of_files, live):
    where = ["--store", tmp_path / "store"]
    if live:
        where = [arg for name in WORKERS for arg in ("--nb-db", f"{name}=unix:{name}")]
    store = zones_of_files if live else FileStore(tmp_path / "store")
    call = ["apply", "-f", tmp_path / "n", "--nodes", NODES, *where]
    folder, note = tmp_path / "n", "note: network cluster_udn_blue: transit subnets"
    write_cudn(folder, "b.yaml", "blue", "100.88.0.0/15")
    first = run(*call)
    assert first.err.splitlines().count(SELECTED) == 1
    assert transit_of(store.read("worker-a")) == {"100.90.0.0/16"}

    # its subnets move away from the default transit subnet, which would now be selected
    write_cudn(folder, "b.yaml", "blue", "10.20.0.0/16")
    kept = run(*call)
    assert (kept.code, note in kept.err) == (0, False)
    assert transit_of(store.read("worker-a")) == {"100.90.0.0/16"}

    write_cudn(folder, "b.yaml", "blue", "100.90.0.0/16")
    moved = run(*call)
    assert f"{note} 100.88.0.0/16 selected in place of 100.90.0.0/16, which are not valid: " in moved.err
    assert transit_of(store.read("worker-a")) == {"100.88.0.0/16"}
    assert run(*call).out.splitlines()[-1] == "no changes"


def test_a_recorded_transit_subnet_comes_before_that_of_the_store(tmp_path):
    call = ["-f", tmp_path / "n", "--nodes", NODES, "--store", tmp_path / "store"]
    write_cudn(tmp_path / "n", "b.yaml", "blue", "10.20.0.0/16")
    assert run("apply", *call).code == 0
    write_cudn(tmp_path / "n", "b.yaml", "blue", "10.20.0.0/16", **{"ovnguard.io/transit-subnets": "100.92.0.0/16"})
    assert run("apply", *call).code == 0
    assert transit_of(FileStore(tmp_path / "store").read("worker-a")) == {"100.92.0.0/16"}


def test_plan_against_a_store_shows_what_apply_would_do(tmp_path):
    call = ["-f", tmp_path / "n", "--nodes", NODES, "--store", tmp_path / "store"]
    write_cudn(tmp_path / "n", "b.yaml", "n0154", "10.21.0.0/16")
    assert run("apply", *call).code == 0
    write_cudn(tmp_path / "n", "a.yaml", "n0034", "10.22.0.0/16")
    shown = json.loads(run("plan", *call, "-o", "json").out)["nodes"]["worker-a"]["operations"]
    assert {step["op"] for step in shown if step["table"] != "Copp"} == {"insert"}
    assert run("apply", *call).code == 0
    assert json.loads(run("plan", *call, "-o", "json").out)["nodes"]["worker-a"]["operations"] == []


def test_a_default_network_that_is_refused_now_keeps_its_frr(examples):
    apply(examples)
    text = FileStore(examples / "store").read_frr("worker-a")
    file = examples / "networks/default-network.yaml"
    file.write_text(file.read_text().replace("/14", "/99"))
    assert apply(examples).code == 1
    assert FileStore(examples / "store").read_frr("worker-a") == text


def test_only_the_file_of_frr_has_the_password(examples, zones_of_files, tmp_path):
    """A user's session next to the mesh, in the networks' folder."""
    session = neighbor("192.0.2.9", 65001, password="open-sesame")
    (examples / "networks/frr.yaml").write_text(json.dumps(frr(router(session, asn=64600))))
    call = ("-f", examples / "networks", "--nodes", examples / "nodes")
    hidden = "  neighbor 192.0.2.9 password <hidden>\n"
    for form in ("text", "json", "frr"):
        shown = run("plan", *call, "-o", form)
        assert (shown.code, "sesame" in shown.out + shown.err) == (0, False)
        assert "ignored" not in shown.err
    assert hidden in run("plan", *call, "-o", "frr", "--node", "worker-a").out
    assert apply(examples).code == 0
    assert hidden in FileStore(examples / "store").read_frr("worker-a")
    assert "sesame" not in (examples / "store/objects.json").read_text()
    done = run("apply", *call, "--nb-db", "worker-a=unix:a.sock", "--frr-dir", tmp_path / "frr")
    assert (done.code, "sesame" in done.out + done.err) == (0, False)
    file = (tmp_path / "frr/worker-a.conf").read_text()
    assert "  neighbor 192.0.2.9 password open-sesame\n" in file
    assert "<hidden>" not in file


def test_another_password_is_a_change_that_shows_neither(examples, zones_of_files, tmp_path):
    file = examples / "networks/frr.yaml"
    file.write_text(json.dumps(frr(router(neighbor("192.0.2.9", 65001, password="open-sesame"), asn=64600))))
    call = ("-f", examples / "networks", "--nodes", NODES, "--nb-db", "worker-a=unix:a", "--frr-dir", tmp_path / "frr")
    assert run("apply", *call).code == 0
    assert run("apply", *call).out == "no changes\n"
    file.write_text(file.read_text().replace("open-sesame", "close-sesame"))
    done = run("apply", *call)
    assert (done.code, "sesame" in done.out + done.err) == (0, False)
    assert "    +! a password changes\n" in done.out
    assert done.out.splitlines()[-1].endswith("; FRR configuration of 1 node")
    assert "password close-sesame\n" in (tmp_path / "frr/worker-a.conf").read_text()


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


def test_a_configuration_that_cannot_be_merged_keeps_its_frr(examples, zones_of_files, tmp_path, monkeypatch):
    call = ("apply", "-f", VALID, "--nodes", NODES, "--nb-db", "worker-a=unix:a.sock", "--frr-dir", tmp_path / "frr")
    apply(examples)
    run(*call)
    files = examples / "store/frr/worker-a.conf", tmp_path / "frr/worker-a.conf"
    before = [file.read_text() for file in files]
    monkeypatch.setattr("reconciler.plan.planner.FrrFiles.on", lambda *_: ("", None))
    apply(examples)
    run(*call)
    assert [file.read_text() for file in files] == before


def test_plan_against_a_store_writes_nothing(examples):
    done = plan("-f", VALID, "--nodes", NODES, "--store", examples / "store")
    assert done.code == 0
    assert " to add, " in done.out
    assert not (examples / "store").exists()


def test_a_spoiled_store_is_exit_code_2(examples):
    apply(examples)
    (examples / "store/nb/worker-a.json").write_text("{}")
    for done in (apply(examples), plan("-f", VALID, "--nodes", NODES, "--store", examples / "store")):
        assert (done.code, done.out) == (2, "")
        file = examples / "store/nb/worker-a.json"
        assert done.err == f'error: {file}: is not of this store: it has no "OVN_Northbound"; move it away\n'


def test_a_store_that_is_a_file_is_exit_code_2(examples):
    (examples / "store").write_text("")
    done = apply(examples)
    assert (done.code, done.out, done.err) == (2, "", f"error: {examples}/store: File exists\n")
    done = plan("-f", VALID, "--nodes", NODES, "--store", examples / "store/nb")
    assert (done.code, done.out, done.err) == (2, "", f"error: {examples}/store/nb/nb/worker-a.json: Not a directory\n")


@pytest.mark.parametrize(
    ("number", "code"), [(errno.EROFS, 2), (errno.EACCES, 2), (errno.EPERM, 2), (errno.ENOSPC, 3), (errno.EIO, 3)]
)
def test_a_folder_that_cannot_be_written(examples, monkeypatch, number, code):
    def refuse(path: Path, *_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr("validators.base.atomic_file.replace", refuse)
    done = apply(examples)
    assert (done.code, done.out.splitlines()[-1].partition(" ")[0]) == (code, "Plan:")
    assert done.err == f"error: {examples}/store/nb/worker-a.json: {os.strerror(number)}\n"


def test_a_database_that_is_not_there_is_exit_code_3(tmp_path):
    remotes = [f"{name}=unix:{tmp_path}/{name}.sock" for name in ("worker-a", "worker-b")]
    done = run("apply", "-f", VALID, "--nodes", NODES, *(arg for remote in remotes for arg in ("--nb-db", remote)))
    assert (done.code, done.out) == (3, "")
    assert [line for line in done.err.splitlines() if line.startswith("error: ")] == [
        f"error: node {name}: unix:{tmp_path}/{name}.sock: No such file or directory"
        for name in ("worker-a", "worker-b")
    ]


def test_a_database_that_refuses_connections_says_nothing_of_changes():
    done = run("apply", "-f", VALID, "--nodes", NODES, "--nb-db", "worker-a=tcp:127.0.0.1:1", "--insecure-nb")
    assert (done.code, done.out) == (3, "")
    assert done.err.splitlines()[-1] == "error: node worker-a: tcp:127.0.0.1:1: Connection refused"
    del done
    gc.collect()  # here and not in a test that would be blamed for it


def test_one_database_that_fails_does_not_keep_the_others_from_being_written(zones_of_files, monkeypatch):
    zone = zones_of_files.zone("worker-b")
    remotes = [arg for name in ("worker-a", "worker-b") for arg in ("--nb-db", f"{name}=unix:{name}")]
    call = ["apply", "-f", VALID, "--nodes", NODES, *remotes]
    broken = ZoneThatFails()
    zones = {"worker-a": broken, "worker-b": zone}
    monkeypatch.setattr("reconciler.commands.options.Target.databases", lambda *_, **__: zones)
    first = run(*call)
    assert first.code == 3
    assert zone.read() != ()
    assert first.out.splitlines()[-1].endswith(" added, 0 changed, 0 destroyed on 1 node")
    assert first.err.splitlines()[-1] == "error: node worker-a: gone"
    second = run(*call)
    assert (second.code, second.out) == (3, "")
    assert broken.closed == 2


def test_a_live_apply_says_that_frr_is_left_alone(zones_of_files, tmp_path):
    call = ["apply", "-f", VALID, "--nodes", NODES, "--nb-db", "worker-a=unix:worker-a"]
    text = "note: FRR is left alone; --frr-dir DIR writes its configuration"
    assert text in run(*call).err.splitlines()
    assert text not in run(*call, "--frr-dir", tmp_path / "frr").err
    assert (tmp_path / "frr" / "worker-a.conf").exists()
    assert text not in run(*call[:5], "--store", tmp_path / "store").err


class ZoneThatFails:
    """A database that never answers."""

    closed = 0

    def read(self):
        raise StoreUnavailableError("gone")

    def apply(self, operations):
        raise AssertionError("what cannot be read is not written")

    def close(self):
        self.closed += 1


@pytest.mark.parametrize("content", ["", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"])
def test_no_network_at_all(examples, content):
    apply(examples)
    shutil.rmtree(examples / "networks")
    (examples / "networks").mkdir()
    file = examples / "networks/x.yaml"
    if content:
        file.write_text(content)
    else:
        (examples / "nodes/worker-a.yaml").rename(file)
    rows = FileStore(examples / "store").read("worker-a")
    shown = plan("-f", file, "--nodes", examples / "nodes")
    assert (shown.code, shown.err.splitlines()[0]) == (0, f"warning: no networks in {file}")
    done = apply(examples)
    text = "the plan is empty and would delete every row of ovnguard; add --allow-empty to do that"
    assert (done.code, done.out, done.err) == (2, "", f"no networks in {examples}/networks: {text}")
    assert FileStore(examples / "store").read("worker-a") == rows
    assert apply(examples, "--allow-empty").code == 0
    assert FileStore(examples / "store").nodes() == ()


@pytest.mark.parametrize(
    "args",
    [
        ["plan", "-f", VALID, "--nodes", NODES, "--store", ""],
        ["apply", "-f", VALID, "--nodes", NODES, "--store", ""],
        ["run", "--node", "n", "--store", ""],
    ],
    ids=lambda args: args[0],
)
def test_a_place_without_a_name_is_refused(args):
    done = run(*args)
    assert (done.code, done.out) == (2, "")
    assert done.err == "Invalid value for '--store': the name is empty; use . for the current folder"


def test_no_cache_is_written_or_reported_without_one(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    words = ("-f", VALID, "--nodes", NODES)
    without = plan(*words, "--no-cache")
    assert (without.code, list(tmp_path.iterdir())) == (0, [])
    assert plan(*words) == without
    folder = tmp_path / "ovnguard" / "compiled"
    assert list(folder.iterdir())
    folder.chmod(0o755)
    note = f"note: compiled definitions are not kept: {folder} is open to other users: its mode must be 0700\n"
    assert note in plan(*words, "-v").err
    assert note not in plan(*words).err
    assert note not in plan(*words, "-v", "--no-cache").err


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
