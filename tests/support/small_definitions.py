"""Small definitions, compiled."""

from typing import Any

from validators.crd.compiled_crd import CompiledCRD, compile_crd


def definition(schema: dict[str, Any], **version: Any) -> dict[str, Any]:
    served = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, **version}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "foos.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "foos", "singular": "foo", "kind": "Foo", "listKind": "FooList"},
            "versions": [served],
        },
    }


def compiled(spec: dict[str, Any], kubernetes: str = "1.35", **version: Any) -> CompiledCRD:
    schema = {"type": "object", "properties": {"spec": spec}}
    return compile_crd(definition(schema, **version), kubernetes=kubernetes)
