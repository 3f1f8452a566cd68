"""Arithmetic of numbers as kube-openapi does it: integers with truncated bounds, floats with a tolerance.

Source: kube-openapi, package ``pkg/validation/validate`` (values.go), and go-openapi/swag, IsFloat64AJSONInteger, of
which Kubernetes 1.37 has version 0.27 and earlier releases have 0.22 or 0.23.
"""

import math
from functools import partial
from typing import Final, NamedTuple

from ovnguard.validators.go.text import INT64_MAX, INT64_MIN, float_text
from ovnguard.validators.structural.formats.number_ranges import Range
from ovnguard.validators.structural.schema.schema import Schema

_MAX_JSON_INTEGER: Final = float(2**53 - 1)
_EPSILON: Final = 1e-9
_ROUNDS_SINCE: Final = 37


def to_int64(value: float) -> int:
    """Return Go's ``int64(f)``: rounded toward zero. As on amd64, a value out of range becomes the smallest number."""
    if not math.isfinite(value):
        return INT64_MIN
    whole = int(value)
    return whole if INT64_MIN <= whole <= INT64_MAX else INT64_MIN


def is_json_integer(value: float, release: int) -> bool:
    """Return whether a float counts as an integer in Kubernetes 1.``release``: (nearly) whole, and within 53 bits."""
    if not math.isfinite(value) or abs(value) > _MAX_JSON_INTEGER:
        return False
    if value == int(value):
        return True
    if release >= _ROUNDS_SINCE:
        # Python rounds a half to an even number, but a half is far from both.
        nearest = float(round(value))
        return abs(value - nearest) < _EPSILON * abs(nearest)
    # Go converts through uint64 here, which wraps a negative number around. Its distance is then never small.
    if value < 0:
        return False
    whole = float(int(value))
    if value == 0 or whole == 0:
        return False
    return abs(value - whole) / (value + whole) < _EPSILON


class Complaint(NamedTuple):
    """What is wrong with a number. ``placed`` is false where the server names no field."""

    keyword: str
    value: object
    text: str
    placed: bool = True


def number_complaints(
    value: float, schema: Schema, path: str, release: int, limits: Range | None = None
) -> list[Complaint]:
    """Return what is wrong with a number: with its range, and with multipleOf, minimum and maximum.

    A bound outside of ``limits`` is an error of every number, which is then compared as a float.
    """
    found = []
    if limits is not None and not limits.has(value):
        found.append(Complaint(limits.keyword, "", limits.complaint("Checked", path), placed=False))
    for keyword, what, bound, compare in (
        ("multipleOf", "MultipleOf", schema.multiple_of, partial(_multiple_of, release)),
        ("minimum", "Minimum boundary", schema.minimum, _minimum),
        ("maximum", "Maximum boundary", schema.maximum, _maximum),
    ):
        if bound is None:
            continue
        number = value
        if limits is not None and not limits.has(bound):
            found.append(Complaint(keyword, "", limits.complaint(what, path), placed=False))
            number = float(value)
        if (complaint := compare(number, bound, schema, path)) is not None:
            found.append(complaint)
    return found


def _minimum(value: float, bound: float, schema: Schema, path: str) -> Complaint | None:
    low = _bound(value, bound)
    if value > low or (value == low and not schema.exclusive_minimum):
        return None
    words = "greater than" if schema.exclusive_minimum else "greater than or equal to"
    return Complaint("minimum", value, f"{path} in body should be {words} {_bound_text(low)}")


def _maximum(value: float, bound: float, schema: Schema, path: str) -> Complaint | None:
    high = _bound(value, bound)
    if value < high or (value == high and not schema.exclusive_maximum):
        return None
    words = "less than" if schema.exclusive_maximum else "less than or equal to"
    return Complaint("maximum", value, f"{path} in body should be {words} {_bound_text(high)}")


def _bound(value: float, bound: float) -> float:
    return to_int64(bound) if type(value) is int else bound


def _bound_text(bound: float) -> str:
    return str(bound) if type(bound) is int else float_text(bound)


def _multiple_of(release: int, value: float, factor: float, _: Schema, path: str) -> Complaint | None:
    divisor = _bound(value, factor)
    if divisor <= 0:
        text = f"factor MultipleOf declared for {path} must be positive: {_bound_text(divisor)}"
        return Complaint("multipleOf", divisor, text)
    if type(value) is int:
        fits = value % divisor == 0
    else:
        fits = is_json_integer(1 / divisor * value if divisor < 1 else value / divisor, release)
    if fits:
        return None
    return Complaint("multipleOf", value, f"{path} in body should be a multiple of {_bound_text(divisor)}")
