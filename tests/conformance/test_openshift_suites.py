"""openshift/api's own rule suites: what a real API server was asked there, our verdicts are held against."""

import copy
import operator
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ovnguard.validators.base.field import OMITTED, ErrorType, FieldError, Older
from ovnguard.validators.suite.runner import Plan, Run, judge_plan, plan_suites
from ovnguard.validators.suite.suite import Case, CaseOutcome, ObjectText, SuiteFault, SuiteReport, TextForm
from tests.support.differential import peer

SUITES, RUNS, CASES = 51, 219, 2363
EXACT = 1600
"""Cases that pass in the words of 1.35; the others were written for the words of older servers."""
BROKEN = 200
WAYS = 12
"""Ways in which `broken` breaks an expectation."""


@pytest.fixture(scope="module")
def plan(request: pytest.FixtureRequest) -> Plan:
    from tests.support.paths import shared_folder

    folder = shared_folder()
    assert folder is not None, "conformance tests are deselected where this is None"
    return plan_suites([folder / "conformance" / "openshift-api"])


@pytest.fixture(scope="module")
def report(plan: Plan) -> SuiteReport:
    return judge_plan(plan)


def test_every_suite_runs_with_the_crd_files_that_upstream_takes(report: SuiteReport) -> None:
    assert (report.suites, report.runs, len(report.cases)) == (SUITES, RUNS, CASES)


def test_keys_of_a_suite_without_effect_are_reported(plan: Plan) -> None:
    folder = "config/v1/tests/infrastructures.config.openshift.io"
    assert plan.warnings == (f"{folder}/DyanmicServiceEndpointIBMCloud.yaml:120: the key 'onUpdate' has no effect",)


def test_every_case_passes(report: SuiteReport) -> None:
    wrong = [f"{case.file}:{case.line}: {case.message}" for case in report.cases if not case.passed]
    assert not wrong, "\n".join(wrong[:10])
    assert (report.texts(TextForm.EXACT), report.texts(TextForm.LEGACY)) == (EXACT, CASES - EXACT)


def test_the_report_does_not_depend_on_the_number_of_processes(plan: Plan, report: SuiteReport) -> None:
    assert judge_plan(plan, jobs=2) == report


def expecting(case: Case, values: dict[str, Any]) -> Case:
    return replace(case, **values)


def broken(case: Case) -> Iterator[tuple[str, Case]]:
    """The case with an expectation that no server meets, and what is broken about it."""
    text = case.expected_error or case.expected_status_error
    if text:
        key, other = ("expected_error", "expected_status_error")[:: 1 if case.expected_error else -1]
        middle = len(text) // 2
        yield "text: more", expecting(case, {key: f"{text} and more"})
        yield "error: accepted", replace(case, expected_error="", expected_status_error="")
        yield "text: a letter", expecting(case, {key: f"{text[:middle]}~{text[middle + 1 :]}"})
        yield "text: its case", expecting(case, {key: text.swapcase()})
        if case.updated is not None:
            yield "error: of the other request", expecting(case, {key: "", other: text})
        return
    expected = case.expected.get()
    for what, changed in broken_objects(expected):
        yield f"object: {what}", replace(case, expected=ObjectText(changed))
    yield "accepted: an error", replace(case, expected_error="is invalid")


def broken_objects(expected: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The expected object with something else, something more or something less in it."""
    *parents, last = leaf(expected, "spec" if expected.get("spec") else "kind")

    def with_leaf(change: Callable[[Any], None]) -> dict[str, Any]:
        copied = copy.deepcopy(expected)
        place: Any = copied
        for step in parents:
            place = place[step]
        change(place)
        return copied

    yield "another value", with_leaf(lambda place: operator.setitem(place, last, "never"))
    yield "one less", with_leaf(lambda place: operator.delitem(place, last))
    yield "one more", {**expected, "spec": {**(expected.get("spec") or {}), "never": {"stored": True}}}
    yield "another status", {**expected, "status": {**(expected.get("status") or {}), "never": "stored"}}
    yield "a label", {**expected, "metadata": {**(expected.get("metadata") or {}), "labels": {"never": "stored"}}}
    yield "another kind", {**expected, "kind": "Another"}


def leaf(value: Any, *path: str | int) -> tuple[str | int, ...]:
    """The way to the first value below ``path`` that is no container, or an empty one."""
    for step in path:
        value = value[step]
    if isinstance(value, dict) and value:
        return leaf_of(value, path, next(iter(value)))
    if isinstance(value, list) and value:
        return leaf_of(value, path, len(value) - 1)
    return path


def leaf_of(value: Any, path: tuple[str | int, ...], step: str | int) -> tuple[str | int, ...]:
    return (*path, *leaf({step: value[step]}, step))


def test_broken_expectations_are_seen(plan: Plan, report: SuiteReport) -> None:
    """Break expectations of cases that pass, spread over all suites, each in one of the ways; all must fail."""
    asked = [(part, case) for part in plan.parts if isinstance(part, Run) for case in part.cases]
    passing = [one for one, result in zip(asked, report.cases, strict=True) if result.passed]
    chosen = [passing[number * len(passing) // BROKEN] for number in range(BROKEN)]
    assert len({(id(part), id(case)) for part, case in chosen}) == BROKEN
    parts, used = [], Counter[str]()
    for part, case in chosen:
        what, changed = min(broken(case), key=lambda way: used[way[0]])
        used[what] += 1
        parts.append(replace(part, cases=(changed,)))
    assert len(used) == WAYS
    assert min(used.values()) >= 5, used
    outcomes = [(case.outcome, case.case) for case in judge_plan(Plan(tuple(parts), ())).cases]
    assert outcomes == [(CaseOutcome.FAILED, case.name) for _, case in chosen]


class PeerVerdict:
    """An answer of the server's own code. It knows nothing of older words, so every one is tried that there was."""

    TYPES = ("object", "array", "string", "integer", "boolean", "number", "")

    def __init__(self, answer: dict[str, Any]) -> None:
        self._answer = answer
        self.allowed: bool = answer["allowed"]
        self.object = answer["object"]
        older = tuple(Older(34 - number, name) for number, name in enumerate(self.TYPES))
        self.errors = [
            FieldError(
                ErrorType(error["type"]),
                error["field"],
                error.get("badValue", OMITTED),
                error["detail"],
                older=older if error["type"] == ErrorType.INVALID and error.get("badValue", 0) is not None else (),
            )
            for error in answer["errors"]
        ]

    def status(self) -> dict[str, Any] | None:
        status: dict[str, Any] | None = self._answer["status"]
        return status


class PeerCRD:
    """A CRD given to the peer, which keeps the last one of a name."""

    current: "PeerCRD | None" = None

    def __init__(self, program: peer.Peer, crd: dict[str, Any], version: str) -> None:
        self._peer, self._crd, self._version = program, crd, version
        if errors := program.ask(crd=crd)["crdErrors"]:
            raise SuiteFault(f"the CRD is not valid: {errors[0]['text']}")
        PeerCRD.current = self

    def verdict(self, obj: Any, old: Any = None, subresource: str | None = None) -> PeerVerdict:
        if PeerCRD.current is not self:
            self._peer.ask(crd=self._crd)
            PeerCRD.current = self
        request = {"crdRef": self._crd["metadata"]["name"], "version": self._version, "object": obj}
        if old is not None:
            request["oldObject"] = old
        operation = "STATUS" if subresource else "CREATE" if old is None else "UPDATE"
        return PeerVerdict(self._peer.ask(**request, operation=operation))


def test_the_runner_asks_what_upstream_asks(plan: Plan) -> None:
    """With the server's own code as the engine every case passes, so the runner is right about the format."""
    program: Path | None = peer.find()
    if program is None:
        pytest.skip(f"needs apiserver-verdict: not on the path, and ${peer.VARIABLE} names none")
    with peer.Peer(program) as running:
        found = judge_plan(plan, compiler=lambda crd, version, _: PeerCRD(running, crd, version))
    failed = [f"{case.file}:{case.line}: {case.message}" for case in found.cases if not case.passed]
    assert not failed, "\n".join(failed[:10])
    assert (len(found.cases), found.texts(TextForm.EXACT)) == (CASES, EXACT)
