"""Small definitions, compiled."""

from collections.abc import Mapping
from typing import Any, Final

from ovnguard.validators.crd.compiled_crd import CompiledCRD, compile_crd

STATUS: Final[dict[str, Any]] = {"subresources": {"status": {}}}


def definition(schema: Mapping[str, Any], *, scope: str = "Namespaced", **version: Any) -> dict[str, Any]:
    """The definition of foos.example.com with one version, whose other fields are given."""
    served = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, **version}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "foos.example.com"},
        "spec": {
            "group": "example.com",
            "scope": scope,
            "names": {"plural": "foos", "singular": "foo", "kind": "Foo", "listKind": "FooList"},
            "versions": [served],
        },
    }


def compiled(spec: dict[str, Any], kubernetes: str = "1.35", **version: Any) -> CompiledCRD:
    schema = {"type": "object", "properties": {"spec": spec}}
    return compile_crd(definition(schema, **version), kubernetes=kubernetes)
