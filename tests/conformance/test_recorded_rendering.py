"""Attachments, and entries of pods' records, are those that OVN-Kubernetes wrote for the same objects, character by
character."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from ovnguard.reconciler.plan.desired_state import JudgedCluster, judge_cluster
from ovnguard.reconciler.plan.pods.pod_entries import EntryFacts, pod_entry, with_entries
from ovnguard.reconciler.plan.pods.pod_objects import pods_of
from ovnguard.reconciler.plan.pods.rendered_attachments import attachment_places, rendered_attachment
from ovnguard.reconciler.plan.rows.settings import Settings, settings_of
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.cluster_facts import cluster_facts
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster_view import ObjectsView
from tests.support.live_judge import judge_live
from tests.support.paths import shared_folder

# What routing writes on attachments.
ROUTES = "k8s.ovn.org/route-advertisements"
RECORD = "k8s.ovn.org/pod-networks"
KEYS = ("name", "namespace", "labels", "annotations", "finalizers", "ownerReferences")
# A network that is being deleted needs no attachment, and keeps those that pods use. ovnguard refuses the network of
# refused-routing.
DELETED = {"blue/blue", "red/net"}
NOT_RENDERED = {
    "delete-cudn@in-use": DELETED,
    "delete-cudn@namespace-left": DELETED,
    "refused-routing": {"blue/blue"},
}
MTU = 1400


def recordings() -> list[Path]:
    shared = shared_folder()
    folders = () if shared is None else (shared / "conformance", shared / "recordings")
    return sorted(file for folder in folders for file in (folder / "ovnkube-rows").glob("*.json"))


def shown(obj: JsonObject) -> JsonObject:
    metadata = {key: obj["metadata"].get(key) for key in KEYS}
    metadata["annotations"] = {key: text for key, text in metadata["annotations"].items() if key != ROUTES}
    return {**obj, "metadata": metadata}


def place(obj: JsonObject) -> str:
    return f"{obj['metadata']['namespace']}/{obj['metadata']['name']}"


def rendered(view: ObjectsView, known: JudgedCluster) -> list[JsonObject]:
    """The attachments of all networks that have their numbers."""
    ready = {network.name for network in known.networks.ready}
    candidates = [each for each in known.networks.candidates if each.name in ready]
    return [
        rendered_attachment(each.object, each.network, namespace, MTU)
        for each, namespace in attachment_places(candidates, inventory_of(view))
        if each.network is not None
    ]


def recorded_again(view: ObjectsView, known: JudgedCluster) -> Mapping[str, Mapping[str, JsonObject]]:
    """Entries of each pod's record, from the addresses, MACs and keys that it has; of accepted networks."""
    nodes = {each.node.name: each.node for each in known.nodes if each.node is not None}
    networks = {each.name: each.network for each in known.networks.candidates if each.network is not None}
    facts = cluster_facts(view)
    entries = EntryFacts(settings_of(facts, Settings()), facts.service_subnets or ())
    found: dict[str, dict[str, JsonObject]] = {}
    for network, ports in pods_of(view).ports.items():
        for port in ports:
            if network in networks and port.node in nodes:
                entry = pod_entry(port, networks[network], nodes[port.node], entries)
                found.setdefault(port.title, {})[port.attachment] = entry
    return found


@pytest.mark.parametrize("file", recordings(), ids=lambda file: file.stem)
def test_what_ovn_kubernetes_rendered_and_recorded(file: Path) -> None:
    data = json.loads(file.read_text(encoding="utf-8"))
    view = ObjectsView([data["operator"], *data["inputs"]], all_complete=True)
    known = judge_cluster(view, judge_live())
    attachments = [
        obj
        for obj in data["inputs"]
        if obj["kind"] == "NetworkAttachmentDefinition" and obj["metadata"].get("ownerReferences")
    ]
    left = NOT_RENDERED.get(file.stem, set())
    assert left <= {place(obj) for obj in attachments}
    expected = {place(obj): shown(obj) for obj in attachments if place(obj) not in left}
    assert {place(obj): shown(obj) for obj in rendered(view, known)} == expected
    pods = {place(obj): obj["metadata"].get("annotations", {}) for obj in data["inputs"] if obj["kind"] == "Pod"}
    for pod, entries in recorded_again(view, known).items():
        record = json.loads(pods[pod][RECORD])
        # with the order of the members
        assert with_entries(None, entries) == with_entries(None, {key: record[key] for key in entries})
