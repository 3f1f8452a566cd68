"""Durations as Go's ``time`` reads and prints them, in nanoseconds, and as kube-openapi's ``strfmt`` reads them."""

import re
from typing import Final

from ovnguard.validators.go.integers import atoi
from ovnguard.validators.lazy_pattern import lazy_pattern

SECOND: Final = 1_000_000_000
_RANGE: Final = 2**63
_MOST_DIGITS: Final = 19
_UNITS: Final = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,
    "ms": 1_000_000,
    "s": SECOND,
    "m": 60 * SECOND,
    "h": 3600 * SECOND,
}
_GO_PART: Final = lazy_pattern(r"(\d*)(\.\d*)?(ns|us|µs|μs|ms|s|m|h)", re.ASCII)
# Digits that no unit follows are looked at once: a text may have any length.
_LOOSE_PART: Final = lazy_pattern(r"(?<!\d)(\d++)[\t\n\f\r ]*+([A-Za-zµ]+)", re.ASCII)
_LOOSE_UNITS: Final = (
    (1, ("ns", "nano")),
    (1_000, ("us", "µs", "micro")),
    (1_000_000, ("ms", "milli")),
    (SECOND, ("s", "sec")),
    (60 * SECOND, ("m", "min")),
    (3600 * SECOND, ("h", "hr", "hour")),
    (86400 * SECOND, ("d", "day")),
    (7 * 86400 * SECOND, ("w", "wk", "week")),
)


def duration_text(nanos: int) -> str:
    """Return the duration as Go prints a ``time.Duration``: ``1h30m0s``, ``1.5s``, ``2ms``, ``0s``."""
    sign, left = ("-", -nanos) if nanos < 0 else ("", nanos)
    if left < SECOND:
        for unit, size in (("ms", 1_000_000), ("µs", 1_000), ("ns", 1)):
            if left >= size:
                return f"{sign}{_decimal(left, size)}{unit}"
        return "0s"
    hours, left = divmod(left, 3600 * SECOND)
    minutes, left = divmod(left, 60 * SECOND)
    lead = f"{hours}h{minutes}m" if hours else f"{minutes}m" if minutes else ""
    return f"{sign}{lead}{_decimal(left, SECOND)}s"


def _decimal(amount: int, unit: int) -> str:
    whole, rest = divmod(amount, unit)
    if not rest:
        return str(whole)
    return f"{whole}.{str(rest).rjust(len(str(unit)) - 1, '0').rstrip('0')}"


def parse_duration(text: str) -> int | None:
    """Return the nanoseconds of ``time.ParseDuration``, or None if it returns an error."""
    sign, body = (-1, text[1:]) if text[:1] == "-" else (1, text[1:] if text[:1] == "+" else text)
    if body == "0":
        return 0
    total = at = 0
    while at < len(body):
        found = _GO_PART.match(body, at)
        if found is None or (not found[1] and len(found[2] or "") < 2):
            return None
        unit = _UNITS[found[3]]
        whole = found[1].lstrip("0")
        if len(whole) > _MOST_DIGITS:
            return None
        total += int(whole or 0) * unit
        if found[2]:
            total += _fraction(found[2][1:], unit)
        at = found.end()
    if not body or total > _RANGE - (sign > 0):
        return None
    return sign * total


def _fraction(digits: str, unit: int) -> int:
    """Return a fraction of a unit. Go reads digits until they exceed 64 bits, and multiplies as floats."""
    value, scale = 0, 1.0
    for digit in digits:
        longer = value * 10 + int(digit)
        if longer > _RANGE:
            break
        value, scale = longer, scale * 10
    return int(value * (unit / scale))


def amounts_with_units(text: str) -> list[tuple[int, int]]:
    """Return the amounts that ``strfmt`` finds in a text, each with its unit in nanoseconds (0: not a unit).

    Raises `BadNumber` for an amount of more than 64 bits.
    """
    return [(atoi(amount), _loose_unit(unit.lower())) for amount, unit in _LOOSE_PART.findall(text)]


def _loose_unit(unit: str) -> int:
    for size, names in _LOOSE_UNITS:
        if unit in names or unit.startswith(names[-1]):
            return size
    return 0
