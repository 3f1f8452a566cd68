"""Selects the CRD files for a suite.

Source: openshift/api, ``tests/crd_filter.go``; names of annotations: section "Feature gates" of its README.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.suite.suite import Definition, Suite, SuiteFault, mapping

_FEATURE_SET: Final = "release.openshift.io/feature-set"
_MAJOR_VERSION: Final = "release.openshift.io/major-version"
_CLUSTER_PROFILE: Final = "include.release.openshift.io/"
_EVERY_GATE: Final = "CustomNoUpgrade"
_NO_FEATURE_SET: Final = "Default"


def fits(gates: Sequence[str], definition: Definition, payload: Iterable[JsonObject]) -> bool:
    """Whether a suite with these feature gates applies to this CRD file.

    ``payload`` yields the FeatureGate manifests in the order of their file names and is consumed only when needed.
    Raises SuiteFault when the manifests do not specify whether a gate is on.
    """
    if not gates:
        return True
    feature_sets = _names(definition.annotations.get(_FEATURE_SET))
    if _EVERY_GATE in feature_sets:
        return not any(gate.startswith("-") for gate in gates)
    profiles = sorted(
        key for key, value in definition.annotations.items() if key.startswith(_CLUSTER_PROFILE) and value == "true"
    )
    if not profiles:
        return True
    majors = _numbers(definition.annotations)
    states = _states(payload, profiles[0], feature_sets or {_NO_FEATURE_SET}, majors)
    if states is None:
        sets = ", ".join(sorted(feature_sets)) or _NO_FEATURE_SET
        raise SuiteFault(
            f"{definition.label}: no FeatureGate manifest is for cluster profile {profiles[0]} and feature set {sets}"
            f"{' and major version ' + ', '.join(map(str, sorted(majors))) if majors else ''}; "
            "name their folder with --feature-gates"
        )
    for gate in gates:
        if gate.removeprefix("-") not in states:
            raise SuiteFault(f"{definition.label}: the FeatureGate manifests do not know the gate {gate!r}")
    return all(states[gate.removeprefix("-")] is not gate.startswith("-") for gate in gates)


def version_of(suite: Suite, definitions: Iterable[Definition]) -> str:
    """Return the version under test. Raises SuiteFault when the suite names none and the CRD has several."""
    if suite.version:
        return suite.version
    names = {name for definition in definitions for name in _versions(definition)}
    if len(names) != 1:
        raise SuiteFault(
            f"{suite.label}: the CRD {suite.crd_name} has {len(names)} versions ({', '.join(sorted(names))}); "
            "name one with 'version'"
        )
    return names.pop()


def _versions(definition: Definition) -> list[str]:
    versions = mapping(definition.value.get("spec")).get("versions")
    return [str(mapping(entry).get("name")) for entry in (versions if isinstance(versions, list) else [])]


def _states(
    payload: Iterable[JsonObject], profile: str, feature_sets: set[str], majors: set[int]
) -> Mapping[str, bool] | None:
    """Maps each gate to whether it is on, from the first manifest that matches; None when no manifest matches."""
    for manifest in payload:
        annotations = mapping(mapping(manifest.get("metadata")).get("annotations"))
        if profile not in annotations or str(annotations.get(_FEATURE_SET, "")) not in feature_sets:
            continue
        if majors and not majors & _numbers(annotations):
            continue
        gates = mapping(manifest.get("status")).get("featureGates")
        first = mapping(gates[0]) if isinstance(gates, list) and gates else {}
        return {**_listed(first, "enabled", on=True), **_listed(first, "disabled", on=False)}
    return None


def _listed(status: Mapping[str, object], key: str, *, on: bool) -> dict[str, bool]:
    entries = status.get(key)
    return {str(mapping(entry).get("name")): on for entry in (entries if isinstance(entries, list) else [])}


def _names(annotation: object) -> set[str]:
    return set(annotation.split(",")) if isinstance(annotation, str) and annotation else set()


def _numbers(annotations: Mapping[str, object]) -> set[int]:
    """Major versions; entries that are not numbers are ignored."""
    return {int(name) for name in _names(annotations.get(_MAJOR_VERSION)) if name.isascii() and name.isdigit()}
