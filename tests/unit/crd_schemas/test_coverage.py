"""Every rule, enumeration and default of a bundled schema is met by its suites, accepted and refused."""

import pytest

from ovnguard import crd_schemas
from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.crd.compiled_crd import compile_crd
from tests.support.soak import limit
from tests.support.suite_coverage import Covered, Met, definitions
from tests.support.suite_gaps import UNREACHABLE, open_gaps


@pytest.mark.parametrize("path", definitions())
@limit(180)
def test_suites_meet_everything_both_ways(path: str) -> None:
    assert open_gaps(path) == [], "all of them: python -m tests.support.suite_gaps"


def test_what_cannot_be_met_is_about_definitions_that_are_there_and_says_why() -> None:
    assert {entry["gap"].partition(": ")[0] for entry in UNREACHABLE} <= set(definitions())
    assert all(entry["why"] for entry in UNREACHABLE)


def test_what_no_request_meets_is_a_gap() -> None:
    path = "enhancement/operator.openshift.io/v1/networks.yaml"
    crd = compile_crd(crd_schemas.parsed(path))
    gaps = list(Covered(path, crd, Met(), ("a suite: a case: refused",)).gaps())
    where = f"{path}: spec.defaultNetwork.ovnKubernetesConfig"
    assert gaps[0] == f"{path}: case fails: a suite: a case: refused"
    assert f'{where}.bgpManagedConfig.bgpTopology: no accepted object uses enum value "fullMesh"' in gaps
    assert f"{where}.bgpManagedConfig.bgpTopology: enum never refused a value with its exact text" in gaps
    rule = f"{where}.x-kubernetes-validations[4]: rule never"
    text = "DefaultNetworkTransport field is immutable"
    assert f"{rule} held in an accepted request: {text}" in gaps
    assert f"{rule} refused with its exact text: {text}" in gaps
    assert any(line.endswith("was never filled in") for line in gaps)
    assert any(line.endswith("never gave way to another value") for line in gaps)


@pytest.mark.parametrize(
    ("expected", "counts"),
    [
        ("spec.a: Invalid value: 1: too many", True),
        ("too many", True),
        ("value: 1: too many", True),
        ("many", False),
        ('spec.a: Invalid value: "integer": too many', False),
        ('Thing "x" is invalid: [spec.a: Invalid value: 1: too many, spec.b: Required value]', True),
    ],
)
def test_a_refusal_counts_when_the_suite_contains_its_words(expected: str, counts: bool) -> None:
    met = Met()
    met.add_errors([FieldError(ErrorType.INVALID, "spec.a", 1, "too many", "spec.a.rule")], expected)
    assert met.refused == ({"spec.a.rule"} if counts else set())
    assert met.unsupported == set()
