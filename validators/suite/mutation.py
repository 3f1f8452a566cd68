"""Mutation of CEL rules: each rule is broken in small ways, and the mutants that every suite accepts are listed.

A rule that can be broken without a failing case is not tested. Each mutant runs only with the cases that ran its rule.
"""

import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, Final, NamedTuple

from validators.base.field import NEWEST_KUBERNETES
from validators.base.json_types import JsonObject
from validators.suite import schema_walk
from validators.suite.case_judge import Target, judge_case
from validators.suite.coverage import Met, Recording
from validators.suite.crd_engine import compile_definition
from validators.suite.runner import Plan, Progress, Run
from validators.suite.suite import Case, CaseResult, Definition, SuiteFault, SuiteReport

_TOKEN: Final = re.compile(
    r"""r?"(?:\\.|[^"\\])*"|r?'(?:\\.|[^'\\])*'|[A-Za-z_][A-Za-z0-9_]*|\d+(?:\.\d+)?|&&|\|\||[<>=!]=|[<>]|\s+|.""",
    re.DOTALL,
)
_OPENING: Final = "([{"
_CLOSING: Final = ")]}"
_MOVED: Final = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_RULES: Final = "x-kubernetes-validations"


class Mutant(NamedTuple):
    """A broken rule: how it was broken, and its text."""

    change: str
    rule: str


class Survivor(NamedTuple):
    """A mutant that every case accepts. ``cases`` is the number of cases that ran its rule."""

    crd: str
    location: str
    rule: str
    mutant: Mutant
    cases: int


class Mutation(NamedTuple):
    """The results of the cases, the numbers of mutants that a case refused and of invalid ones, and the survivors."""

    report: SuiteReport
    killed: int
    invalid: int
    survivors: tuple[Survivor, ...]


def mutants_of(rule: str) -> Iterator[Mutant]:
    """Iterate over the mutants of a rule, each once."""
    seen = {rule}
    for mutant in _mutants(rule):
        if mutant.rule not in seen:
            seen.add(mutant.rule)
            yield mutant


def _mutants(rule: str) -> Iterator[Mutant]:
    tokens = _TOKEN.findall(rule)
    yield Mutant("negated", f"!({rule})")
    parts = _conjuncts(tokens)
    for index, part in enumerate(parts) if len(parts) > 1 else ():
        rest = " && ".join(each for number, each in enumerate(parts) if number != index)
        yield Mutant(f"without {' '.join(part.split())}", rest)
    for index, token in enumerate(tokens):
        if token in _MOVED:
            yield Mutant(f"{token} is {_MOVED[token]}", _with(tokens, index, _MOVED[token]))
        elif token.isdecimal() and _is_compared(tokens, index):
            for moved in (str(int(token) + 1), str(int(token) - 1)):
                if not moved.startswith("-"):
                    yield Mutant(f"{token} is {moved}", _with(tokens, index, moved))
    if "oldSelf" in tokens and "self" in tokens and not _is_symmetric(tokens):
        swapped = {"self": "oldSelf", "oldSelf": "self"}
        yield Mutant("self and oldSelf swapped", "".join(swapped.get(token, token) for token in tokens))


def _conjuncts(tokens: list[str]) -> list[str]:
    """The operands of && outside of brackets; one if || or ? binds more loosely there."""
    parts, depth = [""], 0
    for token in tokens:
        depth += (token in _OPENING) - (token in _CLOSING)
        if depth == 0 and token in ("||", "?"):
            return []
        if depth == 0 and token == "&&":  # noqa: S105 - an operator
            parts.append("")
        else:
            parts[-1] += token
    return [part.strip() for part in parts]


def _is_symmetric(tokens: list[str]) -> bool:
    """Whether the rule compares something of self with the same of oldSelf, in either order."""
    for operator in ("==", "!="):
        if tokens.count(operator) == 1 and not {"&&", "||", "?"} & set(tokens):
            at = tokens.index(operator)
            sides = ["".join(each).strip() for each in (tokens[:at], tokens[at + 1 :])]
            return (
                sorted(re.sub(r"\boldSelf\b", "self", side) for side in sides)
                == [re.sub(r"\boldSelf\b", "self", sides[0])] * 2
            )
    return False


def _is_compared(tokens: list[str], index: int) -> bool:
    """Whether a comparison is next to a number."""
    around = (*(token for token in tokens[:index] if not token.isspace()),)[-1:]
    after = next((token for token in tokens[index + 1 :] if not token.isspace()), "")
    return any(each in _MOVED or each in ("==", "!=") for each in (*around, after))


def _with(tokens: list[str], index: int, token: str) -> str:
    return "".join([*tokens[:index], token, *tokens[index + 1 :]])


class _Variant(NamedTuple):
    """One CRD file under test, with the cases that ran each rule, by location."""

    definition: Definition
    version: str
    recording: Recording
    target: Target
    ran: dict[str, list[tuple[Run, Case]]]


class _Place(NamedTuple):
    """A rule of one CRD file: the keys that lead to its node, and its number there."""

    variant: _Variant
    path: tuple[str, ...]
    number: int


class _Rule(NamedTuple):
    """A rule of a definition, whichever CRD file has it."""

    crd: str
    location: str
    text: str


def mutate(plan: Plan, kubernetes: str = NEWEST_KUBERNETES, progress: Progress | None = None) -> Mutation:
    """Run the cases of a plan, then break every rule of the definitions under test; cases that fail break nothing.

    CRD files of one name and version are one definition: a mutant survives if it does under all of them. ``progress``
    gets the numbers of done and of all rules.
    """
    variants: dict[tuple[object, str], _Variant] = {}
    results = [result for part in plan.parts for result in _run(part, kubernetes, variants)]
    rules: dict[_Rule, list[_Place]] = {}
    for variant in variants.values():
        for rule, place in _rules_of(variant):
            rules.setdefault(rule, []).append(place)
    killed = invalid = 0
    survivors: list[Survivor] = []
    for done, (rule, places) in enumerate(rules.items(), 1):
        for mutant in mutants_of(rule.text):
            fates = [_survives(place, rule.location, mutant, kubernetes) for place in places]
            known = [fate for fate in fates if fate is not None]
            killed += bool(known) and not all(known)
            invalid += not known
            if known and all(known):
                cases = sum(len(place.variant.ran.get(rule.location, ())) for place in places)
                survivors.append(Survivor(rule.crd, rule.location, rule.text, mutant, cases))
        if progress is not None:
            progress(done, len(rules))
    return Mutation(SuiteReport(tuple(results), plan.warnings), killed, invalid, tuple(survivors))


def _run(part: Run | CaseResult, kubernetes: str, variants: dict[tuple[object, str], _Variant]) -> Iterator[CaseResult]:
    """Run the cases of one part of a plan, and note in its variant which rules they ran."""
    if isinstance(part, CaseResult):
        yield part
        return
    key = (part.definition.path, part.version)
    if key not in variants:
        recording = Recording()
        target = Target(part.definition, part.version, kubernetes, recording.compile)
        variants[key] = _Variant(part.definition, part.version, recording, target, {})
    variant = variants[key]
    for case in part.cases:
        result = variant.recording.case(case, part, variant.target, Met())
        for location in variant.recording.evaluated() if result.passed else ():
            variant.ran.setdefault(location, []).append((part, case))
        yield result


def _rules_of(variant: _Variant) -> Iterator[tuple[_Rule, _Place]]:
    if not variant.recording.recorders:
        return
    name = f"{variant.definition.name}/{variant.version}"
    for node, path in schema_walk.paths(variant.recording.recorders[0].crd.endpoint.schema):
        for index, rule in enumerate(node.rules):
            location = node.at(f"{_RULES}[{index}]")
            yield _Rule(name, location, rule.rule), _Place(variant, path, index)


def _survives(place: _Place, location: str, mutant: Mutant, kubernetes: str) -> bool | None:
    """Whether every case that ran the rule still passes; None if the mutant is no valid rule."""
    variant = place.variant
    target = Target(_broken(place, mutant.rule), variant.version, kubernetes, compile_definition)
    try:
        target.compiled()
    except SuiteFault:
        return None
    return all(judge_case(run.suite, case, target).passed for run, case in variant.ran.get(location, ()))


def _broken(place: _Place, rule: str) -> Definition:
    """The definition with one rule replaced."""
    definition, version = place.variant.definition, place.variant.version
    value: JsonObject = deepcopy(definition.value)
    node: Any = next(each for each in value["spec"]["versions"] if each["name"] == version)["schema"]["openAPIV3Schema"]
    for key in place.path:
        node = node[key]
    node[_RULES][place.number]["rule"] = rule
    return Definition(definition.path, definition.label, value)
