"""Timestamps and durations of CEL: read as Go's ``time`` and the API server's ``strfmt`` do, printed as Go does.

All arithmetic uses integer nanoseconds. No clock and no local time zone is read.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

from ovnguard.validators.cel.types.errors import EvalError
from ovnguard.validators.cel.values.cel_values import Duration, Timestamp
from ovnguard.validators.go.duration import SECOND, amounts_with_units, duration_text, parse_duration
from ovnguard.validators.go.integers import BadNumber, wrapped
from ovnguard.validators.go.time import DATE, FIRST_SECOND, LAST_SECOND, LOCAL_TIME, BadTime, Instant, parse_time

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FOUR_CENTURIES: Final = 146097 * 86400
_RANGE: Final = 2**63


def duration(nanos: int) -> Duration:
    """Return a duration of so many nanoseconds. Raises `EvalError` beyond 64 bits."""
    if not -_RANGE <= nanos < _RANGE:
        raise EvalError("integer overflow")
    return Duration(duration_text(nanos), nanos)


def between(one: Timestamp, two: Timestamp) -> Duration:
    """Return ``one - two``. Raises `EvalError` beyond 64 bits; the whole seconds alone must fit, too."""
    seconds = duration((one.nanos // SECOND - two.nanos // SECOND) * SECOND)
    return duration(seconds.nanos + one.nanos % SECOND - two.nanos % SECOND)


def timestamp(nanos: int, offset: int = 0) -> Timestamp:
    """Return an instant, printed at ``offset`` seconds east of UTC. Raises `EvalError` outside the years 1 to 9999."""
    if not FIRST_SECOND <= nanos // SECOND <= LAST_SECOND:
        raise EvalError("timestamp overflow")
    return Timestamp(_rfc3339(nanos, offset), nanos, offset)


def _rfc3339(nanos: int, offset: int) -> str:
    seconds, rest = divmod(nanos, SECOND)
    shift = 1 if seconds + offset < FIRST_SECOND else 0  # Python has no year 0; the calendar repeats every 400 years
    local = _EPOCH + timedelta(seconds=min(seconds + offset + shift * _FOUR_CENTURIES, LAST_SECOND))
    fraction = f".{str(rest).rjust(9, '0').rstrip('0')}" if rest else ""
    zone = "Z"
    if offset:
        zone = f"{'-' if offset < 0 else '+'}{abs(offset) // 3600:02d}:{abs(offset) % 3600 // 60:02d}"
    return f"{local:%H:%M:%S}".join((f"{local.year - 400 * shift:04d}-{local:%m-%d}T", f"{fraction}{zone}"))


def from_schema_duration(text: str) -> Duration:
    """Return the value of a property with format duration (``strfmt``): Go's form, else amounts with loose units."""
    nanos = parse_duration(text)
    if nanos is not None:
        return duration(nanos)
    try:
        amounts = amounts_with_units(text)
    except BadNumber as fault:
        raise EvalError(f"Invalid duration {text}: {fault}") from None
    if not any(unit for _, unit in amounts):
        raise EvalError(f"Invalid duration {text}: unable to parse {text} as duration")
    return duration(wrapped(sum(amount * unit for amount, unit in amounts)))


def from_schema_date(text: str) -> Timestamp:
    """Return the value of a property with format date: midnight UTC."""
    try:
        parsed = parse_time(text, DATE)
    except BadTime as problem:
        raise EvalError(f"Invalid date formatted string {text}: {problem}") from None
    return Timestamp(_rfc3339(*parsed), *parsed)


def from_schema_time(text: str) -> Timestamp:
    """Return the value of a property with format date-time: RFC 3339, or without a zone, or empty (the epoch)."""
    parsed = Instant(0, 0) if not text else _parsed(text)
    return Timestamp(_rfc3339(*parsed), *parsed)


def _parsed(text: str) -> Instant:
    try:
        return parse_time(text)
    except BadTime:
        try:
            return parse_time(text, LOCAL_TIME)
        except BadTime as problem:
            raise EvalError(f"Invalid date-time formatted string {text}: {problem}") from None
