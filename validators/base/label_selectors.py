"""The operators of label selectors.

Source: apimachinery, ``meta/v1.LabelSelectorAsSelector`` and ``pkg/labels`` (Requirement.Matches).
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

OPERATORS: Final[Mapping[str, Callable[[Mapping[str, Any], str, Collection[Any]], bool]]] = {
    "In": lambda labels, key, values: key in labels and labels[key] in values,
    "NotIn": lambda labels, key, values: key not in labels or labels[key] not in values,
    "Exists": lambda labels, key, _: key in labels,
    "DoesNotExist": lambda labels, key, _: key not in labels,
}
"""Per operator, a test whether labels meet a requirement with a key and values."""
WITH_VALUES: Final = frozenset({"In", "NotIn"})
"""The operators that need values; the others must have none."""
