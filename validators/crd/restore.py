"""Restores the endpoint of a compiled definition from its artefact, without compiling again.

The definition and its rules were checked when they were compiled; this module only reads them. It reads the schema when
the first object needs the exact pipeline, and a rule on its first evaluation.
"""

import marshal
from collections.abc import Iterator
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

from ovnguard.validators.base.field import minor
from ovnguard.validators.cel.types.errors import ABSENT
from ovnguard.validators.crd.strategy import Endpoint
from ovnguard.validators.fast.accept_path import AcceptPath
from ovnguard.validators.fast.artefact import Artefact
from ovnguard.validators.structural.definitions.older_definitions import without_disabled
from ovnguard.validators.structural.metadata.embedded_resources import has_embedded
from ovnguard.validators.structural.objects import rule_evaluation
from ovnguard.validators.structural.objects.prepare import Kind
from ovnguard.validators.structural.objects.rule_evaluation import RuleResult
from ovnguard.validators.structural.schema.schema import Schema, parse_schema

if TYPE_CHECKING:
    from collections.abc import Callable

    from ovnguard.validators.cel.compiled_rule import Rule
    from ovnguard.validators.cel.types.declaration import Decl

Row = tuple[bool, str, str, bytes]
"""A rule: whether it reads oldSelf, its normalised fieldPath, its location, and the rest."""
Rows = dict[int, list[Row]]
"""The rules, by node number."""


def rule_rows(at: Endpoint) -> bytes:
    """Return the compiled rules of an endpoint as bytes; b"" if they cannot be serialized and need the compiler."""
    from ovnguard.validators.cel.serialization import rule_data  # reading needs no writer

    numbers = {id(node): number for number, node in enumerate(_nodes(at.schema))}
    try:
        rows = {
            numbers[id(node.schema)]: [
                (
                    rule.compiled.is_transition,
                    rule.field,
                    rule.location,
                    marshal.dumps(rule_data(cast("Rule", rule.compiled))),
                )
                for rule in node.rules
            ]
            for node in _rule_nodes(at.rules)
        }
        return marshal.dumps(rows)
    except (ValueError, RecursionError):
        return b""


def _nodes(schema: Schema) -> Iterator[Schema]:
    """Every node that may have rules: branches have none."""
    inner = filter(None, (schema.items, schema.additional))
    return chain([schema], *map(_nodes, (*schema.properties.values(), *inner)))


def _rule_nodes(node: rule_evaluation.RuleNode | None) -> Iterator[rule_evaluation.RuleNode]:
    if node is None:
        return
    yield node
    for child in (*node.properties.values(), node.additional, node.items):
        yield from _rule_nodes(child)


def restore(kept: Artefact, fast: AcceptPath, kubernetes: str) -> Endpoint | None:
    """Return the endpoint of an artefact; None for an artefact without rules, which needs the compiler."""
    if not kept.rules:
        return None
    group, version, kind, plural = kept.names
    versions = without_disabled(kept.definition["spec"]["versions"], minor(kubernetes))
    schema = parse_schema(next(one for one in versions if one["name"] == version)["schema"]["openAPIV3Schema"])
    resource = kept.resource
    serves = Kind(group, version, kind, plural, resource.namespaced, schema, has_embedded(schema), kubernetes)
    rows = marshal.loads(kept.rules)  # noqa: S302 - as trusted as the artefact around it
    return Endpoint(
        serves=serves,
        storage=serves,
        has_status=resource.has_status,
        scale=resource.scale,
        rules=rule_evaluation.build(schema, _StoredRules(schema, rows, kubernetes).bound),
        deprecation=kept.deprecation,
        kubernetes=kubernetes,
        fast=fast,
    )


class StoredRule:
    """A rule that is read on its first evaluation; ``is_transition`` is known before."""

    __slots__ = ("_read", "is_transition")

    def __init__(self, is_transition: bool, read: "Callable[[], Rule]") -> None:
        self.is_transition = is_transition
        self._read = read

    def evaluate(self, value: Any, old: Any = ABSENT, **options: Any) -> RuleResult:
        """As `validators.cel.compiled_rule.Rule.evaluate`."""
        return self._read().evaluate(value, old, **options)


class _StoredRules:
    """Binds stored rules to the nodes of a schema."""

    def __init__(self, schema: Schema, rows: Rows, kubernetes: str) -> None:
        self._rows = {id(node): rows[number] for number, node in enumerate(_nodes(schema)) if number in rows}
        self._declared = cache(partial(_declared, schema, kubernetes))
        self._moves_path = minor(kubernetes) < rule_evaluation.KEEPS_PATHS_SINCE

    def bound(self, schema: Schema, _is_root: bool) -> tuple[rule_evaluation.BoundRule, ...]:
        """The rules of a node."""
        return tuple(
            rule_evaluation.BoundRule(
                StoredRule(is_transition, cache(partial(self._rule, schema, data))),
                schema.rules[index],
                field,
                location,
                self._moves_path,
            )
            for index, (is_transition, field, location, data) in enumerate(self._rows[id(schema)])
        )

    def _rule(self, schema: Schema, data: bytes) -> "Rule":
        from ovnguard.validators.cel.serialization import rule_of  # a wrong value needs no CEL

        return rule_of(marshal.loads(data), self._declared()[id(schema)])  # noqa: S302 - as above


def _declared(schema: Schema, kubernetes: str) -> "dict[int, Decl]":
    """The declarations of all nodes with rules."""
    from ovnguard.validators.crd.rule_compiler import RuleCompiler

    found = RuleCompiler(schema, kubernetes)
    declared = ((id(node), found.declared(node)) for node in _nodes(schema) if node.rules)
    return {node: decl for node, decl in declared if decl is not None}
