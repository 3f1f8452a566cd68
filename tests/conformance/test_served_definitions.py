"""Released definitions are known to the webhook: nobody is warned of a schema that is only that of a feature set."""

from collections.abc import Iterator
from typing import Any

import pytest

from ovnguard import crd_schemas
from ovnguard.validators.bundled.catalog import Catalog
from ovnguard.validators.cluster.trim import definition as trimmed
from ovnguard.validators.manifest.yaml_reader import load_all
from ovnguard.webhook.admission.served_schemas import ServedSchemas
from tests.support.paths import ROOT, shared_folder

UPSTREAM = (shared_folder() or ROOT.parent / "shared") / "conformance"
BUNDLED = {crd_schemas.crd_name(*key) for key in crd_schemas.kinds()}
pytestmark = [
    pytest.mark.conformance,
    pytest.mark.skipif(not UPSTREAM.is_dir(), reason="no definitions of others next to this checkout"),
]


def released() -> Iterator[tuple[str, dict[str, Any]]]:
    """File and content of each definition of a bundled kind, of every feature set and profile."""
    for file in sorted(UPSTREAM.rglob("*.yaml")):
        if "tests" in file.parts or "featuregates" in file.parts:
            continue
        for document in load_all(file.read_bytes()):
            value = document.value
            if isinstance(value, dict) and value.get("metadata", {}).get("name") in BUNDLED:
                yield file.name, value


RELEASED = list(released()) if UPSTREAM.is_dir() else []


def test_there_are_definitions() -> None:
    assert len(RELEASED) > 20


@pytest.mark.parametrize(("file", "definition"), [pytest.param(*each, id=each[0]) for each in RELEASED])
def test_no_released_definition_is_strange(file: str, definition: dict[str, Any]) -> None:
    schemas = ServedSchemas(Catalog())
    schemas.take([trimmed(definition)])
    spec = definition["spec"]
    for version in spec["versions"]:
        obj = {"apiVersion": f"{spec['group']}/{version['name']}", "kind": spec["names"]["kind"]}
        found = schemas.served(obj)
        assert found is not None, file
        assert found.remarks == {version["name"]: ""}
