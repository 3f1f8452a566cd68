"""Every network rule speaks where its case file says so, in these words, and nowhere else."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from ovnguard.validators.base.field import OMITTED, ErrorType, FieldError
from ovnguard.validators.base.unchecked import Unchecked
from ovnguard.validators.network.rules import Severity, all_rules
from ovnguard.validators.network.rules.index import RULES
from tests.support.rule_case_files import Case, cases, files, merged, read
from tests.support.soak import limit

_CASES = list(cases())
_RULES = {rule.id: rule for rule in all_rules()}
# Of rules whose findings are not all about an invalid value.
_FORBIDDEN: Final = "DNS-016 DNS-023 IC-001 IC-002 IC-003 IC-005 IC-006 IC-007 IC-009 IC-010 IC-011 NET-023 NET-056"
_TYPES: Final = {f"OVNG-{name}": {ErrorType.FORBIDDEN} for name in _FORBIDDEN.split()} | {
    "OVNG-DNS-001": {ErrorType.REQUIRED},
    "OVNG-DNS-002": {ErrorType.REQUIRED},
    "OVNG-DNS-003": {ErrorType.REQUIRED},
    "OVNG-DNS-004": {ErrorType.DUPLICATE},
    "OVNG-DNS-008": {ErrorType.DUPLICATE},
    "OVNG-IC-004": {ErrorType.INVALID, ErrorType.REQUIRED},
}


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case.rule}-{case.name}") for case in _CASES])
@limit(180)
def test_case(case: Case) -> None:
    answer = case.judge()
    verdict = answer.verdict
    assert verdict is None or verdict.allowed, [error.text for error in verdict.findings]
    findings = [(Severity.ERROR, error) for error in answer.errors if error.rule == case.rule]
    findings += [(Severity.WARNING, error) for error in answer.warnings if error.rule == case.rule]
    expected = case.source["findings"]
    assert {error.type for _, error in findings} <= _TYPES.get(case.rule, {ErrorType.INVALID})
    assert [_shown(severity, error, want) for (severity, error), want in _paired(findings, expected)] == [
        {"severity": str(_RULES[case.rule].severity), **want} for want in expected
    ]
    assert list(_unchecked(answer.unchecked, case.rule)) == case.unchecked


@pytest.mark.parametrize("rule_id", sorted(_RULES))
def test_every_rule_has_cases_with_and_without_a_finding(rule_id: str) -> None:
    mine = [case for case in _CASES if case.rule == rule_id]
    module = next(entry.module for entry in RULES if entry.id == rule_id)
    file = f"{module.replace('.', '/')}.yaml"
    assert any(case.speaks for case in mine), f"write a case of {rule_id} with a finding into cases/{file}"
    assert any(case.is_silent for case in mine), f"write a case of {rule_id} without a finding into cases/{file}"
    if _RULES[rule_id].needs:
        assert any(case.unchecked for case in mine), f"write a case of {rule_id} without its facts into cases/{file}"


def test_files_are_named_after_rules_and_cases_have_distinct_names() -> None:
    found = {path: {case.rule for case in read(path)} for path in files()}
    modules = {f"{path.parent.name}.{path.stem}": rules for path, rules in found.items()}
    expected = {module: {entry.id for entry in RULES if entry.module == module} for _, module, *_ in RULES}
    assert modules == expected, "each module of rules needs a case file of its name, with a document for each rule"
    assert [key for key, count in Counter((case.rule, case.name) for case in _CASES).items() if count > 1] == []


@pytest.mark.parametrize("path", files(), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_file_can_be_read(path: Path) -> None:
    assert read(path)


def test_merge_is_that_of_rfc_7396() -> None:
    assert merged({"a": {"b": 1, "c": 2}, "d": [1]}, {"a": {"b": None, "e": {"f": None}}, "d": [2]}) == {
        "a": {"c": 2, "e": {}},
        "d": [2],
    }


def _unchecked(unchecked: Iterable[Unchecked], rule_id: str) -> Iterator[str]:
    """The facts that the rule lacks."""
    for each in unchecked:
        if rule_id in each.rules:
            yield " and ".join(each.needs)


def _paired(
    findings: list[tuple[Severity, FieldError]], expected: list[dict[str, Any]]
) -> list[tuple[tuple[Severity, FieldError], dict[str, Any]]]:
    """What was said beside what should have been; more than was expected stays in view."""
    return [(one, expected[index] if index < len(expected) else {"value": ""}) for index, one in enumerate(findings)]


def _shown(severity: Severity, error: FieldError, want: dict[str, Any]) -> dict[str, Any]:
    """A finding in the form of the files, with the value only where the file has one."""
    shown: dict[str, Any] = {"severity": str(severity), "field": error.field, "detail": error.detail}
    if "value" in want:
        shown["value"] = None if error.bad_value is OMITTED else error.bad_value
    return shown
