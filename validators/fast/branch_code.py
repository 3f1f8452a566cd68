"""anyOf, oneOf, allOf and not: functions that decide exactly whether a value fits a branch.

Unlike the rest of the generated code, these must be right in both directions, since ``not`` and ``oneOf`` invert a
result. They raise if they cannot decide. Order and keywords are those of `validators.structural.objects.value_check`.
"""

from typing import Any, Final

from ovnguard.validators.fast import accept_runtime
from ovnguard.validators.fast.generated_module import Body, Source
from ovnguard.validators.go.text import INT64_MAX, INT64_MIN
from ovnguard.validators.structural.formats import number_ranges
from ovnguard.validators.structural.formats.number_arithmetic import to_int64
from ovnguard.validators.structural.formats.number_ranges import Range, range_of
from ovnguard.validators.structural.formats.release_formats import Formats
from ovnguard.validators.structural.objects.value_check import Checker
from ovnguard.validators.structural.schema.schema import Schema

_FLOAT_MAX: Final = 1.7976931348623157e308
_SAMPLES: Final[dict[str, Any]] = {"bool": True, "int": 1, "list": [], "dict": {}}


def limits_of(schema: Schema, minor: int) -> Range | None:
    """The range of a node's type and format, where this release checks it."""
    return range_of(schema) if minor >= number_ranges.SINCE else None


def has_misfit(schema: Schema, limits: Range | None) -> bool:
    """Whether a bound is outside of the range, so that no number is valid."""
    bounds = (schema.multiple_of, schema.minimum, schema.maximum)
    return limits is not None and not all(bound is None or limits.has(bound) for bound in bounds)


def integer_limits(schema: Schema, limits: Range | None = None) -> tuple[int, int]:
    """The least and the largest int that minimum and maximum allow: bounds are truncated, as the server does."""
    low, high = INT64_MIN, INT64_MAX
    if schema.minimum is not None:
        low = to_int64(schema.minimum) + schema.exclusive_minimum
    if schema.maximum is not None:
        high = to_int64(schema.maximum) - schema.exclusive_maximum
    return (low, high) if limits is None else (max(low, limits.low), min(high, limits.high))


def number_conditions(schema: Schema, value: str, source: Source) -> list[str]:
    """The condition that a finite float is out of bounds."""
    found = []
    if schema.minimum is not None:
        found.append(f"{value} {'<=' if schema.exclusive_minimum else '<'} {source.constant(schema.minimum)}")
    if schema.maximum is not None:
        found.append(f"{value} {'>=' if schema.exclusive_maximum else '>'} {source.constant(schema.maximum)}")
    return found


def string_conditions(schema: Schema, value: str, source: Source, minor: int) -> list[str]:
    """The condition that a string is invalid, apart from type and enumeration."""
    found = []
    if schema.max_length is not None:
        found.append(f"len({value}) > {schema.max_length}")
    if schema.min_length is not None and schema.min_length > 0:
        found.append(f"len({value}) < {schema.min_length}")
    if schema.pattern:
        found.append(f"not {source.pattern(schema.pattern)}({value})")
    if schema.format and Formats(minor).checker(schema.format, schema.types) is not None:
        found.append(
            f"not {source.helper(accept_runtime.in_format)}({value}, {source.constant(schema.format)}, {minor})"
        )
    return found


def enum_condition(schema: Schema, value: str, source: Source) -> str:
    """The condition that a value is not in the enumeration."""
    return f"not {source.helper(accept_runtime.is_among)}({value}, {source.constant(schema.enum.keys)})"


def multiple_condition(schema: Schema, value: str, source: Source, minor: int) -> list[str]:
    """The condition that a number violates multipleOf."""
    if schema.multiple_of is None:
        return []
    helper, factor = source.helper(accept_runtime.is_multiple), source.constant(schema.multiple_of)
    return [f"not {helper}({value}, {factor}, {minor})"]


class Branches:
    """Generates functions for branches. Equal branches do not share a function: they are few."""

    def __init__(self, source: Source, minor: int) -> None:
        self.source = source
        self.minor = minor

    def composed(self, schema: Schema, value: str, body: Body) -> None:
        """Add code that leaves ``body`` unless the value fits the branches of a node."""
        for branch in schema.all_of:
            body.refuse(f"not {self.function(branch)}({value})")
        if schema.any_of:
            tests = " or ".join(f"{self.function(branch)}({value})" for branch in schema.any_of)
            body.refuse(f"not ({tests})")
        if schema.one_of:
            tests = " + ".join(f"{self.function(branch)}({value})" for branch in schema.one_of)
            body.refuse(f"{tests} != 1")
        if schema.negated is not None:
            body.refuse(f"{self.function(schema.negated)}({value})")

    def function(self, schema: Schema) -> str:
        """The name of a function that returns exactly True or False."""
        name = self.source.name("B")
        body = Body(name, "v")
        with body.block("if v is None:"):
            fits = not schema.enum and (not schema.types or schema.nullable)
            body.line(f"return {fits}")
        body.line("t = type(v)")
        for head, kind in (("if", "str"), ("elif", "int"), ("elif", "dict"), ("elif", "list"), ("elif", "float")):
            with body.block(f"{head} t is {kind}:"):
                getattr(self, f"_{kind}")(schema, body)
        with body.block("elif t is bool:"):
            self._typed(schema, "bool", body)
        body.line("else: raise TypeError")
        if schema.enum:
            body.refuse(enum_condition(schema, "v", self.source))
        self.composed(schema, "v", body)
        self.source.add(body.text())
        return name

    def _checker(self) -> Checker:
        return Checker(Formats(self.minor))

    def _typed(self, schema: Schema, kind: str, body: Body) -> None:
        """Add code that leaves if the type is wrong. The exact check of a sample decides, because a format can disable
        it.
        """
        sample = Schema("", types=schema.types, format=schema.format)
        if self._checker().check(_SAMPLES[kind], sample).errors:
            body.line("return False")

    def _str(self, schema: Schema, body: Body) -> None:
        form = Formats(self.minor).kept(schema.format, schema.types)
        numeric = "number" in schema.types or "integer" in schema.types
        if schema.types and "string" not in schema.types and (numeric or not form):
            body.line("return False")
        for condition in string_conditions(schema, "v", self.source, self.minor):
            body.refuse(condition)

    def _int(self, schema: Schema, body: Body) -> None:
        body.line(f"if not {INT64_MIN} <= v <= {INT64_MAX}: raise ValueError")
        self._typed(schema, "int", body)
        low, high = integer_limits(schema, self._limits(schema, body))
        if (low, high) != (INT64_MIN, INT64_MAX):
            body.refuse(f"not {low} <= v <= {high}")
        for condition in multiple_condition(schema, "v", self.source, self.minor):
            body.refuse(condition)

    def _float(self, schema: Schema, body: Body) -> None:
        limit = self.source.constant(_FLOAT_MAX)
        body.line(f"if not -{limit} <= v <= {limit}: raise ValueError")
        limits = self._limits(schema, body)
        if limits is not None:
            parts = "not v.is_integer() or " if limits.whole else ""
            body.refuse(f"{parts}not {limits.low} <= v <= {limits.high}")
        bare = Schema("", types=schema.types, format=schema.format)
        whole, broken = (not self._checker().check(sample, bare).errors for sample in (1.0, 1.5))
        if not whole:
            body.line("return False")
        elif not broken:
            body.refuse(f"not {self.source.helper(accept_runtime.is_whole)}(v, {self.minor})")
        for condition in (
            *number_conditions(schema, "v", self.source),
            *multiple_condition(schema, "v", self.source, self.minor),
        ):
            body.refuse(condition)

    def _limits(self, schema: Schema, body: Body) -> Range | None:
        """The range of the node's numbers; adds code that leaves for all of them where a bound is outside of it."""
        limits = limits_of(schema, self.minor)
        if has_misfit(schema, limits):
            body.line("return False")
        return limits

    def _list(self, schema: Schema, body: Body) -> None:
        self._typed(schema, "list", body)
        if schema.max_items is not None:
            body.refuse(f"len(v) > {schema.max_items}")
        if schema.min_items is not None:
            body.refuse(f"len(v) < {schema.min_items}")
        if schema.items is not None:
            function = self.function(schema.items)
            with body.block("for e in v:"):
                body.refuse(f"not {function}(e)")

    def _dict(self, schema: Schema, body: Body) -> None:
        self._typed(schema, "dict", body)
        if schema.max_properties is not None:
            body.refuse(f"len(v) > {schema.max_properties}")
        if schema.min_properties is not None:
            body.refuse(f"len(v) < {schema.min_properties}")
        known = self.source.constant(frozenset(schema.properties))
        if schema.additional_allowed is False:
            with body.block("for k in v:"):
                body.refuse(f"k not in {known}")
        elif schema.additional is not None:
            function = self.function(schema.additional)
            with body.block("for k, e in v.items():"):
                body.refuse(f"k not in {known} and not {function}(e)")
        for name, child in schema.properties.items():
            key = self.source.constant(name)
            body.refuse(f"{key} in v and not {self.function(child)}(v[{key}])")
        for name in schema.required:
            body.refuse(f"{self.source.constant(name)} not in v")
