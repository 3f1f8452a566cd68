"""Checks of the defaults in a schema: each must be pruned, valid, and accepted by the rules.

Source: apiextensions-apiserver, ``pkg/apiserver/schema/defaulting/validation.go``.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from ovnguard.validators.base.field import FieldError, minor
from ovnguard.validators.structural.definitions.structural_check import invalid
from ovnguard.validators.structural.formats.release_formats import Formats
from ovnguard.validators.structural.metadata.embedded_resources import BadEmbedded, check_embedded, coerce
from ovnguard.validators.structural.objects.pruning import prune_node
from ovnguard.validators.structural.objects.value_check import Checker
from ovnguard.validators.structural.schema.deep_equal import deep_equal
from ovnguard.validators.structural.schema.schema import NO_DEFAULT, Schema

RunRules = Callable[[Schema, bool, Any, str], list[FieldError]]
"""Evaluates the rules of a node and below on a default.

Arguments: node, whether the node is a resource's root, value, path.
"""


class DefaultCheck:
    """Walks the structural nodes of a schema once, as a release of Kubernetes does.

    ``unpruned``: defaults may have unknown fields.
    """

    def __init__(self, run_rules: RunRules, kubernetes: str, *, unpruned: bool = False) -> None:
        self.run_rules = run_rules
        self._unpruned = unpruned
        self._kubernetes = kubernetes
        self._formats = Formats.all(minor(kubernetes))
        self._structural: dict[int, Schema] = {}

    def check(self, schema: Schema, path: str) -> list[FieldError]:
        """Return the errors of every default. As in the API server, ``additionalProperties`` are not entered."""
        root = replace(schema, embedded=True)
        return list(self._node(root, path, _Resource(root, (), self._kubernetes), inside_meta=False))

    def _node(self, schema: Schema, path: str, resource: "_Resource", *, inside_meta: bool) -> Iterator[FieldError]:
        if schema.embedded:
            resource, inside_meta = _Resource(schema, (), self._kubernetes), False
        if schema.default is not NO_DEFAULT:
            value, where = schema.default, f"{path}.default"
            if inside_meta:
                yield from resource.errors(value, where) or self._valid(schema, value, where)
            else:
                yield from self._default(schema, value, where)
        if schema.items is not None:
            yield from self._node(schema.items, f"{path}.items", resource.inside(0), inside_meta=inside_meta)
        for name, child in schema.properties.items():
            inside = inside_meta or (schema.embedded and name in {"metadata", "apiVersion", "kind"})
            yield from self._node(child, f"{path}.properties[{name}]", resource.inside(name), inside_meta=inside)

    def _default(self, schema: Schema, value: Any, path: str) -> list[FieldError]:
        errors: list[FieldError] = []
        if not self._unpruned and not deep_equal(prune_node(value, schema), value):
            errors.append(invalid(path, value, "must not have unknown fields"))
        try:
            value, _ = coerce(value, schema, root=False)
        except BadEmbedded as fault:
            return [*errors, fault.error._replace(field=_joined(path, fault.error.field))]
        return errors + (
            check_embedded(value, schema, minor(self._kubernetes), path, root=False) or self._valid(schema, value, path)
        )

    def _valid(self, schema: Schema, value: Any, path: str) -> list[FieldError]:
        found = list(Checker(self._formats, path).check(value, as_structural(schema, self._structural)).errors.values())
        return found or self.run_rules(schema, schema.embedded, value, path)


class _Resource(NamedTuple):
    """The resource around a default in its metadata, kind or apiVersion, and the way from its root."""

    schema: Schema
    steps: tuple[str | int, ...]
    kubernetes: str

    def inside(self, step: str | int) -> "_Resource":
        """Return the resource around a child."""
        return self._replace(steps=(*self.steps, step))

    def errors(self, value: Any, path: str) -> list[FieldError]:
        """Return the errors of the smallest resource with the default in its place."""
        whole = value
        for step in reversed(self.steps):
            whole = [whole] if isinstance(step, int) else {step: whole}
        whole = {"kind": "Validation", "apiVersion": "validation/v1", **whole}
        try:
            whole, _ = coerce(whole, self.schema, root=False)
        except BadEmbedded as fault:
            return [invalid(path, value, f"must result in valid metadata: {fault.error.text_of(self.kubernetes)}")]
        found = dict.fromkeys(
            error.text_of(self.kubernetes)
            for error in check_embedded(whole, self.schema, minor(self.kubernetes), root=False)
        )
        text = ", ".join(found)
        return (
            [invalid(path, value, f"must result in valid metadata: {f'[{text}]' if len(found) > 1 else text}")]
            if found
            else []
        )


def _joined(path: str, step: str) -> str:
    return f"{path}{step}" if step.startswith("[") else f"{path}.{step}"


def as_structural(schema: Schema, known: dict[int, Schema] | None = None) -> Schema:
    """Return the node as its structural form validates it: an int-or-string keeps the type that it declares, if any.

    ``known`` keeps the forms of nodes that stay alive, by their identity.
    """
    known = {} if known is None else known
    if id(schema) not in known:
        known[id(schema)] = _as_structural(schema, partial(as_structural, known=known))
    return known[id(schema)]


def _as_structural(schema: Schema, inner: Callable[[Schema], Schema]) -> Schema:
    written = schema.source.get("type")
    return replace(
        schema,
        types=schema.types if not schema.int_or_string else (written,) if written else (),
        properties={name: inner(child) for name, child in schema.properties.items()},
        additional=None if schema.additional is None else inner(schema.additional),
        items=None if schema.items is None else inner(schema.items),
        all_of=tuple(map(inner, schema.all_of)),
        any_of=tuple(map(inner, schema.any_of)),
        one_of=tuple(map(inner, schema.one_of)),
        negated=None if schema.negated is None else inner(schema.negated),
    )
