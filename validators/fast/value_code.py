"""Generates code that walks an object along its schema and continues only while every value is ordinary.

An accepted object has no unknown field, no missing default, no null to drop, no embedded resource to normalise, no
repeated item in a set or map, and only valid values: the exact path would store it unchanged without errors.
"""

from dataclasses import replace
from typing import Final

from ovnguard.validators.fast import accept_runtime, ordinary_metadata
from ovnguard.validators.fast.branch_code import (
    Branches,
    enum_condition,
    has_misfit,
    integer_limits,
    limits_of,
    multiple_condition,
    number_conditions,
    string_conditions,
)
from ovnguard.validators.fast.generated_module import Body, Source
from ovnguard.validators.fast.limits import Caps
from ovnguard.validators.fast.schema_shapes import CONTAINERS, Shapes, is_bare, is_deep, is_leaf
from ovnguard.validators.go.text import INT64_MAX, INT64_MIN
from ovnguard.validators.structural.formats.release_formats import Formats
from ovnguard.validators.structural.objects.value_check import Checker
from ovnguard.validators.structural.schema.enumeration import Enumeration
from ovnguard.validators.structural.schema.schema import NO_DEFAULT, Schema

_META: Final = ("apiVersion", "kind", "metadata")
_DEEPEST_INLINE: Final = 6
_MOST_LOOPS: Final = 4
_FLOAT_MAX: Final = 1.7976931348623157e308
_NEVER: Final = "True"


class Values:
    """Generates the functions of one schema. Equal object and list nodes share one."""

    def __init__(self, source: Source, caps: Caps, minor: int) -> None:
        self.source = source
        self.caps = caps
        self.minor = minor
        self.branches = Branches(source, minor)
        self.shapes = Shapes()
        self.names: dict[tuple[int, bool], str] = {}

    def root(self, schema: Schema) -> str:
        """The function for whole objects; apiVersion, kind and the inside of metadata are the caller's task."""
        self.shapes.count(schema)
        name = self.source.name("F")
        body = Body(name, "v")
        body.refuse("type(v) is not dict")
        if schema.enum or schema.declared_type != "object" or schema.additional is not None:
            body.refuse(_NEVER)
        if schema.preserve_unknown or accept_runtime.has_other_case(schema.properties):
            body.refuse(f"{self.source.helper(accept_runtime.has_other_case)}(v)")
        self._properties(schema, "v", body, 0, root=True)
        self.branches.composed(schema, "v", body)
        self.source.add(body.text())
        return name

    def _node(self, schema: Schema, value: str, body: Body, loops: int, depth: int) -> None:
        """Add code that leaves ``body`` unless a value fits; ``loops`` is the number of lists and maps around it,
        ``depth`` that of blocks.
        """
        if schema.nullable and not schema.enum:
            with body.block(f"if {value} is not None:"):
                self._present(schema, value, body, loops, depth + 1)
        else:
            self._present(schema, value, body, loops, depth)

    def _present(self, schema: Schema, value: str, body: Body, loops: int, depth: int) -> None:
        kind = schema.declared_type
        if kind in CONTAINERS:
            shallow = depth < _DEEPEST_INLINE and body.loops < _MOST_LOOPS
            if shallow and self.shapes.uses(schema) == 1 and is_leaf(schema):
                self._container(schema, value, body, loops, depth)
            else:
                body.refuse(f"not {self._function(schema, loops)}({value})")
            return
        self._scalar_lines(schema, value, body)

    def _scalar_lines(self, schema: Schema, value: str, body: Body) -> None:
        for condition in self._scalar(schema, value, schema.declared_type):
            body.refuse(condition)
        self.branches.composed(schema, value, body)

    def _function(self, schema: Schema, loops: int) -> str:
        key = (self.shapes.of(schema), loops > 0)
        if key not in self.names:
            name = self.names[key] = self.source.name("F")
            body = Body(name, "v")
            self._container(schema, "v", body, loops, 0)
            self.source.add(body.text())
        return self.names[key]

    def _container(self, schema: Schema, value: str, body: Body, loops: int, depth: int) -> None:
        if schema.enum:
            body.refuse(f"type({value}) not in (dict, list)")
            body.refuse(enum_condition(schema, value, self.source))
        if schema.declared_type == "object":
            body.refuse(f"type({value}) is not dict")
            self._object(schema, value, body, loops, depth)
        else:
            body.refuse(f"type({value}) is not list")
            self._array(schema, value, body, loops, depth)
        self.branches.composed(schema, value, body)

    def _object(self, schema: Schema, value: str, body: Body, loops: int, depth: int) -> None:
        if schema.embedded:
            body.refuse(f"not {self.source.helper(ordinary_metadata.is_ordinary_resource)}({value})")
        if schema.additional is not None and not schema.properties:
            self._map(schema, value, body, loops, depth)
        elif schema.additional is not None:
            body.line("return False")
        else:
            self._properties(schema, value, body, loops, depth=depth)

    def _size(self, schema: Schema, value: str, body: Body) -> None:
        if schema.min_properties is not None:
            body.refuse(f"len({value}) < {schema.min_properties}")
        if schema.max_properties is not None:
            body.refuse(f"len({value}) > {schema.max_properties}")

    def _properties(
        self, schema: Schema, value: str, body: Body, loops: int, *, depth: int = 0, root: bool = False
    ) -> None:
        """Check every declared property and count the present ones: any remaining field is unknown."""
        self._size(schema, value, body)
        resource = root or schema.embedded
        open_ended = schema.preserve_unknown and schema.additional_allowed is None
        names = list(schema.properties)
        count = self.source.local()
        needed = frozenset(schema.required)
        certain = {name for name in names if name in needed or schema.properties[name].default is not NO_DEFAULT}
        if not open_ended:
            body.line(f"{count} = {len(certain)}")
        for name in names:
            child = schema.properties[name]
            key, inner = self.source.constant(name), self.source.local()
            if name in certain:
                body.line(f"{inner} = {value}[{key}]")
                self._property(name, child, inner, body, loops, depth, resource=resource)
                continue
            with body.block(f"if {key} in {value}:"):
                if not open_ended:
                    body.line(f"{count} += 1")
                body.line(f"{inner} = {value}[{key}]")
                self._property(name, child, inner, body, loops, depth + 1, resource=resource)
        for name in schema.required:
            if name not in schema.properties:
                body.refuse(f"{self.source.constant(name)} not in {value}")
        extra = [name for name in _META if resource and name not in schema.properties]
        if open_ended:
            known = self.source.constant(frozenset([*names, *extra]))
            body.refuse(f"not {self.source.helper(accept_runtime.are_plain)}({value}, {known})")
            return
        for name in extra:
            body.line(f"{count} += {self.source.constant(name)} in {value}")
        body.refuse(f"len({value}) != {count}")

    def _property(
        self, name: str, child: Schema, value: str, body: Body, loops: int, depth: int, *, resource: bool
    ) -> None:
        if not resource or name not in _META:
            self._node(child, value, body, loops, depth)
        elif not is_bare(child) or child.types not in {(), ("object" if name == "metadata" else "string",)}:
            # Another module normalises it; the schema only checks the value.
            body.refuse(_NEVER if is_deep(child) else f"not {self.branches.function(child)}({value})")

    def _map(self, schema: Schema, value: str, body: Body, loops: int, depth: int) -> None:
        assert schema.additional is not None
        body.refuse(f"len({value}) > {self.caps.items(schema, loops)}")
        self._size(schema, value, body)
        for name in schema.required:
            body.refuse(f"{self.source.constant(name)} not in {value}")
        key, inner = self.source.local(), self.source.local()
        with body.block(f"for {key}, {inner} in {value}.items():"):
            body.refuse(f"type({key}) is not str or len({key}) > {self.caps.text}")
            body.refuse(f"not ({key}.isascii() or {key}.encode())")
            if schema.embedded:
                body.refuse(_NEVER)
            if schema.additional.default is not NO_DEFAULT:
                body.refuse(f"{inner} is None")
            self._node(schema.additional, inner, body, loops + 1, depth + 1)

    def _array(self, schema: Schema, value: str, body: Body, loops: int, depth: int) -> None:
        body.refuse(f"len({value}) > {self.caps.items(schema, loops)}")
        if schema.min_items is not None and schema.min_items > 0:
            body.refuse(f"len({value}) < {schema.min_items}")
        if schema.items is None or schema.preserve_unknown or schema.embedded:
            body.refuse(value)
            return
        inner = self.source.local()
        with body.block(f"for {inner} in {value}:"):
            if schema.items.default is not NO_DEFAULT:
                body.refuse(f"{inner} is None")
            self._node(schema.items, inner, body, loops + 1, depth + 1)
        self._unique(schema, value, body)

    def _unique(self, schema: Schema, value: str, body: Body) -> None:
        """Check for equal items. Python considers 1, 1.0 and true equal, the server does not, so the exact path
        decides.
        """
        inner = self.source.local()
        if schema.list_type == "set":
            body.refuse(f"len({value}) > 1 and len(set({value})) != len({value})")
        elif schema.list_type == "map":
            keys = [f"{inner}[{self.source.constant(name)}]" for name in schema.list_map_keys]
            key = keys[0] if len(keys) == 1 else f"({', '.join(keys)},)"
            body.refuse(f"len({value}) > 1 and len({{{key} for {inner} in {value}}}) != len({value})")

    def _scalar(self, schema: Schema, value: str, kind: str) -> list[str]:
        """The condition that a scalar value is invalid."""
        if schema.embedded:
            return [_NEVER]
        if schema.int_or_string:
            return self._int_or_string(schema, value)
        if kind == "string":
            return self._string(schema, value)
        if kind == "integer":
            return [*self._integer(schema, value), *self._enum(schema, value)]
        if kind == "number":
            return [*self._number(schema, value), *self._enum(schema, value)]
        if kind == "boolean":
            return [f"type({value}) is not bool", *self._enum(schema, value)]
        if not kind and schema.preserve_unknown and is_bare(schema):
            return [f"{value} is None or not {self.source.helper(accept_runtime.is_plain)}({value})"]
        return [_NEVER]

    def _enum(self, schema: Schema, value: str) -> list[str]:
        return [enum_condition(schema, value, self.source)] if schema.enum else []

    def _string(self, schema: Schema, value: str) -> list[str]:
        if schema.enum:
            # Check the enumeration's values now, against all other keywords of the node.
            checker, rest = Checker(Formats(self.minor)), replace(schema, enum=Enumeration())
            texts = [one for one in schema.enum if type(one) is str and len(one) <= self.caps.text]
            fits = frozenset(text for text in texts if not checker.check(text, rest).errors)
            return [f"type({value}) is not str or {value} not in {self.source.constant(fits)}"]
        conditions = string_conditions(schema, value, self.source, self.minor)
        if schema.max_length is None or schema.max_length > self.caps.text:
            conditions.insert(0, f"len({value}) > {self.caps.text}")
        # Half a surrogate pair has no UTF-8, and raises.
        conditions.append(f"not ({value}.isascii() or {value}.encode())")
        return [" or ".join([f"type({value}) is not str", *conditions])]

    def _integer(self, schema: Schema, value: str) -> list[str]:
        limits = limits_of(schema, self.minor)
        if has_misfit(schema, limits):
            return [_NEVER]
        low, high = integer_limits(schema, limits)
        low, high = max(low, INT64_MIN), min(high, INT64_MAX)
        conditions = [f"type({value}) is not int or not {low} <= {value} <= {high}"]
        return conditions + multiple_condition(schema, value, self.source, self.minor)

    def _number(self, schema: Schema, value: str) -> list[str]:
        limits = limits_of(schema, self.minor)
        if has_misfit(schema, limits):
            return [_NEVER]
        limit = self.source.constant(_FLOAT_MAX if limits is None else limits.high)
        low, high = integer_limits(schema)
        whole = f"not {max(low, INT64_MIN)} <= {value} <= {min(high, INT64_MAX)}"
        broken = " or ".join([f"not -{limit} <= {value} <= {limit}", *number_conditions(schema, value, self.source)])
        typed = f"({whole}) if type({value}) is int else ({broken}) if type({value}) is float else True"
        return [typed, *multiple_condition(schema, value, self.source, self.minor)]

    def _int_or_string(self, schema: Schema, value: str) -> list[str]:
        low, high = integer_limits(schema)
        whole = " or ".join(
            [
                f"not {max(low, INT64_MIN)} <= {value} <= {min(high, INT64_MAX)}",
                *multiple_condition(schema, value, self.source, self.minor),
            ]
        )
        conditions = [f"len({value}) > {self.caps.characters(schema)}", f"not ({value}.isascii() or {value}.encode())"]
        text = " or ".join(conditions + string_conditions(schema, value, self.source, self.minor))
        typed = f"({text}) if type({value}) is str else ({whole}) if type({value}) is int else True"
        return [typed, *self._enum(schema, value)]
