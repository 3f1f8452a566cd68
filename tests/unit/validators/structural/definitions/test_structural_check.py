"""Structural schemas by release. Texts confirmed by the API server's own code, releases 1.35 and 1.36."""

from typing import Any

import pytest

from tests.support.differential.compare import definition
from tests.support.differential.definition_verdicts import our_texts

PATH = "spec.validation.openAPIV3Schema.properties"
NOT_EMPTY = "Forbidden: must be empty to be structural"


def branches(first: dict[str, Any]) -> dict[str, Any]:
    return {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer", **first}, {"type": "string"}]}


def texts(properties: dict[str, Any], kubernetes: str) -> list[str]:
    return our_texts(definition({"type": "object", "properties": properties}, status=False), kubernetes)


@pytest.mark.parametrize("documentation", [{"example": False}, {"externalDocs": {}}])
def test_documentation_counts_since_1_36(documentation: dict[str, Any]) -> None:
    metadata = {"metadata": {"type": "object", **documentation}}
    port = {"port": branches(documentation)}
    assert texts(metadata, "1.35") == texts(port, "1.35") == []
    assert texts(metadata, "1.36") == [
        f"{PATH}[metadata]: Forbidden: must not specify anything other than name and generateName,"
        " but metadata is implicitly specified"
    ]
    assert texts(port, "1.36") == [f"{PATH}[port].anyOf[{index}].type: {NOT_EMPTY}" for index in range(2)]


@pytest.mark.parametrize("documentation", [{"example": None}, {"externalDocs": None}])
def test_null_is_no_documentation(documentation: dict[str, Any]) -> None:
    properties = {"metadata": {"type": "object", **documentation}, "port": branches(documentation)}
    assert texts(properties, "1.36") == []
