"""ValidationRule: one entry of ``x-kubernetes-validations``, and the checks before its CEL is compiled.

Source: apiextensions.k8s.io/v1, ValidationRule; apiextensions-apiserver, ``pkg/apis/apiextensions/validation``
(ValidateCustomResourceDefinitionOpenAPISchema).
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from ovnguard.validators.base.field import ErrorType, FieldError, Older, not_supported
from ovnguard.validators.base.field_path import BadFieldPath, normalise
from ovnguard.validators.go.text import Boxed
from ovnguard.validators.lazy_pattern import lazy_pattern

_REASONS: Final = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")
_LINE_BREAK: Final = lazy_pattern(r"[\n\r]")


class ValidationRule(NamedTuple):
    """A rule as the definition specifies it."""

    rule: str
    message: str | None = None
    message_expression: str | None = None
    reason: str | None = None
    field_path: str | None = None
    optional_old_self: bool | None = None


RuleId = Callable[[ValidationRule], str]
"""Returns the stable id of a rule, "" for a rule without one."""


def text_errors(rule: ValidationRule, path: str, schema: Mapping[str, Any] | None) -> Iterator[FieldError]:
    """Yield the errors of the rule at ``path`` of a definition, apart from those of its CEL.

    ``schema`` is the node that carries the rule; None if it has no structural form to look ``fieldPath`` up in.
    """
    message, expression, field_path = rule.message or "", rule.message_expression or "", rule.field_path or ""
    if not rule.rule.strip():
        yield _required(f"{path}.rule", "rule is not specified")
    elif message and not message.strip():
        yield _invalid(path, "message", message, "must be non-empty if specified")
    elif _LINE_BREAK.search(message.strip()):
        yield _invalid(path, "message", message, "must not contain line breaks")
    elif _LINE_BREAK.search(rule.rule.strip()) and not message.strip():
        yield _required(f"{path}.message", "message must be specified if rule contains line breaks")
    if expression and not expression.strip():
        yield _required(f"{path}.messageExpression", "messageExpression must be non-empty if specified")
    if rule.reason is not None and rule.reason not in _REASONS:
        yield not_supported(f"{path}.reason", Boxed(rule.reason), _REASONS)
    if field_path and not field_path.strip():
        yield _invalid(path, "fieldPath", field_path, "must be non-empty if specified")
    if _LINE_BREAK.search(field_path):
        yield _invalid(path, "fieldPath", field_path, "must not contain line breaks")
    if field_path and schema is not None and not _is_path(field_path, schema):
        yield _invalid(path, "fieldPath", field_path, "must be a valid path")


def _is_path(text: str, schema: Mapping[str, Any]) -> bool:
    try:
        normalise(text, schema)
    except BadFieldPath:
        return False
    return True


def _required(path: str, detail: str) -> FieldError:
    return FieldError(ErrorType.REQUIRED, path, "", detail)


def _invalid(path: str, key: str, value: object, detail: str) -> FieldError:
    older = (Older(34, detail=f"{key} {detail}"),)
    return FieldError(ErrorType.INVALID, f"{path}.{key}", value, detail, older=older)
