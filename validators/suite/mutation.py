"""Mutation of CEL rules: each rule is broken in small ways, and the mutants that every suite accepts are listed.

The expressions of policies are rules, too. A rule that can be broken without a failing case is not tested. Each mutant
runs only with the cases that ran its rule.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, Final, NamedTuple

from ovnguard.validators.base.field import DEFAULT_KUBERNETES
from ovnguard.validators.crd.compiled_crd import CompiledCRD
from ovnguard.validators.crd.rule_compiler import RuleCompiler
from ovnguard.validators.structural.objects.rule_evaluation import BoundRule, RuleNode
from ovnguard.validators.structural.schema.schema import Schema
from ovnguard.validators.suite import schema_walk
from ovnguard.validators.suite.case_judge import Target, judge_case
from ovnguard.validators.suite.coverage import Met, Recording, recorded
from ovnguard.validators.suite.crd_engine import compile_definition
from ovnguard.validators.suite.forked import mapped
from ovnguard.validators.suite.mutants import Mutant, mutants_of
from ovnguard.validators.suite.policy_analyses import PolicyExpression, expressions
from ovnguard.validators.suite.policy_judge import PolicyJudge
from ovnguard.validators.suite.policy_suite import PolicyRun
from ovnguard.validators.suite.runner import Plan, Progress, Run, broken_definition
from ovnguard.validators.suite.suite import Case, CaseResult, Definition, SuiteFault, SuiteReport

_RULES: Final = "x-kubernetes-validations"
MOST_MUTANTS: Final = 100
"""Mutants of one rule that are tried; fewer if their texts together come to more than `MOST_TEXT` characters."""
MOST_TEXT: Final = 100_000


class Survivor(NamedTuple):
    """A mutant that every case accepts. ``cases`` is the number of cases that ran its rule."""

    crd: str
    location: str
    rule: str
    mutant: Mutant
    cases: int


class Mutation(NamedTuple):
    """The results of the cases, the numbers of mutants that a case refused and of invalid ones, and the survivors.

    ``cut`` is the number of rules with more mutants than are tried. ``killed`` is None if a case does not pass: then no
    rule was broken.
    """

    report: SuiteReport
    killed: int | None = None
    invalid: int = 0
    survivors: tuple[Survivor, ...] = ()
    cut: int = 0


class _Variant(NamedTuple):
    """One CRD file under test, with the cases that ran each rule, by location."""

    definition: Definition
    version: str
    kubernetes: str
    recording: Recording
    target: Target
    ran: dict[str, list[tuple[Run, Case]]]


class _Place(NamedTuple):
    """A rule of one CRD file: its node and the keys that lead there, and its number."""

    variant: _Variant
    own: CompiledCRD
    compiler: RuleCompiler
    node: Schema
    path: tuple[str, ...]
    number: int

    def ran(self, location: str) -> int:
        """Return the number of cases that ran the rule."""
        return len(self.variant.ran.get(location, ()))

    def survives(self, location: str, rule: str) -> bool | None:
        """Return whether every case that ran the rule still passes with another one; None if that is not valid."""
        return _survives(self, location, rule)


class _Rule(NamedTuple):
    """A rule of a definition, whichever CRD file has it."""

    crd: str
    location: str
    text: str


class _Tried(NamedTuple):
    """Whether each mutant of a rule survives, None for no valid rule; ``cut``: there are more mutants."""

    fates: list[bool | None]
    cut: bool


def mutate(
    plan: Plan, kubernetes: str = DEFAULT_KUBERNETES, progress: Progress | None = None, jobs: int = 1
) -> Mutation:
    """Run the cases of a plan; if all pass, break every rule of the definitions under test.

    CRD files of one name and version, and policies of one name, are one definition: a mutant survives if it does under
    all of them. ``progress`` gets the numbers of done and of all rules. ``jobs`` processes share the rules; the result
    does not depend on them.
    """
    variants: dict[tuple[object, str], _Variant] = {}
    results = [result for part in plan.parts for result in _run(part, kubernetes, variants)]
    report = SuiteReport(tuple(results), plan.warnings)
    if not report.passed:
        return Mutation(report)
    found: dict[_Rule, list[_Place | PolicyExpression]] = {}
    policies = [part for part in plan.parts if isinstance(part, PolicyRun)]
    for rule, place in chain.from_iterable(map(_rules_of, variants.values())):
        found.setdefault(rule, []).append(place)
    for rule, expression in _expressions(policies, kubernetes):
        found.setdefault(rule, []).append(expression)
    rules = list(found.items())
    killed = invalid = cut = 0
    survivors: list[Survivor] = []
    for done, tried in enumerate(mapped(lambda index: _tried(*rules[index]), range(len(rules)), jobs), 1):
        rule, places = rules[done - 1]
        cut += tried.cut
        killed += tried.fates.count(False)
        invalid += tried.fates.count(None)
        cases = sum(place.ran(rule.location) for place in places)
        mutants = zip(mutants_of(rule.text), tried.fates, strict=False)
        survivors += (Survivor(*rule, mutant, cases) for mutant, fate in mutants if fate)
        if progress is not None:
            progress(done, len(rules))
    return Mutation(report, killed, invalid, tuple(survivors), cut)


def _run(
    part: Run | PolicyRun | CaseResult, kubernetes: str, variants: dict[tuple[object, str], _Variant]
) -> Iterator[CaseResult]:
    """Run the cases of one part of a plan, and note in its variant which rules they ran."""
    if isinstance(part, CaseResult):
        yield part
        return
    if isinstance(part, PolicyRun):
        yield from PolicyJudge(part, kubernetes).results()
        return
    key = (part.definition.path, part.version)
    if key not in variants:
        recording = Recording()
        target = Target(part.definition, part.version, kubernetes, recording.compile)
        variants[key] = _Variant(part.definition, part.version, kubernetes, recording, target, {})
        if broken := broken_definition(part, target):
            yield broken
    variant = variants[key]
    for case in part.cases if recorded(variant.target) is not None else ():
        result = variant.recording.case(case, part, variant.target, Met())
        for location in variant.recording.evaluated() if result.passed else ():
            variant.ran.setdefault(location, []).append((part, case))
        yield result


def _rules_of(variant: _Variant) -> Iterator[tuple[_Rule, _Place]]:
    """Every rule of a CRD file; none of one that does not compile."""
    own = recorded(variant.target)
    if own is None:
        return
    name = f"{variant.definition.name}/{variant.version}"
    schema = own.crd.endpoint.schema
    compiler = RuleCompiler(schema, variant.kubernetes)
    for node, path in schema_walk.paths(schema):
        for index, rule in enumerate(node.rules):
            location = node.at(f"{_RULES}[{index}]")
            yield _Rule(name, location, rule.rule), _Place(variant, own.crd, compiler, node, path, index)


def _expressions(runs: Sequence[PolicyRun], kubernetes: str) -> Iterator[tuple[_Rule, PolicyExpression]]:
    """Every expression of the policies under test."""
    for expression in expressions(runs, kubernetes):
        yield _Rule(expression.policy, expression.location, expression.text), expression


def _tried(rule: _Rule, places: list[_Place | PolicyExpression]) -> _Tried:
    most = max(1, min(MOST_MUTANTS, MOST_TEXT // max(1, len(rule.text))))
    mutants = mutants_of(rule.text)
    found: list[bool | None] = []
    for mutant in islice(mutants, most):
        fates = [place.survives(rule.location, mutant.rule) for place in places]
        known = [fate for fate in fates if fate is not None]
        found.append(all(known) if known else None)
    return _Tried(found, cut=next(mutants, None) is not None)


def _survives(place: _Place, location: str, rule: str) -> bool | None:
    variant = place.variant
    made = place.compiler.instead(place.node, place.number, rule)
    if made is None:
        return None
    ran = variant.ran.get(location, ())
    broken = _broken(place, rule)
    target = Target(broken, variant.version, variant.kubernetes, compile_definition, _engine(place, made))
    if not all(judge_case(run.suite, case, target).passed for run, case in ran):
        return False
    try:  # now with the checks of the whole definition, such as those of defaults
        Target(broken, variant.version, variant.kubernetes, compile_definition).compiled()
    except SuiteFault:
        return None
    return True


def _engine(place: _Place, rule: BoundRule) -> CompiledCRD:
    """The compiled CRD file with one rule replaced: compiling all of it again costs far more."""
    own = place.own
    endpoint = own.endpoint
    rules = None if endpoint.rules is None else _with_rule(endpoint.rules, place.path, place.number, rule)
    return CompiledCRD(own.served, lambda: endpoint._replace(rules=rules))


def _with_rule(node: RuleNode, path: tuple[str, ...], number: int, rule: BoundRule) -> RuleNode:
    """The tree with the rule at the end of a path replaced; as it is if rules there never run."""
    if not path:
        return node._replace(rules=(*node.rules[:number], rule, *node.rules[number + 1 :]))
    if path[0] == "properties":
        name, below = path[1], path[2:]
        child = node.properties.get(name)
        if child is None:
            return node
        properties: Mapping[str, RuleNode] = {**node.properties, name: _with_rule(child, below, number, rule)}
        return node._replace(properties=properties)
    if path[0] == "items":
        return node if node.items is None else node._replace(items=_with_rule(node.items, path[1:], number, rule))
    if node.additional is None:
        return node
    return node._replace(additional=_with_rule(node.additional, path[1:], number, rule))


def _broken(place: _Place, rule: str) -> Definition:
    """The definition with one rule replaced."""
    definition, version = place.variant.definition, place.variant.version
    number = next(at for at, each in enumerate(definition.value["spec"]["versions"]) if each["name"] == version)
    schema: tuple[str | int, ...] = ("spec", "versions", number, "schema", "openAPIV3Schema")
    keys = (*schema, *place.path, _RULES, place.number, "rule")
    return Definition(definition.path, definition.label, _replaced(definition.value, keys, rule))


def _replaced(value: Any, keys: tuple[str | int, ...], new: str) -> Any:
    """The value with another one at the end of a path; everything outside the path is shared."""
    if not keys:
        return new
    copied = value.copy()
    copied[keys[0]] = _replaced(value[keys[0]], keys[1:], new)
    return copied
