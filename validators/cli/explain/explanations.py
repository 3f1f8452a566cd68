"""Every rule id with its explanation: network rules, CEL rules of definitions and policies, ids of the API server."""

import inspect
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final

from ovnguard import crd_schemas
from ovnguard.validators.bundled.bundled_rules import (
    BundledRule,
    PolicyRule,
    SchemaRule,
    bundled_rules,
    nodes,
    schema_of,
)
from ovnguard.validators.cli.explain.fixed_rules import FIXED_RULES, FixedRule
from ovnguard.validators.network import rules
from ovnguard.validators.network.parse_errors import ParseError, all_parse_errors
from ovnguard.validators.network.rules import Rule, all_rules
from ovnguard.validators.network.rules.index import RULES

_ROOT: Final = Path(crd_schemas.__file__).parents[1]
_SOURCE: Final = "ovnguard.io/source"
_MODULES: Final = {entry.id: entry.module for entry in RULES}


@dataclass(frozen=True, slots=True)
class Location:
    """A line of a file; its path is relative to the folder of the packages."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """One rule id. ``message`` is the rule's message in general, ``rule`` the CEL expression of a CEL rule."""

    id: str
    severity: str
    message: str
    why: str = ""
    hint: str = ""
    design: str = ""
    rule: str = ""
    fields: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    locations: tuple[Location, ...] = ()


def explanations() -> Iterator[Explanation]:
    """Iterate over every rule id that a finding can have, except paths of rules in CRDs of the user."""
    yield from map(_of_network_rule, all_rules())
    yield from map(_of_parse_error, all_parse_errors())
    yield from map(_of_fixed_rule, FIXED_RULES)
    yield from map(_of_cel_rule, bundled_rules().values())


def requirement(name: str) -> str:
    """Return what the rule with an id requires; "" for the path of a rule in a CRD of the user."""
    # most findings have one of these ids; finding another one loads every rule
    return _fixed_requirements().get(name) or _requirements().get(name, "")


@cache
def _fixed_requirements() -> dict[str, str]:
    return {rule.id: rule.message for rule in FIXED_RULES}


def rule_ids() -> Collection[str]:
    """Return every rule id that `explanations` explain."""
    return _requirements().keys()


@cache
def _requirements() -> dict[str, str]:
    """The messages of all rules. Explanations also have the lines of their source, which take longer to find."""
    found = {rule.id: rule.message for rule in all_rules()}
    found |= {error.id: error.message for error in all_parse_errors()}
    found |= {rule.id: _message(rule) for rule in bundled_rules().values()}
    return found | _fixed_requirements()


def why(rule: Rule) -> str:
    """Return the reason for a network rule: the docstring of the module that contains its check."""
    return inspect.cleandoc(sys.modules[rule.check.__module__].__doc__ or "")


def _line_of(file: Path, text: str) -> Location:
    """Return the first line of the file that contains the text, else its first line."""
    lines = file.read_text(encoding="utf-8").splitlines()
    line = next((number for number, each in enumerate(lines, 1) if text in each), 1)
    return Location(file.relative_to(_ROOT).as_posix(), line)


def _of_fixed_rule(rule: FixedRule) -> Explanation:
    where = _line_of(Path(inspect.getfile(rule.module)), rule.text)
    return Explanation(rule.id, rule.severity, rule.message, rule.why, rule.hint, locations=(where,))


def _of_network_rule(rule: Rule) -> Explanation:
    return Explanation(
        rule.id,
        str(rule.severity),
        rule.message,
        why(rule),
        rule.hint,
        rule.design,
        kinds=tuple(rule.kind_names),
        needs=tuple(map(str, rule.needs)),
        operations=tuple(sorted(rule.operations)),
        locations=(_location(rule),),
    )


def _of_parse_error(error: ParseError) -> Explanation:
    file = Path(inspect.getfile(sys.modules[error.module]))
    where = Location(file.relative_to(_ROOT).as_posix(), error.line)
    return Explanation(error.id, error.severity, error.message, error.why, error.hint, locations=(where,))


def _location(rule: Rule) -> Location:
    """Return the line of a rule's module that has the rule's id."""
    return _line_of(Path(inspect.getfile(_module(rule))), f'"{rule.id}"')


def _module(rule: Rule) -> ModuleType:
    return sys.modules[f"{rules.__name__}.{_MODULES[rule.id]}"]


def _of_cel_rule(rule: BundledRule) -> Explanation:
    severity, reason, design, operations = "error", "", "", ()
    if isinstance(rule, PolicyRule):
        source = rule.policy.source
        severity = "error" if rule.policy.denies else "warning"
        design = source["metadata"]["annotations"][_SOURCE]
        matched = source["spec"]["matchConstraints"]["resourceRules"]
        operations = tuple(dict.fromkeys(operation for each in matched for operation in each["operations"]))
    else:
        reason = _reason(rule)
    return Explanation(
        rule.id,
        severity,
        _message(rule),
        reason,
        design=design,
        rule=rule.rule,
        fields=tuple(dict.fromkeys(path.path or "the whole object" for path in rule.paths)),
        kinds=rule.kinds,
        operations=operations,
        locations=tuple(Location(f"crd_schemas/{line.file}", line.line) for line in rule.lines),
    )


def _message(rule: BundledRule) -> str:
    return " ".join(rule.message.split()) or "the rule must be true"


def _reason(rule: SchemaRule) -> str:
    """Return the description of the rule's field, and the rule's use of the stored object."""
    file, path = rule.paths[0]
    text = " ".join(str(_schemas(file)[path].get("description", "")).split())
    if "oldSelf" in rule.rule:
        text += " The rule compares the new value (self) with the stored one (oldSelf)."
    return text.strip()


@cache
def _schemas(file: str) -> dict[str, dict[str, object]]:
    return dict(nodes(schema_of(file)))
