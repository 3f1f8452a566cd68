"""Every field that people write leads to a field that a schema has, by its dotted path."""

import pytest

from ovnguard import crd_schemas
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cli.hints.field_hints import field_hint
from ovnguard.validators.cli.hints.schema_places import fields_named, without_indexes
from ovnguard.validators.cli.hints.written_fields import OTHER_KINDS, OTHER_KINDS_VALUES, WRITTEN_FIELDS


def schemas(kind: str) -> list[JsonObject]:
    """The schemas of a bundled kind; ``Network`` is that of the cluster network operator."""
    found = [key for key in crd_schemas.kinds() if key[2] == kind]
    paths = dict.fromkeys(path for key in found for path in crd_schemas.paths(*key).values())
    versions = [crd_schemas.parsed(path)["spec"]["versions"][0] for path in paths]
    return [version["schema"]["openAPIV3Schema"] for version in versions]


def exists(path: str, schema: JsonObject) -> bool:
    return path in fields_named(path.rpartition(".")[2], schema)


ROWS = [(kind, *row) for kind, rows in WRITTEN_FIELDS.items() for row in rows.items()]


@pytest.mark.parametrize(("kind", "written", "real"), ROWS, ids=[f"{kind} {written}" for kind, written, _ in ROWS])
def test_a_written_field_leads_to_one_that_exists(kind: str, written: str, real: str) -> None:
    served = schemas(kind)
    assert not any(exists(written, schema) for schema in served)
    fitting = [schema for schema in served if exists(real, schema)]
    assert fitting
    assert {field_hint(written, {"kind": kind}, schema) for schema in fitting} == {f"did you mean {real}?"}


def test_there_are_more_than_forty() -> None:
    assert len(ROWS) > 40


@pytest.mark.parametrize("place", sorted({*OTHER_KINDS.values(), *OTHER_KINDS_VALUES.values()}))
def test_a_place_in_another_kind_exists(place: str) -> None:
    path, kind = place.split(" of a ")
    assert any(exists(path, schema) for schema in schemas(kind))


def test_the_hint_keeps_the_index() -> None:
    kind, path = "ClusterUserDefinedNetwork", "spec.network.layer3.subnets[1].hostPrefix"
    assert without_indexes(path) == "spec.network.layer3.subnets.hostPrefix"
    hint = field_hint(path, {"kind": kind}, schemas(kind)[0])
    assert hint == "did you mean spec.network.layer3.subnets[1].hostSubnet?"


def test_a_field_of_another_kind() -> None:
    kind = "UserDefinedNetwork"
    hint = "a UserDefinedNetwork has no such field; did you mean spec.network.localnet of a ClusterUserDefinedNetwork?"
    assert field_hint("spec.localnet", {"kind": kind}, schemas(kind)[0]) == hint
