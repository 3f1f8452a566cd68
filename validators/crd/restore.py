"""What judges the objects of a version that was compiled before: from what is kept, without compiling anything again.

The definition was found valid when it was compiled, and so were its rules; here they are only read. Everything is read
when it is needed: a schema when an object is refused, a rule when it does not certainly hold.
"""

import marshal
from collections.abc import Iterator
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, cast

from validators.cel.errors import ABSENT
from validators.crd.strategy import Endpoint
from validators.fast.accept_path import FastPath
from validators.fast.artefact import Artefact
from validators.fast.confirm import Confirmer, Confirming, generate
from validators.fast.doubts import Doubts
from validators.fast.generated_module import Module
from validators.fast.limits import below
from validators.structural import rule_evaluation
from validators.structural.embedded_resources import has_embedded
from validators.structural.prepare import Kind
from validators.structural.rule_evaluation import RuleResult
from validators.structural.schema import Schema, parse_schema

if TYPE_CHECKING:
    from collections.abc import Callable

    from validators.cel.compiled_rule import Rule
    from validators.cel.declaration import Decl

_RULES: Final = "x-kubernetes-validations"

Row = tuple[bool, str, str, bytes]
"""A rule: whether it reads oldSelf, its normalised fieldPath, the name of its confirming function, and the rest."""
Rows = dict[int, tuple[str, list[Row]]]
"""By the numbers of nodes, the name of the function that confirms all rules of a node, and the rules."""


def exact_half(at: Endpoint) -> bytes:
    """What refusals need of an endpoint, as bytes: rules by the numbers of their nodes, and what confirms them.

    Nothing where it cannot be written: then they need the compiler.
    """
    from validators.cel.serialization import rule_data  # noqa: PLC0415 - who only reads writes nothing

    if at.rules is None:
        return marshal.dumps(({}, 0, b""))
    confirming = generate(at.schema, at.rules)
    numbers = {id(node): number for number, node in enumerate(_nodes(at.schema))}
    try:
        rows = {
            numbers[id(node.schema)]: (
                confirming.names.get(id(node), ""),
                [
                    (
                        rule.compiled.is_transition,
                        rule.field,
                        confirming.names.get(id(rule), ""),
                        marshal.dumps(rule_data(cast("Rule", rule.compiled))),
                    )
                    for rule in node.rules
                ],
            )
            for node in _rule_nodes(at.rules)
        }
        module = b"" if confirming.module is None else marshal.dumps(confirming.module.parts)
        return marshal.dumps((rows, confirming.total, module))
    except (ValueError, RecursionError):
        return b""


def _nodes(schema: Schema) -> Iterator[Schema]:
    return chain([schema], (node for node, _ in below(schema)))


def _rule_nodes(node: rule_evaluation.RuleNode) -> Iterator[rule_evaluation.RuleNode]:
    yield node
    for child in (*node.properties.values(), *filter(None, (node.additional, node.items))):
        yield from _rule_nodes(child)


def restore(kept: Artefact, fast: FastPath, kubernetes: str) -> Endpoint | None:
    """The endpoint of an artefact; None if it holds no more than a fast path."""
    if not kept.exact:
        return None
    group, version, kind, plural = kept.names
    versions = kept.definition["spec"]["versions"]
    schema = parse_schema(next(one for one in versions if one["name"] == version)["schema"]["openAPIV3Schema"])
    resource = kept.resource
    serves = Kind(group, version, kind, plural, resource.namespaced, schema, has_embedded(schema))
    rows, total, module = marshal.loads(kept.exact)  # noqa: S302 - as trusted as the artefact around it
    found = _Rules(schema, rows, kubernetes)
    rules = rule_evaluation.build(schema, found.bound)
    if rules is not None:
        found.name(rules)
    confirmer = Confirmer(partial(_confirming, total, module, found.names), patience=0)
    return Endpoint(
        serves=serves,
        storage=serves,
        has_status=resource.has_status,
        scale=resource.scale,
        rules=rules,
        deprecation=kept.deprecation,
        kubernetes=kubernetes,
        fast=fast,
        confirmer=None if rules is None else confirmer,
        doubts=Doubts(schema, fast),
    )


def _confirming(total: int, module: bytes, names: dict[int, str]) -> Confirming:
    made = Module(*marshal.loads(module)) if module else None  # noqa: S302 - as above
    return Confirming(total, made, names)


class StoredRule:
    """A rule that is read when it is first evaluated; ``is_transition`` is known before."""

    __slots__ = ("_read", "is_transition")

    def __init__(self, is_transition: bool, read: "Callable[[], Rule]") -> None:
        self.is_transition = is_transition
        self._read = read

    def evaluate(self, value: Any, old: Any = ABSENT, *, beside_transition: bool = False) -> RuleResult:
        """As `validators.cel.compiled_rule.Rule.evaluate`."""
        return self._read().evaluate(value, old, beside_transition=beside_transition)


class _Rules:
    """Binds what is kept of the rules to the nodes of a schema."""

    def __init__(self, schema: Schema, rows: Rows, kubernetes: str) -> None:
        self._rows = {id(node): rows[number] for number, node in enumerate(_nodes(schema)) if number in rows}
        self._declared = cache(partial(_declared, schema, kubernetes))
        self.names: dict[int, str] = {}

    def bound(self, schema: Schema, _is_root: bool) -> tuple[rule_evaluation.BoundRule, ...]:
        """The rules of a node."""
        return tuple(self._bind(schema, index, row) for index, row in enumerate(self._rows[id(schema)][1]))

    def name(self, root: rule_evaluation.RuleNode) -> None:
        """Find the functions for whole nodes."""
        for node in _rule_nodes(root):
            name = self._rows[id(node.schema)][0]
            if name:
                self.names[id(node)] = name

    def _bind(self, schema: Schema, index: int, row: Row) -> rule_evaluation.BoundRule:
        is_transition, field, name, data = row
        compiled = StoredRule(is_transition, cache(partial(self._rule, schema, data)))
        rule = rule_evaluation.BoundRule(compiled, schema.rules[index], field, f"{schema.at(_RULES)}[{index}]")
        if name:
            self.names[id(rule)] = name
        return rule

    def _rule(self, schema: Schema, data: bytes) -> "Rule":
        from validators.cel.serialization import rule_of  # noqa: PLC0415 - a wrong value needs no CEL

        return rule_of(marshal.loads(data), self._declared()[id(schema)])  # noqa: S302 - as above


def _declared(schema: Schema, kubernetes: str) -> "dict[int, Decl]":
    """The declarations of all nodes with rules."""
    from validators.crd.rule_compiler import RuleCompiler  # noqa: PLC0415 - as above

    found = RuleCompiler(schema, kubernetes)
    declared = ((id(node), found.declared(node)) for node in _nodes(schema) if node.rules)
    return {node: decl for node, decl in declared if decl is not None}
