"""Estimates the maximum cost of a CustomResourceDefinition's rules, also for definitions over the limits.

Source: Kubernetes documentation, "Custom Resources", "Resource constraints"; apiextensions-apiserver
``pkg/apis/apiextensions/validation`` (cel_validation.go).
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from ovnguard.validators.base.field import DEFAULT_KUBERNETES, ErrorType, FieldError
from ovnguard.validators.cel.compiled_rule import Rule
from ovnguard.validators.cost.cost_values import MOST, DefinitionCost, MissingBound, RuleCost, SchemaCost
from ovnguard.validators.cost.missing_bounds import Expression, RepeatedNode, missing_around
from ovnguard.validators.crd.compiled_crd import InvalidCRD
from ovnguard.validators.crd.compiler import Compiler, Flawed
from ovnguard.validators.crd.rule_compiler import RuleCompiler
from ovnguard.validators.structural.definitions.structural_check import has_rules
from ovnguard.validators.structural.schema.deep_equal import UnfitValue, as_json
from ovnguard.validators.structural.schema.schema import Schema

_RULES: Final = "x-kubernetes-validations"
_COST_TEXTS: Final = ("exceeds budget by factor of", "contributed to estimated rule cost total")


def explain(crd_mapping: Mapping[str, Any], kubernetes: str = DEFAULT_KUBERNETES) -> DefinitionCost:
    """The cost of every rule of a definition, as a server of this release estimates it on creation.

    Errors other than cost are in ``flaws``. Raises InvalidCRD for an object that does not decode as a definition,
    ValueError for an unknown release.
    """
    try:
        compiler = Compiler(as_json(dict(crd_mapping)), kubernetes)
        errors = compiler.check()
    except UnfitValue as fault:
        raise InvalidCRD([FieldError(ErrorType.INVALID, "<nil>", detail=str(fault))]) from None
    except Flawed as fault:
        raise InvalidCRD(fault.errors) from None
    flaws = tuple(error for error in errors if not _is_cost(error))
    schemas = []
    definition = compiler.definition
    shared = "schema" in definition.top
    for index, schema in enumerate(compiler.schemas[:1] if shared else compiler.schemas):
        if schema is None or not has_rules(schema):
            continue
        root = f"{'spec.validation' if shared else f'spec.versions[{index}].schema'}.openAPIV3Schema"
        over_limit = tuple(error for error in errors if _is_cost(error) and error.field.startswith(root))
        versions = definition.versions if shared else definition.versions[index : index + 1]
        rules = _Walk(compiler.rules[id(schema)]).rules(schema, root)
        schemas.append(SchemaCost(tuple(str(one.get("name")) for one in versions), tuple(rules), over_limit))
    return DefinitionCost(str(definition.meta.get("name", "")), tuple(schemas), flaws)


def _is_cost(error: FieldError) -> bool:
    return error.type is ErrorType.FORBIDDEN and any(text in error.detail for text in _COST_TEXTS)


class _Walk:
    """Finds every priced rule with its position."""

    def __init__(self, compiler: RuleCompiler) -> None:
        self.compiler = compiler
        self.priced = {one.path: one.cost for one in compiler.costs}

    def rules(self, schema: Schema, path: str) -> list[RuleCost]:
        """The costs of all expressions at a node and below, the most expensive first; equal ones by path."""
        found = list(self._node(schema, path, RepeatedNode(schema), is_root=True))
        return sorted(found, key=lambda one: (-one.cost, one.path))

    def _node(self, schema: Schema, path: str, place: RepeatedNode, *, is_root: bool) -> Iterator[RuleCost]:
        if schema.rules and any(cost.startswith(f"{path}.{_RULES}[") for cost in self.priced):
            yield from self._rules(schema, path, place, is_root=is_root)
        inside = _inside(schema, place)
        for name, child in schema.properties.items():
            yield from self._node(child, f"{path}.properties[{name}]", _at(child, inside), is_root=child.embedded)
        for key, inner in (("items", schema.items), ("additionalProperties", schema.additional)):
            if inner is not None:
                yield from self._node(inner, f"{path}.{key}", _at(inner, inside), is_root=inner.embedded)

    def _rules(self, schema: Schema, path: str, place: RepeatedNode, *, is_root: bool) -> Iterator[RuleCost]:
        for bound in self.compiler.bound(schema, is_root):
            where = bound.location.removeprefix(schema.at(_RULES))
            rule = bound.compiled
            assert isinstance(rule, Rule)
            field = f"{path}.{_RULES}{where}"
            if f"{field}.rule" in self.priced:
                expression = Expression(rule.compiled.checked, rule.decl, place, once=False)
                yield self._cost(expression, f"{bound.location}.rule", f"{field}.rule", rule.text)
            message = rule.message_compiled
            if message is not None and f"{field}.messageExpression" in self.priced:
                expression = Expression(message.checked, rule.decl, place, once=True)
                text = bound.spec.message_expression or ""
                yield self._cost(expression, f"{bound.location}.messageExpression", f"{field}.messageExpression", text)

    def _cost(self, expression: Expression, path: str, field: str, text: str) -> RuleCost:
        cost = self.priced[field]
        inside = expression.missing()
        times = expression.times()
        # The assumed size of the lists and maps around a node follows from how often the node fits into a request.
        around = () if expression.once else expression.place.unbounded
        missing = (*(replace(one, assumed=times) for one in around), *inside.values())
        made = RuleCost(path, field, text, cost, expression.per_call(), times, missing)
        return replace(made, fits_at=expression.fits_at(inside) if missing else 0) if made.over else made


def _at(schema: Schema, inside: RepeatedNode) -> RepeatedNode:
    return RepeatedNode(schema, inside.factor, inside.unbounded)


def _inside(schema: Schema, place: RepeatedNode) -> RepeatedNode:
    """The position of a node's content: lists and maps multiply."""
    missing: MissingBound | None = missing_around(schema)
    if missing is not None:
        return RepeatedNode(schema, place.factor, (*place.unbounded, missing))
    many = schema.max_items if schema.items is not None else schema.max_properties if schema.additional else None
    factor = place.factor if many is None else min(place.factor * max(many, 0), MOST)
    return RepeatedNode(schema, factor, place.unbounded)
