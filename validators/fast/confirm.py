"""Refusals in time: of an object that only rules can refuse, the exact evaluator sees the rules that do not hold.

Each rule becomes a function of its own, once there was more than a refusal or two. What it confirms costs no more than
its bound; together with what ran exactly that must stay within the budget of an object, or everything runs exactly.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from validators.fast.generated_module import Body, Module, Source
from validators.structural.rule_evaluation import BoundRule, RuleNode
from validators.structural.schema import Schema

_PATIENCE: Final = 2

Function = Callable[[Any, Any], Any]


@dataclass(frozen=True, slots=True)
class Confirming:
    """A module of functions for rules, and for all rules of a node: ``names`` has them by the ids of rules and nodes.

    ``total`` is the most that all rules cost.
    """

    total: int
    module: Module | None
    names: dict[int, str]

    def functions(self) -> dict[int, Function]:
        """The functions themselves, by the same ids."""
        if self.module is None:
            return {}
        made = self.module.load()
        return {key: made[name] for key, name in self.names.items()}


class Confirmer:
    """The rules of one version, one by one. May be used from many threads: at worst they are made twice."""

    __slots__ = ("_make", "_patience", "_ready", "functions", "total")

    def __init__(self, make: Callable[[], Confirming], patience: int = _PATIENCE) -> None:
        """``make`` is called after so many refusals have gone by without."""
        self._make = make
        self._patience = patience
        self._ready = False
        self.functions: dict[int, Function] = {}
        self.total = 0

    def ready(self) -> bool:
        """Whether there are functions; they are made when it is worth their while."""
        if not self._ready:
            self._patience -= 1
            if self._patience < 0:
                made = self._make()
                self.total, self.functions = made.total, made.functions()
                self._ready = True
        return self._ready

    def __call__(self, rule: BoundRule | RuleNode, value: Any, old: Any) -> bool:
        """Whether a rule certainly holds, or all rules of a node do."""
        try:
            return self.functions[id(rule)](value, old) is True
        except Exception:  # noqa: BLE001 - generated code may stumble over anything; all of it means the same
            return False


def generate(schema: Schema, rules: RuleNode) -> Confirming:
    """Write the functions of all rules that can have one."""
    from validators.cel.compiled_rule import Rule  # noqa: PLC0415 - who refuses nothing needs no CEL compiler
    from validators.fast.build import tier  # noqa: PLC0415 - likewise
    from validators.fast.expression_code import expression  # noqa: PLC0415 - likewise
    from validators.fast.rule_code import is_closed, places  # noqa: PLC0415 - likewise

    chosen = tier(schema, rules)
    if chosen is None:
        return Confirming(0, None, {})
    caps, found = chosen
    source, names = Source(), {}
    for place in places(rules, caps):
        closed = place.node is not rules and is_closed(place.node.schema)
        whole = Body(source.name("S"), "v", "o")
        for rule in place.node.rules:
            if id(rule) in found.refused or not isinstance(rule.compiled, Rule):
                continue
            text = expression(rule.compiled, source, "v", "o", closed=closed)
            if text is not None:
                name = names[id(rule)] = source.name("S")
                source.add(Body(name, "v", "o").text(f"return {text}"))
                needs_old = rule.compiled.is_transition and not rule.spec.optional_old_self
                whole.refuse(f"o is not None and not {name}(v, o)" if needs_old else f"not {name}(v, o)")
        if all(id(rule) in names for rule in place.node.rules):
            names[id(place.node)] = whole.name
            source.add(whole.text())
    try:
        return Confirming(found.total, source.module(), names)
    except (ValueError, RecursionError, MemoryError):
        return Confirming(0, None, {})
