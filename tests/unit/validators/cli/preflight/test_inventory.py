"""Objects of ``--inventory``: empty lists, broken nodes, and the kinds that rules need."""

from ovnguard.validators.cluster.watched_kinds import WATCHED
from tests.support.preflight_run import UDN, report, run, unchecked_of


def test_an_empty_list_of_nodes_means_no_nodes(tmp_path):
    inventory = tmp_path / "nodes.yaml"
    inventory.write_text("{apiVersion: v1, kind: NodeList, items: []}")
    code, document = report("-", "--inventory", str(inventory), stdin=UDN % ("blue", "Primary"))
    assert (code, [text for text in unchecked_of(document) if "nodes" in text]) == (0, [])


def test_an_empty_list_means_no_objects_of_its_kind(tmp_path):
    text = UDN % ("blue", "Primary")
    empty = tmp_path / "inventory.yaml"
    empty.write_text("apiVersion: v1\nkind: PodList\nitems: []\n")
    assert lacking(text) >= {"namespaces", "Pods"}
    assert lacking(text, "--inventory", str(empty)) & {"namespaces", "Pods"} == {"namespaces"}
    empty.write_text("apiVersion: v1\nkind: List\nitems: []\n")
    assert lacking(text, "--inventory", str(empty)) & {"namespaces", "Pods"} == set()


def lacking(text, *arguments):
    """What the rule about running pods lacks."""
    (note,) = (each for each in unchecked_of(report("-", *arguments, stdin=text)[1]) if "OVNG-L2-023" in each)
    return set(note.removeprefix("not checked: needs ").partition(" (OVNG")[0].split(" and "))


BROKEN_NODES = """\
apiVersion: v1
kind: Node
metadata:
  name: a
  annotations:
    k8s.ovn.org/node-id: "1"
---
apiVersion: v1
kind: Node
metadata: {name: 5}
"""


def test_broken_nodes_are_reported_and_manifests_still_judged(tmp_path):
    inventory = tmp_path / "nodes.yaml"
    inventory.write_text(BROKEN_NODES)
    code, document = report("deploy/examples/invalid/bad-cidr.yaml", "--inventory", str(inventory))
    findings = [(f["file"], f["line"], f["column"], f["path"], f["severity"]) for f in document["findings"]]
    assert code == 2
    assert findings[:2] == [
        (str(inventory), 6, 5, "metadata.annotations[k8s.ovn.org/node-id]", "warning"),
        (str(inventory), 10, 12, "metadata.name", "error"),
    ]
    assert [finding["message"] for finding in document["findings"]][:3] == [
        'Invalid value: "1": must be a decimal node id from 2 to 5000',
        "Invalid value: 5: must be a DNS-1123 subdomain of at most 253 octets",
        'Invalid value: "10.300.0.0/16": CIDR is invalid',
    ]
    inventory.write_text(BROKEN_NODES.partition("---")[0])
    code, document = report("deploy/examples/valid", str(inventory), "--inventory", str(inventory))
    assert code == 1
    assert [finding["rule"] for finding in document["findings"] if finding["severity"] == "error"] == [
        "node-network.ovnguard.io/node-id"
    ]
    result = report("deploy/examples/invalid/bad-cidr.yaml", "--inventory", str(inventory))
    assert (result[0], result[1]["summary"]["warnings"]) == (1, 1)


def test_the_inventory_line_names_every_kind_that_rules_need():
    line = next(each for each in run("--help").stdout.splitlines() if "kubectl get" in each)
    named = set(line.split()[2].split(","))
    for resource, _ in WATCHED:
        assert {resource.plural, f"{resource.plural}.{resource.group}"} & named, resource.plural
