"""Label selectors, as every controller of Kubernetes reads them.

Source: apimachinery, ``meta/v1.LabelSelectorAsSelector``.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final

from validators.base.json_types import JsonObject
from validators.network.parse_values import dig, mapping, text_of

Labels = Mapping[str, str]

_OPERATORS: Final[Mapping[str, Callable[[str | None, list[object]], bool]]] = {
    "In": lambda value, values: value is not None and value in values,
    "NotIn": lambda value, values: value is None or value not in values,
    "Exists": lambda value, _: value is not None,
    "DoesNotExist": lambda value, _: value is None,
}
_WORD: Final = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
_DOMAIN: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_WITH_VALUES: Final = frozenset({"In", "NotIn"})


def matches(selector: object, labels: Labels) -> bool:
    """Whether ``selector`` selects an object with ``labels``.

    An empty selector selects everything. A missing one, and one that cannot be read, select nothing.
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
    """Whether a controller can read ``selector``; where a definition has no rules, others are stored, too."""
    if not isinstance(selector, Mapping):
        return False
    exact, expressions = selector.get("matchLabels"), selector.get("matchExpressions")
    if not isinstance(exact, Mapping | None) or not isinstance(expressions, list | None):
        return False
    if not all(_is_key(key) and _is_value(value) for key, value in (exact or {}).items()):
        return False
    return all(_is_valid_expression(expression) for expression in expressions or ())


def or_everything(selector: object) -> object:
    """Return ``selector``, or one that selects everything where there is none: what absence means in most fields."""
    return {} if selector is None else selector


def labels_of(obj: JsonObject) -> Labels:
    """Return the labels of an object; what is no text is left out."""
    found = mapping(obj, "metadata", "labels")
    return {key: value for key, value in found.items() if isinstance(value, str)}


def is_empty(selector: object) -> bool:
    """Whether ``selector`` selects everything."""
    return isinstance(selector, Mapping) and not selector.get("matchLabels") and not selector.get("matchExpressions")


def _is_valid_expression(expression: object) -> bool:
    operator, values = text_of(dig(expression, "operator")), dig(expression, "values")
    if operator not in _OPERATORS or not isinstance(values, list | None) or not _is_key(dig(expression, "key")):
        return False
    return (operator in _WITH_VALUES) == bool(values) and all(map(_is_value, values or ()))


def _is_key(key: object) -> bool:
    if not isinstance(key, str):
        return False
    prefix, slash, name = key.rpartition("/")
    if slash and not (len(prefix) <= 253 and _DOMAIN.fullmatch(prefix)):
        return False
    return len(name) <= 63 and _WORD.fullmatch(name) is not None


def _is_value(value: object) -> bool:
    return isinstance(value, str) and (not value or (len(value) <= 63 and _WORD.fullmatch(value) is not None))


def _holds(expression: object, labels: Labels) -> bool:
    key, operator, values = dig(expression, "key"), dig(expression, "operator"), dig(expression, "values")
    check = _OPERATORS.get(operator) if isinstance(operator, str) else None
    if check is None or not isinstance(key, str):
        return False
    listed = values if isinstance(values, list) else []
    # The API server refuses an operator with the wrong number of values; such a selector selects nothing.
    if (operator in _WITH_VALUES) != bool(listed):
        return False
    return check(labels.get(key), listed)
