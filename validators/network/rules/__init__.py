"""Rules about networks that no schema can express: one file per rule, or per pair of mirrored rules.

Rules report in the order of `index`, which is generated from their fields. The command line, which judges one object,
loads only the rules that can apply to it; loading all of them would take a third longer.
"""

from functools import cache, lru_cache
from importlib import import_module
from typing import Final

from ovnguard.validators.base import deadline
from ovnguard.validators.base.field import FieldError
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.base.unchecked import Unchecked
from ovnguard.validators.network.cluster_view import SERVICE, GroupKind
from ovnguard.validators.network.parse_values import dig, text_of
from ovnguard.validators.network.request_context import Traits
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.rules.index import RULES, Entry

_ERROR: Final = Severity.ERROR
RULED_KINDS: Final = frozenset(kind for entry in RULES for kind in entry.kinds)
"""The kinds that at least one rule judges."""
# Rules about Services also apply to those that a bundled policy judges, which depends on their fields.
_BY_POLICY: Final = frozenset({SERVICE})

__all__ = [
    "RULED_KINDS",
    "Need",
    "Rule",
    "RuleContext",
    "Severity",
    "all_rules",
    "applies_to",
    "has_rules_for",
    "rules_for",
    "run",
]


def rules_for(kind: GroupKind) -> tuple[Rule, ...]:
    """Return the rules about objects of ``kind``, in the order in which they report."""
    return tuple(_rule(entry) for entry in RULES if kind in entry.kinds)


def applies_to(rule: Rule, ctx: RuleContext) -> bool:
    """Return whether ``rule`` judges the object of ``ctx``."""
    return _covers(rule, ctx.traits) and (rule.applies is None or rule.applies(ctx))


def _covers(rule: Rule | Entry, traits: Traits) -> bool:
    """Whether the fields of a rule allow a request with ``traits``."""
    return (
        traits.kind in rule.kinds
        and traits.operation in rule.operations
        and traits.subresource in rule.subresources
        and rule.transport in (None, traits.transport)
        and rule.routing in (None, traits.routing)
        and (not rule.topologies or traits.topology in rule.topologies)
        and rule.role in (None, traits.role)
        and (traits.own_network or not rule.own_network)
    )


def has_rules_for(kind: GroupKind, obj: JsonObject) -> bool:
    """Return whether the object's name allows any rule about ``kind`` to apply."""
    if kind not in RULED_KINDS or kind in _BY_POLICY:
        return False
    prefixes = _prefixes(kind)
    return not prefixes or text_of(dig(obj, "metadata", "name")).startswith(prefixes)


@cache
def _prefixes(kind: GroupKind) -> tuple[str, ...]:
    """The name prefixes of the objects of ``kind`` that rules judge; empty when some rule judges any name."""
    names = [entry.names for entry in RULES if kind in entry.kinds]
    return tuple(dict.fromkeys(prefix for each in names for prefix in each)) if all(names) else ()


def all_rules() -> tuple[Rule, ...]:
    """Return every rule, each once, ordered by id."""
    return tuple(_rule(entry) for entry in sorted(RULES, key=lambda entry: entry.id))


@cache
def _rule(entry: Entry) -> Rule:
    return next(rule for rule in rules_of(f"{__name__}.{entry.module}") if rule.id == entry.id)


def rules_of(module: str) -> tuple[Rule, ...]:
    """Return the rules of a module: its ``RULE``, or its ``RULES`` where mirrored rules share a file."""
    found = vars(import_module(module))
    return tuple(found["RULES"]) if "RULES" in found else (found["RULE"],)


def run(ctx: RuleContext) -> tuple[tuple[FieldError, ...], tuple[FieldError, ...], tuple[Unchecked, ...]]:
    """Return errors, warnings and unchecked rules for an object that its schema accepted.

    A rule whose facts are missing is not checked; rules that lack the same facts are returned together. Raises
    DeadlineExceeded when the judgement runs out of time.
    """
    errors: list[FieldError] = []
    warnings: list[FieldError] = []
    unchecked: dict[tuple[Need, ...], list[str]] = {}
    # Many rules need the same facts: look up each fact once and report each combination once.
    known: dict[Need, bool] = {}
    lacking: dict[tuple[Need, ...], tuple[Need, ...]] = {(): ()}
    for rule in _rules_asked(ctx.traits):
        applies = rule.applies
        if applies is not None and not applies(ctx):
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
            found = errors if rule.severity is _ERROR else warnings
            found += [error._replace(rule=rule.id) for error in _new(findings, rule, ctx)]
    left = tuple([Unchecked(missing, tuple(ids)) for missing, ids in unchecked.items()])
    return tuple(errors), tuple(warnings), left


@lru_cache(maxsize=256)
def _rules_asked(traits: Traits) -> tuple[Rule, ...]:
    return tuple(_rule(entry) for entry in RULES if _covers(entry, traits))


def _missing(needs: tuple[Need, ...], ctx: RuleContext, known: dict[Need, bool]) -> tuple[Need, ...]:
    """Return the needs whose facts are missing."""
    missing = []
    for need in needs:
        answer = known.get(need)
        if answer is None:
            answer = known[need] = need.known(ctx)
        if not answer:
            missing.append(need)
    return tuple(missing)


def _new(findings: list[FieldError], rule: Rule, ctx: RuleContext) -> list[FieldError]:
    """The rule's findings, without those that the old object has as well."""
    before = ctx.before if rule.ratchets and ctx.is_update else None
    if before is None or not applies_to(rule, before):
        return findings
    known = {(error.field, error.detail) for error in rule.check(before)}
    return [error for error in findings if (error.field, error.detail) not in known]
