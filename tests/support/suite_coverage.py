"""Coverage of the bundled suites: the rules, enumerations and defaults of schemas that their cases show, or miss.

Nothing is listed by hand: schemas and suites are found in the folders, and what a case met is what its verdicts say.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import crd_schemas
from tests.support import schema_walk
from validators.base.field import NEWEST_KUBERNETES, ErrorType, FieldError
from validators.base.json_types import JsonMapping, JsonObject
from validators.base.verdict import Verdict
from validators.crd.compiled_crd import CompiledCRD, compile_crd
from validators.go.text import json_text
from validators.structural import rule_evaluation
from validators.structural.schema import NO_DEFAULT, Schema
from validators.suite.case_judge import Target, judge_case
from validators.suite.runner import Run, plan_suites
from validators.suite.suite import Case, SuiteFault

ROOT: Final = Path(crd_schemas.__file__).parent


@dataclass
class Met:
    """What was met of one definition, by schema locations; of enumerations and defaults also the values as JSON."""

    held: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    stood: set[tuple[str, str]] = field(default_factory=set)
    unsupported: set[str] = field(default_factory=set)
    applied: set[str] = field(default_factory=set)
    replaced: set[str] = field(default_factory=set)

    def accepted(self, crd: CompiledCRD, request: JsonMapping, stored: JsonObject, held: Iterable[str]) -> None:
        """Take in a request that was accepted, what was stored for it, and the rules that held."""
        schema = crd.endpoint.schema
        for place, value in schema_walk.values(schema, stored):
            if place.enum:
                self.stood.add((place.location, json_text(value)))
        for place, sent in schema_walk.defaults(schema, request, stored):
            (self.applied if sent else self.replaced).add(place.location)
        self.held.update(held)

    def told(self, errors: Iterable[FieldError], expected: str) -> None:
        """Take in a refusal of which ``expected`` is written in the suite: what it words in full counts."""
        for error in errors:
            detail = error.detail or error.body
            if error.text in expected or (expected in error.text and detail in expected):
                (self.unsupported if error.type is ErrorType.NOT_SUPPORTED else self.refused).add(error.rule)


def _recording(node: rule_evaluation.RuleNode, held: set[str]) -> rule_evaluation.RuleNode:
    """The same rules, which add their locations to ``held`` when they hold."""
    return node._replace(
        rules=tuple(rule._replace(compiled=_RecordingRule(rule, held)) for rule in node.rules),
        properties={name: _recording(child, held) for name, child in node.properties.items()},
        additional=None if node.additional is None else _recording(node.additional, held),
        items=None if node.items is None else _recording(node.items, held),
    )


class _RecordingRule:
    def __init__(self, rule: rule_evaluation.BoundRule, held: set[str]) -> None:
        self._rule = rule
        self._held = held
        self.is_transition = rule.compiled.is_transition

    def evaluate(self, value: Any, *old: Any, **options: Any) -> rule_evaluation.RuleResult:
        result = self._rule.compiled.evaluate(value, *old, **options)
        if result.ok and not result.error:
            self._held.add(self._rule.location)
        return result


class _Seen(NamedTuple):
    """One request, its answer, and the locations of the rules that held."""

    obj: JsonMapping
    old: JsonMapping | None
    subresource: str | None
    answer: Verdict
    held: frozenset[str]


class _Recorder:
    """A compiled definition for the suites that remembers what it was asked, what it answered, and which rules held.

    Generated code is set aside: it does not tell which rules held.
    """

    def __init__(self, crd: CompiledCRD) -> None:
        self._held: set[str] = set()
        rules = crd.endpoint.rules
        own = None if rules is None else _recording(rules, self._held)
        endpoint = crd.endpoint._replace(rules=own, fast=None)
        self.crd = CompiledCRD(crd.served._replace(fast=None), lambda: endpoint)
        self.seen: list[_Seen] = []

    def verdict(self, obj: JsonMapping, old: JsonMapping | None = None, subresource: str | None = None) -> Verdict:
        self._held.clear()
        answer = self.crd.verdict(obj, old, subresource)
        self.seen.append(_Seen(obj, old, subresource, answer, frozenset(self._held)))
        return answer


@dataclass(frozen=True)
class Covered:
    """One bundled definition and what its suites met of it; ``failed`` are cases that did not pass."""

    path: str
    crd: CompiledCRD
    met: Met
    failed: tuple[str, ...]

    def gaps(self) -> Iterator[str]:
        """One line for everything that is not met both ways."""
        yield from (f"{self.path}: case fails: {name}" for name in self.failed)
        for rule in schema_walk.rules(self.crd.endpoint.rules):
            shown = rule.spec.message or rule.spec.message_expression or rule.spec.rule
            if rule.location not in self.met.held:
                yield f"{self.path}: {rule.location}: rule never held in an accepted request: {shown}"
            if rule.location not in self.met.refused:
                yield f"{self.path}: {rule.location}: rule never refused with its exact text: {shown}"
        for place in schema_walk.nodes(self.crd.endpoint.schema):
            yield from self._values(place)

    def _values(self, place: Schema) -> Iterator[str]:
        where = f"{self.path}: {place.location}"
        for value in map(json_text, place.enum):
            if (place.location, value) not in self.met.stood:
                yield f"{where}: enum value {value} stands in no accepted object"
        if place.enum and place.at("enum") not in self.met.unsupported:
            yield f"{where}: enum never refused a value with its exact text"
        if place.default is NO_DEFAULT:
            return
        if place.location not in self.met.applied:
            yield f"{where}: default {json_text(place.default)} was never filled in"
        if place.location not in self.met.replaced and (place.enum != (place.default,)):
            yield f"{where}: default {json_text(place.default)} never gave way to another value"


def definitions() -> list[str]:
    """Every bundled definition relative to the package."""
    folders = (*crd_schemas.SETS, crd_schemas.COMMON)
    found = (path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).rglob("*.yaml"))
    return sorted(path.as_posix() for path in found if "tests" not in path.parts)


def cover(path: str) -> Covered:
    """Run the suites of one definition; ``path`` as `definitions` gives it."""
    source = crd_schemas.parsed(path)
    crd = compile_crd(source)
    met, failed = Met(), []
    recording, target = _Recording(), None
    folder = (ROOT / path).parent / "tests" / source["metadata"]["name"]
    for run in plan_suites([folder]).parts if folder.is_dir() else ():
        if not isinstance(run, Run):
            failed.append(f"{run.suite}: {run.message}")
            continue
        target = target or Target(run.definition, run.version, NEWEST_KUBERNETES, recording.compile)
        failed += [
            _told(run, case, message) for case in run.cases if (message := recording.case(case, run, target, met))
        ]
    return Covered(path, crd, met, tuple(failed))


def asked(path: str) -> Iterator[tuple[JsonMapping, JsonMapping | None, str | None]]:
    """Every request that the suites of a definition make of it: the object, the stored one, the subresource."""
    source = crd_schemas.parsed(path)
    folder = (ROOT / path).parent / "tests" / source["metadata"]["name"]
    for run in plan_suites([folder]).parts if folder.is_dir() else ():
        assert isinstance(run, Run), run.message
        recording = _Recording()
        target = Target(run.definition, run.version, NEWEST_KUBERNETES, recording.compile)
        own = target.compiled()
        assert isinstance(own, _Recorder)
        for case in run.cases:
            recording.case(case, run, target, Met())
            yield from ((seen.obj, seen.old, seen.subresource) for seen in own.seen)


def _told(run: Run, case: Case, message: str) -> str:
    return f"{run.suite.label}: {case.name}: {message}"


class _Recording:
    """Runs cases with definitions that remember; each definition is compiled once, those of a patch each time."""

    def __init__(self) -> None:
        self.recorders: list[_Recorder] = []

    def compile(self, crd: JsonObject, version: str, kubernetes: str) -> _Recorder:
        try:
            self.recorders.append(_Recorder(compile_crd(crd, version, kubernetes)))
        except ValueError as error:
            raise SuiteFault(str(error)) from error
        return self.recorders[-1]

    def case(self, case: Case, run: Run, target: Target, met: Met) -> str:
        """Run one case into ``met``; the message when it fails."""
        for recorder in self.recorders:
            recorder.seen.clear()
        result = judge_case(run.suite, case, target)
        if not result.passed:
            return result.message
        expected = case.expected_error or case.expected_status_error
        for recorder in self.recorders:
            for seen in recorder.seen:
                answer = seen.answer
                if answer.allowed and answer.object is not None:
                    met.accepted(recorder.crd, seen.obj, answer.object, seen.held)
                elif expected:
                    met.told(answer.errors, expected)
        return ""
