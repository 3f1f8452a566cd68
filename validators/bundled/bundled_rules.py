"""Every bundled CEL rule by its stable id: `bundled_rules` returns the mapping.

An id stands for one rule with its message, wherever the rule occurs. Rules of definitions get their ids from the files
in ``crd_schemas/cases`` (`validators.bundled.rule_ids`); the id of a policy's validation is ``<policy>/<validation>``.
A rule is compiled when it is first evaluated.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

from ovnguard import crd_schemas
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.bundled.bundled_policies import BundledPolicy, all_policies
from ovnguard.validators.bundled.policy_kinds import WATCHED
from ovnguard.validators.bundled.rule_ids import RuleIdentity, cases, identity_of, rule_identity
from ovnguard.validators.cel.compiled_rule import Result, Rule
from ovnguard.validators.cel.types.errors import ABSENT
from ovnguard.validators.cel.validation_rule_compiler import compile_rule
from ovnguard.validators.manifest.position_trees import positions
from ovnguard.validators.manifest.positions import Node

_VALIDATIONS: Final = "x-kubernetes-validations"


class RulePath(NamedTuple):
    """Where a rule is written: a file of ``crd_schemas``, and the path of the field that the rule is attached to.

    The path is "" for the whole object.
    """

    file: str
    path: str


class RuleLine(NamedTuple):
    """The line of a file of ``crd_schemas``, from 1, at which a rule begins."""

    file: str
    line: int


@dataclass(frozen=True, slots=True)
class SchemaRule:
    """A rule of definitions: ``message`` is its message or messageExpression, ``gate`` its feature gate, or ""."""

    id: str
    rule: str
    message: str
    paths: tuple[RulePath, ...]
    gate: str = ""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds whose definitions contain the rule."""
        return tuple(dict.fromkeys(crd_schemas.parsed(path.file)["spec"]["names"]["kind"] for path in self.paths))

    @property
    def lines(self) -> tuple[RuleLine, ...]:
        """Where the rule is written, in the order of ``paths``. Reads the files again, with positions."""
        identity = rule_identity(self.rule, self.message)
        return tuple(RuleLine(path.file, _schema_lines(path.file)[path.path, identity]) for path in self.paths)

    def evaluate(self, value: Any, old: Any = ABSENT) -> Result:
        """Judge the value of the rule's field, defaults set, and its old value.

        The rule is compiled for the first of its paths. A transition rule without ``old`` is skipped. Data never raises
        an error: the result reports it.
        """
        return _compiled(self.paths[0], rule_identity(self.rule, self.message)).evaluate(value, old)


@dataclass(frozen=True, slots=True)
class PolicyRule:
    """One validation of a policy. ``paths`` name the policy's file and the field that the validation is about."""

    id: str
    rule: str
    message: str
    paths: tuple[RulePath, ...]
    policy: BundledPolicy
    index: int
    gate: str = ""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that the policy applies to."""
        return tuple(kind.kind for kind, watched in WATCHED.items() if self.policy.name in watched.files)

    @property
    def lines(self) -> tuple[RuleLine, ...]:
        """Where the validation is written."""
        tree = positions(crd_schemas.read(self.policy.file), 0)
        node = _below(tree, "spec", "validations", self.index)
        return (RuleLine(self.policy.file, node.position.line),)

    def evaluate(self, value: Any, old: Any = None, *, namespace: JsonObject | None = None) -> Result:
        """Judge a request: ``value`` is its object, None for a deletion of ``old``; an update has both.

        ``namespace`` is the Namespace of a namespaced object. A request that the policy does not match is skipped.
        Raises ValueError without an object.
        """
        if value is None and old is None:
            raise ValueError("a request needs an object or an old object")
        decisions = self.policy.decide(value, old, namespace=namespace)
        if not decisions:
            return Result(ok=True, skipped=True)
        found = decisions[self.index]
        error = found.message if found.evaluation == "error" else ""
        return Result(ok=found.evaluation == "admit", message=found.message, error=error)


BundledRule: TypeAlias = SchemaRule | PolicyRule


class BundledRules(Mapping[str, BundledRule]):
    """The rules by id, in the order of their files. The KeyError for an unknown id names similar ids."""

    def __init__(self, rules: Mapping[str, BundledRule]) -> None:
        self._rules = rules

    def __getitem__(self, key: str) -> BundledRule:
        try:
            return self._rules[key]
        except KeyError:
            close = get_close_matches(str(key), self._rules, n=3, cutoff=0.5)
            hint = f"; close to it: {', '.join(close)}" if close else ""
            raise KeyError(f"no bundled rule has the id {key!r}{hint}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._rules)

    def __len__(self) -> int:
        return len(self._rules)


@cache
def bundled_rules() -> BundledRules:
    """Return every bundled rule. Raises ValueError for an id that is used twice or whose rule no definition has."""
    found: dict[str, BundledRule] = {}
    where = rule_paths()
    for entry in cases():
        identity = identity_of(entry)
        if entry["id"] in found:
            raise ValueError(f"two rules have the id {entry['id']}")
        if identity not in where:
            raise ValueError(f"the rule {entry['id']} is in no bundled definition")
        message = str(entry.get("message") or entry.get("messageExpression") or "").strip()
        found[entry["id"]] = SchemaRule(
            entry["id"], entry["rule"].strip(), message, tuple(where[identity]), entry.get("gate", "")
        )
    for policy in all_policies():
        for index, named in enumerate(policy.validations):
            spec = policy.source["spec"]["validations"][index]
            message = spec.get("message") or spec.get("messageExpression") or ""
            path = RulePath(policy.file, named.field)
            rule = PolicyRule(named.id, spec["expression"].strip(), message, (path,), policy, index)
            found[rule.id] = rule
    return BundledRules(found)


@cache
def rule_paths() -> Mapping[RuleIdentity, list[RulePath]]:
    """Return where each rule of the bundled definitions is written, schema sets in their order."""
    found: dict[RuleIdentity, list[RulePath]] = {}
    for file in crd_schemas.definition_files():
        for path, node in nodes(schema_of(file)):
            for entry in node.get(_VALIDATIONS, ()):
                found.setdefault(identity_of(entry), []).append(RulePath(file, path))
    return found


def schema_of(file: str) -> JsonObject:
    """Return the schema in the file of a definition, which has one version."""
    schema: JsonObject = crd_schemas.parsed(file)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return schema


def nodes(schema: JsonObject, path: str = "") -> Iterator[tuple[str, JsonObject]]:
    """Iterate over every schema node that may have rules, with its path."""
    for node_path, node, _ in _nodes(schema, (), path):
        yield node_path, node


_Steps: TypeAlias = tuple[str, ...]


def _nodes(schema: JsonObject, steps: _Steps, path: str) -> Iterator[tuple[str, JsonObject, _Steps]]:
    """Iterate over path, node, and the keys that lead to the node in the schema."""
    yield path, schema, steps
    for name, child in schema.get("properties", {}).items():
        yield from _nodes(child, (*steps, "properties", name), f"{path}.{name}" if path else name)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from _nodes(schema[key], (*steps, key), f"{path}[*]")


@cache
def _schema_lines(file: str) -> Mapping[tuple[str, RuleIdentity], int]:
    """The line of each rule of a definition, by its path and identity."""
    tree = _below(positions(crd_schemas.read(file), 0), "spec", "versions", 0, "schema", "openAPIV3Schema")
    return {
        (path, identity_of(entry)): _below(tree, *steps, _VALIDATIONS, index).position.line
        for path, node, steps in _nodes(schema_of(file), (), "")
        for index, entry in enumerate(node.get(_VALIDATIONS, ()))
    }


def _below(node: Node, *steps: str | int) -> Node:
    for step in steps:
        node = node.members[step]
    return node


@cache
def _compiled(path: RulePath, identity: RuleIdentity) -> Rule:
    node = next(node for each, node in nodes(schema_of(path.file)) if each == path.path)
    entry = next(entry for entry in node[_VALIDATIONS] if identity_of(entry) == identity)
    return compile_rule(entry, node, root=not path.path)
