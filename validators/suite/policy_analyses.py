"""What the cases of policies leave open: what none of them shows both ways, and mutants of expressions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from ovnguard.validators.go.text import json_text
from ovnguard.validators.policy import PolicyVerdict
from ovnguard.validators.policy.decision import FAILURE_KEY
from ovnguard.validators.suite.policy_judge import PolicyJudge
from ovnguard.validators.suite.policy_suite import PolicyCase, PolicyRun

_EXPRESSIONS: Final = (
    ("matchConditions", "expression"),
    ("variables", "expression"),
    ("validations", "expression"),
    ("validations", "messageExpression"),
    ("auditAnnotations", "valueExpression"),
)
_TRUE: Final = [{"expression": "true"}]


class PolicyExpression(NamedTuple):
    """An expression of a policy under test: the list and the entry that contain it, its key there, and its text.

    ``cases`` is the number of those whose request the policy matches.
    """

    runs: Sequence[PolicyRun]
    kubernetes: str
    cases: int
    entries: str
    number: int
    key: str
    text: str

    @property
    def policy(self) -> str:
        """The name of the policy."""
        return self.runs[0].definition.name

    @property
    def location(self) -> str:
        """The field of the expression."""
        return f"spec.{self.entries}[{self.number}].{self.key}"

    def ran(self, _location: str) -> int:
        """Return the number of cases that may have run the expression."""
        return self.cases

    def survives(self, _location: str, text: str) -> bool | None:
        """Return whether every case still passes with another expression; None if that is not valid."""
        entries = list(self.runs[0].definition.value["spec"][self.entries])
        entries[self.number] = {**entries[self.number], self.key: text}
        judges = [PolicyJudge(_with(run, {self.entries: entries}), self.kubernetes) for run in self.runs]
        if not judges[0].is_valid:
            return None
        return all(judge.case(case).passed for judge in judges for case in judge.run.cases)


def expressions(runs: Sequence[PolicyRun], kubernetes: str) -> Iterator[PolicyExpression]:
    """Iterate over the expressions of the policies under test, whose cases pass."""
    for each in _by_policy(runs):
        spec = each[0].definition.value["spec"]
        cases = sum(verdict.matched for _, verdict in _verdicts(each, kubernetes))
        for entries, key in _EXPRESSIONS:
            for number, entry in enumerate(spec.get(entries) or ()):
                if entry.get(key):
                    yield PolicyExpression(each, kubernetes, cases, entries, number, key, entry[key])


def policy_gaps(runs: Sequence[PolicyRun], kubernetes: str) -> Iterator[tuple[str, str, str]]:
    """Iterate over what no passed case shows both ways: policy, location, and what is missing."""
    for each in _by_policy(runs):
        judges = [PolicyJudge(run, kubernetes) for run in each]
        if judges[0].is_valid:
            passed = [replace(judge.run, cases=tuple(_passed(judge))) for judge in judges]
            for location, missing in (*_validations(passed, kubernetes), *_conditions(passed, kubernetes)):
                yield each[0].definition.name, location, missing
            for number, entry in enumerate(each[0].definition.value["spec"].get("auditAnnotations") or ()):
                if not any(entry["key"] in (case.annotations or ()) for run in passed for case in run.cases):
                    yield each[0].definition.name, f"spec.auditAnnotations[{number}]", "no case expects a value"


def _validations(runs: Sequence[PolicyRun], kubernetes: str) -> Iterator[tuple[str, str]]:
    for number, entry in enumerate(runs[0].definition.value["spec"].get("validations") or ()):
        alone = [_with(run, {"validations": [entry], "auditAnnotations": []}) for run in runs]
        met = {way for case, verdict in _verdicts(alone, kubernetes) for way in _ways(case, verdict)}
        shown = entry.get("message") or entry.get("messageExpression") or entry["expression"]
        if "held" not in met:
            yield f"spec.validations[{number}]", f"never held: {shown}"
        if "failed" not in met:
            yield f"spec.validations[{number}]", f"never denied or warned with its exact text: {shown}"


def _ways(case: PolicyCase, verdict: PolicyVerdict) -> Iterator[str]:
    """What a case shows of the only validation: that it holds, or that it fails with a text that the case expects."""
    texts = (case.denial, *case.warnings)
    recorded = (case.annotations or {}).get(FAILURE_KEY, "")
    for decision in verdict.decisions:
        if decision.evaluation == "admit":
            yield "held"
        elif decision.message in texts or json_text(decision.message) in recorded:
            yield "failed"


def _conditions(runs: Sequence[PolicyRun], kubernetes: str) -> Iterator[tuple[str, str]]:
    for number, entry in enumerate(runs[0].definition.value["spec"].get("matchConditions") or ()):
        only = {"matchConditions": [entry], "validations": _TRUE, "auditAnnotations": []}
        alone = [_with(run, only) for run in runs]
        matched = [verdict for _, verdict in _verdicts(alone, kubernetes) if verdict.matched]
        if not any(decision.evaluation == "admit" for verdict in matched for decision in verdict.decisions):
            yield f"spec.matchConditions[{number}]", f"never held: {entry['name']}"
        if all(verdict.decisions for verdict in matched):
            yield f"spec.matchConditions[{number}]", f"never kept a request from the validations: {entry['name']}"


def _by_policy(runs: Sequence[PolicyRun]) -> list[list[PolicyRun]]:
    """The runs of each policy together."""
    found: dict[tuple[Path, str], list[PolicyRun]] = {}
    for run in runs:
        found.setdefault((run.definition.path, run.definition.name), []).append(run)
    return list(found.values())


def _passed(judge: PolicyJudge) -> Iterator[PolicyCase]:
    return (case for case in judge.run.cases if judge.case(case).passed)


def _verdicts(runs: Sequence[PolicyRun], kubernetes: str) -> Iterator[tuple[PolicyCase, PolicyVerdict]]:
    for run in runs:
        judge = PolicyJudge(run, kubernetes)
        yield from ((case, judge.verdict(case)) for case in run.cases)


def _with(run: PolicyRun, changed: Mapping[str, Any]) -> PolicyRun:
    """The run with other entries in the spec of its policy."""
    policy = run.definition.value
    value = {**policy, "spec": {**policy["spec"], **changed}}
    return replace(run, definition=replace(run.definition, value=value))
