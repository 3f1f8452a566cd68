from typing import Any

import pytest

from validators.crd import CompiledCRD, InvalidCRD, compile_crd


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


def compiled(spec: dict[str, Any], **version: Any) -> CompiledCRD:
    return compile_crd(definition({"type": "object", "properties": {"spec": spec}}, **version))


def test_attributes() -> None:
    crd = compiled({"type": "object"}, subresources={"status": {}})
    assert (crd.group, crd.version, crd.kind, crd.plural, crd.scope, crd.has_status) == (
        "example.com",
        "v1",
        "Foo",
        "foos",
        "Namespaced",
        True,
    )


def test_a_version_that_is_not_served_is_refused() -> None:
    with pytest.raises(InvalidCRD, match="v2 is not served") as caught:
        compile_crd(definition({"type": "object"}), version="v2")
    assert [error.field for error in caught.value.errors] == ["spec.versions"]


def test_a_kubernetes_version_before_the_first_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Kubernetes 1\.28 is older than 1\.29"):
        compile_crd(definition({"type": "object"}), kubernetes="1.28")
