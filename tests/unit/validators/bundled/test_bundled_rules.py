"""Every bundled CEL rule by its id, and the cases of each, which need neither definition nor server."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from ovnguard import crd_schemas
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.bundled.bundled_rules import PolicyRule, RulePath, SchemaRule, bundled_rules
from ovnguard.validators.bundled.rule_ids import cases
from tests.support.schema_case_files import nameless, wrong

rules = bundled_rules()


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
    assert rule.paths == (RulePath(file, "spec.defaultNetwork.ovnKubernetesConfig.transport"),)
    assert rule.evaluate("Geneve", "Geneve").ok
    refused = rule.evaluate("Geneve", "NoOverlay")
    assert (refused.ok, refused.message) == (False, "transport is immutable once set")
    assert rule.evaluate("Geneve").skipped
    assert len(rules["udn-topology-immutable"].paths) > 1


def test_validations_of_policies_by_id() -> None:
    rule = rules["primary-network-namespace.ovnguard.io/label-fixed"]
    assert isinstance(rule, PolicyRule)
    label = "k8s.ovn.org/primary-user-defined-network"
    assert rule.paths == (RulePath("policies/primary-network-namespace.yaml", f"metadata.labels[{label}]"),)
    plain = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "blue"}}
    labelled = {**plain, "metadata": {"name": "blue", "labels": {label: ""}}}
    assert rule.evaluate(labelled, labelled).ok
    refused = rule.evaluate(labelled, plain)
    assert (refused.ok, refused.message) == (False, rule.message)
    assert rule.evaluate(labelled).skipped
    with pytest.raises(ValueError, match="needs an object or an old object"):
        rule.evaluate(None, None)


def test_an_unknown_id_names_its_neighbours() -> None:
    with pytest.raises(
        KeyError, match="no bundled rule has the id 'network-transport-imutable'; close to it: network-tra"
    ):
        rules["network-transport-imutable"]
    with pytest.raises(KeyError, match="no bundled rule has the id 'zzz'"):
        rules["zzz"]
    assert "zzz" not in rules


@pytest.mark.parametrize("name", rules)
def test_line_of_a_rule_begins_with_its_expression(name: str) -> None:
    rule = rules[name]
    assert rule.kinds
    assert len(rule.lines) == len(rule.paths)
    for place in rule.lines:
        line = (Path(crd_schemas.__file__).parent / place.file).read_text(encoding="utf-8").splitlines()[place.line - 1]
        key, _, text = line.strip().removeprefix("- ").partition(": ")
        assert key in ("rule", "expression"), line
        assert text.startswith((">", "|", "'", '"')) or text in rule.rule, line


def test_line_and_kinds_of_a_rule() -> None:
    rule = rules["default-network-transport-immutable"]
    assert rule.kinds == ("Network",)
    text = crd_schemas.read(rule.lines[0].file).decode().splitlines()
    assert [place.file for place in rule.lines] == ["enhancement/operator.openshift.io/v1/networks.yaml"]
    assert "DefaultNetworkTransport field is immutable" in "".join(text[rule.lines[0].line - 1 :][:4])
    assert rules["interconnect-workloads.ovnguard.io/rollout-hung-empty"].kinds == (
        "DaemonSet",
        "Deployment",
        "StatefulSet",
    )
