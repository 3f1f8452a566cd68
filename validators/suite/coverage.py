"""Coverage of definitions and policies by suites: what no case has both accepted and refused.

Rules, enumerations, defaults and bounds count. A case has met what its verdicts say: an accepted request shows the
rules that held and the values that stood; a refusal shows the errors whose text the case expects.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from ovnguard.validators.base.field import DEFAULT_KUBERNETES, ErrorType, FieldError
from ovnguard.validators.base.json_types import JsonMapping, JsonObject
from ovnguard.validators.base.verdict import Verdict
from ovnguard.validators.crd.compiled_crd import CompiledCRD, compile_crd
from ovnguard.validators.go.text import json_text
from ovnguard.validators.structural.objects import rule_evaluation
from ovnguard.validators.structural.schema.schema import NO_DEFAULT, Schema
from ovnguard.validators.suite import schema_walk
from ovnguard.validators.suite.case_judge import Target, judge_case
from ovnguard.validators.suite.policy_analyses import policy_gaps
from ovnguard.validators.suite.policy_judge import PolicyJudge
from ovnguard.validators.suite.policy_suite import PolicyRun
from ovnguard.validators.suite.runner import Plan, Progress, Run, broken_definition
from ovnguard.validators.suite.suite import Case, CaseResult, SuiteFault, SuiteReport

_BOUNDS: Final = {
    "maxLength": "max_length",
    "minLength": "min_length",
    "maxItems": "max_items",
    "minItems": "min_items",
    "maxProperties": "max_properties",
    "minProperties": "min_properties",
    "maximum": "maximum",
    "minimum": "minimum",
    "multipleOf": "multiple_of",
    "pattern": "pattern",
}
"""The keywords that bound a value, with the attribute of a schema node that has their value."""
_LEAST_SIZES: Final = ("minLength", "minItems", "minProperties")
"""No value breaks one of these that is 0."""


class Gap(NamedTuple):
    """Something in a definition that the suites do not show both ways; ``missing`` is what no case does."""

    crd: str
    location: str
    missing: str


class Coverage(NamedTuple):
    """The results of the cases, and the gaps by definition and location."""

    report: SuiteReport
    gaps: tuple[Gap, ...]


@dataclass
class Met:
    """What was met of one definition, by schema locations; of enumerations and defaults also the values as JSON."""

    held: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    present: set[str] = field(default_factory=set)
    stood: set[tuple[str, str]] = field(default_factory=set)
    unsupported: set[str] = field(default_factory=set)
    applied: set[str] = field(default_factory=set)
    replaced: set[str] = field(default_factory=set)

    def accepted(self, crd: CompiledCRD, request: JsonMapping, stored: JsonObject, held: Iterable[str]) -> None:
        """Take in a request that was accepted, what was stored for it, and the rules that held."""
        schema = crd.endpoint.schema
        for place, value in schema_walk.values(schema, stored):
            self.present.add(place.location)
            if place.enum:
                self.stood.add((place.location, json_text(value)))
        for place, sent in schema_walk.defaults(schema, request, stored):
            (self.applied if sent else self.replaced).add(place.location)
        self.held.update(held)

    def add_errors(self, errors: Iterable[FieldError], expected: str) -> None:
        """Take in a refusal of which ``expected`` is written in the suite: what it words in full counts."""
        for error in errors:
            detail = error.detail or error.body
            if error.text in expected or (expected in error.text and detail in expected):
                (self.unsupported if error.type is ErrorType.NOT_SUPPORTED else self.refused).add(error.rule)

    def gaps(self, crd: CompiledCRD) -> Iterator[tuple[str, str]]:
        """Iterate over what is not met both ways: location, and what is missing."""
        for rule in schema_walk.rules(crd.endpoint.rules):
            shown = rule.spec.message or rule.spec.message_expression or rule.spec.rule
            if rule.location not in self.held:
                yield rule.location, f"rule never held in an accepted request: {shown}"
            if rule.location not in self.refused:
                yield rule.location, f"rule never refused with its exact text: {shown}"
        for place in schema_walk.nodes(crd.endpoint.schema):
            yield from self._values(place)

    def _values(self, place: Schema) -> Iterator[tuple[str, str]]:
        for value in map(json_text, place.enum):
            if (place.location, value) not in self.stood:
                yield place.location, f"no accepted object uses enum value {value}"
        if place.enum and place.at("enum") not in self.unsupported:
            yield place.location, "enum never refused a value with its exact text"
        if place.default is not NO_DEFAULT:
            if place.location not in self.applied:
                yield place.location, f"default {json_text(place.default)} was never filled in"
            if place.location not in self.replaced and (place.enum != (place.default,)):
                yield place.location, f"default {json_text(place.default)} never gave way to another value"

    def bounds(self, crd: CompiledCRD) -> Iterator[tuple[str, str]]:
        """Iterate over bounds of values that no case has both met and broken."""
        for place in schema_walk.nodes(crd.endpoint.schema):
            for keyword, attribute in _BOUNDS.items():
                bound = getattr(place, attribute)
                if bound in (None, "") or (bound == 0 and keyword in _LEAST_SIZES):
                    continue
                shown = f"{keyword} {json_text(bound)}"
                if place.location not in self.present:
                    yield place.location, f"{shown}: no accepted object has a value"
                if place.at(keyword) not in self.refused:
                    yield place.location, f"{shown} never refused a value with its exact text"


def _recording(node: rule_evaluation.RuleNode, held: set[str], evaluated: set[str]) -> rule_evaluation.RuleNode:
    """The same rules, which add their locations to ``evaluated``, and to ``held`` when they hold."""
    return node._replace(
        rules=tuple(rule._replace(compiled=_RecordingRule(rule, held, evaluated)) for rule in node.rules),
        properties={name: _recording(child, held, evaluated) for name, child in node.properties.items()},
        additional=None if node.additional is None else _recording(node.additional, held, evaluated),
        items=None if node.items is None else _recording(node.items, held, evaluated),
    )


class _RecordingRule:
    def __init__(self, rule: rule_evaluation.BoundRule, held: set[str], evaluated: set[str]) -> None:
        self._rule = rule
        self._held = held
        self._evaluated = evaluated
        self.is_transition = rule.compiled.is_transition

    def evaluate(self, value: Any, *old: Any, **options: Any) -> rule_evaluation.RuleResult:
        result = self._rule.compiled.evaluate(value, *old, **options)
        self._evaluated.add(self._rule.location)
        if result.ok and not result.error:
            self._held.add(self._rule.location)
        return result


class Seen(NamedTuple):
    """One request, its answer, and the locations of the rules that held and of those that ran."""

    obj: JsonMapping
    old: JsonMapping | None
    subresource: str | None
    answer: Verdict
    held: frozenset[str]
    evaluated: frozenset[str]


class Recorder:
    """A compiled definition for the suites that remembers what it was asked, what it answered, and which rules held.

    Generated code is not used: it does not show which rules held.
    """

    def __init__(self, crd: CompiledCRD) -> None:
        self._held: set[str] = set()
        self._evaluated: set[str] = set()
        rules = crd.endpoint.rules
        own = None if rules is None else _recording(rules, self._held, self._evaluated)
        endpoint = crd.endpoint._replace(rules=own, fast=None)
        self.crd = CompiledCRD(crd.served._replace(fast=None), lambda: endpoint)
        self.seen: list[Seen] = []

    def verdict(self, obj: JsonMapping, old: JsonMapping | None = None, subresource: str | None = None) -> Verdict:
        """Judge a request and remember it."""
        self._held.clear()
        self._evaluated.clear()
        answer = self.crd.verdict(obj, old, subresource)
        self.seen.append(Seen(obj, old, subresource, answer, frozenset(self._held), frozenset(self._evaluated)))
        return answer


class Recording:
    """Runs cases with definitions that remember; each definition is compiled once, those of a patch each time.

    What cases meet of a patched definition does not count: it is another one.
    """

    def __init__(self) -> None:
        self.recorders: list[Recorder] = []

    def compile(self, crd: JsonObject, version: str, kubernetes: str) -> Recorder:
        """Compile a definition; raise SuiteFault if it is not valid."""
        try:
            self.recorders.append(Recorder(compile_crd(crd, version, kubernetes)))
        except ValueError as error:
            raise SuiteFault(f"the CRD is not valid: {error}") from error
        return self.recorders[-1]

    def case(self, case: Case, run: Run, target: Target, met: Met) -> CaseResult:
        """Run one case, into ``met`` if it passes, and return its result."""
        for recorder in self.recorders:
            recorder.seen.clear()
        result = judge_case(run.suite, case, target)
        if not result.passed:
            return result
        expected = case.expected_error or case.expected_status_error
        own = recorded(target)
        if own is None:
            return result
        for seen in own.seen:
            answer = seen.answer
            if answer.allowed and answer.object is not None:
                met.accepted(own.crd, seen.obj, answer.object, seen.held)
            elif expected:
                met.add_errors(answer.errors, expected)
        return result

    def evaluated(self) -> frozenset[str]:
        """Return the locations of the rules that the last case ran."""
        return frozenset(each for recorder in self.recorders for seen in recorder.seen for each in seen.evaluated)


def recorded(target: Target) -> Recorder | None:
    """What a target remembers of its CRD as it is, without patches; None if that does not compile."""
    try:
        own = target.compiled()
    except SuiteFault:
        return None
    return own if isinstance(own, Recorder) else None


def cover(plan: Plan, kubernetes: str = DEFAULT_KUBERNETES, progress: Progress | None = None) -> Coverage:
    """Run the cases of a plan and return their results with the gaps of the definitions under test.

    CRD files of one name and version are one definition: what a case met under any of them counts.
    """
    results: list[CaseResult] = []
    met: dict[tuple[str, str], Met] = {}
    crds: dict[tuple[str, str], list[CompiledCRD]] = {}
    recordings: dict[tuple[object, str], tuple[Recording, Target]] = {}
    for part in plan.parts:
        if isinstance(part, CaseResult):
            results.append(part)
            continue
        if isinstance(part, PolicyRun):
            results += PolicyJudge(part, kubernetes).results()
            continue
        key, own = (part.definition.name, part.version), (part.definition.path, part.version)
        if own not in recordings:
            recording = Recording()
            recordings[own] = recording, Target(part.definition, part.version, kubernetes, recording.compile)
            if broken := broken_definition(part, recordings[own][1]):
                results.append(broken)
        recording, target = recordings[own]
        for case in part.cases if recorded(target) is not None else ():
            results.append(recording.case(case, part, target, met.setdefault(key, Met())))
            if progress is not None:
                progress(len(results), plan.cases)
        found, recorder = crds.setdefault(key, []), recorded(target)
        found += [] if recorder is None or recorder.crd in found else [recorder.crd]
    gaps = [gap for key, each in met.items() for gap in _gaps(key, each, crds[key])]
    policies = [part for part in plan.parts if isinstance(part, PolicyRun)]
    gaps += (Gap(*missing) for missing in policy_gaps(policies, kubernetes))
    return Coverage(SuiteReport(tuple(results), plan.warnings), tuple(dict.fromkeys(gaps)))


def _gaps(key: tuple[str, str], met: Met, crds: Iterable[CompiledCRD]) -> Iterator[Gap]:
    name, version = key
    for crd in crds:
        for location, missing in (*met.gaps(crd), *met.bounds(crd)):
            yield Gap(f"{name}/{version}", location, missing)
