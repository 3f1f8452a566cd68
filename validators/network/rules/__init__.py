"""Rules about networks that no schema can express: one rule per file, listed in `table`."""

from collections.abc import Iterator
from functools import cache, lru_cache
from importlib import import_module

from validators.field import FieldError
from validators.json_types import JsonObject
from validators.network.parse_values import dig, text_of
from validators.network.rules.base import Context, Need, Rule, Severity
from validators.network.rules.table import FILES, NO_OVERLAY_ONLY, SUBJECTS
from validators.network.view import CUDN, GroupKind
from validators.records import replace

__all__ = ["Context", "Need", "Rule", "Severity", "all_rules", "rules_about", "rules_for", "run", "speak_of"]


@cache
def rules_for(kind: GroupKind) -> tuple[Rule, ...]:
    """Return the rules about objects of ``kind``, in the order in which they speak."""
    return tuple(_rule(name) for name in FILES.get(kind, ()))


def rules_about(kind: GroupKind, obj: JsonObject) -> tuple[Rule, ...]:
    """Return those of `rules_for` that can be about ``obj``; the others would find nothing in it."""
    return _rules_with_overlay() if _in_overlay(kind, obj) else rules_for(kind)


def _in_overlay(kind: GroupKind, obj: JsonObject) -> bool:
    return kind == CUDN and dig(obj, "spec", "network", "transport") != "NoOverlay"


@cache
def _rules_with_overlay() -> tuple[Rule, ...]:
    return tuple(_rule(name) for name in FILES[CUDN] if name not in NO_OVERLAY_ONLY)


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


def run(kind: GroupKind, ctx: Context) -> tuple[tuple[FieldError, ...], tuple[FieldError, ...], tuple[str, ...]]:
    """Return errors, warnings and notes about an object of ``kind`` that its schema accepted.

    Rules whose facts are not known say nothing; one note tells of each missing fact which rules need it.
    """
    found: dict[Severity, list[FieldError]] = {Severity.ERROR: [], Severity.WARNING: []}
    unchecked: dict[str, list[str]] = {}
    known: dict[Need, bool] = {}
    for rule in _rules_asked(kind, _in_overlay(kind, ctx.object), ctx.operation, ctx.subresource):
        if not rule.applies(ctx):
            continue
        missing = [need for need in rule.needs if not _known(need, ctx, known)]
        if missing:
            unchecked.setdefault(" and ".join(missing), []).append(rule.id)
            continue
        found[rule.severity] += [replace(error, rule=rule.id) for error in _findings(rule, ctx)]
    notes = tuple(f"not checked: needs {missing} ({', '.join(ids)})" for missing, ids in unchecked.items())
    return tuple(found[Severity.ERROR]), tuple(found[Severity.WARNING]), notes


@lru_cache(maxsize=256)
def _rules_asked(kind: GroupKind, overlay: bool, operation: str, subresource: str) -> tuple[Rule, ...]:
    rules = _rules_with_overlay() if overlay else rules_for(kind)
    return tuple(rule for rule in rules if operation in rule.operations and subresource in rule.subresources)


def _known(need: Need, ctx: Context, known: dict[Need, bool]) -> bool:
    """Whether a fact is known; every one is looked for once."""
    answer = known.get(need)
    if answer is None:
        answer = known[need] = need.known(ctx)
    return answer


def _findings(rule: Rule, ctx: Context) -> Iterator[FieldError]:
    """What the rule says, less what it would have said about the old object."""
    findings = list(rule.check(ctx))
    before = ctx.before() if findings and rule.ratchets and ctx.is_update else None
    known = set()
    if before is not None and rule.applies(before):
        known = {(error.field, error.detail) for error in rule.check(before)}
    return (error for error in findings if (error.field, error.detail) not in known)
