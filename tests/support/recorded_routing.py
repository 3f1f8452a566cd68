"""Objects and conditions about routes that OVN-Kubernetes' cluster manager wrote, next to those of our plan.

``python -m tests.support.recorded_routing [WORD...]`` lists the differences of the recordings whose names hold a word.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.support.reconciler_cli import run
from tests.support.recorded_rows import manifests, recorded_zones, recording

GENERATED = "ovnk-generated-"
MANAGED = "ovnk-managed-bgp"
IDENTITY = "k8s.ovn.org/route-advertisements"
LABEL = "k8s.ovn.org/managed-bgp"
_ROUTING = ("RouteAdvertisements", "FRRConfiguration")

# The states of a default network's transport, in the order in which it usually gets there.
_ORDER = ("NoRouteAdvertisements", "RouteAdvertisementsNotAccepted", "NoOverlayConfigurationReady")

Objects = dict[str, dict[str, Any]]


def recordings() -> list[str]:
    """The recordings with objects about routes, or with networks without an overlay."""
    names = sorted({zone.recording for zone in recorded_zones()})
    return [name for name in names if _is_about_routes(recording(name))]


def differences(name: str) -> list[str]:
    """What of a recording the plan does not say, and the other way round."""
    data = recording(name)
    planned = planned_from(name)
    documents = [*planned["documents"], *_completed(planned, data["inputs"])]
    found = list(_compared(written_objects(data["inputs"]), written_objects(documents)))
    found += _compared(statuses(data["inputs"]), statuses(planned["statuses"]))
    if "events" in data:
        found += _compared(last_event(data["events"]), state_of(planned["default_network"]))
    return found


def planned_from(name: str, *, fresh: bool = True) -> dict[str, Any]:
    """The plan of the inputs of a recording, without what the cluster manager wrote if ``fresh``."""
    with TemporaryDirectory() as folder:
        options = manifests(name, Path(folder))
        if fresh:
            file = Path(folder) / "networks.json"
            items = [before_routing(each) for each in json.loads(file.read_text())["items"] if not is_written(each)]
            file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
        planned: dict[str, Any] = json.loads(run("plan", *options, "-o", "json").out)
    return planned


def is_written(obj: dict[str, Any]) -> bool:
    """Whether the cluster manager wrote the whole object to make routes."""
    if obj["kind"] == "NetworkAttachmentDefinition":
        return bool(obj["metadata"]["name"] == "default")
    return obj["kind"] in _ROUTING and obj["metadata"]["name"].startswith((GENERATED, MANAGED))


def before_routing(obj: dict[str, Any]) -> dict[str, Any]:
    """An object without what the cluster manager wrote into it to make routes."""
    metadata = dict(obj["metadata"])
    metadata["annotations"] = {key: each for key, each in metadata.get("annotations", {}).items() if key != IDENTITY}
    metadata["labels"] = {key: each for key, each in metadata.get("labels", {}).items() if key != LABEL}
    plain = {**obj, "metadata": metadata}
    if obj["kind"] in ("RouteAdvertisements", "ClusterUserDefinedNetwork"):
        plain.pop("status", None)
    return plain


def written_objects(objects: Iterable[dict[str, Any]]) -> Objects:
    """What makes routes in ``objects``, by a name with a meaning: whole objects, annotations and labels."""
    found: Objects = {}
    for obj in objects:
        kind, metadata = obj["kind"], obj["metadata"]
        notes, labels = metadata.get("annotations", {}), metadata.get("labels", {})
        place = f"{metadata.get('namespace', '')}/{metadata['name']}"
        if kind == "NetworkAttachmentDefinition" and json.loads(notes.get(IDENTITY, "[]")):
            found[f"{kind} {place}"] = {"names": sorted(json.loads(notes[IDENTITY]))}
        elif kind == "ClusterUserDefinedNetwork" and LABEL in labels:
            found[f"{kind} {place}"] = {"label": labels[LABEL]}
        elif is_written(obj) and kind in _ROUTING:
            name = f"{metadata.get('namespace', '')} {notes[IDENTITY]}" if IDENTITY in notes else place
            found[f"{kind} {name}"] = {"labels": labels, "spec": obj["spec"]}
    return found


def statuses(objects: Iterable[dict[str, Any]]) -> Objects:
    """Conditions about routes of ``objects``, without their times."""
    found: Objects = {}
    for obj in objects:
        for condition in obj.get("status", {}).get("conditions", ()):
            if condition["type"] in ("Accepted", "TransportAccepted"):
                kept = {key: condition[key] for key in ("status", "reason", "message")}
                found[f"{obj['kind']} {obj['metadata']['name']} {condition['type']}"] = kept
        if obj["kind"] == "RouteAdvertisements" and "status" in obj:
            found[f"{obj['kind']} {obj['metadata']['name']}"] = {"status": obj["status"]["status"]}
    return found


def last_event(events: Iterable[dict[str, Any]]) -> Objects:
    """The Event about the default network's transport that the recorded state ended with.

    Events have no order. A state is reported when it changes, and again when it returns, so that a network which was
    ready and is not has as many warnings of the last kind as before and one more; the recordings tell one end each.
    """
    about = [each for each in events if each["involvedObject"]["kind"] == "NetworkAttachmentDefinition"]
    found = {each["reason"]: each for each in about if each["reason"] in _ORDER}
    if not found:
        return {}
    counts = {reason: each["count"] for reason, each in found.items()}
    ready, missing = counts.get(_ORDER[-1], 0), counts.get(_ORDER[0], 0)
    reason = _ORDER[0] if ready and missing > ready else max(found, key=_ORDER.index)
    return {"default network": {key: found[reason][key] for key in ("type", "reason", "message")}}


def state_of(planned: dict[str, Any] | None) -> Objects:
    """The planned state of the default network's transport."""
    return {} if planned is None else {"default network": planned}


def _completed(planned: dict[str, Any], inputs: Iterable[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    """The recorded objects that the plan changes, as it wants them."""
    known = {(each["kind"], each["metadata"].get("namespace"), each["metadata"]["name"]): each for each in inputs}
    for patch in planned["patches"]:
        metadata = patch["metadata"]
        assert (patch["kind"], metadata.get("namespace"), metadata["name"]) in known
        yield patch


def _compared(recorded: Objects, planned: Objects) -> Iterable[str]:
    for name in sorted({*recorded, *planned}):
        one, other = recorded.get(name), planned.get(name)
        if one != other:
            sides = (json.dumps(each, sort_keys=True) for each in (one, other))
            yield "\n  ".join([f"{name}: recorded, planned", *sides])


def _is_about_routes(data: dict[str, Any]) -> bool:
    kinds = {each["kind"] for each in data["inputs"]}
    return not kinds.isdisjoint(_ROUTING) or '"NoOverlay"' in json.dumps([data["operator"], data["inputs"]])


def main(words: list[str]) -> None:
    """Print the differences of each recording."""
    for name in recordings():
        if not words or any(word in name for word in words):
            found = differences(name)
            print(f"{name}: {len(found)} differences", *found, sep="\n  ")


if __name__ == "__main__":
    main(sys.argv[1:])
