"""A namespaceSelector with an unknown operator, or a wrong number of values, passes the schema and selects nothing.

Upstream reports it on the network and renders no attachment anywhere.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.base.label_selectors import OPERATORS, WITH_VALUES
from ovnguard.validators.base.object_names import label_key, label_value
from ovnguard.validators.network.cluster.network_namespaces import selector_of
from ovnguard.validators.network.cluster_view import CUDN
from ovnguard.validators.network.parse_values import dig, mapping, text_of
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity

_PATH = "spec.namespaceSelector"


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each invalid part. Texts: apimachinery, labels.NewRequirement."""
    selector = selector_of(ctx.object)
    for key, value in mapping(selector, "matchLabels").items():
        yield from _label(f"{_PATH}.matchLabels", key, (f"{_PATH}.matchLabels[{key}]", value))
    expressions = dig(selector, "matchExpressions")
    for index, expression in enumerate(expressions if isinstance(expressions, list) else ()):
        yield from _expression(f"{_PATH}.matchExpressions[{index}]", expression)


def _expression(path: str, expression: object) -> Iterator[FieldError]:
    operator, values = text_of(dig(expression, "operator")), dig(expression, "values")
    listed = values if isinstance(values, list) else []
    if operator not in OPERATORS:
        detail = f'"{operator}" is not a valid label selector operator'
        yield FieldError(ErrorType.INVALID, f"{path}.operator", operator, detail)
    elif operator in WITH_VALUES and not listed:
        detail = "for 'in', 'notin' operators, values set can't be empty"
        yield FieldError(ErrorType.INVALID, f"{path}.values", [], detail)
    elif operator not in WITH_VALUES and listed:
        detail = "values set must be empty for exists and does not exist"
        yield FieldError(ErrorType.INVALID, f"{path}.values", listed, detail)
    where = [(f"{path}.values[{index}]", value) for index, value in enumerate(listed)]
    yield from _label(f"{path}.key", dig(expression, "key"), *where)


def _label(key_path: str, key: object, *values: tuple[str, object]) -> Iterator[FieldError]:
    for detail in label_key(key) if isinstance(key, str) else ():
        yield FieldError(ErrorType.INVALID, key_path, key, detail)
    for path, value in values:
        for detail in label_value(value) if isinstance(value, str) else ():
            yield FieldError(ErrorType.INVALID, path, value, detail)


RULE = Rule(
    id="OVNG-L2-019",
    kinds=(CUDN,),
    severity=Severity.ERROR,
    design="ovn-kubernetes, userdefinednetwork controller; apimachinery, label selectors",
    message="a namespaceSelector must be valid",
    hint="use In and NotIn with values, Exists and DoesNotExist without values",
    check=check,
)
