"""Code that evaluates the rules of a definition on an object whose values are known to be right.

The walk is that of `validators.structural.rule_evaluation`; each rule is one expression, written by the CEL compiler,
that is true only where the exact evaluator says true. A rule without such an expression, or whose cost has no bound
within the caps that keeps the budgets, refuses every object that reaches it.
"""

from dataclasses import dataclass
from typing import Final

from validators.cel.compiled_rule import Rule
from validators.fast import accept_runtime
from validators.fast.expression_code import cost_bound, expression
from validators.fast.generated_module import Body, Source
from validators.fast.limits import Caps
from validators.structural.rule_evaluation import OBJECT_BUDGET, BoundRule, RuleNode
from validators.structural.schema import Schema

CALL_BUDGET: Final = 1_000_000
"""Cost units for one evaluation of a rule (PerCallLimit)."""
_MARGIN: Final = 2
_CORRELATED_MAPS: Final = frozenset({"", "granular", "atomic"})
_OLD_KEY_KINDS: Final = frozenset({"string", "integer", "boolean"})
_DEEPEST_INLINE: Final = 12
_MOST_LOOPS: Final = 8


@dataclass(frozen=True, slots=True)
class NodeWithRules:
    """A node with rules: how many lists and maps are around it, and how many values there may be at most."""

    node: RuleNode
    loops: int
    times: int


def places(node: RuleNode, caps: Caps, loops: int = 0, times: int = 1) -> list[NodeWithRules]:
    """Every node that has rules of its own."""
    found = [NodeWithRules(node, loops, times)] if node.rules else []
    for child in node.properties.values():
        found += places(child, caps, loops, times)
    for inner in (node.items, node.additional):
        if inner is not None:
            found += places(inner, caps, loops + 1, times * max(1, caps.items(node.schema, loops)))
    return found


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is known of the rules within caps.

    ``refused`` are the ids of those that may not run fast: of unknown cost, or too costly together. ``total`` is the
    most that the others cost.
    """

    refused: frozenset[int]
    total: int


def bounds(root: RuleNode, caps: Caps) -> Bounds:
    """Price every rule within the caps."""
    refused: set[int] = set()
    costs: list[tuple[int, int]] = []
    for place in places(root, caps):
        for rule in place.node.rules:
            bound = cost_bound(rule.compiled, caps, place.loops) if isinstance(rule.compiled, Rule) else CALL_BUDGET
            if bound * _MARGIN > CALL_BUDGET:
                refused.add(id(rule))
            else:
                costs.append((bound * _MARGIN * place.times, id(rule)))
    # The costliest go first when they do not fit the budget of the object together.
    costs.sort()
    total = sum(cost for cost, _ in costs)
    while costs and total > OBJECT_BUDGET:
        cost, rule_id = costs.pop()
        total -= cost
        refused.add(rule_id)
    return Bounds(frozenset(refused), total)


class Rules:
    """Generates one function of an object and its old self; None for the latter on creation."""

    def __init__(self, source: Source, refused: frozenset[int]) -> None:
        self.source = source
        self.refused = refused
        self._reads_old: dict[int, bool] = {}
        self._top: RuleNode | None = None

    def root(self, node: RuleNode) -> str:
        """The name of the function."""
        self._top = node
        name = self.source.name("R")
        body = Body(name, "v", "o")
        self._node(node, "v", "o", body, 0)
        self.source.add(body.text())
        return name

    def _node(self, node: RuleNode, value: str, old: str, body: Body, depth: int) -> None:
        closed = node is not self._top and is_closed(node.schema)
        for rule in node.rules:
            self._rule(rule, value, old, body, closed=closed)
        if node.properties:
            if node.schema.map_type not in _CORRELATED_MAPS:
                old = "None"
            for name, child in node.properties.items():
                self._property(name, child, value, old, body, depth)
        if node.additional is not None:
            self._map(node, node.additional, value, old, body, depth)
        if node.items is not None:
            self._list(node, node.items, value, old, body, depth)

    def _rule(self, rule: BoundRule, value: str, old: str, body: Body, *, closed: bool) -> None:
        optional = bool(rule.spec.optional_old_self)
        needs_old = rule.compiled.is_transition and not optional
        if needs_old and old == "None":
            return
        text = None
        if id(rule) not in self.refused and isinstance(rule.compiled, Rule):
            text = expression(rule.compiled, self.source, value, old, closed=closed)
        fails = "True" if text is None else f"not {text}"
        body.refuse(f"{old} is not None and {fails}" if needs_old else fails)

    def reads_old(self, node: RuleNode) -> bool:
        """Whether a rule at a node or below reads oldSelf."""
        known = self._reads_old.get(id(node))
        if known is None:
            below = [*node.properties.values(), *filter(None, (node.items, node.additional))]
            known = any(rule.compiled.is_transition for rule in node.rules) or any(map(self.reads_old, below))
            self._reads_old[id(node)] = known
        return known

    def _inside(self, node: RuleNode, value: str, old: str, body: Body, depth: int) -> None:
        """A child, in place or in a function of its own where the text gets too deep."""
        if depth < _DEEPEST_INLINE and body.loops < _MOST_LOOPS:
            self._node(node, value, old, body, depth + 1)
            return
        name = self.source.name("R")
        inner = Body(name, "v", "o")
        self._node(node, "v", "o", inner, 0)
        self.source.add(inner.text())
        body.refuse(f"not {name}({value}, {old})")

    def _property(self, name: str, child: RuleNode, value: str, old: str, body: Body, depth: int) -> None:
        key, inner = self.source.constant(name), self.source.local()
        body.line(f"{inner} = {value}.get({key})")
        with body.block(f"if {inner} is not None:"):
            self._inside(child, inner, self._old_entry(child, key, old, body), body, depth)

    def _old_entry(self, child: RuleNode, key: str, old: str, body: Body) -> str:
        if old == "None" or not self.reads_old(child):
            return "None"
        name = self.source.local()
        body.line(f"{name} = None if {old} is None else {old}.get({key})")
        return name

    def _map(self, node: RuleNode, child: RuleNode, value: str, old: str, body: Body, depth: int) -> None:
        if node.schema.map_type not in _CORRELATED_MAPS:
            old = "None"
        key, inner = self.source.local(), self.source.local()
        with body.block(f"for {key}, {inner} in {value}.items():"), body.block(f"if {inner} is not None:"):
            self._inside(child, inner, self._old_entry(child, key, old, body), body, depth)

    def _list(self, node: RuleNode, child: RuleNode, value: str, old: str, body: Body, depth: int) -> None:
        inner = self.source.local()
        found, lookup = "None", ""
        if old != "None" and self.reads_old(child):
            found, lookup = self._old_items(node.schema, old, inner, body)
        with body.block(f"for {inner} in {value}:"), body.block(f"if {inner} is not None:"):
            if lookup:
                body.line(lookup)
            self._inside(child, inner, found, body, depth)

    def _old_items(self, schema: Schema, old: str, item: str, body: Body) -> tuple[str, str]:
        """The name of the old item with the keys of an item, and the statement that finds it."""
        names = schema.list_map_keys
        if schema.list_type != "map" or not names or schema.items is None:
            return "None", ""
        kinds = {schema.items.properties[name].declared_type for name in names if name in schema.items.properties}
        if not kinds <= _OLD_KEY_KINDS or len(kinds) == 0:
            body.refuse(f"{old} is not None")
            return "None", ""
        table, found = self.source.local(), self.source.local()
        if len(names) == 1:
            key = self.source.constant(names[0])
            body.line(f"{table} = {self.source.helper(accept_runtime.by_key)}({old}, {key})")
            return found, f"{found} = {table}.get({item}[{key}])"
        keys = self.source.constant(names)
        body.line(f"{table} = {self.source.helper(accept_runtime.by_keys)}({old}, {keys})")
        return found, f"{found} = {table}.get({self.source.helper(accept_runtime.key_of)}({item}, {keys}))"


def is_closed(schema: Schema) -> bool:
    """Whether a node and all below it have only declared fields."""
    if schema.preserve_unknown or schema.embedded:
        return False
    below = [*schema.properties.values(), *filter(None, (schema.items, schema.additional))]
    return all(map(is_closed, below))
