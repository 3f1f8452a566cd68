"""Rules about networks that no schema can express: one rule per file, listed in `table`."""

from dataclasses import replace
from functools import cache, lru_cache
from importlib import import_module
from typing import Final

from validators.base import deadline
from validators.base.field import FieldError
from validators.base.json_types import JsonObject
from validators.base.unchecked import Unchecked
from validators.network.cluster_view import CUDN, UDN, GroupKind
from validators.network.parse_values import dig, text_of
from validators.network.rules.base import Context, Need, Rule, Severity
from validators.network.rules.table import FILES, LAYER2_ONLY, NO_OVERLAY_ONLY, SUBJECTS

_ERROR: Final = Severity.ERROR
__all__ = ["Context", "Need", "Rule", "Severity", "all_rules", "rules_about", "rules_for", "run", "speak_of"]


def rules_for(kind: GroupKind) -> tuple[Rule, ...]:
    """Return the rules about objects of ``kind``, in the order in which they speak."""
    return _rules(kind, False, False)


def rules_about(kind: GroupKind, obj: JsonObject) -> tuple[Rule, ...]:
    """Return those of `rules_for` that can be about ``obj``; the others would find nothing in it."""
    return _rules(kind, *_glance(kind, obj))


def _glance(kind: GroupKind, obj: JsonObject) -> tuple[bool, bool]:
    """Whether ``obj`` certainly declares a network with an overlay, and one whose topology is not Layer2."""
    if kind == CUDN:
        declared = dig(obj, "spec", "network")
        return dig(declared, "transport") != "NoOverlay", dig(declared, "topology") != "Layer2"
    return False, kind == UDN and dig(obj, "spec", "topology") != "Layer2"


@cache
def _rules(kind: GroupKind, overlay: bool, routed: bool) -> tuple[Rule, ...]:
    left_out = (NO_OVERLAY_ONLY if overlay else frozenset()) | (LAYER2_ONLY if routed else frozenset())
    return tuple(_rule(name) for name in FILES.get(kind, ()) if name not in left_out)


def speak_of(kind: GroupKind, obj: JsonObject) -> bool:
    """Whether some rule is about ``obj`` of ``kind``; of kinds like ConfigMap only a few are anything to rules."""
    if kind not in FILES:
        return False
    subjects = SUBJECTS.get(kind)
    return subjects is None or text_of(dig(obj, "metadata", "name")).startswith(subjects)


def all_rules() -> tuple[Rule, ...]:
    """Return every rule, each once, ordered by id."""
    names = dict.fromkeys(name for names in FILES.values() for name in names)
    return tuple(sorted(map(_rule, names), key=lambda rule: rule.id))


@cache
def _rule(name: str) -> Rule:
    # A command line that judges one object reads the rules of its kind alone.
    rule = import_module(f"{__name__}.{name}").RULE
    if not isinstance(rule, Rule):
        raise TypeError(f"RULE of {name} is a {type(rule).__name__}")
    return rule


def run(kind: GroupKind, ctx: Context) -> tuple[tuple[FieldError, ...], tuple[FieldError, ...], tuple[Unchecked, ...]]:
    """Return errors, warnings and unchecked rules for an object of ``kind`` that its schema accepted.

    A rule whose facts are missing is not checked; rules that lack the same facts are returned together. Raises
    DeadlineExceeded when the time of the judgement is over.
    """
    errors: list[FieldError] = []
    warnings: list[FieldError] = []
    unchecked: dict[tuple[Need, ...], list[str]] = {}
    # Many rules need the same: each fact is looked up once, each combination reported once.
    known: dict[Need, bool] = {}
    lacking: dict[tuple[Need, ...], tuple[Need, ...]] = {(): ()}
    for rule in _rules_asked(kind, *_glance(kind, ctx.object), ctx.operation, ctx.subresource):
        if not rule.applies(ctx):
            continue
        needs = rule.needs
        missing = lacking.get(needs)
        if missing is None:
            missing = lacking[needs] = _missing(needs, ctx, known)
        if missing:
            unchecked.setdefault(missing, []).append(rule.id)
            continue
        deadline.check()
        findings = list(rule.check(ctx))
        if findings:
            said = errors if rule.severity is _ERROR else warnings
            said += [replace(error, rule=rule.id) for error in _new(findings, rule, ctx)]
    left = tuple([Unchecked(missing, tuple(ids)) for missing, ids in unchecked.items()])
    return tuple(errors), tuple(warnings), left


@lru_cache(maxsize=256)
def _rules_asked(kind: GroupKind, overlay: bool, routed: bool, operation: str, subresource: str) -> tuple[Rule, ...]:
    rules = _rules(kind, overlay, routed)
    return tuple(rule for rule in rules if operation in rule.operations and subresource in rule.subresources)


def _missing(needs: tuple[Need, ...], ctx: Context, known: dict[Need, bool]) -> tuple[Need, ...]:
    """Return the needs whose facts are missing."""
    missing = []
    for need in needs:
        answer = known.get(need)
        if answer is None:
            answer = known[need] = need.known(ctx)
        if not answer:
            missing.append(need)
    return tuple(missing)


def _new(findings: list[FieldError], rule: Rule, ctx: Context) -> list[FieldError]:
    """What the rule says, less what it would have said about the old object."""
    before = ctx.before() if rule.ratchets and ctx.is_update else None
    if before is None or not rule.applies(before):
        return findings
    known = {(error.field, error.detail) for error in rule.check(before)}
    return [error for error in findings if (error.field, error.detail) not in known]
