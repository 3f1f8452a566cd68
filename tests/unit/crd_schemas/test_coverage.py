"""Every rule, enumeration and default of a bundled schema is met by its suites, accepted and refused."""

import pytest

from tests.unit.crd_schemas.coverage import definitions
from tests.unit.crd_schemas.gaps import UNREACHABLE, open_gaps


@pytest.mark.timeout(60)
@pytest.mark.parametrize("path", definitions())
def test_suites_meet_everything_both_ways(path: str) -> None:
    assert open_gaps(path) == [], "all of them: python -m tests.unit.crd_schemas.gaps"


def test_what_cannot_be_met_is_about_definitions_that_are_there_and_says_why() -> None:
    assert {entry["gap"].partition(": ")[0] for entry in UNREACHABLE} <= set(definitions())
    assert all(entry["why"] for entry in UNREACHABLE)
