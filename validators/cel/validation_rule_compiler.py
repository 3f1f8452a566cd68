"""Compiles the rules of schema nodes, as the API server does when a definition is created.

Source: apiextensions-apiserver ``pkg/apis/apiextensions/validation`` and ``pkg/apiserver/schema/cel/compilation.go``.
"""

from collections.abc import Mapping
from typing import Any

from ovnguard.validators.base.field import DEFAULT_KUBERNETES
from ovnguard.validators.base.field_path import BadFieldPath, normalise
from ovnguard.validators.base.validation_rule import ValidationRule
from ovnguard.validators.cel import expression_compiler
from ovnguard.validators.cel.checking.environments import minor_of
from ovnguard.validators.cel.compiled_rule import Rule
from ovnguard.validators.cel.types import static_types as types
from ovnguard.validators.cel.types.declaration import Decl, declare
from ovnguard.validators.cel.types.errors import InvalidRule

__all__ = ["add_message", "compile_condition", "compile_for", "compile_rule"]


def compile_rule(
    entry: Mapping[str, Any], schema: Mapping[str, Any], *, root: bool = False, kubernetes: str = DEFAULT_KUBERNETES
) -> Rule:
    """Compile an entry of ``x-kubernetes-validations`` for the schema node that it is attached to.

    ``root``: the node is the whole object. Raises `InvalidRule` with the text of the API server, and ValueError for an
    unknown Kubernetes version.
    """
    spec = ValidationRule(
        entry["rule"],
        entry.get("message"),
        entry.get("messageExpression"),
        entry.get("reason"),
        entry.get("fieldPath"),
        entry.get("optionalOldSelf") or None,
    )
    return compile_for(spec, schema, declare(schema, root=root, release=minor_of(kubernetes)), kubernetes)


def compile_for(
    spec: ValidationRule, schema: Mapping[str, Any], decl: Decl, kubernetes: str, libraries: int | None = None
) -> Rule:
    """Compile a rule for a declared node with the libraries of a minor version, by default the server's own.

    Raises `InvalidRule`, ValueError.
    """
    made = compile_condition(spec, schema, decl, kubernetes, libraries)
    if spec.field_path and not made.field_path:
        raise InvalidRule("must be a valid path")
    if spec.optional_old_self is not None and not made.is_transition:
        raise InvalidRule("may not be set if oldSelf is not used in rule")
    return add_message(made, spec, kubernetes, libraries)


def compile_condition(
    spec: ValidationRule, schema: Mapping[str, Any], decl: Decl, kubernetes: str, libraries: int | None = None
) -> Rule:
    """Compile a rule without its messageExpression, and without its fieldPath if that is invalid.

    Raises as `compile_for` does.
    """
    if decl.type is None:
        raise InvalidRule("failed to convert to declType for CEL validation rules")
    compiled = _compile(spec, spec.rule, decl, _version(kubernetes, libraries), types.BOOL)
    return Rule(
        text=spec.rule,
        decl=decl,
        reason=spec.reason or "FieldValueInvalid",
        field_path=_field_path(spec.field_path, schema),
        is_transition=compiled.uses("oldSelf"),
        optional_old_self=bool(spec.optional_old_self),
        message=spec.message.strip() if spec.message else None,
        compiled=compiled,
    )


def add_message(rule: Rule, spec: ValidationRule, kubernetes: str, libraries: int | None = None) -> Rule:
    """Return the rule with its messageExpression compiled, if it has one. Raises as `compile_for` does."""
    if not spec.message_expression:
        return rule
    version = _version(kubernetes, libraries)
    return rule._replace(message_compiled=_compile(spec, spec.message_expression, rule.decl, version, types.STRING))


def _version(kubernetes: str, libraries: int | None) -> tuple[int, int]:
    release = minor_of(kubernetes)
    return (release if libraries is None else libraries, release)


def _compile(
    spec: ValidationRule, text: str, decl: Decl, version: tuple[int, int], wanted: types.Type
) -> expression_compiler.Compiled:
    """Compile a rule (wanted: bool) or a messageExpression (wanted: string). ``version`` is libraries and release."""
    is_rule = wanted == types.BOOL
    assert decl.type is not None
    old = types.optional_of(decl.type) if spec.optional_old_self else decl.type
    variables, objects = {"self": decl.type, "oldSelf": old}, expression_compiler.objects_of(decl)
    try:
        checked = expression_compiler.check_expression(text, variables, objects, *version)
        if checked.result != wanted:
            bad = "cel expression must evaluate to a bool" if is_rule else "messageExpression must evaluate to a string"
            raise InvalidRule(bad, 1, 1)
        return expression_compiler.instantiate(checked, version[0])
    except expression_compiler.CompileError as fault:
        lead = "compilation failed: " if is_rule else "messageExpression compilation failed: "
        raise InvalidRule(f"{lead}{fault.text}", fault.line, fault.column) from None
    except expression_compiler.InstantiationError as fault:
        lead = "program" if is_rule else "messageExpression"
        raise InvalidRule(f"{lead} instantiation failed: {fault}", 1, 1) from None


def _field_path(path: str | None, schema: Mapping[str, Any]) -> str:
    try:
        return normalise(path, schema) if path else ""
    except BadFieldPath:
        return ""
