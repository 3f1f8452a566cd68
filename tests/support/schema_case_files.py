"""Find what ``crd_schemas/cases`` lacks: each rule needs an id, and values that it accepts and refuses."""

from collections.abc import Iterator
from typing import Any

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.bundled.bundled_rules import RulePath, SchemaRule, bundled_rules, rule_paths
from ovnguard.validators.bundled.rule_ids import cases, identity_of
from ovnguard.validators.cel.compiled_rule import Result
from ovnguard.validators.cel.types.errors import ABSENT

KEYS = frozenset(["id", "rule", "message", "messageExpression", "gate", "accepts", "refuses"])
VALUES = frozenset(["self", "old", "message"])


def nameless() -> list[str]:
    """Every rule of a bundled definition that no case file gives an id."""
    named = {identity_of(entry) for entry in cases()}
    return [
        f"{_shown(where[0])}: rule has no id: {text}"
        for (text, message), where in rule_paths().items()
        if (text, message) not in named
    ]


def wrong(entry: JsonObject) -> Iterator[str]:
    """What is wrong with one entry of a case file."""
    if unknown := set(entry) - KEYS:
        yield f"{entry['id']}: unknown {sorted(unknown)}"
    for kind in ("accepts", "refuses"):
        if not entry.get(kind):
            yield f"{entry['id']}: {kind} nothing"
        for index, values in enumerate(entry.get(kind, ())):
            where = f"{entry['id']}: {kind}[{index}]"
            if "self" not in values or set(values) - VALUES:
                yield f"{where}: self, and old where there is one, not {sorted(values)}"
            elif fault := _fault(
                kind == "accepts", _result(entry, values), values.get("message", entry.get("message"))
            ):
                yield f"{where}: {fault}"


def _result(entry: JsonObject, values: JsonObject) -> Result:
    rule = bundled_rules()[entry["id"]]
    assert isinstance(rule, SchemaRule)
    return rule.evaluate(values["self"], values.get("old", ABSENT))


def _fault(wanted: bool, result: Result, message: Any) -> str:
    if result.error:
        return f"goes wrong: {result.message}"
    if result.skipped:
        return "is skipped: a transition rule needs old"
    if result.ok is not wanted:
        return "is refused" if wanted else "is accepted"
    if not wanted and message is not None and result.message != str(message).strip():
        return f"says {result.message!r}"
    return ""


def _shown(place: RulePath) -> str:
    return f"{place.file}: {place.path or '<root>'}"
