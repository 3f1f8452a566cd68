"""The stable ids of the CEL rules in bundled definitions, read from the files in ``crd_schemas/cases``.

An id belongs to a pair of rule and message, wherever the pair occurs. White space does not distinguish rules.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TypeAlias

from ovnguard import crd_schemas
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.base.validation_rule import ValidationRule

RuleIdentity: TypeAlias = tuple[str, str]
"""A rule's expression and its message or messageExpression, "" without one; white space is normalized."""


def rule_identity(rule: str, message: str | None, message_expression: str | None = None) -> RuleIdentity:
    """Return what distinguishes a rule from all others."""
    return " ".join(rule.split()), " ".join(str(message or message_expression or "").split())


def identity_of(entry: JsonObject) -> RuleIdentity:
    """Return the identity of a rule as definitions and case files write it."""
    return rule_identity(entry["rule"], entry.get("message"), entry.get("messageExpression"))


def rule_id(rule: ValidationRule) -> str:
    """Return the stable id of a rule, "" for a rule of no bundled definition. The first call reads all case files."""
    return _ids().get(rule_identity(rule.rule, rule.message, rule.message_expression), "")


def cases() -> Iterator[JsonObject]:
    """Iterate over the entries of every case file: id, rule, message, gate, accepts, refuses."""
    for file in crd_schemas.data_files(crd_schemas.CASES):
        yield from crd_schemas.parsed(file)["rules"]


@cache
def case_texts() -> bytes:
    """Return the text of all case files: what was compiled with other ids must be compiled again."""
    return b"\0".join(map(crd_schemas.read, crd_schemas.data_files(crd_schemas.CASES)))


@cache
def _ids() -> Mapping[RuleIdentity, str]:
    return {identity_of(entry): entry["id"] for entry in cases()}
