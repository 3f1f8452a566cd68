"""Library ``quantity``: amounts like ``1.5Gi`` and ``100m``, exact to nano.

Source: Kubernetes documentation, "CEL in Kubernetes", "Kubernetes quantity library"; apimachinery
``resource.Quantity``.
"""

import re
from dataclasses import dataclass
from typing import ClassVar, Final

from validators.cel.errors import EvalError
from validators.cel.overload_declaration import Overload, overload

NANO: Final = 10**9
_INT_MAX: Final = 2**63 - 1
_SHAPE: Final = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)", re.ASCII)
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_EXPONENT: Final = re.compile(r"[eE][+-]?[0-9]+", re.ASCII)
_MAX_DIGITS: Final = 18
_MAX_EXPONENT: Final = 1000
_LONGEST_EXPONENT: Final = 1000
_FORMAT: Final = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_NUMERIC: Final = "unable to parse numeric part of quantity"
_SUFFIX: Final = "unable to parse quantity's suffix"


@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """An amount in units of 10^-9.

    ``style`` is the notation of its text: "binary", "exponent" or "decimal". ``scale`` is the power of ten of a 64-bit
    amount, None for amounts kept as big decimals: only amounts with a scale of 0 or more count as integers, whatever
    their value.
    """

    TYPE_NAME: ClassVar[str] = "kubernetes.Quantity"
    nanos: int
    style: str = "decimal"
    scale: int | None = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and self.nanos == other.nanos

    def __hash__(self) -> int:
        return hash(self.nanos)

    def __str__(self) -> str:
        if self.nanos == 0:
            return "0"
        style = self.style
        if style == "binary":
            if abs(self.nanos) < 1024 * NANO or self.nanos % NANO:
                style = "decimal"
            else:
                return _binary_text(self.nanos // NANO)
        return _decimal_text(self.nanos, exponents=style == "exponent")


def _binary_text(amount: int) -> str:
    suffix = ""
    for name in _BINARY:
        if amount % 1024:
            break
        amount, suffix = amount // 1024, name
    return f"{amount}{suffix}"


def _decimal_text(nanos: int, *, exponents: bool) -> str:
    amount, power = nanos, -9
    while amount % 1000 == 0 and power < 18:
        amount, power = amount // 1000, power + 3
    if exponents:
        return f"{amount}e{power}" if power else str(amount)
    suffix = next(name for name, exponent in _DECIMAL.items() if exponent == power)
    return f"{amount}{suffix}"


def quantity(text: str) -> Quantity:
    """``quantity(text)``: rounded up to nano, capped at 2^63-1. Raises `EvalError`."""
    if not text:
        raise EvalError(_FORMAT)
    found = _SHAPE.fullmatch(text)
    if found is None:
        raise EvalError(_FORMAT)
    sign, whole, fraction, suffix = found[1], found[2], found[3] or "", found[4]
    base, power, style = _scale(suffix)
    digits = f"{whole}{fraction}"
    if not digits and power < -9:
        # A text without digits means zero, if the scale is one of 64-bit amounts.
        raise EvalError(_NUMERIC)
    amount = int(digits[:_MAX_EXPONENT] or 0)
    shift = power - len(fraction)
    nanos = _nanos(amount * base, shift)
    limit = _INT_MAX * NANO
    if amount and abs(nanos) > limit:
        nanos = limit
    scale = _kept_scale(whole.lstrip("0"), fraction, base, power)
    return Quantity(-nanos if sign == "-" else nanos, style, scale)


def _kept_scale(whole: str, fraction: str, base: int, power: int) -> int | None:
    """Return the scale of an amount that has few enough digits, None for others."""
    if base > 1:
        room = 14 - len(whole) - (base.bit_length() - 1) * 3 // 10
        return 0 if room >= 0 and not fraction and int(whole or 0) * base <= _INT_MAX else None
    scale = power - len(fraction)
    return scale if len(whole) + len(fraction) <= _MAX_DIGITS and scale >= -9 else None


def _scale(suffix: str) -> tuple[int, int, str]:
    if suffix in _DECIMAL:
        return 1, _DECIMAL[suffix], "decimal"
    if suffix in _BINARY:
        return 1 << _BINARY[suffix], 0, "binary"
    if _EXPONENT.fullmatch(suffix) and len(suffix) < _LONGEST_EXPONENT and abs(int(suffix[1:])) <= _INT_MAX:
        # Go keeps the exponent in 32 bits.
        exponent = (int(suffix[1:]) + 2**31) % 2**32 - 2**31
        return 1, max(-_MAX_EXPONENT, min(_MAX_EXPONENT, exponent)), "exponent"
    raise EvalError(_SUFFIX)


def _nanos(amount: int, power: int) -> int:
    """Return ``amount * 10^power`` in nano, rounded up."""
    scale = power + 9
    return int(amount * 10**scale if scale >= 0 else -(-amount // 10**-scale))


def is_quantity(text: str) -> bool:
    """``isQuantity(text)``."""
    try:
        quantity(text)
    except EvalError:
        return False
    return True


def compare(one: Quantity, two: Quantity) -> int:
    """``quantity.compareTo(other)``: -1, 0 or 1."""
    return (one.nanos > two.nanos) - (one.nanos < two.nanos)


def sign(held: Quantity) -> int:
    """``sign(quantity)``."""
    return (held.nanos > 0) - (held.nanos < 0)


def is_integer(held: Quantity) -> bool:
    """``quantity.isInteger()``: stored as a whole number that fits 64 bits (1.0 and 1000m are not)."""
    whole = held.scale is not None and held.scale >= 0
    return whole and -_INT_MAX - 1 <= held.nanos // NANO <= _INT_MAX


def as_integer(held: Quantity) -> int:
    """``quantity.asInteger()``. Raises `EvalError`."""
    if not is_integer(held):
        raise EvalError("cannot convert value to integer")
    return int(held.nanos // NANO)


def as_float(held: Quantity) -> float:
    """``quantity.asApproximateFloat()``."""
    return held.nanos / NANO


def _plus(one: Quantity, two: Quantity | int, factor: int) -> Quantity:
    other = two if isinstance(two, Quantity) else Quantity(two * NANO)
    nanos = one.nanos + factor * other.nanos
    style = other.style if one.nanos == 0 else one.style
    return Quantity(nanos, style, _sum_scale(one, other, nanos))


def _sum_scale(one: Quantity, other: Quantity, nanos: int) -> int | None:
    if one.scale is None or other.scale is None:
        return None
    if other.nanos == 0:
        return one.scale
    if one.nanos == 0:
        return other.scale
    scale = min(one.scale, other.scale)
    amounts = (nanos, one.nanos, other.nanos)
    return scale if all(abs(amount) <= _INT_MAX * 10 ** (scale + 9) for amount in amounts) else None


def add(one: Quantity, two: Quantity | int) -> Quantity:
    """``quantity.add(other)``."""
    return _plus(one, two, 1)


def sub(one: Quantity, two: Quantity | int) -> Quantity:
    """``quantity.sub(other)``."""
    return _plus(one, two, -1)


def declarations() -> list[Overload]:
    """All overloads of this library."""
    return [
        overload("string_to_quantity", "quantity(string) -> Quantity", quantity),
        overload("is_quantity_string", "isQuantity(string) -> bool", is_quantity),
        overload("quantity_sign", "sign(Quantity) -> int", sign),
        overload(
            "quantity_is_greater_than", "Quantity.isGreaterThan(Quantity) -> bool", lambda a, b: compare(a, b) > 0
        ),
        overload("quantity_is_less_than", "Quantity.isLessThan(Quantity) -> bool", lambda a, b: compare(a, b) < 0),
        overload("quantity_compare_to", "Quantity.compareTo(Quantity) -> int", compare),
        overload("quantity_get_float", "Quantity.asApproximateFloat() -> double", as_float),
        overload("quantity_get_int", "Quantity.asInteger() -> int", as_integer),
        overload("quantity_is_integer", "Quantity.isInteger() -> bool", is_integer),
        overload("quantity_add", "Quantity.add(Quantity) -> Quantity", add),
        overload("quantity_add_int", "Quantity.add(int) -> Quantity", add),
        overload("quantity_sub", "Quantity.sub(Quantity) -> Quantity", sub),
        overload("quantity_sub_int", "Quantity.sub(int) -> Quantity", sub),
    ]
