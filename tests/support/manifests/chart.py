"""The Helm chart in deploy/chart, made of the overlays: `python -m tests.support.manifests.chart` writes it.

A template has the objects of one kind in all overlays, each line once: lines that only some overlays have stand between
`if` and `end`. Values replace the settings that they name; without them, those of the overlay stay. The namespace is
Helm's and no object of the chart; the notes say which labels it needs.
"""

import copy
import json
import re
import shutil
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import yaml

from tests.support.manifests.kustomized import DEPLOY, Document, identity, overlay
from tests.support.paths import ROOT

CHART: Final = DEPLOY / "chart"
OVERLAYS: Final = tuple(sorted(folder.name for folder in (DEPLOY / "overlays").iterdir()))
NAMESPACE: Final = "ovnguard-system"
_RECONCILER: Final = ("reconciler", "cluster")
_HEAD: Final = "{{- /* Made of deploy/overlays by `make chart`. */}}\n"
_ELSEWHERE: Final = (
    f'{{{{- if ne .Release.Namespace "{NAMESPACE}" }}}}{{{{ fail "ovnguard runs in the namespace {NAMESPACE}: '
    f'its policies name accounts there; use --namespace {NAMESPACE}" }}}}{{{{ end }}}}\n'
)
Line = tuple[str, frozenset[str]]


def files() -> dict[str, str]:
    """The generated files of the chart, by their paths in it."""
    rendered = {name: {identity(each): each for each in overlay(name)} for name in OVERLAYS}
    templates: dict[str, list[tuple[str, str]]] = {}
    for key in sorted({each for documents in rendered.values() for each in documents}):
        documents = {name: each[key] for name, each in rendered.items() if key in each}
        if key[0] == "Namespace":
            notes = _HEAD + _ELSEWHERE + _conditional({name: _labels(each) for name, each in documents.items()})
        else:
            templates.setdefault(f"templates/{key[0].lower()}.yaml", []).append(_object(documents))
    made = {name: _HEAD + _grouped(objects) for name, objects in templates.items()}
    return made | {"Chart.yaml": yaml.safe_dump(_chart(), sort_keys=False), "templates/NOTES.txt": notes}


def _grouped(objects: Iterable[tuple[str, str]]) -> str:
    """The objects of a kind, those with the same condition together."""
    made = ""
    for condition, texts in groupby(sorted(objects), key=lambda each: each[0]):
        text = "".join(text for _, text in texts)
        made += f"{{{{- if {condition} }}}}\n{text}{{{{- end }}}}\n" if condition else text
    return made


def _chart() -> Document:
    release = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    return {
        "apiVersion": "v2",
        "name": "ovnguard",
        "description": "Judges OVN-Kubernetes networks before they exist, and realises them",
        "type": "application",
        "version": release,
        "appVersion": release,
        "kubeVersion": ">=1.30.0-0",
    }


def _labels(namespace: Document) -> str:
    """The command that gives the namespace its labels."""
    labels = " ".join(f"{key}={value}" for key, value in sorted(namespace["metadata"]["labels"].items()))
    return f"kubectl label --overwrite namespace {NAMESPACE} {labels}\n"


def _object(documents: Mapping[str, Document]) -> tuple[str, str]:
    """When there is an object, and its template."""
    labels = next(iter(documents.values()))["metadata"].get("labels", {})
    conditions = [] if len(documents) == len(OVERLAYS) else [_among(documents)]
    if labels.get("app.kubernetes.io/component") in _RECONCILER:
        conditions.insert(0, ".Values.reconciler")
    condition = f"and {' '.join(f'({each})' for each in conditions)}" if len(conditions) > 1 else "".join(conditions)
    return condition, _conditional({name: f"---\n{_text(each)}" for name, each in documents.items()})


def _text(document: Document) -> str:
    """The YAML of an object, with values in their places."""
    made, values = copy.deepcopy(document), dict[str, str]()

    def value(expression: str) -> str:
        key = f"VALUE{len(values)}VALUE"
        values[key] = f"{{{{ {expression} }}}}"
        return key

    if document["kind"] in ("DaemonSet", "Deployment"):
        _with_values(made, value)
    text = yaml.dump(made, Dumper=_Dumper, sort_keys=False, width=120).replace("{{", '{{ "{{" }}')
    return re.sub(r"VALUE\d+VALUE", lambda found: values[found[0]], text)


def _with_values(workload: Document, value: Any) -> None:
    """Replace settings of a workload by what ``value`` makes of their expressions."""
    component = workload["metadata"]["labels"]["app.kubernetes.io/component"].replace("-b", "B")
    spec = workload["spec"]
    pod = spec["template"]["spec"]
    if component in ("webhook", "cluster"):
        spec["replicas"] = value(f".Values.replicas.{component} | default {spec['replicas']}")
    for container in pod["containers"]:
        container["image"] = value(f".Values.image | default {json.dumps(container['image'])} | quote")
        resources = json.dumps(container["resources"], separators=(",", ":"))
        given = f"(.Values.resources.{component} | default dict)"
        container["resources"] = value(f"mergeOverwrite (fromJson `{resources}`) {given} | toJson")
    for volume in pod.get("volumes", ()):
        if "hostPath" in volume:
            path = volume["hostPath"]["path"]
            volume["hostPath"]["path"] = value(f".Values.folders.{volume['name']} | default {json.dumps(path)} | quote")


def _conditional(texts: Mapping[str, str]) -> str:
    """One text with the lines of all overlays that are given, in which each finds its own."""
    made = ""
    for names, lines in groupby(_merged(texts), key=lambda line: line[1]):
        text = "".join(line for line, _ in lines)
        made += text if names == texts.keys() else f"{{{{- if {_among(names)} }}}}\n{text}{{{{- end }}}}\n"
    return made


def _among(names: Iterable[str]) -> str:
    """Whether the overlay is one of these."""
    return f"has .Values.overlay (list {' '.join(map(json.dumps, sorted(names)))})"


def _merged(texts: Mapping[str, str]) -> Sequence[Line]:
    """The lines of all texts in an order that keeps that of each, with the overlays that have them."""
    merged: list[Line] = []
    for name, text in texts.items():
        lines, before = text.splitlines(keepends=True), merged
        merged = []
        matcher = SequenceMatcher(None, [line for line, _ in before], lines, autojunk=False)
        for tag, start, end, new_start, new_end in matcher.get_opcodes():
            if tag == "equal":
                merged += [(line, names | {name}) for line, names in before[start:end]]
            else:
                merged += [*before[start:end], *((line, frozenset({name})) for line in lines[new_start:new_end])]
    return merged


class _Dumper(yaml.CSafeDumper):
    """Texts of several lines as they are, and lists of words on one line."""


def _text_node(dumper: yaml.CSafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, "|" if "\n" in text else None)


def _list_node(dumper: yaml.CSafeDumper, items: list[Any]) -> yaml.SequenceNode:
    flow = all(isinstance(each, str) and len(each) < 60 and "\n" not in each for each in items)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow)


_Dumper.add_representer(str, _text_node)
_Dumper.add_representer(list, _list_node)


def stale() -> Iterator[Path]:
    """Generated files that are not what the overlays say, and templates that no overlay makes."""
    wanted = {CHART / name: text for name, text in files().items()}
    yield from (file for file, text in wanted.items() if not file.is_file() or file.read_text("utf-8") != text)
    yield from {*(CHART / "templates").iterdir()} - wanted.keys()


def main() -> None:
    """Write the generated files."""
    shutil.rmtree(CHART / "templates", ignore_errors=True)
    (CHART / "templates").mkdir()
    for name, text in files().items():
        (CHART / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
