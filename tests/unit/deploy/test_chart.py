"""The Helm chart is what the overlays say, and its values are those that its schema lists."""

import json
import re

import pytest
import yaml
from jsonschema import Draft7Validator

from tests.support.manifests.chart import CHART, files, stale

SCHEMA = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
VALUES = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))


def test_the_chart_is_that_of_the_overlays():
    assert [str(each.relative_to(CHART)) for each in stale()] == [], "run make chart"


def test_values_are_those_of_the_schema():
    listed = set()
    for name, schema in SCHEMA["properties"].items():
        listed |= {f"{name}.{part}" for part in schema.get("properties", ())} or {name}
    used = set(re.findall(r"\.Values\.([\w.]+)", "".join(files().values())))
    assert used == listed - {"global"}
    assert set(VALUES) == set(SCHEMA["properties"]) - {"global"}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, ""),
        ({"image": "registry.example.com:5000/ovnguard:1.0"}, ""),
        ({"image": f"registry.example.com/ovnguard@sha256:{'0a' * 32}"}, ""),
        ({"image": "registry.example.com:5000/ovnguard"}, "'registry.example.com:5000/ovnguard' does not match"),
        ({"overlay": "k3s"}, "'k3s' is not one of ['cert-manager', 'dev', 'kubernetes', 'openshift', 'own']"),
        ({"overlay": "own"}, ""),
        ({"overlay": "own", "reconciler": False}, "True was expected"),
        ({"replicas": {"webhook": 0}}, "0 is less than the minimum of 1"),
        ({"replicas": {"caBundle": 2}}, "('caBundle' was unexpected)"),
        ({"resources": {"cluster": {"limits": {"cpu": 1, "memory": "1Gi"}}}}, ""),
        ({"resources": {"cluster": {"limit": {}}}}, "('limit' was unexpected)"),
        ({"folders": {"ovn": "var/run/ovn"}}, "'var/run/ovn' does not match '^/'"),
        ({"webhook": {}}, "('webhook' was unexpected)"),
    ],
)
def test_what_the_schema_refuses(values, message):
    found = [error.message for error in Draft7Validator(SCHEMA).iter_errors(VALUES | values)]
    assert len(found) == bool(message), found
    assert all(message in each for each in found), found
