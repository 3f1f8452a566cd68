"""`plan --change`: what a new or changed object would change on every node, before anybody creates it."""

import json
import re

import pytest
import yaml

from ovnguard.reconciler.commands.manifests import read_manifests
from ovnguard.reconciler.commands.proposed import with_change
from tests.support.paths import ROOT
from tests.support.reconciler_cli import NODES, run

EXAMPLES = ROOT / "deploy/examples/valid"
DEFAULT, GREEN, BLUE = (
    str(EXAMPLES / name) for name in ("default-network.yaml", "green-layer3.yaml", "blue-layer2.yaml")
)
LIVE = ("-f", DEFAULT, "-f", BLUE, "--nodes", NODES)


def written(folder, example, **metadata):
    """A network of the examples under another name, with other metadata."""
    obj = yaml.safe_load((EXAMPLES / example).read_text(encoding="utf-8"))
    obj["metadata"].update(metadata)
    file = folder / "change.yaml"
    file.write_text(json.dumps(obj))
    return file, obj


def tables(done):
    """How many operations of each kind there are, by node and table."""
    return {
        node: {(each["op"], each["table"]) for each in zone["operations"]}
        for node, zone in json.loads(done.out)["nodes"].items()
    }


def test_a_new_network_gets_the_next_host_subnets_on_every_node():
    done = run("plan", *LIVE, "--change", GREEN, "-o", "json")
    answer = json.loads(done.out)
    assert (done.code, answer["errors"]) == (0, [])
    note = "host subnets of cluster_udn_green are a guess, the next free ones; OVN-Kubernetes may allocate others"
    assert note in answer["notes"]
    (id_note,) = [each for each in answer["notes"] if "network id" in each]
    assert re.fullmatch(
        r"network cluster_udn_green: network id \d+ is a free one, OVN-Kubernetes may choose another", id_note
    )
    switches = {
        node: [
            dict(each["row"]["other_config"][1])["subnet"]
            for each in zone["operations"]
            if each["row"].get("name") == f"cluster_udn_green_{node}"
        ]
        for node, zone in answer["nodes"].items()
    }
    assert switches == {"worker-a": ["10.40.0.0/24"], "worker-b": ["10.40.1.0/24"], "worker-c": ["10.40.2.0/24"]}
    assert {op for each in tables(done).values() for op, _ in each} == {"insert"}
    assert "cluster_udn_blue" not in json.dumps([zone["operations"] for zone in answer["nodes"].values()])


def test_a_changed_node_changes_its_zone_alone(tmp_path):
    node = yaml.safe_load((ROOT / "deploy/examples/nodes/worker-a.yaml").read_text(encoding="utf-8"))
    gateway = node["metadata"]["annotations"]["k8s.ovn.org/l3-gateway-config"].replace('172.18.0.1"', '172.18.0.9"')
    file = tmp_path / "node.yaml"
    annotations = {"k8s.ovn.org/l3-gateway-config": gateway}
    file.write_text(json.dumps({**node, "metadata": {"name": "worker-a", "annotations": annotations}}))
    done = run("plan", *LIVE, "--change", file, "-o", "json")
    assert json.loads(done.out)["errors"] == []
    changed = tables(done)
    assert ("update", "Logical_Router_Static_Route") in changed["worker-a"]
    assert (changed["worker-b"], changed["worker-c"]) == (set(), set())


def test_the_live_object_again_is_no_change(tmp_path):
    done = run("plan", *LIVE, "--change", written(tmp_path, "blue-layer2.yaml")[0])
    assert done.code == 0
    assert done.out.splitlines()[-1] == "Plan: no changes"


def test_an_update_that_the_api_server_refuses_changes_nothing(tmp_path):
    file, obj = written(tmp_path, "blue-layer2.yaml")
    obj["spec"]["network"]["layer2"]["subnets"] = ["10.50.0.0/16"]
    file.write_text(json.dumps(obj))
    done = run("plan", *LIVE, "--change", file)
    assert done.code == 1
    assert done.out.splitlines()[-1] == "Plan: no changes; 1 network not planned"
    assert f"{file}:1:" in done.err
    assert "Layer2 is immutable" in done.err


def test_an_object_is_stored_as_kubectl_stores_it(tmp_path):
    live = tmp_path / "live"
    live.mkdir()
    annotations = {"k8s.ovn.org/recorded": "1", "mine": "old"}
    old, _ = written(
        live, "blue-layer2.yaml", uid="u", creationTimestamp="2026-01-02T00:00:00Z", annotations=annotations
    )
    new, _ = written(tmp_path, "blue-layer2.yaml", annotations={"mine": "new"})
    other = tmp_path / "other.yaml"
    other.write_text((EXAMPLES / "green-layer3.yaml").read_text())
    changed = with_change(read_manifests([str(old)], [NODES]), [str(new), str(other)])
    stored = {each.value["metadata"]["name"]: each for each in changed.documents if each.identity in changed.proposed}
    assert stored["blue"].value["metadata"] == {
        "name": "blue",
        "uid": "u",
        "creationTimestamp": "2026-01-02T00:00:00Z",
        "annotations": {"k8s.ovn.org/recorded": "1", "mine": "new"},
    }
    assert stored["blue"].old is not None
    assert stored["green"].value["metadata"] == {"name": "green", "creationTimestamp": "2026-01-02T00:00:00Z"}
    assert stored["green"].old is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--change", GREEN, "--store", "x"), "--change compares with the plan of -f, not with --store"),
        (
            ("--change", GREEN, "-o", "nbctl"),
            "-o nbctl prints commands for empty databases; use `diff --store DIR -o nbctl` to compare",
        ),
    ],
)
def test_wrong_calls(arguments, message):
    done = run("plan", *LIVE, *arguments)
    assert (done.code, done.err) == (2, message)


def test_a_change_that_cannot_be_read(tmp_path):
    empty = tmp_path / "empty.yaml"
    empty.write_text("")
    assert run("plan", *LIVE, "--change", empty).err == f"{empty}:1:1: contains no object to change"
    assert run("plan", *LIVE, "--change", "/nonexistent").code == 2
