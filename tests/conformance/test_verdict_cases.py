"""Our answers are the recorded ones of the API server's own code, but for the known differences."""

import pytest

from tests.support.verdict_cases import case_differences, recorded_cases

CASES = {name: case for name, case in recorded_cases().items() if "crd" in case}

# The cases that differ, with the reason of each. A case that no longer differs must leave the table.
KNOWN: dict[str, str] = {
    "cel-backtick": "only the first error of the lexer is found",
    "cel-depth-calls": "the depth of an expression",
    "cel-depth-chain": "the depth of an expression",
    "cel-depth-lists": "the depth of an expression",
    "cel-depth-parens": "the depth of an expression",
    "cel-leading-dot-column": "the column of a name with a leading dot",
    "cel-leading-dot": "a name with a leading dot",
    "cel-protobuf-any": "google.protobuf.Any",
    "cel-qualifier-null": "an index that is no key",
    "cel-type-type": "the type of a type",
    "cel-undefined-type": "a name that is a type but has no value",
}


@pytest.mark.parametrize("name", CASES)
def test_a_definition_or_object_is_judged_as_recorded(name: str) -> None:
    found = case_differences(CASES[name])
    if name in KNOWN:
        assert found, f"{name} no longer differs: remove it from the known differences"
    else:
        assert not found, "\n".join(found)
