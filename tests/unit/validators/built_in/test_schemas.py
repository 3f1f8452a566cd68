"""The schemas of built-in kinds: what the API server's OpenAPI definitions say, references replaced."""

from typing import Any

import pytest

from ovnguard.validators.base.field import NEWEST_MINOR, OLDEST_MINOR
from ovnguard.validators.built_in.schemas import kinds_of_release, schema_of

CORE = "io.k8s.api.core.v1."
TEXT = {"type": "string"}
WHOLE = {"type": "integer"}
TIME = {"type": "string", "format": "date-time"}


def at(schema: Any, *path: str) -> Any:
    """The schema at a path: properties by name, the elements of lists and maps as ``*``."""
    for step in path:
        inner = schema.get("items") or schema.get("additionalProperties")
        schema = inner if step == "*" else schema["properties"][step]
    return schema


@pytest.mark.parametrize(
    ("struct", "path", "expected"),
    [
        ("Pod", "metadata.creationTimestamp", TIME),
        ("Pod", "metadata.labels", {"type": "object", "additionalProperties": TEXT}),
        ("Pod", "metadata.managedFields.*.fieldsV1", {"type": "object"}),
        ("Pod", "spec.hostNetwork", {"type": "boolean"}),
        ("Pod", "spec.activeDeadlineSeconds", WHOLE),
        ("Pod", "spec.containers.*.ports.*.protocol", TEXT),
        ("Pod", "spec.containers.*.resources.limits", {"type": "object", "additionalProperties": {}}),
        ("Pod", "spec.containers.*.volumeMounts.*.mountPath", TEXT),
        ("Pod", "spec.volumes.*.emptyDir.sizeLimit", {}),
        ("Secret", "data", {"type": "object", "additionalProperties": {"type": "string", "format": "byte"}}),
        ("Service", "spec.ports.*.targetPort", {"x-kubernetes-int-or-string": True}),
        ("Event", "eventTime", TIME),
    ],
)
def test_the_schema_of_a_field(struct: str, path: str, expected: object) -> None:
    assert at(schema_of(CORE + struct, 35), *path.split(".")) == expected


def test_a_struct_inside_itself_has_no_fields() -> None:
    (definition,) = (each for each in kinds_of_release(35) if each.kind == "CustomResourceDefinition")
    node = at(schema_of(definition.struct, 35), "spec", "versions", "*", "schema", "openAPIV3Schema")
    assert at(node, "properties") == {"type": "object", "additionalProperties": {"type": "object"}}
    assert (at(node, "default"), at(node, "items"), at(node, "enum")) == ({}, {}, {"type": "array", "items": {}})


def test_a_release_has_the_fields_of_its_own() -> None:
    assert "resources" not in at(schema_of(f"{CORE}Pod", 31), "spec")["properties"]
    assert "resources" in at(schema_of(f"{CORE}Pod", 32), "spec")["properties"]


@pytest.mark.parametrize("release", range(OLDEST_MINOR, NEWEST_MINOR + 1))
def test_every_kind_of_a_release_has_a_schema(release: int) -> None:
    kinds = kinds_of_release(release)
    assert len(kinds) > 70
    for each in kinds:
        assert {"apiVersion", "kind", "metadata"} <= schema_of(each.struct, release)["properties"].keys()


@pytest.mark.parametrize(
    ("group", "kind", "version", "resource"),
    [
        ("", "Endpoints", "v1", "endpoints"),
        ("apps", "Deployment", "v1", "deployments"),
        ("networking.k8s.io", "NetworkPolicy", "v1", "networkpolicies"),
        ("networking.k8s.io", "Ingress", "v1", "ingresses"),
    ],
)
def test_the_resource_of_a_kind(group: str, kind: str, version: str, resource: str) -> None:
    found = [each[1:4] for each in kinds_of_release(35) if (each.group, each.kind) == (group, kind)]
    assert found == [(version, kind, resource)]
