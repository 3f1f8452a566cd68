"""Walk schemas, alone or together with their values."""

from collections.abc import Iterator
from typing import Any, Final

from ovnguard.validators.structural.objects.rule_evaluation import BoundRule, RuleNode
from ovnguard.validators.structural.schema.schema import NO_DEFAULT, Schema

_ABSENT: Final = object()


def nodes(schema: Schema) -> Iterator[Schema]:
    """A node and all below, combinators left out: they only narrow what stands there already."""
    yield schema
    for child in (*schema.properties.values(), schema.items, schema.additional):
        if child is not None:
            yield from nodes(child)


def paths(schema: Schema, path: tuple[str, ...] = ()) -> Iterator[tuple[Schema, tuple[str, ...]]]:
    """A node and all below, each with the keys that lead to it in the definition's schema."""
    yield schema, path
    for name, child in schema.properties.items():
        yield from paths(child, (*path, "properties", name))
    if schema.items is not None:
        yield from paths(schema.items, (*path, "items"))
    if schema.additional is not None:
        yield from paths(schema.additional, (*path, "additionalProperties"))


def rules(node: RuleNode | None) -> Iterator[BoundRule]:
    """Every rule of a definition."""
    if node is None:
        return
    yield from node.rules
    for child in (*node.properties.values(), node.items, node.additional):
        yield from rules(child)


def values(schema: Schema, value: Any) -> Iterator[tuple[Schema, Any]]:
    """Every value with the node that it stands at."""
    yield schema, value
    for child, inner in _children(schema, value):
        yield from values(child, inner)


def defaults(schema: Schema, sent: Any, stored: Any) -> Iterator[tuple[Schema, bool]]:
    """Every place with a default: whether it was filled in (True), or another value was sent (False)."""
    if schema.default is not NO_DEFAULT:
        if sent is _ABSENT and stored == schema.default:
            yield schema, True
        elif sent is not _ABSENT and stored != schema.default:
            yield schema, False
    if isinstance(stored, dict):
        stated = sent if isinstance(sent, dict) else {}
        for name, value in stored.items():
            child = schema.properties.get(name, schema.additional)
            if child is not None:
                yield from defaults(child, stated.get(name, _ABSENT), value)
    elif isinstance(stored, list) and schema.items is not None:
        items = sent if isinstance(sent, list) else [_ABSENT] * len(stored)
        for before, value in zip(items, stored, strict=False):
            yield from defaults(schema.items, before, value)


def _children(schema: Schema, value: Any) -> Iterator[tuple[Schema, Any]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            child = schema.properties.get(name, schema.additional)
            if child is not None:
                yield child, inner
    elif isinstance(value, list) and schema.items is not None:
        for inner in value:
            yield schema.items, inner
