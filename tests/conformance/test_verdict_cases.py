"""Our answers are the recorded ones of the API server's own code, but for the known differences."""

import pytest

from tests.support.verdict_cases import case_differences, recorded_cases

CASES = {name: case for name, case in recorded_cases().items() if "crd" in case}

# The cases that differ, with the reason of each. A case that no longer differs must leave the table.
OF_OBJECTS_AND_RULES: dict[str, str] = {
    "cel-backtick": "only the first error of the lexer is found",
    "cel-depth-calls": "the depth of an expression",
    "cel-depth-chain": "the depth of an expression",
    "cel-depth-lists": "the depth of an expression",
    "cel-depth-parens": "the depth of an expression",
    "cel-group-name-runtime": "names of groups in a pattern of a rule",
    "cel-leading-dot-column": "the column of a name with a leading dot",
    "cel-leading-dot": "a name with a leading dot",
    "cel-lookbehind-text": "the text for a look-behind",
    "cel-protobuf-any": "google.protobuf.Any",
    "cel-qualifier-null": "an index that is no key",
    "cel-type-type": "the type of a type",
    "cel-undefined-type": "a name that is a type but has no value",
}
OF_DEFINITIONS: dict[str, str] = {
    "crd-cost-with-bad-message": "the cost of a rule with an invalid messageExpression",
    "crd-decltype-text": "the declared type of a node",
    "crd-decltype-wrong-allow": "the declared type of a node",
    "crd-decode-column": "a value that Go does not decode",
    "crd-decode-externaldocs": "a value that Go does not decode",
    "crd-decode-maxlength-big": "a value that Go does not decode",
    "crd-decode-maxlength": "a value that Go does not decode",
    "crd-decode-properties": "a value that Go does not decode",
    "crd-decode-title": "a value that Go does not decode",
    "crd-default-bad-rule": "the order of checks of a default",
    "crd-default-kind-list": "the order of checks of a default",
    "crd-definitions-null-type": "schemas below definitions",
    "crd-deprecation-warning-quote": "a printed string",
    "crd-generation": "fields that creation sets",
    "crd-int-or-string-example": "annotations of an int-or-string branch",
    "crd-items-empty-list": "an empty list of items",
    "crd-items-true": "items: true",
    "crd-metadata-default-list": "a keyword below metadata",
    "crd-metadata-example": "a keyword below metadata",
    "crd-metadata-externaldocs": "a keyword below metadata",
    "crd-metadata-required-empty": "a keyword below metadata",
    "crd-metadata-rules-empty": "a keyword below metadata",
    "crd-namespace": "fields that creation sets",
    "crd-null-branch": "null in a definition",
    "crd-null-column": "null in a definition",
    "crd-null-property": "null in a definition",
    "crd-null-rule": "null in a definition",
    "crd-optional-old-self": "optionalOldSelf of an invalid rule",
    "crd-order-names-schema": "the order of errors",
    "crd-review-versions-crash": "a value that Go does not decode",
    "crd-schema-keyword": "the keyword $schema",
    "crd-selectable-crash": "selectable fields",
    "crd-selectable-one-version": "selectable fields",
    "crd-storage-not-served": "a storage version that is not served",
    "crd-version-name-twice": "a version name that occurs twice",
    "crd-versions-null": "the printed list of versions",
    "crd-versions-shown": "the printed list of versions",
    "crd-webhook-cabundle": "the client configuration of a conversion webhook",
    "crd-webhook-http": "the client configuration of a conversion webhook",
    "crd-webhook-query": "the client configuration of a conversion webhook",
    "crd-webhook-service": "the client configuration of a conversion webhook",
    "regex-category-names": "a pattern that Go reads in another way",
    "regex-count-4300-digits": "a pattern that Go reads in another way",
    "regex-count-huge": "a pattern that Go reads in another way",
    "regex-group-name": "a pattern that Go reads in another way",
    "regex-nesting": "a pattern that Go reads in another way",
}
KNOWN = OF_OBJECTS_AND_RULES | OF_DEFINITIONS


@pytest.mark.parametrize("name", CASES)
def test_a_definition_or_object_is_judged_as_recorded(name: str) -> None:
    found = case_differences(CASES[name])
    if name in KNOWN:
        assert found, f"{name} no longer differs: remove it from the known differences"
    else:
        assert not found, "\n".join(found)
