"""Arithmetic of numbers as kube-openapi does it: integers with truncated bounds, floats with a tolerance.

Source: kube-openapi, package ``pkg/validation/validate`` (values.go), and go-openapi/swag, IsFloat64AJSONInteger.
"""

import math
from typing import Final

from validators.go.text import INT64_MAX, INT64_MIN, float_text
from validators.structural.schema import Schema

_MAX_JSON_INTEGER: Final = float(2**53 - 1)
_EPSILON: Final = 1e-9


def to_int64(value: float) -> int:
    """Return Go's ``int64(f)``: rounded toward zero. As on amd64, a value out of range becomes the smallest number."""
    if not math.isfinite(value):
        return INT64_MIN
    whole = int(value)
    return whole if INT64_MIN <= whole <= INT64_MAX else INT64_MIN


def is_json_integer(value: float) -> bool:
    """Return whether a float counts as an integer: (nearly) whole, and within 53 bits."""
    if not math.isfinite(value) or abs(value) > _MAX_JSON_INTEGER:
        return False
    if value == int(value):
        return True
    # Go converts through uint64 here, which wraps a negative number around. Its distance is then never small.
    if value < 0:
        return False
    whole = float(int(value))
    if value == 0 or whole == 0:
        return False
    return abs(value - whole) / (value + whole) < _EPSILON


def bound_complaints(value: float, schema: Schema) -> list[tuple[str, object, str]]:
    """Return (keyword, bad value, expected) for each of multipleOf, minimum and maximum that fails."""
    found: list[tuple[str, object, str]] = []
    if schema.multiple_of is not None and (complaint := _multiple_of(value, schema.multiple_of)) is not None:
        found.append(("multipleOf", *complaint))
    if schema.minimum is not None:
        low = _bound(value, schema.minimum)
        if value < low or (schema.exclusive_minimum and value == low):
            words = "greater than" if schema.exclusive_minimum else "greater than or equal to"
            found.append(("minimum", value, f"should be {words} {_bound_text(low)}"))
    if schema.maximum is not None:
        high = _bound(value, schema.maximum)
        if value > high or (schema.exclusive_maximum and value == high):
            words = "less than" if schema.exclusive_maximum else "less than or equal to"
            found.append(("maximum", value, f"should be {words} {_bound_text(high)}"))
    return found


def _bound(value: float, bound: float) -> float:
    return to_int64(bound) if type(value) is int else bound


def _bound_text(bound: float) -> str:
    return str(bound) if type(bound) is int else float_text(bound)


def _multiple_of(value: float, factor: float) -> tuple[object, str] | None:
    """Return the bad value and the message. A message about the factor itself contains "{path}" for the path."""
    if type(value) is int:
        whole = to_int64(factor)
        if whole <= 0:
            return whole, f"factor MultipleOf declared for {{path}} must be positive: {whole}"
        return (value, f"should be a multiple of {whole}") if value % whole else None
    if factor <= 0:
        return factor, f"factor MultipleOf declared for {{path}} must be positive: {float_text(factor)}"
    quotient = 1 / factor * value if factor < 1 else value / factor
    return None if is_json_integer(quotient) else (value, f"should be a multiple of {float_text(factor)}")
