"""Compiles the rules of a definition, each once, and checks and prices them like the API server on creation.

Source: apiextensions-apiserver, ``pkg/apis/apiextensions/validation`` (validation.go, cel_validation.go) and
``pkg/apiserver/schema/cel/compilation.go``.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from ovnguard.validators.base.cel_names import escape
from ovnguard.validators.base.field import ErrorType, FieldError, minor
from ovnguard.validators.base.validation_rule import RuleId, ValidationRule
from ovnguard.validators.cel.types.errors import InvalidRule
from ovnguard.validators.structural.definitions.allowances import NEW, Allowances
from ovnguard.validators.structural.definitions.structural_check import forbidden, has_rules
from ovnguard.validators.structural.objects import rule_evaluation
from ovnguard.validators.structural.schema.definition_types import RULE, typed_error
from ovnguard.validators.structural.schema.schema import Schema

if TYPE_CHECKING:
    from ovnguard.validators.cel.compiled_rule import Result, Rule
    from ovnguard.validators.cel.types.declaration import Decl

_RULES: Final = "x-kubernetes-validations"
_MOST: Final = 2**64 - 1
_RULE_LIMIT: Final = 10_000_000
_SCHEMA_LIMIT: Final = 100_000_000
_REQUEST: Final = 3 * 1024 * 1024
_SHOWN: Final = 4
_UNCORRELATED: Final = "oldSelf cannot be used on the uncorrelatable portion of the schema within"
_UNUSED: Final = "may not be set if oldSelf is not used in rule"
_NO_TYPE: Final = (
    "internal error: failed to construct type information for x-kubernetes-validations rules:"
    " unable to convert structural schema to CEL declarations"
)
_NO_DECLARATION: Final = "failed to convert to declType for CEL validation rules"


class _Place(NamedTuple):
    """The context of a node's rules: its declaration, and its maximum number of occurrences (None: unbounded).

    ``known``: the node or one above it has rules. Then a node without a declaration has a ``fault``. ``borrowed``: the
    declaration is that of a sibling.
    """

    times: int | None
    known: bool = False
    decl: "Decl | None" = None
    fault: str = ""
    borrowed: bool = False


class _Refused(NamedTuple):
    """A rule that does not compile."""

    text: str


class _Rule(NamedTuple):
    """A rule that compiles, and the complaint about its messageExpression."""

    bound: rule_evaluation.BoundRule
    message_fault: str = ""


class Cost(NamedTuple):
    """The estimated cost of one rule in its place: ``path`` names the rule in the definition."""

    path: str
    cost: int


class RuleCompiler:
    """Compiles the rules of one version's schema; ``name`` is that of the version.

    A definition may only use features of the previous release, except in expressions that are stored already.
    """

    def __init__(
        self, schema: Schema, kubernetes: str, rule_id: RuleId | None = None, allowed: Allowances = NEW, name: str = ""
    ) -> None:
        self._rule_id, self._allowed = rule_id, allowed
        self._limit = _MOST if name in allowed.unchanged else _RULE_LIMIT
        self._kubernetes = kubernetes
        self._release = minor(kubernetes)
        self._places: dict[int, _Place] = {}
        self._compiled: dict[int, list[_Rule | _Refused]] = {}
        self.costs: list[Cost] = []
        if has_rules(schema):
            self._walk(schema, _Place(1), is_root=True)

    def bound(self, schema: Schema, is_root: bool) -> tuple[rule_evaluation.BoundRule, ...]:
        """The rules of a node that compile; ``is_root``: the node is the root of a resource."""
        return tuple(rule.bound for rule in self._compile(schema) if isinstance(rule, _Rule))

    def bound_or_failing(self, schema: Schema, is_root: bool) -> tuple[rule_evaluation.BoundRule, ...]:
        """All rules of a node but empty ones; one that does not compile fails with the complaint about it.

        They may use what the release itself introduced, as those of a stored definition.
        """
        return tuple(
            rule.bound if isinstance(rule, _Rule) else _failing(rule.text, written)
            for rule, written in zip(self._compile_stored(schema), schema.rules, strict=False)
            if written.rule.strip()
        )

    def _compile_stored(self, schema: Schema) -> Iterator[_Rule | _Refused]:
        for index, rule in enumerate(self._compile(schema)):
            if isinstance(rule, _Rule) and not rule.message_fault:
                yield rule
            else:
                yield self._one(schema.rules[index], schema, self._places[id(schema)], index, stored=True)

    def declared(self, schema: Schema) -> "Decl | None":
        """The declaration of a node of the schema."""
        return self._places[id(schema)].decl

    def check(self, schema: Schema, path: str, uncorrelated: str, is_root: bool) -> list[FieldError]:
        """The errors of a node's rules; ``uncorrelated`` is the path below which oldSelf does not exist, or ""."""
        place = self._places[id(schema)]
        if place.fault:
            return [FieldError(ErrorType.INTERNAL, f"{path}.{_RULES}", None, place.fault)]
        errors: list[FieldError] = []
        for index, rule in enumerate(self._compile(schema)):
            where = f"{path}.{_RULES}[{index}]"
            source = schema.source[_RULES][index]
            if isinstance(rule, _Refused):
                errors.append(typed_error(f"{where}.rule", RULE, source, rule.text))
                errors += _unused_flag(schema.rules[index], where)
                continue
            errors += self._price(rule.bound, place, where)
            if rule.message_fault:
                errors.append(typed_error(f"{where}.messageExpression", RULE, source, rule.message_fault))
            errors += _old_self(rule.bound, where, uncorrelated)
        return errors

    def instead(self, schema: Schema, index: int, text: str) -> rule_evaluation.BoundRule | None:
        """A rule of a node with another text, or None if it is invalid or too expensive there."""
        place = self._places[id(schema)]
        rule = self._one(schema.rules[index]._replace(rule=text), schema, place, index)
        if isinstance(rule, _Refused) or rule.message_fault:
            return None
        return None if [*self._price(rule.bound, place, ""), *_old_self(rule.bound, "", "")] else rule.bound

    def total(self, path: str) -> list[FieldError]:
        """The errors of all rules together, once every node is checked."""
        total = min(sum(one.cost for one in self.costs), _MOST)
        if total <= _SCHEMA_LIMIT:
            return []
        dear = sorted((one for one in self.costs if one.cost >= _SCHEMA_LIMIT // 100), key=lambda one: -one.cost)
        reason = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
        name = f"{_RULES} estimated rule cost total for entire OpenAPIv3 schema"
        errors = [forbidden(one.path, reason) for one in dear[:_SHOWN]]
        return [*errors, forbidden(path, _over(name, total, _SCHEMA_LIMIT))]

    def _walk(self, schema: Schema, place: _Place, *, is_root: bool) -> None:
        """Record the place of every node below: declarations start at the first node with rules."""
        if schema.rules and not place.borrowed and (not place.known or place.decl is not None):
            # The types of expressions have names that begin at the node of their rule.
            place = self._own(schema, place.times, is_root=is_root)
        self._places[id(schema)] = place
        most = _most_elements(schema)
        times = None if place.times is None or most is None else _product(place.times, most)
        for name, child in schema.properties.items():
            self._walk(child, self._property(place, name, child, times), is_root=child.embedded)
        for inner, shape in ((schema.items, "array"), (schema.additional, "map")):
            if inner is not None:
                self._walk(inner, _element(place, times, shape), is_root=inner.embedded)

    def _own(self, schema: Schema, times: int | None, *, is_root: bool) -> _Place:
        """The place of a node with a declaration of its own."""
        from ovnguard.validators.cel.types.declaration import declare  # a definition without rules needs no CEL

        decl = declare(schema.source, root=is_root, release=self._release)
        return _Place(times, True, None, _NO_TYPE) if decl.type is None else _Place(times, True, decl)

    def _property(self, place: _Place, name: str, child: Schema, times: int | None) -> _Place:
        """The place of a property: its parent's declaration, or fault, if expressions can reach it, else its own."""
        if not place.known:
            return _Place(times)
        if place.fault == _NO_TYPE or (place.fault and escape(name) is not None):
            return place._replace(times=times)
        known = None if place.decl is None else (place.decl.properties or {}).get(name)
        if known is not None and known.type is not None and escape(name) is not None:
            return _Place(times, True, known)
        return self._own(child, times, is_root=child.embedded)

    def _compile(self, schema: Schema) -> list[_Rule | _Refused]:
        """Each rule of a node compiled, or the complaint about it."""
        if id(schema) not in self._compiled:
            place = self._places[id(schema)]
            rules = enumerate(() if place.decl is None else schema.rules)
            self._compiled[id(schema)] = [self._one(rule, schema, place, index) for index, rule in rules]
        return self._compiled[id(schema)]

    def _one(
        self, rule: ValidationRule, schema: Schema, place: _Place, index: int, *, stored: bool = False
    ) -> _Rule | _Refused:
        """A rule compiled with the libraries for new definitions, or those for ``stored`` ones."""
        from ovnguard.validators.cel.validation_rule_compiler import add_message, compile_condition

        assert place.decl is not None
        libraries = self._release - (not stored and rule.rule not in self._allowed.rules)
        try:
            compiled = compile_condition(rule, schema.source, place.decl, self._kubernetes, libraries)
        except InvalidRule as fault:
            return _Refused(fault.text)
        complaint = ""
        libraries = self._release - (not stored and rule.message_expression not in self._allowed.messages)
        try:
            compiled = add_message(compiled, rule, self._kubernetes, libraries)
        except InvalidRule as fault:
            complaint = fault.text
        known = self._rule_id(rule) if self._rule_id is not None else ""
        location = known or f"{schema.at(_RULES)}[{index}]"
        moves = self._release < rule_evaluation.KEEPS_PATHS_SINCE
        return _Rule(rule_evaluation.BoundRule(compiled, rule, compiled.field_path, location, moves), complaint)

    def _price(self, rule: rule_evaluation.BoundRule, place: _Place, where: str) -> Iterator[FieldError]:
        from ovnguard.validators.cel.cost.estimate import estimate

        compiled: Rule = rule.compiled  # type: ignore[assignment] # compile_condition makes nothing else
        assert place.decl is not None
        times = _REQUEST // (place.decl.min_size + 1) if place.times is None else place.times
        cost = _product(estimate(compiled.compiled.checked, place.decl).max, times)
        self.costs.append(Cost(f"{where}.rule", cost))
        if cost > self._limit:
            yield forbidden(f"{where}.rule", _over("estimated rule cost", cost, _RULE_LIMIT))
        if compiled.message_compiled is not None:
            # A message is evaluated once, regardless of how often the rule runs.
            cost = estimate(compiled.message_compiled.checked, place.decl).max
            self.costs.append(Cost(f"{where}.messageExpression", cost))
            if cost > self._limit:
                reason = _over("estimated messageExpression cost", cost, _RULE_LIMIT)
                yield forbidden(f"{where}.messageExpression", reason)


def _old_self(rule: rule_evaluation.BoundRule, where: str, uncorrelated: str) -> Iterator[FieldError]:
    if not rule.compiled.is_transition:
        yield from _unused_flag(rule.spec, where)
    elif uncorrelated:
        reason = f"{_UNCORRELATED} {uncorrelated}"
        yield FieldError(ErrorType.INVALID, f"{where}.rule", rule.spec.rule, reason)


def _unused_flag(rule: ValidationRule, where: str) -> Iterator[FieldError]:
    flag = rule.optional_old_self
    if flag is not None:
        yield FieldError(ErrorType.INVALID, f"{where}.optionalOldSelf", flag, _UNUSED)


class _FailingRule(NamedTuple):
    """Evaluates to the complaint about a rule that does not compile."""

    text: str
    is_transition: bool = False

    def evaluate(self, value: object, old: object = None, **options: object) -> "Result":
        """As `validators.cel.compiled_rule.Rule.evaluate`."""
        from ovnguard.validators.cel.compiled_rule import Result

        return Result(ok=False, message=f"rule compile error: {self.text}", error=self.text)


def _failing(text: str, rule: ValidationRule) -> rule_evaluation.BoundRule:
    return rule_evaluation.BoundRule(_FailingRule(text), rule, "", "")


def _element(place: _Place, times: int | None, shape: str) -> _Place:
    """The place of a list's items or a map's values.

    A parent without elements has no declaration for them. A list that is written with values of a map, or the other way
    round, has only one: that of its own elements.
    """
    if not place.known:
        return _Place(times)
    if place.fault:
        return place._replace(times=times)
    assert place.decl is not None
    element = place.decl.element
    if element is None or element.type is None:
        return _Place(times, True, None, _NO_DECLARATION)
    return _Place(times, True, element, borrowed=place.decl.shape != shape)


def _most_elements(schema: Schema) -> int | None:
    kind = schema.source.get("type")
    if kind == "array":
        return None if schema.max_items is None else max(schema.max_items, 0)
    if kind == "object" and schema.additional_allowed is not None:
        return None if schema.max_properties is None else max(schema.max_properties, 0)
    return 1


def _product(cost: int, times: int) -> int:
    return min(cost * times, _MOST)


def _over(name: str, cost: int, limit: int) -> str:
    factor = cost / limit
    shown = "more than 100x" if factor > 100 else f"{factor:f}x" if factor < 1.5 else f"{factor:.1f}x"
    hint = "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings"
    return f"{name} exceeds budget by factor of {shown} ({hint} are declared)"
