"""What the ids of findings about bundled definitions mean that are no rules of CEL."""

from collections.abc import Iterator

import pytest

from ovnguard import crd_schemas
from ovnguard.validators.bundled.bundled_rules import schema_of
from ovnguard.validators.cli.explain.keyword_explanations import is_keyword, keyword_explanations, places_of
from ovnguard.validators.structural.schema.schema import Schema, parse_schema
from tests.support.paths import ROOT

ROLE = "spec.network.layer2.role.enum"


def test_a_keyword_whole() -> None:
    (found,) = keyword_explanations(ROLE)
    assert (found.id, found.severity, found.message) == (ROLE, "error", "the value must be one of Primary, Secondary")
    assert (found.why, found.rule) == (
        "Whether the network carries a pod's default route.",
        'enum: ["Primary","Secondary"]',
    )
    assert (found.fields, found.kinds) == (("spec.network.layer2.role",), ("ClusterUserDefinedNetwork",))
    for location in found.locations:
        assert (ROOT / location.file).read_text().splitlines()[location.line - 1].strip().startswith("enum:")
    assert len(found.locations) == 2


def test_values_that_differ_have_an_entry_each() -> None:
    messages = {each.message for each in keyword_explanations("spec.type")}
    assert messages == {"the value must be of type object"}
    found = keyword_explanations("spec.required")
    assert len({each.message for each in found}) == len(found) > 1


@pytest.mark.parametrize("name", ["", "enum", "spec", "spec.nothing.enum", "spec.network.layer2.role.pattern", "x[0]"])
def test_what_no_definition_has(name: str) -> None:
    assert keyword_explanations(name) == []


def test_keywords() -> None:
    assert [is_keyword(name) for name in (ROLE, "enum", "spec.role", "spec.x-kubernetes-validations[0]")] == [
        True,
        True,
        False,
        False,
    ]


def _nodes(schema: Schema) -> Iterator[Schema]:
    yield schema
    branches = (*schema.all_of, *schema.any_of, *schema.one_of)
    for child in (*schema.properties.values(), schema.items, schema.additional, schema.negated, *branches):
        if child is not None:
            yield from _nodes(child)


@pytest.mark.parametrize("file", crd_schemas.definition_files())
def test_every_keyword_of_every_definition_has_its_place(file: str) -> None:
    for node in _nodes(parse_schema(schema_of(file))):
        for keyword in filter(is_keyword, node.source):
            assert file in {place.file for place in places_of(node.at(keyword))}, node.at(keyword)
