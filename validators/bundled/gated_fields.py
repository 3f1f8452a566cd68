"""Fields of an object that a feature gate turns off: they are removed before judging, each with a warning.

A server with such a definition drops them, silently or with a warning about unknown fields.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ovnguard.crd_schemas.gating import Features
from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.base.json_types import JsonObject

RULE: Final = "OVNG-GATE-001"


@dataclass(frozen=True, slots=True)
class DroppedFields:
    """The schema paths that ``features`` remove, by gate: ``spec.list[].name``."""

    features: Features
    paths: Mapping[str, tuple[str, ...]]

    def without(self, obj: JsonObject) -> tuple[JsonObject, tuple[FieldError, ...]]:
        """Return ``obj`` without these fields and a warning for each of them; ``obj`` itself is not modified."""
        warnings: list[FieldError] = []
        for gate, paths in self.paths.items():
            detail = f"feature gate {gate} is off {self.features.why_off(gate)}"
            for path in paths:
                found: list[str] = []
                obj = _without(obj, path.split("."), "", found)
                warnings += (FieldError(ErrorType.DROPPED, field, detail=detail, rule=RULE) for field in found)
        return obj, tuple(warnings)


def _without(value: Any, steps: list[str], at: str, found: list[str]) -> Any:
    """Return ``value`` without the field at ``steps``; the same value if it has no such field."""
    name, rest = steps[0], steps[1:]
    key = name.rstrip("[]")
    if not isinstance(value, dict) or key not in value:
        return value
    field = f"{at}.{key}" if at else key
    if not rest:
        found.append(field)
        return {each: kept for each, kept in value.items() if each != key}
    inner = _below(value[key], (len(name) - len(key)) // 2, rest, field, found)
    return value if inner is value[key] else {**value, key: inner}


def _below(value: Any, lists: int, steps: list[str], at: str, found: list[str]) -> Any:
    if not lists:
        return _without(value, steps, at, found)
    if not isinstance(value, list):
        return value
    made = [_below(item, lists - 1, steps, f"{at}[{index}]", found) for index, item in enumerate(value)]
    return value if all(new is item for new, item in zip(made, value, strict=True)) else made
