"""deploy/ as kustomize renders it, for unit tests and the chart. A test compares it with the real kustomize."""

import copy
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml
from jsonpatch import JsonPatch

from tests.support.paths import ROOT

DEPLOY: Final = ROOT / "deploy"
Document = dict[str, Any]
# The key that identifies the items of a list; other lists are replaced.
_KEYS: Final = {
    "containers": "name",
    "volumes": "name",
    "env": "name",
    "volumeMounts": "mountPath",
    "ports": "containerPort",
}


def identity(document: Document) -> tuple[str, str, str]:
    """Kind, namespace and name."""
    metadata = document["metadata"]
    return document["kind"], metadata.get("namespace", ""), metadata["name"]


def overlay(name: str) -> list[Document]:
    """The documents of an overlay."""
    return _built(DEPLOY / "overlays" / name)


def composed(components: Iterable[str]) -> list[Document]:
    """The documents of the base with these components."""
    documents = _built(DEPLOY / "base")
    for name in components:
        documents = _applied(DEPLOY / "components" / name, documents)
    return documents


def components_of(name: str) -> list[str]:
    """The components of an overlay, in order."""
    kustomization = _read(DEPLOY / "overlays" / name / "kustomization.yaml")[0]
    return [Path(each).name for each in kustomization.get("components", ())]


def _built(folder: Path) -> list[Document]:
    return _applied(folder, [])


def _applied(folder: Path, documents: list[Document]) -> list[Document]:
    """What a kustomization makes of the documents before it: resources, then components, then patches."""
    kustomization = _read(folder / "kustomization.yaml")[0]
    for each in kustomization.get("resources", ()):
        place = folder / each
        documents = [*documents, *(_built(place) if place.is_dir() else _read(place))]
    for each in kustomization.get("components", ()):
        documents = _applied((folder / each).resolve(), documents)
    for patch in kustomization.get("patches", ()):
        text = patch.get("patch") or (folder / patch["path"]).read_text(encoding="utf-8")
        for content in yaml.load_all(text, yaml.CSafeLoader):
            documents = list(_patched(documents, content, patch.get("target") or _target(content)))
    documents = [*documents, *(_config_map(folder, each) for each in kustomization.get("configMapGenerator", ()))]
    labels = {key: value for each in kustomization.get("labels", ()) for key, value in each["pairs"].items()}
    images = {each["name"]: f"{each['newName']}:{each['newTag']}" for each in kustomization.get("images", ())}
    if labels:
        documents = [_merged(each, {"metadata": {"labels": labels}}) for each in documents]
    return [_with_images(each, images) for each in documents]


def _config_map(folder: Path, generator: Document) -> Document:
    """A ConfigMap of files, as a generator without a suffix of its name makes it."""
    metadata = {key: generator[key] for key in ("name", "namespace")} | {"labels": generator["options"]["labels"]}
    named = (each.partition("=") for each in generator["files"])
    data = {key: (folder / file).read_text(encoding="utf-8") for key, _, file in named}
    return {"apiVersion": "v1", "kind": "ConfigMap", "data": data, "metadata": metadata}


def _with_images(document: Document, images: Mapping[str, str]) -> Document:
    """The document, its containers with images of these names."""
    if not images or document["kind"] not in ("DaemonSet", "Deployment"):
        return document
    made = copy.deepcopy(document)
    for container in made["spec"]["template"]["spec"]["containers"]:
        container["image"] = images.get(container["image"], container["image"])
    return made


@cache
def _read(file: Path) -> list[Document]:
    """The documents of a file, which nobody changes."""
    return [each for each in yaml.load_all(file.read_text(encoding="utf-8"), yaml.CSafeLoader) if each]


def _target(patch: Document) -> Document:
    metadata = patch["metadata"]
    return {"kind": patch["kind"], "name": metadata["name"], "namespace": metadata.get("namespace", "")}


def _patched(documents: Sequence[Document], patch: Any, target: Document) -> Iterator[Document]:
    for document in documents:
        if not _selects(target, document):
            yield document
        elif isinstance(patch, list):
            yield JsonPatch(patch).apply(document)
        elif patch.get("$patch") != "delete":
            yield _merged(document, patch)


def _selects(target: Document, document: Document) -> bool:
    metadata = document["metadata"]
    group = document["apiVersion"].rpartition("/")[0]
    found = {"kind": document["kind"], "name": metadata["name"], "group": group}
    found["namespace"] = metadata.get("namespace", "")
    labels = [f"{key}={value}" for key, value in metadata.get("labels", {}).items()]
    label = target.get("labelSelector")
    wanted = {key: value for key, value in target.items() if key != "labelSelector"}
    return (label is None or label in labels) and all(
        re.fullmatch(value, found[key]) is not None for key, value in wanted.items()
    )


def _merged(value: Any, patch: Any, key: str = "") -> Any:
    """A strategic merge."""
    if isinstance(value, dict) and isinstance(patch, dict):
        made = copy.copy(value)
        for name, each in patch.items():
            made[name] = _merged(made.get(name), each, name)
        return {name: each for name, each in made.items() if each is not None}
    if not isinstance(value, list) or key not in _KEYS:
        return patch
    if {"$patch": "replace"} in patch:
        return [each for each in patch if each != {"$patch": "replace"}]
    name = _KEYS[key]
    before = {each[name]: each for each in value}
    # first the items of the patch, then the others
    changed = [_merged(before.pop(each[name], {}), each) for each in patch]
    return [*changed, *before.values()]
