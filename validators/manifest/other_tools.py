"""Recognises YAML and JSON files of other tools, which stand next to manifests but contain none for the API server."""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.manifest.files import is_file
from ovnguard.validators.manifest.positions import BadYAML
from ovnguard.validators.manifest.yaml_reader import load_all

_KUSTOMIZE: Final = "kustomize.config.k8s.io/"
_KUSTOMIZATIONS: Final = frozenset(("kustomization.yaml", "kustomization.yml"))
_CHART: Final = "Chart.yaml"
_VALUES: Final = re.compile(r"values[^/]*\.(ya?ml|json)")
_CHART_FOLDERS: Final = frozenset(("templates", "charts", "ci"))
_IN_OBJECTS: Final = frozenset(("apiVersion", "kind"))
_PACKAGES: Final = frozenset(("package.json", "package-lock.json", "tsconfig.json", "composer.json", "deno.json"))


def other_tool(path: Path, exists: Callable[[Path], bool] = is_file) -> str:
    """Return the tool whose file ``path`` is by its name and place, or "" for any other file.

    Kustomizations, files of Helm charts except their CRDs, and package files.
    """
    if path.name in _KUSTOMIZATIONS:
        return "Kustomization"
    if path.name in _PACKAGES:
        return "package file"
    if path.name in (_CHART, "Chart.yml") or (_VALUES.fullmatch(path.name) and exists(path.parent / _CHART)):
        return "Helm chart"
    if _CHART_FOLDERS.isdisjoint(path.parts):
        return ""
    for folder in path.parents:
        if folder.name in _CHART_FOLDERS and exists(folder.parent / _CHART):
            return "Helm chart"
    return ""


def tool_of(value: object) -> str:
    """Return the tool whose file has this content, or "" for what may be a manifest.

    What begins like an object of Kubernetes is one, even if something is missing.
    """
    if isinstance(value, list):
        is_patch = value and all(isinstance(each, dict) and {"op", "path"} <= each.keys() for each in value)
        return "JSON patch" if is_patch else ""
    if not isinstance(value, dict) or not _IN_OBJECTS.isdisjoint(value) or {"metadata", "spec"} <= value.keys():
        return ""
    return "Grafana dashboard" if {"panels", "schemaVersion"} <= value.keys() else ""


def is_kustomization(value: JsonObject) -> bool:
    """Return whether an object configures kustomize, which reads it on the client."""
    return str(value.get("apiVersion", "")).startswith(_KUSTOMIZE)


def patch_files(kustomization: str, limit: int) -> set[str]:
    """Return the normalised paths of the patches that a file names; ``limit`` is the number of bytes to read.

    A file that cannot be read names none: kustomize says what is wrong with it.
    """
    try:
        with Path(kustomization).open("rb") as stream:
            documents = [each.value for each in load_all(stream.read(limit))]
    except (OSError, BadYAML):
        return set()
    names = [name for value in documents if isinstance(value, dict) for name in _patch_names(value)]
    return {os.path.normpath(Path(kustomization).parent / name) for name in names}


def _patch_names(value: JsonObject) -> Iterator[str]:
    for key in ("patches", "patchesStrategicMerge"):
        listed = value.get(key)
        for each in listed if isinstance(listed, list) else ():
            name = each.get("path") if isinstance(each, dict) else each
            if isinstance(name, str):
                yield name
