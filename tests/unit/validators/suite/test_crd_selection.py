from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ovnguard.validators.suite.crd_selection import fits, version_of
from ovnguard.validators.suite.suite import Definition, Suite, SuiteFault

SELF_MANAGED = "include.release.openshift.io/self-managed-high-availability"
HYPERSHIFT = "include.release.openshift.io/ibm-cloud-managed"
FEATURE_SET = "release.openshift.io/feature-set"
MAJOR = "release.openshift.io/major-version"


def definition(*versions: str, **annotations: str) -> Definition:
    names = {"profile": SELF_MANAGED, "hypershift": HYPERSHIFT, "features": FEATURE_SET, "major": MAJOR}
    value = {
        "metadata": {"name": "foos.example.com", "annotations": {names[key]: annotations[key] for key in annotations}},
        "spec": {"versions": [{"name": name} for name in versions]},
    }
    return Definition(Path("/crd.yaml"), "crd.yaml", value)


def manifest(features: str | None, majors: str | None, on: list[str], off: list[str], profile: str) -> dict[str, Any]:
    annotations = {profile: "false-except-for-the-operator", FEATURE_SET: features, MAJOR: majors}
    gates = {"enabled": [{"name": name} for name in on], "disabled": [{"name": name} for name in off]}
    return {
        "metadata": {"annotations": {key: value for key, value in annotations.items() if value is not None}},
        "status": {"featureGates": [gates, {"enabled": [{"name": "Ignored"}]}]},
    }


PAYLOAD = [
    manifest("Default", "4,5", ["Old"], ["New"], HYPERSHIFT),
    manifest("Default", "4,5", ["Old"], ["New", "Newer"], SELF_MANAGED),
    manifest("TechPreviewNoUpgrade", "4,5", ["Old", "New"], ["Newer"], SELF_MANAGED),
    manifest("TechPreviewNoUpgrade", "10", ["Old", "New", "Newer"], [], SELF_MANAGED),
]


@pytest.mark.parametrize(
    ("gates", "annotations", "chosen"),
    [
        ([], {"profile": "true", "features": "Default"}, True),
        (["New"], {"profile": "true", "features": "CustomNoUpgrade"}, True),
        (["Unknown"], {"profile": "true", "features": "Default,CustomNoUpgrade"}, True),
        (["-New"], {"profile": "true", "features": "CustomNoUpgrade"}, False),
        (["New"], {}, True),
        (["New"], {"profile": "false", "features": "Default"}, True),
        (["New"], {"profile": "true", "features": "Default"}, False),
        (["-New"], {"profile": "true", "features": "Default"}, True),
        (["New"], {"profile": "true"}, False),
        (["New"], {"profile": "true", "features": "TechPreviewNoUpgrade"}, True),
        (["New", "-Newer"], {"profile": "true", "features": "TechPreviewNoUpgrade"}, True),
        (["New", "Newer"], {"profile": "true", "features": "TechPreviewNoUpgrade"}, False),
        (["New", "Newer"], {"profile": "true", "features": "TechPreviewNoUpgrade", "major": "10"}, True),
        (["New", "Newer"], {"profile": "true", "features": "TechPreviewNoUpgrade", "major": "5,x"}, False),
        (["New"], {"profile": "true", "features": "TechPreviewNoUpgrade,Default"}, False),  # the first file counts
        (["Old"], {"hypershift": "true", "profile": "true", "features": "Default"}, True),
    ],
)
def test_feature_gates(gates: list[str], annotations: dict[str, str], chosen: bool) -> None:
    assert fits(gates, definition(**annotations), PAYLOAD) is chosen


@pytest.mark.parametrize(
    ("gates", "annotations", "message"),
    [
        (
            ["New"],
            {"profile": "true", "features": "DevPreviewNoUpgrade,OKD"},
            f"crd.yaml: no FeatureGate manifest is for cluster profile {SELF_MANAGED} and feature set "
            "DevPreviewNoUpgrade, OKD; name their folder with --feature-gates",
        ),
        (
            ["New"],
            {"profile": "true", "major": "7"},
            f"crd.yaml: no FeatureGate manifest is for cluster profile {SELF_MANAGED} and feature set Default "
            "and major version 7; name their folder with --feature-gates",
        ),
        (
            ["Old", "-Ignored"],
            {"profile": "true"},
            "crd.yaml: the FeatureGate manifests do not know the gate '-Ignored'",
        ),
        # profiles are sorted, and the first one's manifest does not know the gate
        (
            ["Newer"],
            {"profile": "true", "hypershift": "true"},
            "crd.yaml: the FeatureGate manifests do not know the gate 'Newer'",
        ),
    ],
)
def test_unknown_gates(gates: list[str], annotations: dict[str, str], message: str) -> None:
    with pytest.raises(SuiteFault) as caught:
        fits(gates, definition(**annotations), PAYLOAD)
    assert str(caught.value) == message


def test_manifests_are_read_only_when_they_are_needed() -> None:
    def never() -> Iterator[dict[str, Any]]:
        raise AssertionError("was read")
        yield {}

    assert fits([], definition(profile="true"), never())
    assert fits(["A"], definition(), never())


def suite(version: str) -> Suite:
    return Suite("s.yaml", "s.yaml", "", "foos.example.com", version, (), ())


def test_version() -> None:
    assert version_of(suite("v2"), [definition("v1", "v2")]) == "v2"
    assert version_of(suite(""), [definition("v1"), definition("v1")]) == "v1"
    with pytest.raises(SuiteFault) as caught:
        version_of(suite(""), [definition("v1"), definition("v2")])
    expected = "s.yaml: the CRD foos.example.com has 2 versions (v1, v2); name one with 'version'"
    assert str(caught.value) == expected
