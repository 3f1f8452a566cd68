"""Builds the fast path of a compiled definition."""

from typing import Final

from ovnguard.validators.base.field import minor
from ovnguard.validators.fast import accept_runtime
from ovnguard.validators.fast.accept_path import Plan
from ovnguard.validators.fast.default_code import Defaults
from ovnguard.validators.fast.generated_module import Source
from ovnguard.validators.fast.limits import MAX_VALUES, TIERS, Caps, most_values
from ovnguard.validators.fast.rule_code import Bounds, Rules, bounds
from ovnguard.validators.fast.value_code import Values
from ovnguard.validators.structural.definitions.structural_check import children
from ovnguard.validators.structural.objects.rule_evaluation import RuleNode
from ovnguard.validators.structural.schema.schema import Schema

MAX_NODES: Final = 20_000
"""The maximum number of schema nodes for generated code."""
MAX_TEXT: Final = 4_000_000
"""The maximum length of generated code, in characters."""
MAX_SCHEMA_DEPTH: Final = 100


def plan(schema: Schema, rules: RuleNode | None, kubernetes: str) -> Plan | None:
    """Generate the code of one version; None for a definition that is too large for it."""
    if not _is_ordinary(schema):
        return None
    chosen = tier(schema, rules)
    if chosen is None:
        return None
    caps, found = chosen
    source = Source()
    try:
        generator = Values(source, caps, minor(kubernetes))
        values = generator.root(schema)
        checks = "" if rules is None else Rules(source, found.refused).root(rules)
        fills = Defaults(source).function(schema)
        if source.size > MAX_TEXT:
            return None
        module = source.module()
    except (ValueError, RecursionError, OverflowError, MemoryError):
        # A constant that cannot be stored, a number too long to write, nesting that Python's compiler refuses.
        return None
    return Plan(module, values, checks, fills, _drops_status(schema), _is_typed(schema))


def tier(schema: Schema, rules: RuleNode | None) -> tuple[Caps, Bounds] | None:
    """The most generous caps that bound the cost of all rules, else those that lose the fewest rules."""
    best: tuple[Caps, Bounds] | None = None
    for caps in TIERS:
        if most_values(schema, caps, accept_runtime.ANY_VALUES) > MAX_VALUES:
            continue
        found = Bounds(frozenset(), 0) if rules is None else bounds(rules, caps)
        if best is None or len(found.refused) < len(best[1].refused):
            best = (caps, found)
        if not found.refused:
            break
    return best


def _is_ordinary(schema: Schema) -> bool:
    count, level, depth = 0, [schema], 0
    while level:
        count, depth = count + len(level), depth + 1
        if count > MAX_NODES or depth > MAX_SCHEMA_DEPTH:
            return False
        level = [child for node in level for child in children(node)]
    return True


def _drops_status(schema: Schema) -> bool:
    limited = schema.min_properties is not None or schema.max_properties is not None
    return not (limited or schema.composed or "status" in schema.required)


def _is_typed(schema: Schema) -> bool:
    """Whether no field accepts two kinds of numbers, or numbers and booleans."""
    if schema.preserve_unknown or not schema.types or "number" in schema.types:
        return False
    below = [*schema.properties.values(), *filter(None, (schema.items, schema.additional))]
    return all(map(_is_typed, below))
