"""Compile one rule for one schema node, or any expression, as the product compiles the rules of a definition."""

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from ovnguard.validators.base.field import DEFAULT_KUBERNETES, ErrorType
from ovnguard.validators.base.validation_rule import ValidationRule, text_errors
from ovnguard.validators.cel import expression_compiler
from ovnguard.validators.cel.checking.environments import minor_of
from ovnguard.validators.cel.compiled_rule import Rule
from ovnguard.validators.cel.cost.runtime_cost import PER_CALL_LIMIT
from ovnguard.validators.cel.evaluation.native_conversion import from_python
from ovnguard.validators.cel.expression_compiler import Compiled
from ovnguard.validators.cel.types import static_types as types
from ovnguard.validators.cel.types.declaration import Decl, declare
from ovnguard.validators.cel.types.errors import CostExceeded, EvalError, InvalidRule
from ovnguard.validators.cel.validation_rule_compiler import compile_for
from ovnguard.validators.cel.values.cel_values import CelMap, Fault, Optional, Value
from ovnguard.validators.cel.values.json_values import MergedList, Obj, SchemaList, Unknown, wrap
from ovnguard.validators.cel.values.operations import no_fault

_COST: Final = "operation cancelled: actual cost limit exceeded"


class CelError(Exception):
    """An expression does not compile (``phase`` "compile") or has no value for this input ("eval")."""

    def __init__(self, text: str, phase: Literal["compile", "eval"] = "eval") -> None:
        super().__init__(text)
        self.text = text
        self.phase = phase


class Expression(NamedTuple):
    """A compiled expression over named variables."""

    text: str
    variables: Mapping[str, Decl | None]
    compiled: Compiled

    def evaluate(self, values: Mapping[str, Any], limit: int = PER_CALL_LIMIT) -> Any:
        """Return the value as Python has it. `validators.cel.values.cel_values` has what Python lacks.

        Raises `CelError` with phase "eval". A variable without a value is an error only if it is read.
        """
        try:
            bound = bind(values, self.variables)
            value, _, problem = self.compiled.program.run(bound, limit)
            if problem is not None:
                raise problem
            return to_python(value)
        except EvalError as fault:
            raise CelError(str(fault)) from None
        except CostExceeded:
            raise CelError(_COST) from None


def compile_expression(text: str, variables: Mapping[str, Any], kubernetes: str = DEFAULT_KUBERNETES) -> "Expression":
    """Compile an expression. ``variables`` maps names to a schema node or to "dyn". Raises `CelError`, ValueError."""

    minor = minor_of(kubernetes)
    decls = {name: None if schema == "dyn" else declare(schema, name=name) for name, schema in variables.items()}
    objects: dict[str, Decl] = {}
    for decl in decls.values():
        if decl is not None:
            expression_compiler.objects_of(decl, objects)
    held = {name: types.DYN if decl is None else decl.type or types.DYN for name, decl in decls.items()}
    try:
        checked = expression_compiler.check_expression(text, held, objects, minor)
        return Expression(text, decls, expression_compiler.instantiate(checked, minor))
    except expression_compiler.CompileError as fault:
        raise CelError(fault.text, phase="compile") from None
    except expression_compiler.InstantiationError as fault:
        raise CelError(f"program instantiation failed: {fault}", phase="compile") from None


def compile_rule(
    rule: str,
    schema: Mapping[str, Any],
    message: str | None = None,
    message_expression: str | None = None,
    reason: str | None = None,
    field_path: str | None = None,
    optional_old_self: bool | None = None,
    kubernetes: str = DEFAULT_KUBERNETES,
) -> Rule:
    """Compile one rule for the schema node that carries it, in the environment of a Kubernetes version.

    Raises `InvalidRule` with the API server's text for a rule that it would refuse, ValueError for an unknown version.
    """

    spec = ValidationRule(rule, message, message_expression, reason, field_path, optional_old_self)
    for error in text_errors(spec, "", schema):
        raise InvalidRule(error.body if error.type is ErrorType.NOT_SUPPORTED else error.detail)
    return compile_for(spec, schema, declare(schema, release=minor_of(kubernetes)), kubernetes)


def bind(values: Mapping[str, Any], decls: Mapping[str, Decl | None]) -> dict[str, Value]:
    """Return values by name as the evaluator needs them. A declared variable without a value is a fault when read."""
    bound: dict[str, Value] = {}
    for name, decl in decls.items():
        if name not in values:
            bound[name] = Fault(f"no such attribute(s): {name}")
        elif decl is None:
            bound[name] = from_python(values[name])
        else:
            try:
                bound[name] = wrap(values[name], decl)
            except EvalError as fault:
                bound[name] = Fault(str(fault))
    return bound


def to_python(value: Value) -> Any:
    """Return maps as dicts and lists as lists. Data under a schema is returned as it was given.

    Raises `EvalError` for faults.
    """
    kind = type(value)
    if kind is CelMap:
        return {key: to_python(inner) for key, inner in value.entries.values()}
    if kind in {list, MergedList}:
        return [to_python(no_fault(inner)) for inner in value]
    if kind in {Obj, SchemaList, Unknown}:
        return value.raw
    if kind is Optional:
        return Optional(value.present, to_python(value.value))
    return value
