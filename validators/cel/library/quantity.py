"""Library ``quantity``: amounts like ``1.5Gi`` and ``100m``.

Source: Kubernetes documentation, "CEL in Kubernetes", "Kubernetes quantity library"; apimachinery
``resource.Quantity``, which keeps small amounts in 64 bits with a scale, and others as decimals of any length.
"""

import re
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from ovnguard.validators.cel.types.errors import EvalError
from ovnguard.validators.cel.types.overload_declaration import Overload, overload
from ovnguard.validators.go.integers import integer, wrapped
from ovnguard.validators.go.text import INT64_MAX, INT64_MIN
from ovnguard.validators.lazy_pattern import lazy_pattern

_NANO: Final = -9
_SHAPE: Final = lazy_pattern(r"([+-]?+)(0*+)([0-9]*+)(?:\.([0-9]*+))?+([eEinumkKMGTP]*+[-+]?+[0-9]*+)", re.ASCII)
"""Each part takes all it can, as in Go, so that the time does not grow with the square of the length."""
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_SUFFIXES: Final = {power: suffix for suffix, power in _DECIMAL.items()}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DIGITS_OF_64_BITS: Final = 18
_MOST_DIGITS: Final = 4000
"""Longer amounts, which Python does not read, are cut off there."""
_MOST_EXPONENT: Final = 10_000
_FORMAT: Final = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_NUMERIC: Final = "unable to parse numeric part of quantity"
_SUFFIX: Final = "unable to parse quantity's suffix"


@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """The amount ``value * 10^scale``.

    ``is_small``: it is kept in 64 bits, as only amounts that count as integers are. ``style`` is the notation of its
    text: "binary", "exponent" or "decimal"; ``text`` is the text itself where Go keeps it. ``is_sum``: a sum or a
    difference, which is a pointer in Go and for that reason equal to no quantity on its left.
    """

    TYPE_NAME: ClassVar[str] = "kubernetes.Quantity"
    value: int
    scale: int = 0
    is_small: bool = True
    style: str = "decimal"
    text: str = ""
    is_sum: bool = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and compare(self, other) == 0

    def __hash__(self) -> int:
        return hash(sign(self))

    def __str__(self) -> str:
        if self.text:
            return self.text
        value, scale = _trimmed(self.value, self.scale)
        if value == 0:
            return "0"
        if self.style == "binary" and scale >= 0 and abs(value * 10**scale) >= 1024:
            return _binary_text(value * 10**scale)
        return _decimal_text(value, scale, exponents=self.style == "exponent")


def _trimmed(value: int, scale: int) -> tuple[int, int]:
    while value and value % 10 == 0:
        value, scale = value // 10, scale + 1
    return value, scale


def _binary_text(amount: int) -> str:
    suffix = ""
    for name in _BINARY:
        if amount % 1024:
            break
        amount, suffix = amount // 1024, name
    return f"{amount}{suffix}"


def _decimal_text(value: int, scale: int, *, exponents: bool) -> str:
    power = scale - scale % 3
    suffix = f"e{power}" if exponents and power else _SUFFIXES.get(power, "")
    return f"{value * 10 ** (scale % 3)}{suffix}"


def quantity(text: str) -> Quantity:
    """``quantity(text)``: rounded up to nano. Raises `EvalError`."""
    found = _SHAPE.fullmatch(text)
    if not text or found is None:
        raise EvalError(_FORMAT)
    minus, zeros, whole, fraction, suffix = found[1] == "-", found[2], found[3], found[4] or "", found[5]
    base, exponent, style = _suffix(suffix)
    whole = whole or "0"
    small = _small(whole, fraction, base, exponent)
    if small is not None:
        value, scale = small
        digits = whole + fraction
        canonical = value % 8 if base == 2 else scale % 3 == 0 and digits[0] != "0" and not digits.endswith("000")
        return Quantity(-value if minus else value, scale, style=style, text=text if canonical else "")
    if not zeros and not found[3] and not fraction:
        raise EvalError(_NUMERIC)
    value, scale = _decimal(whole, fraction, base, exponent)
    if base == 2 and value > INT64_MAX * 10**-scale:
        value, scale = INT64_MAX, 0
    return Quantity(-value if minus else value, scale, is_small=False, style=style)


def _small(whole: str, fraction: str, base: int, exponent: int) -> tuple[int, int] | None:
    """Return value and scale of an amount that is kept in 64 bits, None for others."""
    if base == 2:
        room = 14 - len(whole) - exponent * 3 // 10
        value = int(whole) << exponent if not fraction and room >= 0 else INT64_MAX + 1
        return (value, 0) if value <= INT64_MAX else None
    scale = exponent - len(fraction)
    if len(whole) + len(fraction) > _DIGITS_OF_64_BITS or scale < _NANO:
        return None
    return int(whole + fraction), scale


def _decimal(whole: str, fraction: str, base: int, exponent: int) -> tuple[int, int]:
    """Return value and scale of an amount without a sign, rounded up to nano."""
    digits = (whole + fraction).lstrip("0")
    scale = -len(fraction) + (exponent if base == 10 else 0)
    if len(digits) > _MOST_DIGITS:
        scale += len(digits) - _MOST_DIGITS
        digits = digits[:_MOST_DIGITS]
    value = int(digits or 0) << (exponent if base == 2 else 0)
    scale = max(-_MOST_EXPONENT, min(_MOST_EXPONENT, scale))
    if value == 0:
        return 0, scale
    scale -= _NANO
    return (value * 10**scale if scale >= 0 else -(-value // 10**-scale)), _NANO


def _suffix(suffix: str) -> tuple[int, int, str]:
    """Return base, exponent and notation of a suffix. Raises `EvalError`."""
    if suffix in _DECIMAL:
        return 10, _DECIMAL[suffix], "decimal"
    if suffix in _BINARY:
        return 2, _BINARY[suffix], "binary"
    exponent = integer(suffix[1:]) if suffix[0] in "eE" else None
    if exponent is None or not INT64_MIN <= exponent <= INT64_MAX:
        raise EvalError(_SUFFIX)
    # Go keeps the exponent in 32 bits.
    return 10, (exponent + 2**31) % 2**32 - 2**31, "exponent"


def is_quantity(text: str) -> bool:
    """``isQuantity(text)``."""
    try:
        quantity(text)
    except EvalError:
        return False
    return True


def compare(one: Quantity, two: Quantity) -> int:
    """``quantity.compareTo(other)``: -1, 0 or 1."""
    first, second = one.value, two.value
    if first and second and (first > 0) is (second > 0):
        # The powers of ten alone decide where they are far apart, and could need much memory.
        apart = one.scale - two.scale
        if abs(apart) > 4 * _MOST_EXPONENT:
            return (1 if apart > 0 else -1) * (1 if first > 0 else -1)
        first, second = first * 10 ** max(apart, 0), second * 10 ** max(-apart, 0)
    return (first > second) - (first < second)


def sign(held: Quantity) -> int:
    """``sign(quantity)``."""
    return (held.value > 0) - (held.value < 0)


def _whole(held: Quantity) -> int | None:
    """Return an amount that is kept as a whole number of 64 bits (1.0 and 1000m are not), None for others."""
    return _scaled(held.value, held.scale) if held.is_small and held.scale >= 0 else None


def _scaled(value: int, power: int) -> int | None:
    if value == 0:
        return 0
    made = value * 10**power if power <= _DIGITS_OF_64_BITS else None
    return made if made is not None and INT64_MIN <= made <= INT64_MAX else None


def is_integer(held: Quantity) -> bool:
    """``quantity.isInteger()``."""
    return _whole(held) is not None


def as_integer(held: Quantity) -> int:
    """``quantity.asInteger()``. Raises `EvalError`."""
    found = _whole(held)
    if found is None:
        raise EvalError("cannot convert value to integer")
    return found


def as_float(held: Quantity) -> float:
    """``quantity.asApproximateFloat()``."""
    try:
        base = float(held.value)
    except OverflowError:
        base = float("inf") if held.value > 0 else float("-inf")
    return base * _power_of_ten(held.scale) if held.scale else base


def _power_of_ten(power: int) -> float:
    """Return the result of ``math.Pow10``, with its rounding."""
    if not -323 <= power <= 308:
        return 0.0 if power < 0 else float("inf")
    high, low = float(f"1e{abs(power) // 32 * 32}"), float(f"1e{abs(power) % 32}")
    return high * low if power >= 0 else float(f"1e-{-power // 32 * 32}") / low


def add(one: Quantity, two: Quantity | int) -> Quantity:
    """``quantity.add(other)``."""
    other = _as_quantity(two)
    return _sum(one, other, other.value)


def sub(one: Quantity, two: Quantity | int) -> Quantity:
    """``quantity.sub(other)``."""
    other = _as_quantity(two)
    return _sum(one, replace(other, value=-other.value), wrapped(-other.value))


def _as_quantity(amount: Quantity | int) -> Quantity:
    return amount if isinstance(amount, Quantity) else Quantity(amount, style="exponent")


def _sum(one: Quantity, other: Quantity, in_64_bits: int) -> Quantity:
    """Return the sum; ``in_64_bits`` is the value of the other amount for small ones."""
    style = other.style if one.value == 0 else one.style
    if one.is_small and other.is_small and (small := _small_sum(one, other, in_64_bits)) is not None:
        return Quantity(*small, style=style, is_sum=True)
    scale = max(min(one.scale, other.scale), -_MOST_EXPONENT)
    total = sum(part.value * 10 ** min(part.scale - scale, _MOST_EXPONENT) for part in (one, other))
    return Quantity(total, scale, is_small=False, style=style, is_sum=True)


def _small_sum(one: Quantity, other: Quantity, added: int) -> tuple[int, int] | None:
    """Return value and scale of a sum of 64 bits, None if it needs more."""
    if added == 0:
        return one.value, one.scale
    if one.value == 0:
        return added, other.scale
    scale = min(one.scale, other.scale)
    first, second = _scaled(one.value, one.scale - scale), _scaled(added, other.scale - scale)
    total = None if first is None or second is None else first + second
    return (total, scale) if total is not None and INT64_MIN <= total <= INT64_MAX else None


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
