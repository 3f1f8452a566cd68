"""Every CEL rule that is bundled, by its stable id: `crd_schemas.rules` is made here.

An id stands for one rule with its message, wherever it occurs: the files in ``crd_schemas/cases`` name those of
definitions, ``<policy>/<validation>`` is that of a policy's. Nothing is read before the first rule is asked for, and
nothing compiled before it is evaluated.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

import crd_schemas
from crd_schemas.data import CASES, data_files, definition_files
from validators.base.field import NEWEST_KUBERNETES
from validators.base.json_types import JsonObject
from validators.base.validation_rule import ValidationRule
from validators.bundled.bundled_policies import BundledPolicy, all_policies
from validators.cel.decl import declare
from validators.cel.errors import ABSENT
from validators.cel.evaluation import Result, Rule
from validators.cel.rule_compile import compile_for

_VALIDATIONS: Final = "x-kubernetes-validations"
Identity: TypeAlias = tuple[str, str]


class Place(NamedTuple):
    """Where a rule stands: the file of a definition, and the schema path in it, "" for the whole object."""

    file: str
    path: str


@dataclass(frozen=True, slots=True)
class SchemaRule:
    """A rule of definitions: ``message`` is its message or messageExpression, ``gate`` its feature gate, or ""."""

    id: str
    rule: str
    message: str
    places: tuple[Place, ...]
    gate: str = ""

    def evaluate(self, value: Any, old: Any = ABSENT) -> Result:
        """Judge a value at the rule's place, and what it was before, as it is once defaults are set.

        The rule is compiled for the first of its places. A transition rule without ``old`` is skipped. Never raises
        for data: what went wrong is in the result.
        """
        return _compiled(self.places[0], (self.rule, self.message)).evaluate(value, old)


@dataclass(frozen=True, slots=True)
class PolicyRule:
    """One validation of a policy. ``places`` name the policy's file and the field that the validation is about."""

    id: str
    rule: str
    message: str
    places: tuple[Place, ...]
    policy: BundledPolicy
    index: int
    gate: str = ""

    def evaluate(self, value: Any, old: Any = None, *, namespace: JsonObject | None = None) -> Result:
        """Judge a request: ``value`` is its object, None for a deletion of ``old``; both for an update.

        ``namespace`` is the Namespace object, for a namespaced one. A request that the policy is not about is skipped.
        Raises ValueError for nothing at all.
        """
        if value is None and old is None:
            raise ValueError("a request is about an object: nothing was given")
        decisions = self.policy.decide(value, old, namespace=namespace)
        if not decisions:
            return Result(ok=True, skipped=True)
        found = decisions[self.index]
        error = found.message if found.evaluation == "error" else ""
        return Result(ok=found.evaluation == "admit", message=found.message, error=error)


BundledRule: TypeAlias = SchemaRule | PolicyRule


class BundledRules(Mapping[str, BundledRule]):
    """The rules by id, in the order of their files. KeyError names ids that are close to one that is unknown."""

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
    """Return every bundled rule. ValueError when two are given one id, or a rule stands in no definition."""
    found: dict[str, BundledRule] = {}
    where = places()
    for entry in cases():
        identity = identity_of(entry)
        if entry["id"] in found:
            raise ValueError(f"two rules have the id {entry['id']}")
        if identity not in where:
            raise ValueError(f"the rule {entry['id']} stands in no bundled definition")
        found[entry["id"]] = SchemaRule(entry["id"], *identity, tuple(where[identity]), entry.get("gate", ""))
    for policy in all_policies():
        for index, named in enumerate(policy.validations):
            spec = policy.source["spec"]["validations"][index]
            message = spec.get("message") or spec.get("messageExpression") or ""
            place = Place(policy.file, named.field)
            rule = PolicyRule(named.id, spec["expression"].strip(), message, (place,), policy, index)
            found[rule.id] = rule
    return BundledRules(found)


def cases() -> Iterator[JsonObject]:
    """Iterate over the entries of every case file: id, rule, message, gate, accepts, refuses."""
    for file in data_files(CASES):
        yield from crd_schemas.parsed(file)["rules"]


def identity_of(entry: JsonObject) -> Identity:
    """What a rule is by: its expression, and its message or messageExpression."""
    return entry["rule"].strip(), str(entry.get("message") or entry.get("messageExpression") or "").strip()


@cache
def places() -> Mapping[Identity, list[Place]]:
    """Where each rule of the bundled definitions stands, sets in their order."""
    found: dict[Identity, list[Place]] = {}
    for file in definition_files():
        for path, node in nodes(schema_of(file)):
            for entry in node.get(_VALIDATIONS, ()):
                found.setdefault(identity_of(entry), []).append(Place(file, path))
    return found


def schema_of(file: str) -> JsonObject:
    """The schema in the file of a definition, which has one version."""
    schema: JsonObject = crd_schemas.parsed(file)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return schema


def nodes(schema: JsonObject, path: str = "") -> Iterator[tuple[str, JsonObject]]:
    """Iterate over every schema node that rules may stand at, with its path."""
    yield path, schema
    for name, child in schema.get("properties", {}).items():
        yield from nodes(child, f"{path}.{name}" if path else name)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from nodes(schema[key], f"{path}[*]")


@cache
def _compiled(place: Place, identity: Identity) -> Rule:
    node = next(node for path, node in nodes(schema_of(place.file)) if path == place.path)
    entry = next(entry for entry in node[_VALIDATIONS] if identity_of(entry) == identity)
    spec = ValidationRule(
        entry["rule"],
        entry.get("message"),
        entry.get("messageExpression"),
        entry.get("reason"),
        entry.get("fieldPath"),
        entry.get("optionalOldSelf") or None,
    )
    return compile_for(spec, node, declare(node, root=not place.path), NEWEST_KUBERNETES)
