"""Which manifests are read, which are left out, and which cannot be read."""

import json
import shutil
from pathlib import Path

import pytest

from ovnguard.reconciler.apply.files.file_store import FileStore
from tests.support.reconciler_cli import NODES, VALID, WORKERS, apply, plan, run


def test_standard_input():
    text = "".join(f"---\n{path.read_text()}" for path in sorted(Path(VALID).glob("*.yaml")))
    assert (
        plan("-f", "-", "--nodes", NODES, "-o", "json", stdin=text).out
        == plan("-f", VALID, "--nodes", NODES, "-o", "json").out
    )


def test_nodes_may_be_among_the_networks(examples):
    for path in (examples / "nodes").iterdir():
        shutil.copy(path, examples / "networks" / path.name)
    folder = examples / "networks"
    mixed = json.loads(plan("-f", folder, "--nodes", folder, "-o", "json").out)
    assert list(mixed["nodes"]) == WORKERS


def test_other_kinds_are_left_out_with_a_note(examples):
    (examples / "networks/map.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n")
    done = plan("-f", examples / "networks", "--nodes", NODES)
    assert done.code == 0
    text = "ConfigMap declares neither a network nor a node and is ignored"
    assert f"note: {examples}/networks/map.yaml:2: {text}" in done.err.splitlines()


def test_no_planned_row_enforces_policies(examples):
    multicast = "k8s.ovn.org/multicast-enabled"
    (examples / "networks/policies.yaml").write_text(
        "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: deny, namespace: tenant}\n---\n"
        "apiVersion: k8s.ovn.org/v1\nkind: EgressFirewall\nmetadata: {name: default}\n---\n"
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: tenant}\n---\n"
        f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: default, annotations: {{{multicast}: 'true'}}}}\n"
    )
    done = plan("-f", examples / "networks", "--nodes", NODES)
    named = f"EgressFirewall default/default, annotation {multicast} of Namespace default, NetworkPolicy tenant/deny"
    assert f"note: network default: no planned row enforces {named}" in done.err.splitlines()
    assert "is ignored" not in done.err


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


def test_no_node_among_the_nodes(tmp_path):
    done = plan("-f", VALID, "--nodes", VALID)
    assert done.code == 2
    assert done.err == f"{VALID}:1:1: contains no Node; a plan needs the nodes of the cluster"


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
