"""Evaluates ``x-kubernetes-validations``: walks object and schema and runs the rules of each node.

Source: apiextensions-apiserver, ``pkg/apiserver/schema/cel/validation.go``. The caller compiles the rules. This module
finds self and oldSelf for each, keeps the cost budget, and turns results into field errors.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, Protocol

from ovnguard.validators.base import deadline
from ovnguard.validators.base.cel_names import escape
from ovnguard.validators.base.field import OMITTED, ROOT, ErrorType, FieldError, Older
from ovnguard.validators.base.validation_rule import ValidationRule
from ovnguard.validators.structural.objects.ratchet import Correlation, old_items
from ovnguard.validators.structural.schema.schema import Schema

OBJECT_BUDGET: Final = 10_000_000
"""Cost units for all rules of one object (RuntimeCELCostBudget)."""
_MESSAGE_OUT_OF_BUDGET: Final = (
    "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run"
)
_CORRELATED_MAPS: Final = frozenset({"", "granular", "atomic"})
_REASONS: Final = {kind.value: kind for kind in (ErrorType.FORBIDDEN, ErrorType.REQUIRED, ErrorType.DUPLICATE)}
"""The reasons that choose the type of an error; any other makes it `ErrorType.INVALID` (fieldErrorForReason).

Only defaults meet unknown reasons: the server evaluates the rules of a default before it checks their reasons.
"""


class RuleResult(Protocol):
    """The result of a compiled rule on one value."""

    @property
    def ok(self) -> bool:
        """Whether the rule holds."""

    @property
    def message(self) -> str:
        """The detail of the field error if the rule does not hold."""

    @property
    def cost(self) -> int:
        """The units spent by the rule and its message."""

    @property
    def message_cost(self) -> int:
        """The units spent by the message only."""

    @property
    def error(self) -> str:
        """The run-time error if the rule has no value. `message` contains it."""

    @property
    def stops(self) -> bool:
        """Whether no further rule may run."""


class CompiledRule(Protocol):
    """A rule that can run. `evaluate` gets ``old`` only if there is an old value and a rule of the node reads it."""

    @property
    def is_transition(self) -> bool:
        """Whether the rule reads oldSelf."""

    def evaluate(
        self, value: Any, old: Any = ..., *, node_reads_old: bool = False, views: dict[str, Any] | None = None
    ) -> RuleResult:
        """Evaluate the rule. ``node_reads_old``: another rule of the node may be the reason for ``old``.

        ``views`` is for the rule to keep what the other rules of the node shall see as it does.
        """


KEEPS_PATHS_SINCE: Final = 30


class BoundRule(NamedTuple):
    """A compiled rule at its node: ``field`` is the normalised fieldPath, ``location`` the rule's id or schema path.

    ``moves_path``: before 1.30, when the rule fails its field becomes part of the path of the node's later rules.
    """

    compiled: CompiledRule
    spec: ValidationRule
    field: str
    location: str
    moves_path: bool = False


def _field_of(path: str, rule: BoundRule) -> str:
    return ".".join(part for part in (path, rule.field) if part)


class RuleNode(NamedTuple):
    """A schema node that has rules, or has such nodes below it."""

    schema: Schema
    shown_type: str
    rules: tuple[BoundRule, ...]
    properties: Mapping[str, "RuleNode"]
    additional: "RuleNode | None"
    items: "RuleNode | None"


Bind = Callable[[Schema, bool], tuple[BoundRule, ...]]
"""Compiles the rules of a node. The flag is true for the root of a resource."""


def build(schema: Schema, bind: Bind, *, is_root: bool = True) -> RuleNode | None:
    """Return the tree of all rules at a node and below, or None if there are none."""
    # only objects have fields in CEL, but a node of another type may have properties
    has_fields = is_root or (schema.declared_type == "object" and not schema.int_or_string and not schema.additional)
    properties = {}
    for name, child in schema.properties.items():
        # A property that CEL cannot see hides all rules below it, unless only its name prevents it.
        seen = escape(name) is None or (has_fields and is_exposed(child))
        if seen and (node := build(child, bind, is_root=child.embedded)):
            properties[name] = node
    additional = build(schema.additional, bind, is_root=schema.additional.embedded) if schema.additional else None
    items = build(schema.items, bind, is_root=schema.items.embedded) if schema.items else None
    rules = bind(schema, is_root) if schema.rules else ()
    if not (rules or properties or additional or items):
        return None
    shown_type = "object" if is_root else schema.declared_type
    return RuleNode(schema, "" if schema.int_or_string else shown_type, rules, properties, additional, items)


def is_exposed(schema: Schema | None) -> bool:
    """Return whether a node has a CEL type.

    Source: apiserver, package ``pkg/cel/common`` (SchemaDeclType).
    """
    if schema is None:
        return False
    if schema.int_or_string:
        return True
    kind = schema.declared_type
    if kind == "array":
        return is_exposed(schema.items)
    if kind == "object":
        return schema.additional is None or is_exposed(schema.additional)
    return kind in {"string", "boolean", "integer", "number"}


class RuleErrors(NamedTuple):
    """Errors, forgiven errors (which the server sends as warnings), and the cost of what ran.

    If the server stopped early, the cost is one more than the budget, as in the server itself.
    """

    errors: list[FieldError]
    forgiven: list[FieldError]
    cost: int


def run(
    node: RuleNode,
    value: Any,
    old: Any,
    correlation: Correlation | None,
    path: str = "",
) -> RuleErrors:
    """Evaluate every rule on the object; ``old`` and ``correlation`` are None on creation."""
    walk = _Walk()
    walk.node(node, value, old, path, _Ratchet(correlation, None, update=correlation is not None))
    return RuleErrors(walk.errors, walk.forgiven, OBJECT_BUDGET - walk.budget)


class _Ratchet(NamedTuple):
    """The correlation of a value, and of the nearest value above that has one."""

    here: Correlation | None
    above: Correlation | None
    update: bool

    def key(self, name: str) -> "_Ratchet":
        if self.here is None:
            return self
        if self.above is None and name in {"apiVersion", "kind"}:
            return _Ratchet(None, None, self.update)
        return _Ratchet(self.here.key(name), self.here, self.update)

    def item(self, index: int) -> "_Ratchet":
        return self if self.here is None else _Ratchet(self.here.index(index), self.here, self.update)

    def unchanged(self) -> bool:
        nearest = self.here or self.above
        return nearest is not None and nearest.equal()


class _Stop(Exception):
    """No further rule may run."""


class _Walk:
    def __init__(self) -> None:
        self.errors: list[FieldError] = []
        self.forgiven: list[FieldError] = []
        self.budget = OBJECT_BUDGET

    def node(self, node: RuleNode, value: Any, old: Any, path: str, ratchet: _Ratchet) -> None:
        try:
            self._node(node, value, old, path, ratchet)
        except _Stop:
            self.budget = -1

    def _node(self, node: RuleNode, value: Any, old: Any, path: str, ratchet: _Ratchet) -> None:
        if value is None:
            return
        if node.rules:
            self._rules(node, value, old, path, ratchet)
        if type(value) is dict:
            self._object(node, value, old if type(old) is dict else {}, path, ratchet)
        elif type(value) is list and node.items is not None:
            old_item = old_items(node.schema, old)
            for index, one in enumerate(value):
                self._node(node.items, one, old_item(one), f"{path}[{index}]", ratchet.item(index))

    def _object(self, node: RuleNode, value: dict[str, Any], old: dict[str, Any], path: str, ratchet: _Ratchet) -> None:
        if node.schema.map_type not in _CORRELATED_MAPS:
            old = {}
        if node.additional is not None:
            for key, one in value.items():
                self._node(node.additional, one, old.get(key), f"{path}[{key}]", ratchet.key(key))
        for key, one in value.items():
            child = node.properties.get(key)
            if child is not None:
                self._node(child, one, old.get(key), f"{path}.{key}" if path else key, ratchet.key(key))

    def _rules(self, node: RuleNode, value: Any, old: Any, path: str, ratchet: _Ratchet) -> None:
        if self.budget <= 0:
            raise self._out_of_budget(node, path, node.rules[0])
        views: dict[str, Any] = {}
        for rule in node.rules:
            deadline.check()
            transition = rule.compiled.is_transition
            if transition and old is None and not rule.spec.optional_old_self:
                continue
            shares_old = old is not None and any(one.compiled.is_transition for one in node.rules)
            judge = rule.compiled.evaluate
            result = judge(value, old, node_reads_old=True, views=views) if shares_old else judge(value, views=views)
            spent = result.cost - result.message_cost
            if spent > self.budget:
                raise self._out_of_budget(node, path, rule)
            self.budget -= spent
            if result.error:
                self._invalid(node, path, rule, result.message)
            elif not result.ok:
                forgiven = not transition and ratchet.unchanged()
                self._refuse(self._refusal(node, value, path, rule, result, self.budget), forgiven=forgiven)
                path = _field_of(path, rule) if rule.moves_path else path
                if result.message_cost > self.budget:
                    raise _Stop
                self.budget -= result.message_cost
            if result.stops:
                raise _Stop

    def _refuse(self, error: FieldError, *, forgiven: bool) -> None:
        if forgiven:
            self.forgiven.append(error)
        else:
            self.errors.append(error)

    def _out_of_budget(self, node: RuleNode, path: str, rule: BoundRule) -> _Stop:
        detail = "validation failed due to running out of cost budget, no further validation rules will be run"
        self._invalid(node, path, rule, detail)
        return _Stop()

    def _invalid(self, node: RuleNode, path: str, rule: BoundRule, detail: str) -> None:
        self.errors.append(FieldError(ErrorType.INVALID, path or ROOT, node.shown_type, detail, rule.location))

    @staticmethod
    def _refusal(node: RuleNode, value: Any, path: str, rule: BoundRule, result: RuleResult, budget: int) -> FieldError:
        where = _field_of(path, rule) or ROOT
        if result.message_cost > budget:
            return FieldError(ErrorType.INVALID, where, node.shown_type, _MESSAGE_OUT_OF_BUDGET, rule.location)
        if result.stops:
            return FieldError(ErrorType.INVALID, where, node.shown_type, result.message, rule.location)
        reason = _REASONS.get(rule.spec.reason or "", ErrorType.INVALID)
        if reason in {ErrorType.FORBIDDEN, ErrorType.REQUIRED}:
            return FieldError(reason, where, "", result.message, rule.location)
        shown = OMITTED if node.shown_type in {"object", "array"} else value
        detail = "" if reason is ErrorType.DUPLICATE else result.message
        # Servers before 1.35 show the type of the schema.
        before = Older(35, node.shown_type)
        return FieldError(reason, where, shown, detail, rule.location, (before,))
