"""`bundle --anonymize` of recorded clusters: an audit finds the same, and no name or address of the cluster is left."""

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ovnguard.reconciler.apply.bundle.bundle_file import bundle_file
from ovnguard.reconciler.apply.bundle.collection import Collection
from ovnguard.reconciler.plan.bundle.kept_words import KEPT_WORDS
from tests.conformance.test_gathered_archives import DRIFTS, IDS
from tests.support.bundled_cluster import CANARY, BundledCluster, contents, has_canary
from tests.support.gathered_archive import Tables
from tests.support.reconciler_cli import run

RECORDINGS = (
    "attachments@less",
    "connect",
    "cudn-two-namespaces",
    "default-dual-local",
    "delete-cudn@namespace-left",
    "dynamic-grace@grace",
    "dynamic-layer3@gone",
    "egressip-layer3",
    "egressservice-layer3",
    "layer2-old-egress",
    "layer2-preconfigured",
    "migration-layer2@ready",
    "no-overlay-cudn-enabled",
    "one-family",
    "openshift@default",
    "routed-mix@swapped",
    "secondary",
    "services-layer3-dual-shared",
    "unmanaged-cudn-vrf",
    "uplink-layer3",
)
_WORD = re.compile(r"[^\W_]+")
# A number, a part of an IPv6 address or MAC, and a hash: addresses and what is hashed are searched themselves.
_NO_WORD = re.compile(r"[0-9]+|[0-9a-f]{4}|a[0-9]{9,}")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


@pytest.fixture
def bundled(tmp_path, monkeypatch):
    """`bundled(cluster, ...)` returns a bundle of the cluster."""

    def start(cluster: BundledCluster, *args: str) -> Path:
        file: Path = tmp_path / f"bundle{len(args)}.tar.gz"
        monkeypatch.setattr("ovnguard.reconciler.commands.bundle.connected", lambda _: cluster)
        assert run("bundle", "-o", str(file), *args).code == cluster.exit_code
        return file

    return start


def found(archive: Path) -> Any:
    """What an audit finds, without names: per node the equal rows, and per network its drift and what is explained."""
    audit = json.loads(run("audit", str(archive), "-o", "json").out)
    nodes = Counter[str]()
    for node in audit["nodes"].values():
        networks = sorted(map(json.dumps, map(_without_names, node["networks"].values())))
        counts = [sorted(node["otherControllers"].items()), sum(node["unplannedNetworks"].values())]
        nodes[json.dumps([node.get("fault"), node["rowsAsPlanned"], counts, networks])] += 1
    severities = [each["severity"] for each in audit["worst"]]
    return nodes, severities, audit["judgedPercent"], len(audit["mayExplainDrift"])


def _without_names(network: Any) -> Any:
    return sorted([each["difference"], each["table"]] for each in network["drift"]), sorted(
        network["explained"].items()
    )


@pytest.mark.parametrize("name", RECORDINGS)
def test_an_audit_finds_the_same_without_names(name, bundled):
    assert found(bundled(BundledCluster(name), "--anonymize")) == found(bundled(BundledCluster(name)))


@pytest.mark.parametrize("change", [change for change, _ in DRIFTS], ids=IDS)
def test_every_drift_is_found_without_names(change: Callable[[Tables], None], bundled):
    def clusters() -> BundledCluster:
        return BundledCluster("layer3-dual-shared", lambda _, tables: change(tables))

    nodes, severities, *_ = found(bundled(clusters(), "--anonymize"))
    assert severities != []
    assert (nodes, severities) == found(bundled(clusters()))[:2]


def words_in(value: Any) -> set[str]:
    """The words of all texts, and the keys of labels."""
    if isinstance(value, str):
        return set(_WORD.findall(_UUID.sub("", value)))
    if isinstance(value, list):
        return {word for each in value for word in words_in(each)}
    if isinstance(value, dict):
        labels = {word for key in value.get("labels") or {} for word in words_in(key)}
        return labels | {
            word for key, each in value.items() if key not in ("conditions", "kind") for word in words_in(each)
        }
    return set()


@pytest.mark.parametrize("name", ["layer3-dual-shared", "secondary", "connect", "services-layer2-ipv4-shared"])
def test_no_word_of_the_cluster_is_left(name, tmp_path):
    """Names, addresses, label values and annotations: words with a letter and four characters that nobody else uses."""
    cluster = BundledCluster(name)
    metadata = [each["metadata"] for each in cluster.objects]
    chosen = [each["name"] for each in metadata] + [each.get("namespace", "") for each in metadata]
    chosen += [label for each in metadata for pair in each.get("labels", {}).items() for label in pair]
    chosen += [note for each in metadata for note in each.get("annotations", {}).values()]
    found = words_in(chosen) | words_in(cluster.northbound)
    words = {word for word in found if len(word) > 3 and not _NO_WORD.fullmatch(word)}
    with bundle_file(str(tmp_path / "b.tar.gz"), 0) as written:
        collection = Collection(cluster, written, lambda _: None)
        # another key may give an address to another one of the cluster
        collection.anonymous_objects(bytes(16))
        collection.databases({}, 0)
    files = contents((tmp_path / "b.tar.gz").read_bytes())
    texts = b"\n".join(files.values()).decode()
    # the second line of a database is its schema
    schema = next(data.split(b"\n")[1].decode() for name, data in files.items() if name.endswith("_nbdb"))
    own = words - KEPT_WORDS - words_in(schema)
    assert len(own) > 5
    assert set(_WORD.findall(_UUID.sub("", texts))) & own == set()
    addresses = set(re.findall(r"(?:10|172)(?:\.[0-9]+){3}", json.dumps(cluster.objects)))
    assert addresses
    assert {each for each in addresses if re.search(rf"(?<![0-9.]){re.escape(each)}(?![0-9])", texts)} == set()


def test_no_canary_is_left(bundled):
    """One in every name of a namespace, a pod, a network and what is made of them, in label values and annotations."""
    cluster = BundledCluster("layer3-dual-shared")

    def planted(value: Any) -> Any:
        return json.loads(re.sub(r"(?<![a-z])(red|one|node1)(?![a-z0-9])", rf"{CANARY}\1", json.dumps(value)))

    cluster.objects = planted(cluster.objects)
    cluster.northbound = planted(cluster.northbound)
    for obj in cluster.objects:
        metadata = obj["metadata"]
        metadata["labels"] = {**metadata.get("labels", {}), "tier": CANARY, f"{CANARY}.example/tier": "a"}
        notes = {"k8s.ovn.org/node-chassis-id": CANARY, "k8s.ovn.org/pod-networks": f'{{"{CANARY}": "\\n{CANARY}"}}'}
        metadata["annotations"] = {**notes, **metadata.get("annotations", {})}
    assert has_canary(bundled(cluster)) != []
    assert has_canary(bundled(cluster, "--anonymize")) == []


def test_what_is_free_text_is_left_out(bundled):
    cluster = BundledCluster("secondary")
    event = {"reportingComponent": "ovnguard-reconciler", "message": CANARY}
    cluster.objects.append(
        {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "default"}, **event}
    )
    metadata = {"name": "r", "namespace": "x", "labels": {"ovnguard.io/report": "zone"}}
    cluster.objects.append(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"report.json": CANARY}}
    )
    assert len(has_canary(bundled(cluster))) == 2
    file = bundled(cluster, "--anonymize")
    assert has_canary(file) == []
    assert not [name for name in contents(file.read_bytes()) if "_sbdb" in name or "/events/" in name]
    refused = "--logs: nobody can tell the names in a log; leave out --logs or --anonymize"
    assert run("bundle", "--anonymize", "--logs").err == refused
