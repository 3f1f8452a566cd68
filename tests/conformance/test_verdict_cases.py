"""Our answers are the recorded ones of the API server's own code, but for the known differences."""

import pytest

from tests.support.verdict_cases import case_differences, recorded_cases

CASES = {name: case for name, case in recorded_cases().items() if "crd" in case}

# The cases that differ, with the reason of each. A case that no longer differs must leave the table.
KNOWN: dict[str, str] = {}


@pytest.mark.parametrize("name", CASES)
def test_a_definition_or_object_is_judged_as_recorded(name: str) -> None:
    found = case_differences(CASES[name])
    if name in KNOWN:
        assert found, f"{name} no longer differs: remove it from the known differences"
    else:
        assert not found, "\n".join(found)
