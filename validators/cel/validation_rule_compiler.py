"""Compiles the rules of schema nodes, as the API server does when a definition is created.

Source: apiextensions-apiserver ``pkg/apis/apiextensions/validation`` and ``pkg/apiserver/schema/cel/compilation.go``.
"""

from collections.abc import Mapping
from typing import Any

from validators.base.field import NEWEST_KUBERNETES
from validators.base.field_path import BadFieldPath, normalise
from validators.base.validation_rule import ValidationRule
from validators.cel import expression_compiler, types
from validators.cel.compiled_rule import Rule
from validators.cel.declaration import Decl, declare
from validators.cel.environments import minor_of
from validators.cel.errors import InvalidRule

__all__ = ["compile_for", "compile_rule"]


def compile_rule(
    entry: Mapping[str, Any], schema: Mapping[str, Any], *, root: bool = False, kubernetes: str = NEWEST_KUBERNETES
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
    return compile_for(spec, schema, declare(schema, root=root), kubernetes)


def compile_for(
    spec: ValidationRule, schema: Mapping[str, Any], decl: Decl, kubernetes: str, libraries: int | None = None
) -> Rule:
    """Compile a rule for a declared node with the libraries of a minor version, by default the server's own.

    Raises `InvalidRule`, ValueError.
    """
    release = minor_of(kubernetes)
    version = (release if libraries is None else libraries, release)
    path = _field_path(spec.field_path, schema)
    if decl.type is None:
        raise InvalidRule("failed to convert to declType for CEL validation rules")
    objects = expression_compiler.objects_of(decl)
    old = types.optional_of(decl.type) if spec.optional_old_self else decl.type
    variables = {"self": decl.type, "oldSelf": old}
    compiled = _compile(spec.rule, variables, objects, version, types.BOOL)
    uses_old = compiled.uses("oldSelf")
    if spec.optional_old_self is not None and not uses_old:
        raise InvalidRule("may not be set if oldSelf is not used in rule")
    message = None
    if spec.message_expression:
        message = _compile(spec.message_expression, variables, objects, version, types.STRING)
    return Rule(
        text=spec.rule,
        decl=decl,
        reason=spec.reason or "FieldValueInvalid",
        field_path=path,
        is_transition=uses_old,
        optional_old_self=bool(spec.optional_old_self),
        message=(spec.message or "").strip(),
        compiled=compiled,
        message_compiled=message,
    )


def _compile(
    text: str,
    variables: Mapping[str, types.Type],
    objects: Mapping[str, Decl],
    version: tuple[int, int],
    wanted: types.Type,
) -> expression_compiler.Compiled:
    """Compile a rule (wanted: bool) or a messageExpression (wanted: string). ``version`` is libraries and release."""
    is_rule = wanted == types.BOOL
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
        raise InvalidRule("must be a valid path") from None
