"""`crd_schemas.rules`: every bundled CEL rule by its id, and the cases that need neither definition nor server."""

import subprocess
import sys
from collections.abc import Mapping

import pytest

from crd_schemas import rules
from tests.unit.crd_schemas.rulecases import nameless, wrong
from validators.base.json_types import JsonObject
from validators.bundled.bundled_rules import Place, PolicyRule, SchemaRule, cases


@pytest.mark.parametrize("entry", [pytest.param(entry, id=entry["id"]) for entry in cases()])
def test_cases_of_a_rule(entry: JsonObject) -> None:
    assert list(wrong(entry)) == []


def test_every_rule_of_a_definition_has_an_id() -> None:
    assert nameless() == []


def test_rules_by_id() -> None:
    assert isinstance(rules, Mapping)
    assert len(rules) == len(list(rules)) == len(set(rules))
    rule = rules["network-transport-immutable"]
    assert isinstance(rule, SchemaRule)
    file = "released/operator.openshift.io/v1/networks.yaml"
    assert (rule.id, rule.rule, rule.gate) == ("network-transport-immutable", "self == oldSelf", "NoOverlayMode")
    assert rule.places == (Place(file, "spec.defaultNetwork.ovnKubernetesConfig.transport"),)
    assert rule.evaluate("Geneve", "Geneve").ok
    refused = rule.evaluate("Geneve", "NoOverlay")
    assert (refused.ok, refused.message) == (False, "transport is immutable once set")
    assert rule.evaluate("Geneve").skipped
    assert len(rules["udn-topology-immutable"].places) > 1


def test_validations_of_policies_by_id() -> None:
    rule = rules["primary-network-namespace.ovnguard.io/label-fixed"]
    assert isinstance(rule, PolicyRule)
    label = "k8s.ovn.org/primary-user-defined-network"
    assert rule.places == (Place("policies/primary-network-namespace.yaml", f"metadata.labels[{label}]"),)
    plain = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "blue"}}
    labelled = {**plain, "metadata": {"name": "blue", "labels": {label: ""}}}
    assert rule.evaluate(labelled, labelled).ok
    refused = rule.evaluate(labelled, plain)
    assert (refused.ok, refused.message) == (False, rule.message)
    assert rule.evaluate(labelled).skipped
    with pytest.raises(ValueError, match="nothing"):
        rule.evaluate(None, None)


def test_an_unknown_id_names_its_neighbours() -> None:
    with pytest.raises(
        KeyError, match="no bundled rule has the id 'network-transport-imutable'; close to it: network-tra"
    ):
        rules["network-transport-imutable"]
    with pytest.raises(KeyError, match="no bundled rule has the id 'zzz'"):
        rules["zzz"]
    assert "zzz" not in rules


def test_other_names_are_no_attributes_and_nothing_is_imported_before_rules_are_asked_for() -> None:
    script = (
        "import sys, crd_schemas, crd_schemas.data; print('validators' in sys.modules, hasattr(crd_schemas, 'rulez'),"
        " 'network-transport-immutable' in crd_schemas.rules)"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["False", "False", "True"]
