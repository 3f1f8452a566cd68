"""Label selectors, with the semantics of Kubernetes' controllers.

Source: apimachinery, ``meta/v1.LabelSelectorAsSelector``.
"""

from collections.abc import Mapping

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.base.label_selectors import OPERATORS, WITH_VALUES
from ovnguard.validators.base.object_names import label_key, label_value
from ovnguard.validators.network.parse_values import dig, mapping, text_of

Labels = Mapping[str, str]


def matches(selector: object, labels: Labels) -> bool:
    """Whether ``selector`` selects an object with ``labels``.

    An empty selector selects everything. A missing or invalid one selects nothing.
    """
    if not isinstance(selector, Mapping):
        return False
    exact, expressions = selector.get("matchLabels", {}), selector.get("matchExpressions", [])
    if not isinstance(exact, Mapping | None) or not isinstance(expressions, list | None):
        return False
    if any(labels.get(key) != value for key, value in (exact or {}).items()):
        return False
    return all(_holds(expression, labels) for expression in expressions or ())


def is_valid(selector: object) -> bool:
    """Whether ``selector`` is valid; a definition without rules accepts invalid ones as well."""
    if not isinstance(selector, Mapping):
        return False
    exact, expressions = selector.get("matchLabels"), selector.get("matchExpressions")
    if not isinstance(exact, Mapping | None) or not isinstance(expressions, list | None):
        return False
    if not all(_is_key(key) and _is_value(value) for key, value in (exact or {}).items()):
        return False
    return all(_is_valid_expression(expression) for expression in expressions or ())


def or_everything(selector: object) -> object:
    """Return ``selector``, or one that selects everything if it is absent, as in most fields."""
    return {} if selector is None else selector


def labels_of(obj: JsonObject) -> Labels:
    """Return the labels of an object; values that are not strings are skipped."""
    found = mapping(obj, "metadata", "labels")
    return {key: value for key, value in found.items() if isinstance(value, str)}


def _is_valid_expression(expression: object) -> bool:
    operator, values = text_of(dig(expression, "operator")), dig(expression, "values")
    if operator not in OPERATORS or not isinstance(values, list | None) or not _is_key(dig(expression, "key")):
        return False
    return (operator in WITH_VALUES) == bool(values) and all(map(_is_value, values or ()))


def _is_key(key: object) -> bool:
    return isinstance(key, str) and not label_key(key)


def _is_value(value: object) -> bool:
    return isinstance(value, str) and not label_value(value)


def _holds(expression: object, labels: Labels) -> bool:
    key, operator, values = dig(expression, "key"), dig(expression, "operator"), dig(expression, "values")
    check = OPERATORS.get(operator) if isinstance(operator, str) else None
    if check is None or not isinstance(key, str):
        return False
    listed = values if isinstance(values, list) else []
    # The API server refuses an operator with the wrong number of values; such a selector selects nothing.
    if (operator in WITH_VALUES) != bool(listed):
        return False
    return check(labels, key, listed)
