"""Bundled definitions beside the upstream ones: the same structure and rules, and upstream's own suites pass."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from ovnguard import crd_schemas
from ovnguard.validators.suite.runner import run_suites
from tests.support.paths import ROOT, shared_folder

UPSTREAM = (shared_folder() or ROOT.parent / "shared") / "conformance"
CONFIG = UPSTREAM / "openshift-api/config/v1"
BUNDLED = Path(crd_schemas.__file__).parent

pytestmark = [
    pytest.mark.conformance,
    pytest.mark.skipif(not UPSTREAM.is_dir(), reason="no upstream data next to this checkout"),
]

DNS_CHOICES = (
    "AWSClusterHostedDNS",
    "AWSClusterHostedDNSInstall",
    "AzureClusterHostedDNSInstall",
    "GCPClusterHostedDNS",
    "GCPClusterHostedDNSInstall",
)


@pytest.mark.parametrize("suite", DNS_CHOICES)
def test_the_suites_of_the_dns_choice_pass(suite: str) -> None:
    report = run_suites(
        [CONFIG / f"tests/infrastructures.config.openshift.io/{suite}.yaml"], crds=[BUNDLED / "released"]
    )
    assert [case.message for case in report.cases if not case.passed] == []
    assert len(report.cases) == 7


def test_the_suites_of_the_dns_zones_pass() -> None:
    report = run_suites([CONFIG / "tests/dnses.config.openshift.io"], crds=[BUNDLED / "common"])
    assert [case.message for case in report.cases if not case.passed] == []
    assert len(report.cases) == 14


SAME = [
    (
        "frr-k8s/crds/frrk8s.metallb.io_frrconfigurations.yaml",
        "common/frrk8s.metallb.io/v1beta1/frrconfigurations.yaml",
    ),
    (
        "openshift-api/config/v1/zz_generated.crd-manifests/0000_10_config-operator_01_dnses-CustomNoUpgrade.crd.yaml",
        "common/config.openshift.io/v1/dnses.yaml",
    ),
]


@pytest.mark.parametrize(("upstream", "bundled"), SAME)
def test_whole_definitions_differ_in_descriptions_only(upstream: str, bundled: str) -> None:
    theirs, ours = _spec(UPSTREAM / upstream), _spec(BUNDLED / bundled)
    assert ours == theirs


def test_the_released_infrastructure_is_upstreams_but_for_a_default_that_a_gate_adds() -> None:
    manifests = CONFIG / "zz_generated.crd-manifests"
    theirs = _spec(next(manifests.glob("*_infrastructures-SelfManagedHA-CustomNoUpgrade.crd.yaml")))
    ours = _spec(BUNDLED / "released/config.openshift.io/v1/infrastructures.yaml")
    assert _azure(ours)["ipFamily"] | {"default": "IPv4"} == _azure(theirs)["ipFamily"]
    gates = yaml.safe_load((BUNDLED / "gates.yaml").read_text(encoding="utf-8"))
    gate = gates["crds"]["infrastructures.config.openshift.io"]["*"]["AzureDualStackInstall"]
    assert _bare(gate["adds"]["status.platformStatus.azure.ipFamily"]) == _azure(theirs)["ipFamily"]
    _azure(ours)["ipFamily"] = _azure(theirs)["ipFamily"]
    assert ours == theirs


def test_of_the_suites_of_infrastructure_only_what_gates_change_fails() -> None:
    report = run_suites([CONFIG / "tests/infrastructures.config.openshift.io"], crds=[BUNDLED / "released"])
    failed = [(case.suite, case.case) for case in report.cases if not case.passed]
    assert failed == [
        # Asks for VSphereMultiVCenterDay2 to be off, which is on in the file.
        ("AAA_ungated.yaml", "Should allow keeping an invalid persisted vcenters array (empty) in spec unchanged"),
        ("AzureDualStackInstall.yaml", "ipFamily should default to `IPv4` when not specified in Azure platform status"),
        (
            "AzureDualStackInstall.yaml",
            "Should not be able to unset ipFamily once it has been set in Azure platform status",
        ),
    ]
    assert len(report.cases) == 251


def _azure(spec: dict[str, Any]) -> dict[str, Any]:
    status = _schema(spec)["properties"]["status"]["properties"]["platformStatus"]
    properties: dict[str, Any] = status["properties"]["azure"]["properties"]
    return properties


def _spec(file: Path) -> dict[str, Any]:
    spec: dict[str, Any] = _bare(yaml.safe_load(file.read_text(encoding="utf-8"))["spec"])
    return spec


def _schema(spec: dict[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = spec["versions"][0]["schema"]["openAPIV3Schema"]
    return schema


def _bare(node: Any) -> Any:
    """A schema without what only people read."""
    if isinstance(node, dict):
        return {
            key: _bare(value) for key, value in node.items() if not (key == "description" and isinstance(value, str))
        }
    if isinstance(node, list):
        bare = [_bare(item) for item in node]
        return sorted(bare, key=repr) if all(isinstance(item, str) for item in bare) else bare
    return node
