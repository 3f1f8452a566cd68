"""A small CRD and its suites, written to a folder of the test."""

from pathlib import Path
from typing import Any

import yaml

NAME = "foos.example.com"


def crd(maximum: int = 10, **annotations: Any) -> dict[str, Any]:
    """`spec.size` from 1 to `maximum`, `spec.mode` that defaults to Auto, `status.size` of at most 5, no rules."""
    spec = {
        "type": "object",
        "properties": {
            "size": {"type": "integer", "minimum": 1, "maximum": maximum},
            "mode": {"type": "string", "default": "Auto"},
        },
    }
    status = {"type": "object", "properties": {"size": {"type": "integer", "maximum": 5}}}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": status}}},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": NAME, "annotations": annotations},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "foos", "singular": "foo", "kind": "Foo", "listKind": "FooList"},
            "versions": [version, {**version, "name": "v0", "served": False, "storage": False}],
        },
    }


def foo(**members: Any) -> str:
    """The YAML text of an object."""
    return yaml.safe_dump({"apiVersion": "example.com/v1", "kind": "Foo", **members})


def suite(create: list[dict[str, Any]], update: list[dict[str, Any]] | None = None, **members: Any) -> dict[str, Any]:
    """A suite of these cases for the CRD."""
    tests = {"onCreate": create, "onUpdate": update or []}
    return {"name": "Foo", "crdName": NAME, "version": "v1", "tests": tests, **members}


TOO_LARGE = "spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10"
GOOD = suite(
    [
        {"name": "defaults", "initial": foo(spec={"size": 1}), "expected": foo(spec={"size": 1, "mode": "Auto"})},
        {"name": "too large", "initial": foo(spec={"size": 11}), "expectedError": TOO_LARGE},
    ],
    [
        {
            "name": "grows",
            "initial": foo(spec={"size": 1}),
            "updated": foo(spec={"size": 2}),
            "expected": foo(spec={"size": 2, "mode": "Auto"}),
        }
    ],
)


def write(path: Path, *documents: Any) -> Path:
    """Write YAML documents and return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump_all(documents, sort_keys=False), encoding="utf-8")
    return path


def layout(root: Path, *suites: dict[str, Any], crds: dict[str, dict[str, Any]] | None = None) -> Path:
    """An openshift/api-like folder: example/v1 with CRDs and the suites 0.yaml, 1.yaml ...; returns the root."""
    place = root / "example" / "v1"
    for name, value in (crds or {"foos.yaml": crd()}).items():
        write(place / "zz_generated.crd-manifests" / name, value)
    for number, value in enumerate(suites):
        write(place / "tests" / NAME / f"{number}.yaml", value)
    return root
