"""Findings of bundled definitions carry the stable ids of their rules, those of other definitions the schema path."""

import copy
from pathlib import Path
from typing import Any

import pytest

from ovnguard import crd_schemas
from ovnguard.validators.bundled.catalog import Catalog
from ovnguard.validators.bundled.rule_ids import identity_of
from ovnguard.validators.fast.disk_store import DiskStore

KEY = ("k8s.ovn.org", "v1", "ClusterUserDefinedNetwork")


def refused(catalog: Catalog) -> set[str]:
    """The rules that refuse a Layer3 network without its block."""
    network = {"topology": "Layer3"}
    obj: dict[str, Any] = {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "ClusterUserDefinedNetwork",
        "metadata": {"name": "blue"},
        "spec": {"namespaceSelector": {}, "network": network},
    }
    chosen = catalog.choose(obj)
    assert chosen is not None
    return {error.rule for error in chosen.request.verdict().errors}


def test_bundled_definitions() -> None:
    assert "udn-layer3-block" in refused(Catalog())


def test_ids_are_kept_with_a_stored_definition(tmp_path: Path) -> None:
    store = DiskStore(tmp_path / "compiled")
    assert refused(Catalog(store=store)) == refused(Catalog(store=store)) == refused(Catalog())


@pytest.mark.parametrize("name_given_rules", [False, True])
def test_given_definitions(name_given_rules: bool) -> None:
    definition = copy.deepcopy(crd_schemas.crds("enhancement")[KEY])
    rules = refused(Catalog([definition], name_given_rules=name_given_rules))
    assert ("udn-layer3-block" in rules) is name_given_rules
    assert any(rule.startswith("spec.network.x-kubernetes-validations[") for rule in rules) is not name_given_rules


def test_white_space_does_not_distinguish_rules() -> None:
    entry = {"rule": "self.a ==\n  self.b", "message": "a  is b"}
    assert identity_of(entry) == identity_of({"rule": " self.a == self.b ", "message": "a is b\n"})
    assert identity_of(entry) != identity_of({"rule": "self.a == self.b"})
