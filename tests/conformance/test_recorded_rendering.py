"""The attachments that the leader renders are those that OVN-Kubernetes' cluster manager rendered, character by
character."""

import json
from pathlib import Path

import pytest

from reconciler.loop.process.lifecycle import judge_live
from reconciler.plan.desired_state import judge_cluster
from reconciler.plan.pods.rendered_attachments import attachment_places, rendered_attachment
from tests.support.paths import shared_folder
from validators.base.json_types import JsonObject
from validators.network.cluster.inventory import inventory_of
from validators.network.cluster_view import ObjectsView

# What routing writes on attachments, and what the API server adds.
ROUTES = "k8s.ovn.org/route-advertisements"
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


@pytest.mark.parametrize("file", recordings(), ids=lambda file: file.stem)
def test_what_the_cluster_manager_rendered(file: Path) -> None:
    data = json.loads(file.read_text(encoding="utf-8"))
    objects = [data["operator"], *data["inputs"]]
    view = ObjectsView(objects, all_complete=True)
    known = judge_cluster(view, judge_live()).networks
    ready = {network.name for network in known.ready}
    candidates = [each for each in known.candidates if each.name in ready]
    rendered = [
        rendered_attachment(each.object, each.network, namespace, MTU)
        for each, namespace in attachment_places(candidates, inventory_of(view))
        if each.network is not None
    ]
    recorded = [
        obj
        for obj in data["inputs"]
        if obj["kind"] == "NetworkAttachmentDefinition" and obj["metadata"].get("ownerReferences")
    ]
    left = NOT_RENDERED.get(file.stem, set())
    expected = {place(obj): shown(obj) for obj in recorded if place(obj) not in left}
    assert {place(obj): shown(obj) for obj in rendered} == expected
    assert left <= {place(obj) for obj in recorded}
