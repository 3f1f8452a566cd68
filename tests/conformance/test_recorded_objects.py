"""No object that OVN-Kubernetes' own controllers write, or that its documentation shows, is refused."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from ovnguard.validators.admission import Judgement, Operation, Request, judge
from ovnguard.validators.network.cluster_view import EmptyView, ObjectsView

Object = dict[str, Any]
CREATED: Final = frozenset({"NetworkAttachmentDefinition", "FRRConfiguration"})
# Users create these; controllers write their finalizers and conditions.
WITH_CONDITIONS: Final = frozenset({"ClusterUserDefinedNetwork", "UserDefinedNetwork", "RouteAdvertisements"})
UPDATED: Final = CREATED | WITH_CONDITIONS | {"EgressIP", "EgressService"}
PAGES: Final = (
    "docs/docs_features_hardware-offload_ovs-doca-8.yaml",
    "docs/docs_features_multiple-networks_multi-homing-0.yaml",
    "docs/docs_features_multiple-networks_multi-homing-1.yaml",
    "docs/docs_features_multiple-networks_multi-homing-2.yaml",
    "docs/docs_features_multiple-networks_multi-network-policies-0.yaml",
    "docs/docs_features_network-qos_usage-guide-1.yaml",
    "docs/docs_features_user-defined-networks_user-defined-networks-11.yaml",
    "okeps/docs_okeps_okep-5233-preconfigured-udn-addresses-7.yaml",
)


def recordings(shared: Path) -> Iterator[tuple[str, list[Object]]]:
    for file in sorted((shared / "conformance" / "ovnkube-rows").glob("*.json")):
        yield file.stem, json.loads(file.read_text(encoding="utf-8"))["inputs"]


def requests(obj: Object) -> Iterator[Request]:
    """Requests as the controllers send them for what they wrote."""
    if obj["kind"] in CREATED:
        yield Request(Operation.CREATE, obj)
    if obj["kind"] in UPDATED and "deletionTimestamp" not in obj["metadata"]:
        yield Request(Operation.UPDATE, obj, {**obj, "metadata": {**obj["metadata"], "finalizers": []}})
    if obj["kind"] in WITH_CONDITIONS and "status" in obj:
        without = {key: value for key, value in obj.items() if key != "status"}
        yield Request(Operation.UPDATE, obj, without, "status")


def test_objects_of_the_controllers_are_accepted(shared: Path) -> None:
    refused, asked = [], 0
    for name, world in recordings(shared):
        for obj in world:
            view = ObjectsView([each for each in world if each is not obj])
            for request in requests(obj):
                answer = judge(request, view)
                asked += 1
                if not answer.allowed:
                    refused.append((name, obj["kind"], obj["metadata"]["name"], _texts(answer)))
    assert refused == []
    assert asked > 500


@pytest.mark.parametrize("page", PAGES)
def test_attachments_of_the_documentation_are_accepted(page: str, shared: Path) -> None:
    text = (shared / "manifests" / "ovn-kubernetes" / page).read_text(encoding="utf-8")
    found = [obj for obj in yaml.safe_load_all(text) if obj["kind"] == "NetworkAttachmentDefinition"]
    assert found
    assert [_texts(judge(Request(Operation.CREATE, obj), EmptyView())) for obj in found] == [[]] * len(found)


def _texts(answer: Judgement) -> list[str]:
    return [error.text for error in answer.errors]
