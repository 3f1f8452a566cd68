"""Compiles one rule of ``x-kubernetes-validations`` against one schema node, or any expression.

The first compilation imports the compiler, so that importing this package costs nothing.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from validators.base.field import NEWEST_KUBERNETES, ErrorType
from validators.base.validation_rule import ValidationRule, text_errors
from validators.cel.errors import CelError, InvalidRule

if TYPE_CHECKING:
    from validators.cel.compiled_rule import Expression, Rule
    from validators.cel.declaration import Decl


def compile_expression(text: str, variables: Mapping[str, Any], kubernetes: str = NEWEST_KUBERNETES) -> "Expression":
    """Compile an expression. ``variables`` maps names to a schema node or to "dyn". Raises `CelError`, ValueError."""
    from validators.cel import expression_compiler, types  # noqa: PLC0415 - the engine comes with the first compilation
    from validators.cel.compiled_rule import Expression  # noqa: PLC0415 - likewise
    from validators.cel.declaration import declare  # noqa: PLC0415 - likewise
    from validators.cel.environments import minor_of  # noqa: PLC0415 - likewise

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


def compile_rule(  # noqa: PLR0913, PLR0917 - the fields of a ValidationRule
    rule: str,
    schema: Mapping[str, Any],
    message: str | None = None,
    message_expression: str | None = None,
    reason: str | None = None,
    field_path: str | None = None,
    optional_old_self: bool | None = None,
    kubernetes: str = NEWEST_KUBERNETES,
) -> "Rule":
    """Compile one rule for the schema node that carries it, in the environment of a Kubernetes version.

    Raises `InvalidRule` with the API server's text for a rule that it would refuse, ValueError for an unknown version.
    """
    from validators.cel.declaration import declare  # noqa: PLC0415 - likewise
    from validators.cel.validation_rule_compiler import compile_for  # noqa: PLC0415 - likewise

    spec = ValidationRule(rule, message, message_expression, reason, field_path, optional_old_self)
    for error in text_errors(spec, "", schema):
        raise InvalidRule(error.body if error.type is ErrorType.NOT_SUPPORTED else error.detail)
    return compile_for(spec, schema, declare(schema), kubernetes)
