"""Timestamps and durations of CEL: read as Go's ``time`` and the API server's ``strfmt`` do, printed as Go does.

All arithmetic uses integer nanoseconds. No clock and no local time zone is read.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from validators.cel.errors import EvalError
from validators.cel.values import Duration, Timestamp
from validators.go.duration import SECOND, amounts_with_units, duration_text, parse_duration
from validators.go.text import quote

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MIN_SECONDS: Final = -62135596800
_MAX_SECONDS: Final = 253402300799
_FOUR_CENTURIES: Final = 146097 * 86400
_RANGE: Final = 2**63
_INSTANT: Final = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})([.,]\d+)?(Z|([+-])(\d{2}):(\d{2}))?", re.ASCII
)
_LOOSE_TIME: Final = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))")


def duration(nanos: int) -> Duration:
    """Return a duration of so many nanoseconds. Raises `EvalError` beyond 64 bits."""
    if not -_RANGE <= nanos < _RANGE:
        raise EvalError("duration overflow")
    return Duration(duration_text(nanos), nanos)


def timestamp(nanos: int, offset: int = 0) -> Timestamp:
    """Return an instant, printed at ``offset`` seconds east of UTC. Raises `EvalError` outside the years 1 to 9999."""
    if not _MIN_SECONDS <= nanos // SECOND <= _MAX_SECONDS:
        raise EvalError("timestamp overflow")
    return Timestamp(_rfc3339(nanos, offset), nanos, offset)


def _rfc3339(nanos: int, offset: int) -> str:
    seconds, rest = divmod(nanos, SECOND)
    shift = 1 if seconds + offset < _MIN_SECONDS else 0  # Python has no year 0; the calendar repeats every 400 years
    local = _EPOCH + timedelta(seconds=min(seconds + offset + shift * _FOUR_CENTURIES, _MAX_SECONDS))
    fraction = f".{str(rest).rjust(9, '0').rstrip('0')}" if rest else ""
    zone = "Z"
    if offset:
        zone = f"{'-' if offset < 0 else '+'}{abs(offset) // 3600:02d}:{abs(offset) % 3600 // 60:02d}"
    return f"{local:%H:%M:%S}".join((f"{local.year - 400 * shift:04d}-{local:%m-%d}T", f"{fraction}{zone}"))


def parse_instant(text: str, *, local: bool = False) -> tuple[int, int] | None:
    """Return nanoseconds and offset of an RFC 3339 time as Go reads it. With ``local`` there must be no zone."""
    found = _INSTANT.fullmatch(text)
    if found is None or (found[8] is None) != local:
        return None
    year, month, day, hour, minute, second = (int(found[at]) for at in range(1, 7))
    if hour > 23 or minute > 59 or second > 59 or not 1 <= month <= 12 or not 1 <= day <= _days(year, month):
        return None
    offset = 0
    if found[9]:
        if int(found[10]) > 24 or int(found[11]) > 60:
            return None
        offset = (int(found[10]) * 3600 + int(found[11]) * 60) * (-1 if found[9] == "-" else 1)
    seconds = _days_before(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset
    fraction = int((found[7] or ".0")[1:][:9].ljust(9, "0"))
    return seconds * SECOND + fraction, offset


def _leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _days(year: int, month: int) -> int:
    return 28 + _leap(year) if month == 2 else 30 + (month + month // 8) % 2


def _days_before(year: int, month: int, day: int) -> int:
    """Return the days from the Unix epoch. As in Go, there is a year 0."""
    past = year - 1
    days = past * 365 + past // 4 - past // 100 + past // 400 - 719162
    return days + sum(_days(year, one) for one in range(1, month)) + day - 1


def from_schema_duration(text: str) -> Duration:
    """Return the value of a property with format duration (``strfmt``): Go's form, else amounts with loose units."""
    nanos = parse_duration(text)
    if nanos is not None:
        return duration(nanos)
    amounts = amounts_with_units(text)
    if not any(unit for _, unit in amounts):
        raise EvalError(f"Invalid duration {text}: unable to parse {text} as duration")
    total = sum(amount * unit for amount, unit in amounts)
    return duration((total + _RANGE) % (2 * _RANGE) - _RANGE)


def from_schema_date(text: str) -> Timestamp:
    """Return the value of a property with format date: midnight UTC."""
    parsed = parse_instant(f"{text}T00:00:00Z") if len(text) == 10 else None
    if parsed is None:
        problem = _parse_error(text, "2006-01-02")
        raise EvalError(f"Invalid date formatted string {text}: {problem}")
    return timestamp(parsed[0])


def from_schema_time(text: str) -> Timestamp:
    """Return the value of a property with format date-time: RFC 3339, or without a zone, or empty (the epoch)."""
    parsed = (0, 0) if not text else parse_instant(text) or parse_instant(text, local=True)
    if parsed is None:
        problem = _parse_error(text, "2006-01-02T15:04:05")
        raise EvalError(f"Invalid date-time formatted string {text}: {problem}")
    return Timestamp(_rfc3339(*parsed), *parsed)


def _parse_error(text: str, layout: str) -> str:
    """Return Go's error text for a time that does not fit a layout."""
    at = 0
    for piece in re.findall(r"2006|01|02|15|04|05|[-T:]", layout):
        rest = text[at:]
        if piece in "-T:":
            if not rest.startswith(piece):
                return f"parsing time {quote(text)} as {quote(layout)}: cannot parse {quote(rest)} as {quote(piece)}"
            at += 1
            continue
        width = len(piece)
        if not (rest[:width].isdigit() and rest[:width].isascii() and len(rest) >= width):
            return f"parsing time {quote(text)} as {quote(layout)}: cannot parse {quote(rest)} as {quote(piece)}"
        at += width
        limits = {"01": (1, 12, "month"), "15": (0, 23, "hour"), "04": (0, 59, "minute"), "05": (0, 59, "second")}
        if piece in limits and not limits[piece][0] <= int(rest[:width]) <= limits[piece][1]:
            return f"parsing time {quote(text)}: {limits[piece][2]} out of range"
    if at < len(text):
        return f"parsing time {quote(text)}: extra text: {quote(text[at:])}"
    return f"parsing time {quote(text)}: day out of range"


def is_schema_time(text: str) -> bool:
    """Return whether a text passes the schema's format date-time, which accepts more than times."""
    day, _, rest = text.lower().partition("t")
    if len(day) != 10 or parse_instant(f"{day}T00:00:00Z") is None:
        return False
    found = _LOOSE_TIME.fullmatch(rest.partition("t")[0])
    return found is not None and found[1] <= "23" and found[2] <= "59" and found[3] <= "59"
