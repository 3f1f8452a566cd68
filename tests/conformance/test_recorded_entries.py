"""Entries of pods' records are those that OVN-Kubernetes wrote for the same addresses, character by character."""

import json
from pathlib import Path

import pytest

from reconciler.loop.process.lifecycle import judge_live
from reconciler.plan.desired_state import judge_cluster
from reconciler.plan.pods.pod_entries import EntryFacts, pod_entry, with_entries
from reconciler.plan.pods.pod_objects import pods_of
from reconciler.plan.rows.settings import Settings, settings_of
from tests.conformance.test_recorded_rendering import recordings
from validators.base.json_types import JsonObject
from validators.network.cluster.cluster_facts import cluster_facts
from validators.network.cluster_view import ObjectsView

RECORD = "k8s.ovn.org/pod-networks"


@pytest.mark.parametrize("file", recordings(), ids=lambda file: file.stem)
def test_what_ovn_kubernetes_recorded(file: Path) -> None:
    data = json.loads(file.read_text(encoding="utf-8"))
    view = ObjectsView([data["operator"], *data["inputs"]], all_complete=True)
    known = judge_cluster(view, judge_live())
    nodes = {each.node.name: each.node for each in known.nodes if each.node is not None}
    networks = {each.name: each.network for each in known.networks.candidates if each.network is not None}
    facts = cluster_facts(view)
    entries = EntryFacts(settings_of(facts, Settings()), facts.service_subnets or ())
    written: dict[str, dict[str, JsonObject]] = {}
    for network, ports in pods_of(view).ports.items():
        for port in ports:
            if network in networks:
                entry = pod_entry(port, networks[network], nodes[port.node], entries)
                written.setdefault(port.title, {})[port.attachment] = entry
    recorded = {
        f"{obj['metadata']['namespace']}/{obj['metadata']['name']}": obj["metadata"].get("annotations", {}).get(RECORD)
        for obj in data["inputs"]
        if obj["kind"] == "Pod"
    }
    found = {pod: with_entries(None, record) for pod, record in written.items()}
    assert found == {pod: recorded[pod] for pod in found}
